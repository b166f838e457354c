package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// taken is how much of a budget is in use.
func (b *budget) taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestFramesAreCounted: the memory of an incomplete frame comes from the budget.
func TestFramesAreCounted(t *testing.T) {
	w := newWorld(t, nil)
	conn := w.socketOf(w.token)
	part, err := conn.Writer(ctx, websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, strings.Repeat(" ", 500<<10)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a frame that came in part is counted", func() bool { return w.s.held.taken() >= 256<<10 })
	if most := w.s.held.taken(); most > wire.DefaultMaxBytes+1 {
		t.Errorf("%d bytes for one frame", most)
	}
	if _, err := io.WriteString(part, event(0)); err != nil {
		t.Fatal(err)
	}
	if err := part.Close(); err != nil {
		t.Fatal(err)
	}
	if a := ackOf(t, conn); a.Disposition != lukasa.Accepted {
		t.Errorf("%+v", a)
	}
	eventually(t, "everything is given back", w.s.held.idle)
}

// TestLateFrame gives up a frame that does not arrive in time.
func TestLateFrame(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.BodyTime = time.Millisecond })
	conn := w.socketOf(w.token)
	part, err := conn.Writer(ctx, websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, strings.Repeat(" ", 10<<10)); err != nil {
		t.Fatal(err)
	}
	timed, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, _, err := conn.Read(timed); err == nil || timed.Err() != nil {
		t.Errorf("it is still waited for: %v", err)
	}
	eventually(t, "everything is given back", w.s.held.idle)
}

// TestBodiesOfOthersAreCounted: bodies that foreign handlers read come from the budget.
func TestBodiesOfOthersAreCounted(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Limits.HeldBytes = 64 << 10
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": anyone(func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprintf(w, "%d %s.", n, lukasa.CodeOf(err))
		})}
	})
	for size, want := range map[int]string{10 << 10: "10240 .", 40 << 10: " overloaded."} {
		if r := w.call("POST", "/mcp", strings.Repeat(" ", size)); !strings.HasSuffix(r.body, want) {
			t.Errorf("%d bytes: %s", size, r.body)
		}
	}
	eventually(t, "everything is given back", w.s.held.idle)
}

// TestHeads closes only those connections that want too much memory before their caller is known.
func TestHeads(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.HeldBytes = 64 << 10 }) // half of it is for heads
	large := "GET /v1/root HTTP/1.1\r\nHost: localhost\r\nX-Long: " + strings.Repeat("a", 30<<10)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, large); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	first := dial()
	eventually(t, "a head that came in part is counted", func() bool { return w.s.heads.taken() > 20<<10 })
	second := dial()
	_ = second.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := second.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("it is waited for: %v", err)
	}
	w.call("GET", "/v1/root", "").good(t, nil)
	if _, err := io.WriteString(first, "\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(first); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 401 ") {
		t.Errorf("%s, %v", answer, err)
	}
	eventually(t, "everything is given back", w.s.heads.idle)
}

// TestOperationsAreCharged charges what operations record to a tenant, and lets a tenant over its
// limit delete.
func TestOperationsAreCharged(t *testing.T) {
	book := quota.New(quota.Options{Default: quota.Limits{MaxRecords: 2}})
	w := newWorld(t, func(o *Options) {
		o.Quotas = book
		if err := book.Attach(ctx, o.Board); err != nil {
			t.Fatal(err)
		}
	})
	w.call("POST", "/v1/memories", `{"key":"a","text":"one"}`).good(t, nil)
	w.call("PUT", "/v1/memories/b", `{"text":"two"}`).good(t, nil)
	w.call("POST", "/v1/memories", `{"key":"c","text":"three"}`).want(t, 429, fault.OverQuota)
	w.call("PUT", "/v1/memories/a", `{"text":"four"}`).want(t, 429, fault.OverQuota)
	w.call("GET", "/v1/memories/a", "").good(t, nil)
	w.call("DELETE", "/v1/memories/a", "").good(t, nil)
	w.call("POST", "/v1/redact", `{"names":["b"]}`).good(t, nil)
}

// TestUnreadAnswersOfOthers ends an answer of a foreign handler that the client does not read.
func TestUnreadAnswersOfOthers(t *testing.T) {
	failed := make(chan error, 1)
	w := newWorld(t, func(o *Options) {
		o.Limits.WriteTime, o.Limits.BodyRate = 10*time.Millisecond, 1<<40
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": anyone(func(w http.ResponseWriter, _ *http.Request) {
			part := make([]byte, 1<<20)
			for range 1 << 10 {
				if _, err := w.Write(part); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		})}
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", w.token); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		if err == nil {
			t.Error("all of it was taken")
		}
	case <-time.After(time.Minute):
		t.Error("it is waited for")
	}
}

// TestAnswersAreCounted: large answers come from the budget.
func TestAnswersAreCounted(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.HeldBytes = 400 << 10 })
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		w.call("PUT", "/v1/memories/"+key, `{"text":"`+strings.Repeat("long ", 10<<10)+`"}`).good(t, nil)
	}
	w.call("GET", "/v1/memories?limit=2", "").good(t, nil)
	w.call("GET", "/v1/memories?limit=5", "").want(t, 503, fault.Overloaded)
	eventually(t, "everything is given back", w.s.held.idle)
}

// TestDoneIsTold: the answer to a write is always sent, whatever memory is in use, since a
// refused client would send it again.
func TestDoneIsTold(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.HeldBytes = 200 << 10 })
	m := &lukasa.Memory{Type: "fact", Key: "memories/log.md", Text: strings.Repeat(`"`, 60<<10) + "END", Tags: []string{"memory-tool"}}
	if _, err := w.s.o.Board.Tenant("acme", lukasa.Writer{Actor: "x", Trust: lukasa.Agent}).Put(t.Context(), m, lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	r := w.call("POST", "/v1/memory_tool", `{"command":"str_replace","path":"/memories/log.md","old_str":"END","new_str":"END."}`)
	if r.good(t, nil); len(r.body) < 100<<10 {
		t.Errorf("the answer has only %d bytes", len(r.body))
	}
}

// TestHold reserves memory for foreign handlers until their request ends.
func TestHold(t *testing.T) {
	late := make(chan Caller, 3)
	w := newWorld(t, func(o *Options) {
		o.Limits.HeldBytes = 1 << 20
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": func(c Caller) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				said := []string{}
				for range 3 {
					said = append(said, lukasa.CodeOf(c.Hold(200<<10)))
				}
				_, _ = fmt.Fprintf(w, "%q", said)
				late <- c
			})
		}}
	})
	for range 3 {
		if r := w.call("POST", "/mcp", ""); r.body != `["" "" "overloaded"]` {
			t.Error(r.body)
		}
		eventually(t, "everything is given back", w.s.held.idle)
		if err := (<-late).Hold(200 << 10); err == nil || !w.s.held.idle() {
			t.Errorf("after the request is over: %v", err)
		}
	}
}

// TestTurn gives foreign handlers slots for calls.
func TestTurn(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Limits.Calls = 4
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": func(c Caller) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				said := []string{}
				for range 3 {
					done, err := c.Turn()
					if said = append(said, lukasa.CodeOf(err)); err == nil {
						defer done()
					}
				}
				_, _ = fmt.Fprintf(w, "%q", said)
			})
		}}
	})
	for range 3 {
		if r := w.call("POST", "/mcp", ""); r.body != `["" "" "overloaded"]` {
			t.Error(r.body)
		}
	}
	eventually(t, "everything is given back", w.s.calls.idle)
}
