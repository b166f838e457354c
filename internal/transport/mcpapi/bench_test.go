package mcpapi

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// blank is a ResponseWriter that discards everything.
type blank struct {
	header http.Header
	status int
}

func (b *blank) Header() http.Header         { return b.header }
func (b *blank) Write(p []byte) (int, error) { return len(p), nil }
func (b *blank) WriteHeader(status int)      { b.status = status }

// hot are the requests to measure.
func hot() map[string]func() *http.Request {
	request := func(body string, header map[string]string) func() *http.Request {
		return func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range header {
				r.Header.Set(name, value)
			}
			return r
		}
	}
	return map[string]func() *http.Request{
		"call/2025-06-18": request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"hello"}}}`, map[string]string{headerVersion: "2025-06-18"}),
		"call/2026-07-28": request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+modernParams(`"name":"say","arguments":{"text":"hello"}`)+`}`,
			map[string]string{headerVersion: stateless, headerMethod: "tools/call", headerName: "say"}),
		"list/2025-06-18": request(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{headerVersion: "2025-06-18"}),
	}
}

// ways are the two implementations.
func ways(s *Server) map[string]http.Handler {
	from := Caller{Who: member("acme")}
	return map[string]http.Handler{"lean": s.Handler(from), "library": bySDK(s)(from)}
}

// BenchmarkHTTP measures a request, answered here and by the library.
func BenchmarkHTTP(b *testing.B) {
	s := newServer(Options{Board: openBoard(b)}, newTrial().table())
	for name, request := range hot() {
		for way, h := range ways(s) {
			b.Run(name+"/"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					w := &blank{header: http.Header{}, status: 200}
					if h.ServeHTTP(w, request()); w.status != 200 {
						b.Fatal(w.status)
					}
				}
			})
		}
	}
}

// BenchmarkRatio measures how many times cheaper a call is here, side by side.
func BenchmarkRatio(b *testing.B) {
	s := newServer(Options{Board: openBoard(b)}, newTrial().table())
	request, both := hot()["call/2026-07-28"], ways(s)
	var took [2]time.Duration
	for b.Loop() {
		for i, h := range []http.Handler{both["lean"], both["library"]} {
			begin := time.Now()
			for range 20 {
				h.ServeHTTP(&blank{header: http.Header{}}, request())
			}
			took[i] += time.Since(begin)
		}
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "times")
}

// BenchmarkStdio measures a call over standard input and output.
func BenchmarkStdio(b *testing.B) {
	s := newServer(Options{Board: openBoard(b)}, newTrial().table())
	p := started(b.Context(), b, s)
	b.ReportAllocs()
	for b.Loop() {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"hello"}}}`)
		p.next()
	}
	p.in.Close()
	receive(b, p.ended)
}

// TestLeanIsWorthIt: the fast path allocates at most a third of what the library does. It is
// far less, and about the same on every machine.
func TestLeanIsWorthIt(t *testing.T) {
	const calls = 200
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	for name, request := range hot() {
		garbage := map[string]uint64{}
		for way, h := range ways(s) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range calls {
				h.ServeHTTP(&blank{header: http.Header{}}, request())
			}
			runtime.ReadMemStats(&after)
			garbage[way] = (after.TotalAlloc - before.TotalAlloc) / calls
		}
		t.Logf("%s: %d bytes here, %d by the library", name, garbage["lean"], garbage["library"])
		if 3*garbage["lean"] > garbage["library"] {
			t.Errorf("%s: %d bytes here, %d by the library", name, garbage["lean"], garbage["library"])
		}
	}
}
