package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// endless is a body without end.
type endless string

func (e endless) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		n += copy(b[n:], e)
	}
	return n, nil
}

// TestLargeBodies refuses bodies that are too large, announced or not, and releases their
// memory.
func TestLargeBodies(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.BodyBytes = 64 << 10 })
	large := strings.Repeat(" ", 65<<10)
	for _, path := range []string{"/v1/events", "/v1/pack"} {
		w.call("POST", path, large+event(0)).want(t, 413, fault.TooLarge)
		r, err := http.NewRequest("POST", w.url+path, endless(" "))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+w.token)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // the connection may be cut while the client still sends
		}
		res.Body.Close()
		if res.StatusCode != 413 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	// Streams of lines may be long; lines that are no events are reported.
	w.call("POST", "/v1/events", events(0, 1000), "Content-Type", mediaNDJSON).good(t, nil)
	waitFor(t, func() bool { return w.s.held.idle() })
}

// idle reports whether nothing is taken.
func (b *budget) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used == 0 && len(b.by) == 0
}

// TestSlowBodies ends a body that does not arrive.
func TestSlowBodies(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.BodyTime, o.Limits.StreamIdle = 50*time.Millisecond, 50*time.Millisecond })
	for _, media := range []string{mediaJSON, mediaNDJSON} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n%s\n{", w.token, media, event(0))
		answer, err := io.ReadAll(conn) // until the server closes the connection
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") || !strings.Contains(string(answer), `"too_slow"`) {
			t.Errorf("%s: %s, %v", media, answer, err)
		}
	}
	// A refusal does not wait for a body either.
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 401 ") {
		t.Errorf("%s, %v", answer, err)
	}
	if n := w.size(); n != 1 {
		t.Errorf("%d records, want the one that came whole", n)
	}
}

// TestOverload refuses calls that exceed the limits, and accepts them later.
func TestOverload(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{}, 8)
	w := newWorld(t, func(o *Options) {
		o.Limits.Streams, o.Limits.Calls, o.Limits.HeldBytes = 4, 2, 64<<10
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": anyone(func(http.ResponseWriter, *http.Request) {
			held <- struct{}{}
			<-hold
		})}
	})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { w.call("POST", "/mcp", "") })
		<-held
	}
	// A tenant may have half of it.
	for _, a := range []struct{ method, path string }{{"POST", "/mcp"}, {"GET", "/v1/events/stream"}} {
		r := w.call(a.method, a.path, "")
		if p := r.want(t, 503, fault.Overloaded); p.Retry == nil || r.header.Get("Retry-After") != "1" {
			t.Errorf("no Retry-After: %s", r.body)
		}
	}
	close(hold)
	all.Wait()
	w.call("POST", "/mcp", "").good(t, nil)
	w.call("POST", "/v1/events", strings.Repeat(" ", 40<<10)+event(0)).want(t, 503, fault.Overloaded)
	w.call("POST", "/v1/events", event(0)).good(t, nil)
	if !w.s.calls.take("acme", 1) {
		t.Fatal("a call is still counted")
	}
	w.call("GET", "/v1/root", "").want(t, 503, fault.Overloaded)
	w.s.calls.give("acme", 1)
	w.call("GET", "/v1/root", "").good(t, nil)
}

// TestBudgetLeavesSome: tenants that take all they can leave something for another, and a
// single one has half.
func TestBudgetLeavesSome(t *testing.T) {
	b := newBudget(1200)
	for hogs := 1; hogs <= 5; hogs++ {
		name := fmt.Sprint("hog-", hogs)
		for b.take(name, 1) {
		}
		if hogs == 1 && b.by[name] != 600 {
			t.Errorf("one alone has %d", b.by[name])
		}
		if !b.take("late", 10) {
			t.Errorf("nothing is left by %d of them: %v", hogs, b.by)
		}
		b.give("late", 10)
	}
	if one := newBudget(1); !one.take("a", 1) || one.take("b", 1) {
		t.Error("the only place is not given, or twice")
	}
}

// TestBudget never gives more than there is, and gets everything back.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(2, 50).Draw(t, "total")
		b := newBudget(total)
		taken := map[string]int64{}
		sum := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			who := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "who")
			if n := taken[who]; n > 0 && rapid.Bool().Draw(t, "give") {
				back := rapid.Int64Range(1, n).Draw(t, "back")
				b.give(who, back)
				taken[who] -= back
				sum -= back
				continue
			}
			n := rapid.Int64Range(1, total).Draw(t, "n")
			want := sum+n <= total && (who == "" || taken[who]+n <= max(total-sum-n, 1))
			if got := b.take(who, n); got != want {
				t.Fatalf("take %d of %d with %v taken: %v", n, total, taken, got)
			}
			if want {
				taken[who] += n
				sum += n
			}
		}
		for who, n := range taken {
			b.give(who, n)
		}
		if !b.idle() {
			t.Fatalf("%d left, by %v", b.used, b.by)
		}
	})
	b := newBudget(2)
	if !b.take("", 2) {
		t.Fatal("nothing there")
	}
	got := make(chan bool, 1)
	go func() { got <- b.wait(ctx, "", 1) }()
	b.give("", 1)
	if !<-got {
		t.Error("not given what is there")
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if b.wait(over, "", 2) {
		t.Error("given what is not there")
	}
}

// TestQuotas says when to retry.
func TestQuotas(t *testing.T) {
	err := fmt.Errorf("too fast: %w", errors.Join(fault.New(fault.RateLimited, "events"), &quota.Wait{After: 1500 * time.Millisecond}))
	p := newProblem(err, "x")
	if p.Status != 429 || p.Code != fault.RateLimited || p.Retry == nil || *p.Retry != 2 {
		t.Errorf("%+v", p)
	}
	calls := 0
	err = waitTurn(ctx, func() error {
		if calls++; calls < 3 {
			return &quota.Wait{After: time.Microsecond}
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if err := waitTurn(ctx, func() error { return &quota.Wait{After: time.Hour} }); err == nil {
		t.Error("it waited for an hour")
	}
}

// TestOperatorsChangeQuotas: the limit that stops a tenant does not stop the operator who lifts
// it.
func TestOperatorsChangeQuotas(t *testing.T) {
	now := time.Now()
	w := newWorld(t, func(o *Options) {
		o.Quotas = quota.New(quota.Options{Clock: func() time.Time { return now }})
		if err := o.Quotas.Attach(ctx, o.Board); err != nil {
			t.Fatal(err)
		}
	})
	operator := []string{"Authorization", "Bearer " + bootstrap, "X-Lukasa-Tenant", "acme"}
	w.call("PUT", "/v1/quota", `{"requests_per_second":1}`, operator...).good(t, nil)
	spent := false
	for range 10 {
		spent = spent || w.call("GET", "/v1/key", "").status == 429
	}
	if !spent {
		t.Fatal("the tenant has no limit")
	}
	if got := w.call("PUT", "/v1/quota", `{"requests_per_second":7}`).status; got != 429 {
		t.Errorf("the tenant's own call: %d", got)
	}
	w.call("PUT", "/v1/quota", `{"requests_per_second":100}`, operator...).good(t, nil)
	w.call("GET", "/v1/key", "").good(t, nil)
}

// TestObserve: Observe receives each call.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	w := newWorld(t, func(o *Options) {
		o.Observe = func(op string, status int, took time.Duration, in, out int64) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprintf("%s %d %v %v %v", op, status, took > 0, in, out > 0))
		}
	})
	w.call("POST", "/v1/events", event(0)).good(t, nil)
	w.call("GET", "/nowhere", "")
	w.call("GET", "/v1/root", "").good(t, nil)
	waitFor(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen) == 3
	})
	want := fmt.Sprintf("ingest 200 true %d true, none 404 true 0 true, root 200 true 0 true", len(event(0)))
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
