package mcpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// A plain-text refusal of the library becomes a problem document with the same status.
func TestRefusalsAreProblems(t *testing.T) {
	s := New(Options{Board: openBoard(t)})
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, c := range map[string]struct {
		method, media, accept, body string
		status                      int
		code                        fault.Code
	}{
		"no Accept":             {"POST", "application/json", "", call, 400, fault.InvalidArgument},
		"an Accept of pictures": {"POST", "application/json", "image/png", call, 400, fault.InvalidArgument},
		"text":                  {"POST", "text/plain", "application/json, text/event-stream", call, 415, fault.WrongMedia},
		"GET":                   {"GET", "", "text/event-stream", "", 405, fault.WrongMethod},
		"PUT":                   {"PUT", "application/json", "application/json, text/event-stream", call, 405, fault.WrongMethod},
	} {
		r := httptest.NewRequest(c.method, "/mcp", strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer a")
		for name, value := range map[string]string{"Content-Type": c.media, "Accept": c.accept} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		var p struct {
			Status             int
			Code               fault.Code
			Title, Detail, Fix string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s %s", name, w.Code, w.Header().Get("Content-Type"), w.Body)
			continue
		}
		if w.Code != c.status || p.Status != c.status || p.Code != c.code || p.Title == "" || p.Detail == "" || p.Fix == "" {
			t.Errorf("%s: %d %s, want %d %s", name, w.Code, w.Body, c.status, c.code)
		}
	}
	if w := post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`, nil); !strings.Contains(w.Body.String(), `"jsonrpc"`) {
		t.Errorf("an unknown tool is no error of the protocol: %d %s", w.Code, w.Body)
	}
	if w := post(front, "nobody", call, nil); w.Code != http.StatusUnauthorized {
		t.Errorf("nobody: %d", w.Code)
	}
}
