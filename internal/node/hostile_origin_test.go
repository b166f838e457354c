package node

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// A foreign origin or host is refused over HTTP, on streams, WebSockets and MCP, with any
// credential; the right ones are accepted.
func TestHostileOrigins(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	who := &credential{bearer: h.operator, tenant: "acme"}
	port := h.url[strings.LastIndexByte(h.url, ':'):]
	headers := map[string][]string{
		"Origin": {
			"http://evil.example", "https://evil.example" + port, "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example" + port,
			"http://localhost@evil.example", "http://evil.example#localhost", "file://", "chrome-extension://localhost", "http://[::1].evil.example",
		},
		"Host": {
			"evil.example", "evil.example" + port, "localhost.evil.example" + port, "127.0.0.1.evil.example", "169.254.169.254",
			"10.0.0.1" + port, "user@localhost", "0.0.0.0" + port, "localhost" + port + port, "[::2]" + port,
		},
	}
	ways := map[string]func(name, value string) *reply{
		"HTTP": func(name, value string) *reply { return h.call(who, "GET", "/v1/root", "", name, value) },
		"SSE":  func(name, value string) *reply { return h.call(who, "HEAD", "/v1/events/stream", "", name, value) },
		"WebSocket": func(name, value string) *reply {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			conn, refused := h.dial(ctx, who, http.Header{name: {value}})
			if conn != nil {
				_ = conn.CloseNow()
				return &reply{status: http.StatusOK}
			}
			return refused
		},
		"MCP": func(name, value string) *reply {
			return h.call(who, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Accept", "application/json, text/event-stream", name, value)
		},
	}
	tried := 0
	for way, call := range ways {
		for name, values := range headers {
			for _, value := range values {
				tried++
				got := call(name, value)
				if got.status != http.StatusForbidden || got.code != "foreign_origin" && way != "SSE" {
					t.Errorf("%s with %s %q: %d %s", way, name, value, got.status, got.body)
				}
			}
		}
		for name, value := range map[string]string{"Origin": "http://localhost" + port, "Host": "localhost" + port} {
			if got := call(name, value); got.status != http.StatusOK {
				t.Errorf("%s with %s %q: %d %s", way, name, value, got.status, got.body)
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d were tried", tried)
	}
	t.Logf("%d combinations", tried)
}
