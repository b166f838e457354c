package mcpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/testsize"
)

// bySDK returns what makes handlers in which the library answers everything.
func bySDK(s *Server) func(Caller) http.Handler {
	return func(from Caller) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.library(w, r, callerOf(from, r)) })
	}
}

// modernParams returns the parameters of a request of the stateless revision.
func modernParams(rest string) string {
	if rest != "" {
		rest = "," + rest
	}
	return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}` + rest + `}`
}

// said returns what a handler answered, in a normal form.
func said(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	body := w.Body.Bytes()
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		plain, err := canon.Append(nil, body)
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		body = plain
	}
	return fmt.Sprintf("%d %s %s\n%s", w.Code, w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"), bytes.TrimSpace(body))
}

// TestLeanAnswersAsTheLibrary compares both implementations over all methods that have two, all
// tools and many arguments, in all revisions.
func TestLeanAnswersAsTheLibrary(t *testing.T) {
	testsize.OneGoroutine(t)
	s := newServer(Options{Board: openBoard(t), Version: "1"}, newTrial().table())
	known := map[string]*auth.Principal{"a": member("acme"), "r": {Key: "r", Role: auth.Member, Tenant: "acme", Rights: auth.Read}}
	ours, theirs := behindGuard(s.Handler, known), behindGuard(bySDK(s), known)

	arguments := []string{
		"", `{}`, `{"text":"hi"}`, `{"text":"<b>&amp; \"quoted\" \\ é 💡 \u2028 \u0007\n"}`, `{"text":"x","times":3}`, `{"text":"x","times":10}`,
		`{"text":"x","times":"3"}`, `{"text":1}`, `{"text":null}`, `{"Text":"x"}`, `{"text":"x","more":1}`, `{"text":"x","words":["a","b"]}`,
		`{"text":"x","words":"a"}`, `{"text":"x","words":[1]}`, `{"text":"x","times":1.5}`, `{"text":"x","times":1e0}`, `{"text":["x"]}`,
		`{"text":"` + strings.Repeat("long ", 5000) + `"}`, `[]`, `null`, `"text"`, `7`,
	}
	ids := []string{`1`, `"a"`, `"a\u0062\"<"`, `-9007199254740991`, `0`}
	type request struct{ method, name, params string }
	var requests []request
	for _, tool := range s.tools {
		if tool.def.Name == "wait" {
			continue
		}
		for _, args := range arguments {
			params := `"name":"` + tool.def.Name + `"`
			if args != "" {
				params += `,"arguments":` + args
			}
			requests = append(requests, request{"tools/call", tool.def.Name, params})
		}
	}
	requests = append(requests,
		request{"tools/call", "nothing", `"name":"nothing"`},
		request{"tools/call", "say", `"name":"say","arguments":{"text":"x"},"task":{}`},
		request{"tools/call", "", ``},
		request{"tools/call", "7", `"name":7`},
		request{"tools/list", "", ``},
		request{"tools/list", "", `"cursor":""`},
		request{"tools/list", "", `"cursor":"?"`},
		request{"tools/list", "", `"other":1`},
		request{"ping", "", ``},
		request{"ping", "", `"other":1`},
		request{"initialize", "", `"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`},
		request{"initialize", "", `"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","title":"C","version":"1"}`},
		request{"initialize", "", `"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{"name":"c","version":"1"}`},
		request{"initialize", "", `"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"c","version":"1"}`},
		request{"initialize", "", `"protocolVersion":7,"capabilities":{},"clientInfo":{"name":"c","version":"1"}`},
		request{"initialize", "", `"protocolVersion":"2025-06-18"`},
		request{"initialize", "", `"protocolVersion":"2025-06-18","capabilities":{"roots":7},"clientInfo":{"name":"c","version":"1"}`},
		request{"unheard/of", "", ``},
		request{"prompts/list", "", ``},
		request{"resources/templates/list", "", ``},
	)
	versions := []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01", "2031-01-01"}
	compare := func(bearer, body string, header map[string]string) {
		t.Helper()
		mine, other := post(ours, bearer, body, header), post(theirs, bearer, body, header)
		if got, want := said(t, mine), said(t, other); got != want {
			t.Errorf("%s %v\nours   %s\ntheirs %s", brief([]byte(body)), header, got, want)
		}
	}
	for i, q := range requests {
		for _, version := range versions {
			params := `{` + q.params + `}`
			header := map[string]string{headerVersion: version}
			if version == stateless {
				params = modernParams(q.params)
				header[headerMethod], header[headerName] = q.method, q.name
			}
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}`, ids[i%len(ids)], q.method, params)
			compare("a", body, header)
			if q.params == "" && version != stateless {
				compare("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s"}`, q.method), header)
			}
		}
	}
	// Headers, and members around the parameters.
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + modernParams(`"name":"say","arguments":{"text":"x"}`) + `}`
	good := map[string]string{headerVersion: stateless, headerMethod: "tools/call", headerName: "say"}
	for _, change := range []map[string]string{
		{headerMethod: "tools/list"}, {headerMethod: ""}, {headerName: "quote"}, {headerName: ""}, {headerVersion: ""}, {headerVersion: "2025-06-18"},
		{"Accept": "application/json"}, {"Accept": "*/*"}, {"Accept": ""}, {"Accept": "text/*, application/*"}, {headerResume: "7"},
		{"Content-Type": "application/json; charset=utf-8"}, {"Content-Type": "text/plain"}, {"Content-Type": ""},
	} {
		header := map[string]string{}
		for k, v := range good {
			header[k] = v
		}
		for k, v := range change {
			header[k] = v
		}
		compare("a", call, header)
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"say","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":7},"name":"say","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18","io.modelcontextprotocol/clientCapabilities":{}},"name":"say"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":7,"name":"say"}}`,
	} {
		compare("a", body, good)
		compare("a", body, nil)
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"ping"}`, `{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":7}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[]`,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}},{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
	} {
		compare("a", body, nil)
	}
	// A caller that may not write gets the same error from both.
	compare("r", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":"x"}}}`, nil)
}

// TestPlainRequestsAreServedLeanly: the requests that clients send never reach the library.
func TestPlainRequestsAreServedLeanly(t *testing.T) {
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	asked := func(http.ResponseWriter, *http.Request, *caller) { t.Error("the library was asked") }
	front := behindGuard(func(from Caller) http.Handler { return &handler{s, from, asked} }, map[string]*auth.Principal{"a": member("acme")})
	for _, x := range []struct {
		body   string
		header map[string]string
	}{
		{body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}`},
		{body: `{"method":"tools/call","params":{"name":"say","arguments":{"text":"x"},"_meta":{"progressToken":3,"claude/id":"toolu"}},"jsonrpc":"2.0","id":"9"}`, header: map[string]string{headerVersion: "2025-11-25"}},
		{body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"nonsense":true}}}`},
		{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`},
		{body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{body: `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`},
		{body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + modernParams(`"name":"say","arguments":{"text":"x"}`) + `}`,
			header: map[string]string{headerVersion: stateless, headerMethod: "tools/call", headerName: "say"}},
		{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + modernParams("") + `}`, header: map[string]string{headerVersion: stateless, headerMethod: "tools/list"}},
	} {
		if w := post(front, "a", x.body, x.header); w.Code != 200 && w.Code != 202 {
			t.Errorf("%s: %d %s", x.body, w.Code, w.Body)
		}
	}
}

// TestProgressOverHTTP: an answer becomes a stream when there is progress to report.
func TestProgressOverHTTP(t *testing.T) {
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	call := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_tool_with_progress","_meta":{"progressToken":"p\u0031"}}}`
	w := post(front, "a", call, nil)
	if got := w.Header().Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("content type %q", got)
	}
	var messages []map[string]any
	for _, event := range strings.Split(strings.TrimSpace(w.Body.String()), "\n\n") {
		data, ok := strings.CutPrefix(event, "event: message\ndata: ")
		var m map[string]any
		if !ok || json.Unmarshal([]byte(data), &m) != nil {
			t.Fatalf("event %q", event)
		}
		messages = append(messages, m)
	}
	if len(messages) != 4 {
		t.Fatalf("%d messages, want three steps and an answer", len(messages))
	}
	for i, m := range messages[:3] {
		p := m["params"].(map[string]any)
		if m["method"] != "notifications/progress" || p["progressToken"] != "p1" || p["progress"] != float64(50*i) || p["total"] != 100.0 {
			t.Errorf("step %d: %v", i, m)
		}
	}
	if last := messages[3]; last["id"] != 5.0 || last["result"] == nil {
		t.Errorf("the last message is %v", last)
	}
	if w := post(front, "a", strings.Replace(call, `"_meta"`, `"arguments":{},"_meta"`, 1), map[string]string{"Accept": "*/*"}); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}
