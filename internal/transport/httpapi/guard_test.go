package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/transport/httpapi/admit"
)

// echo makes handlers of others that say who calls.
func echo(c Caller) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%s %s %s", c.Who.Tenant, c.Who.Role, w.Header().Get("X-Request-Id"))
	})
}

// anyone serves every caller alike.
func anyone(h http.HandlerFunc) func(Caller) http.Handler {
	return func(Caller) http.Handler { return h }
}

// TestForeigners refuses calls with a wrong host or origin, at every path, by every transport.
func TestForeigners(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Hosts, o.Origins = []string{"memory.example.com"}, []string{"https://app.example.com"}
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": echo}
		o.Open = map[string]http.Handler{"/metrics": http.NotFoundHandler()}
	})
	wrong := []struct{ host, origin string }{
		{"evil.example", ""}, {"evil.example:80", ""}, {"localhost.evil.example", ""}, {"127.0.0.1.evil.example", ""}, {"localhost@evil.example", ""},
		{"evil.example", "http://evil.example"}, {"evil.example", "http://localhost"}, {"10.0.0.1", ""}, {"[fe80::1]", ""}, {"0.0.0.0", ""},
		{"localhost:port", ""}, {"localhost:", ""}, {"localhost:123456", ""}, {"2130706433", ""}, {"memory.example.com.", ""}, {"xmemory.example.com", ""},
		{"localhost", "null"}, {"localhost", "http://evil.example"}, {"localhost", "https://evil.example:443"}, {"localhost", "http://localhost.evil.example"},
		{"localhost", "http://localhost@evil.example"}, {"localhost", "http://evil.example#localhost"}, {"localhost", "http://localhost:80/path"},
		{"localhost", "file://"}, {"localhost", "file://localhost"}, {"localhost", "chrome-extension://abcdef"}, {"localhost", "ftp://localhost"},
		{"localhost", "localhost"}, {"localhost", "http://"}, {"localhost", "https://app.example.com.evil.example"}, {"localhost", "https://app.example.com:444"},
		{"localhost", "http://app.example.com"}, {"localhost", "http://localhost http://evil.example"}, {"127.0.0.1", "http://127.0.0.1.nip.io"},
		{"memory.example.com", "http://evil.example"}, {"memory.example.com", "https://example.com"}, {"[::1]", "http://[::2]"}, {"[::1]", "http://[::1"},
		{"127.0.0.1", "http://0.0.0.0"}, {"127.0.0.1", "NULL"},
	}
	if len(wrong) < 40 {
		t.Fatalf("only %d combinations", len(wrong))
	}
	at := []struct{ method, path string }{
		{"GET", "/healthz"}, {"GET", "/readyz"}, {"GET", "/openapi.json"}, {"GET", "/metrics"}, {"GET", "/v1/root"}, {"POST", "/v1/events"}, {"POST", "/v1/pack"},
		{"GET", "/v1/events/stream"}, {"POST", "/mcp"}, {"GET", "/mcp"}, {"GET", "/nowhere"}, {"OPTIONS", "/v1/root"}, {"HEAD", "/v1/root"}, {"DELETE", "/v1/events"},
	}
	for _, c := range wrong {
		headers := []string{"Host", c.host}
		if c.origin != "" {
			headers = append(headers, "Origin", c.origin)
		}
		for _, a := range at {
			r := w.call(a.method, a.path, "", headers...)
			if r.status != http.StatusForbidden {
				t.Errorf("%s %s by %q from %q: %d", a.method, a.path, c.host, c.origin, r.status)
				continue
			}
			if a.method != "HEAD" {
				r.want(t, 403, fault.ForeignOrigin)
			}
			if r.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("from %q: may read the answer", c.origin)
			}
		}
		if status, _ := w.dial(c.host, c.origin); status != http.StatusForbidden {
			t.Errorf("WebSocket by %q from %q: %d", c.host, c.origin, status)
		}
	}
	for _, c := range []struct{ host, origin string }{
		{"localhost", ""}, {"LocalHost:8080", ""}, {"127.0.0.1:1", ""}, {"127.8.8.8", ""}, {"[::1]:8080", ""}, {"memory.example.com", ""}, {"MEMORY.example.com:443", ""},
		{"localhost", "http://localhost:3000"}, {"localhost", "http://127.0.0.1"}, {"localhost", "http://[::1]:80"}, {"memory.example.com", "https://memory.example.com"},
		{"localhost", "https://app.example.com"}, {"memory.example.com", "https://APP.example.com"},
	} {
		headers := []string{"Host", c.host}
		if c.origin != "" {
			headers = append(headers, "Origin", c.origin)
		}
		if r := w.call("POST", "/mcp", "", headers...); r.status != 200 || !strings.HasPrefix(r.body, "acme tenant ") {
			t.Errorf("by %q from %q: %d %s", c.host, c.origin, r.status, r.body)
		}
		if status, err := w.dial(c.host, c.origin); status != http.StatusSwitchingProtocols {
			t.Errorf("WebSocket by %q from %q: %d, %v", c.host, c.origin, status, err)
		}
	}
	if answer := w.raw("GET /healthz HTTP/1.0\r\n\r\n"); !strings.Contains(answer, " 403 ") {
		t.Errorf("without a host: %s", answer)
	}
}

// dial opens and closes a WebSocket, and returns the status of the answer.
func (w *world) dial(host, origin string) (int, error) {
	w.t.Helper()
	h := http.Header{"Authorization": {"Bearer " + w.token}}
	if origin != "" {
		h.Set("Origin", origin)
	}
	conn, res, err := websocket.Dial(ctx, w.url+"/v1/ingest/ws", &websocket.DialOptions{Host: host, HTTPHeader: h})
	if err == nil {
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
	if res == nil {
		return 0, err
	}
	return res.StatusCode, err
}

// TestListenAddress accepts the address of the connection as a host name of the server.
func TestListenAddress(t *testing.T) {
	n := admit.NewNeighbours(nil, nil)
	local := netip.MustParseAddr("192.168.1.5")
	for host, want := range map[string]bool{"192.168.1.5": true, "192.168.1.6": false, "::ffff:192.168.1.5": true, "example.com": false, "": false} {
		if got := n.Knows(host, local); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// TestCredentials requires a credential at every path that is not open, before the body is
// read.
func TestCredentials(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": echo}
		o.Open = map[string]http.Handler{"/metrics": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })}
	})
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json", "/metrics"} {
		if r := w.call("GET", path, "", "Authorization", ""); r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	for _, line := range []string{"", "Bearer", "Bearer ", "Bearer nonsense", "Basic " + w.token, w.token, "Bearer " + w.token[:len(w.token)-1]} {
		for _, a := range []struct{ method, path string }{{"GET", "/v1/root"}, {"POST", "/v1/events"}, {"GET", "/v1/events/stream"}, {"GET", "/v1/ingest/ws"}, {"POST", "/mcp"}} {
			r := w.call(a.method, a.path, "", "Authorization", line)
			r.want(t, 401, fault.Unauthenticated)
			if !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("WWW-Authenticate is %q", r.header.Get("WWW-Authenticate"))
			}
		}
	}
	w.call("GET", "/v1/root", "", "X-Lukasa-Tenant", "other").want(t, 403, fault.NotPermitted)
	var root struct{ Tenant string }
	w.call("GET", "/v1/root", "", "Authorization", "Bearer "+bootstrap, "X-Lukasa-Tenant", "other").good(t, &root)
	if root.Tenant != "other" {
		t.Errorf("%+v", root)
	}
	w.call("GET", "/v1/root", "", "Authorization", "Bearer "+bootstrap).want(t, 422, fault.InvalidArgument)
	for _, query := range []string{"token=x", "access_token=x", "a=b&Token=x", "api_key=1", "tok%65n=x", "x=" + w.token, "limit=1;bearer=2", "x=lukasa_scope_1.abc"} {
		r := w.call("GET", "/v1/root?"+query, "")
		if p := r.want(t, 401, fault.Unauthenticated); !strings.Contains(p.Fix, "revoke") {
			t.Errorf("%s: %s", query, p.Fix)
		}
	}
	twice := "GET /v1/root HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token + "\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n"
	if answer := w.raw(twice); !strings.Contains(answer, " 401 ") {
		t.Errorf("two credentials: %s", answer)
	}
	log := w.log.String()
	for _, secret := range []string{w.token, bootstrap, "nonsense", "tok%65n", "?", "deploy"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestHeaders refuses too many or too large headers with a problem.
func TestHeaders(t *testing.T) {
	w := newWorld(t, nil)
	for name, line := range map[string]string{"short": "a%d: b\r\n", "longer": "x-h%d: value\r\n"} {
		var b strings.Builder
		b.WriteString("GET /v1/root HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token + "\r\n")
		for i := range 10_000 {
			fmt.Fprintf(&b, line, i)
		}
		b.WriteString("\r\n")
		if answer := w.raw(b.String()); !strings.Contains(answer, " 413 ") || !strings.Contains(answer, problemType) {
			t.Errorf("10,000 headers, %s: %.300s", name, answer)
		}
	}
	w.call("GET", "/v1/root", "", "X-Long", strings.Repeat("x", 65<<10)).want(t, 413, fault.TooLarge)
	w.call("GET", "/v1/root", "", "X-Long", strings.Repeat("x", 30<<10)).good(t, nil)
}

// TestRequestIDs keeps a safe id, and makes one otherwise.
func TestRequestIDs(t *testing.T) {
	w := newWorld(t, nil)
	if got := w.call("GET", "/healthz", "", "X-Request-Id", "abc-1.2:3/4+5=").header.Get("X-Request-Id"); got != "abc-1.2:3/4+5=" {
		t.Errorf("got %q", got)
	}
	seen := map[string]bool{}
	for _, bad := range []string{"", "a b", "a\"b", strings.Repeat("x", 129), "é", "{}"} {
		got := w.call("GET", "/healthz", "", "X-Request-Id", bad).header.Get("X-Request-Id")
		if got == "" || got == bad || seen[got] {
			t.Errorf("for %q got %q", bad, got)
		}
		seen[got] = true
	}
}

// TestCORS lets only scripts of configured pages read answers.
func TestCORS(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Origins = []string{"https://app.example.com/"} })
	r := w.call("GET", "/v1/root", "", "Origin", "https://app.example.com")
	if r.status != 200 || r.header.Get("Access-Control-Allow-Origin") != "https://app.example.com" || !strings.Contains(strings.Join(r.header["Vary"], ","), "Origin") {
		t.Errorf("%d %v", r.status, r.header)
	}
	r = w.call("OPTIONS", "/v1/events", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST", "Authorization", "")
	if r.status != 204 || !strings.Contains(r.header.Get("Access-Control-Allow-Methods"), "POST") || !strings.Contains(r.header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: %d %v", r.status, r.header)
	}
	for _, origin := range []string{"http://localhost:3000", "http://127.0.0.1"} {
		r = w.call("OPTIONS", "/v1/events", "", "Origin", origin, "Access-Control-Request-Method", "POST")
		if r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s may read answers: %v", origin, r.header)
		}
	}
	if r.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Error("credentials of the browser are taken")
	}
}

// TestRoutes answers for unknown paths and methods.
func TestRoutes(t *testing.T) {
	w := newWorld(t, nil)
	for _, path := range []string{"/", "/v1", "/v2/root", "/v1/root/", "//v1/root", "/v1//root", "/v1/../v1/root", "/v1/./root", "/openapi.json/x", "/V1/root"} {
		w.call("GET", path, "").want(t, 404, fault.UnknownRoute)
	}
	r := w.call("DELETE", "/v1/root", "")
	r.want(t, 405, fault.WrongMethod)
	if got := r.header.Get("Allow"); got != "GET, HEAD, OPTIONS" {
		t.Errorf("Allow is %q", got)
	}
	r = w.call("PUT", "/v1/events", "")
	r.want(t, 405, fault.WrongMethod)
	if got := r.header.Get("Allow"); got != "GET, HEAD, POST, OPTIONS" {
		t.Errorf("Allow is %q", got)
	}
	r = w.call("OPTIONS", "/v1/root", "")
	if r.status != 204 || r.header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("%d %v", r.status, r.header)
	}
	full, head := w.call("GET", "/v1/root", ""), w.call("HEAD", "/v1/root", "")
	if head.status != 200 || head.body != "" || head.header.Get("Content-Length") != full.header.Get("Content-Length") || head.header.Get("ETag") != full.header.Get("ETag") {
		t.Errorf("HEAD: %d %q %v", head.status, head.body, head.header)
	}
	w.call("GET", "/v1/root?surprise=1", "").want(t, 422, fault.InvalidArgument)
	w.call("GET", "/v1/events?session=a&session=b", "").want(t, 422, fault.InvalidArgument)
	w.call("GET", "/v1/root?%zz", "").want(t, 422, fault.InvalidArgument)
	w.call("GET", "/v1/root", "{}").want(t, 422, fault.InvalidArgument)
}

// TestPanic answers for a handler that panics, and logs it.
func TestPanic(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": anyone(func(http.ResponseWriter, *http.Request) { panic("all is lost") })}
	})
	p := w.call("POST", "/mcp", "").want(t, 500, fault.Internal)
	if strings.Contains(p.Detail, "lost") {
		t.Errorf("the caller is told %q", p.Detail)
	}
	if log := w.log.String(); !strings.Contains(log, "all is lost") || !strings.Contains(log, `"status":500`) {
		t.Errorf("the log has %s", log)
	}
	w.call("GET", "/v1/root", "").good(t, nil)
}

// TestRights checks calls against the rights in the table.
func TestRights(t *testing.T) {
	w := newWorld(t, nil)
	reader := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read})
	writer := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Write})
	w.call("GET", "/v1/root", "", "Authorization", "Bearer "+writer).want(t, 403, fault.NotPermitted)
	w.call("GET", "/v1/root", "", "Authorization", "Bearer "+reader).good(t, nil)
	w.call("GET", "/v1/events/stream", "", "Authorization", "Bearer "+writer).want(t, 403, fault.NotPermitted)
	w.call("GET", "/v1/ingest/ws", "", "Authorization", "Bearer "+reader).want(t, 403, fault.NotPermitted)
	w.call("GET", "/v1/ingest/ws", "").want(t, 400, fault.Usage)
}

// TestAnswersTakeTheirTime lets a foreign handler take longer than earlier calls on the same
// connection could.
func TestAnswersTakeTheirTime(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Limits.WriteTime, o.Limits.BodyTime = 50*time.Millisecond, 50*time.Millisecond
		o.Extra = map[string]func(Caller) http.Handler{"/mcp": anyone(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-time.After(200 * time.Millisecond):
				_, _ = io.WriteString(w, "done")
			case <-r.Context().Done():
			}
		})}
	})
	for range 3 {
		w.call("POST", "/v1/events", event(0)).good(t, nil)
		if r := w.call("POST", "/mcp", "{}"); r.status != 200 || r.body != "done" {
			t.Fatalf("%d %q", r.status, r.body)
		}
	}
}
