package mcpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// openBoard returns a new board.
func openBoard(t testing.TB) *lukasa.Board {
	t.Helper()
	b, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// member returns a caller that may read and write in a tenant.
func member(tenant string) *auth.Principal {
	return &auth.Principal{Key: "k-" + tenant, Role: auth.Member, Tenant: tenant, Rights: auth.Read | auth.Write, Trust: lukasa.User}
}

// behindGuard calls next with the principal that the bearer token names.
func behindGuard(next func(Caller) http.Handler, known map[string]*auth.Principal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := known[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		next(Caller{Who: who}).ServeHTTP(w, r)
	})
}

// The requests and answers of the operations that tests serve.
type (
	echoIn struct {
		Text  string   `json:"text" doc:"What to say."`
		Times int      `json:"times,omitempty" min:"0" max:"9" usual:"1" doc:"How often."`
		Words []string `json:"words,omitempty"`
	}
	echoOut struct {
		Text   string   `json:"text"`
		Tenant string   `json:"tenant"`
		Words  []string `json:"words"`
	}
	emptyIn struct{}
	waitOut struct {
		Done bool `json:"done"`
	}
)

// trial is a table for tests of the transport alone, with the effects of its operations.
type trial struct {
	started chan string   // receives the name of an operation that waits
	release chan struct{} // lets a waiting operation continue
}

func newTrial() *trial { return &trial{started: make(chan string, 64), release: make(chan struct{})} }

// table returns operations that say, quote, write, fail, panic, wait, and report progress.
func (x *trial) table() table {
	op := func(name string, in, out any, needs auth.Rights, run func(ctx context.Context, c *operation.Call, in any) (any, error)) *operation.Operation {
		return &operation.Operation{
			Name: name, Short: "Does " + name + ".", Method: http.MethodPost, Path: "/v1/" + name, Tool: &operation.Tool{Default: true},
			Needs: needs, Wrote: needs.Has(auth.Write), In: reflect.TypeOf(in), Out: reflect.TypeOf(out), Run: run,
		}
	}
	list := []*operation.Operation{
		op("say", echoIn{}, echoOut{}, auth.Read, func(_ context.Context, c *operation.Call, in any) (any, error) {
			q := in.(*echoIn)
			return &echoOut{strings.Repeat(q.Text, q.Times), c.Who.Tenant, append([]string{}, q.Words...)}, nil
		}),
		op("quote", echoIn{}, operation.Text{}, auth.Read, func(_ context.Context, _ *operation.Call, in any) (any, error) {
			return &operation.Text{Body: "## <" + in.(*echoIn).Text + "> & co\n"}, nil
		}),
		op("write", echoIn{}, echoOut{}, auth.Read|auth.Write, func(_ context.Context, c *operation.Call, in any) (any, error) {
			return &echoOut{Text: in.(*echoIn).Text, Tenant: c.Who.Tenant}, nil
		}),
		op("test_error_handling", emptyIn{}, echoOut{}, auth.Read, func(context.Context, *operation.Call, any) (any, error) {
			return nil, fault.New(fault.NotFound, "there is no <such> thing").WithFix("look elsewhere & try again")
		}),
		op("test_simple_text", emptyIn{}, operation.Text{}, auth.Read, func(context.Context, *operation.Call, any) (any, error) {
			return &operation.Text{Body: "This is a simple text response for testing."}, nil
		}),
		op("crash", emptyIn{}, echoOut{}, auth.Read, func(context.Context, *operation.Call, any) (any, error) {
			panic("the secret of the house")
		}),
		op("wait", emptyIn{}, waitOut{}, auth.Read, func(ctx context.Context, _ *operation.Call, _ any) (any, error) {
			x.started <- "wait"
			select {
			case <-x.release:
				return &waitOut{Done: true}, nil
			case <-ctx.Done():
				x.started <- "cancelled"
				return nil, ctx.Err()
			}
		}),
		op("test_tool_with_progress", emptyIn{}, waitOut{}, auth.Read, func(_ context.Context, c *operation.Call, _ any) (any, error) {
			if c.Progress != nil {
				for i := range uint64(3) {
					c.Progress(i*50, 100, "on the way")
				}
			}
			return &waitOut{Done: true}, nil
		}),
	}
	list[1].Media = "text/markdown"
	list[4].Media = "text/markdown"
	return table{list, func(name string) *operation.Operation {
		for _, o := range list {
			if o.Name == name {
				return o
			}
		}
		return nil
	}}
}

// soon is the timeout for what must happen.
const soon = time.Minute

// receive returns the next value of a channel.
func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(soon):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// post sends a message over HTTP to a handler, as bearer.
func post(h http.Handler, bearer, body string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+bearer)
	for name, value := range header {
		if value == "" {
			r.Header.Del(name)
		} else {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// answer is a message from the server.
type answer struct {
	ID     any             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// parsed parses a message.
func parsed(t testing.TB, text string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return a
}

var errClosed = errors.New("closed")

// allowed is what the table says about a caller.
func allowed(op *operation.Operation, who *auth.Principal) bool {
	return operation.Allow(op, who) == nil
}

// newCancel returns a context that ends with the test at the latest.
func newCancel(t testing.TB) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// fixedClock returns a clock that does not advance.
func fixedClock() func() time.Time {
	now := time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
	return func() time.Time { return now }
}

// postWith sends an empty request of another method, and returns the status.
func postWith(h http.Handler, method string) int {
	r := httptest.NewRequest(method, "/mcp", nil)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer a")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}
