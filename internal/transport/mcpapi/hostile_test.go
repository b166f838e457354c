package mcpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quote"
)

// TestHostileBodies sends malformed bodies, and checks that each gets an answer and that the
// next request works.
func TestHostileBodies(t *testing.T) {
	s := New(Options{Board: openBoard(t), Tools: All})
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	call := func(args string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":` + args + `}}`
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) }
	many := make([]string, 20000)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	for name, x := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"nothing":               {``, 400, "-32700"},
		"half":                  {`{"jsonrpc":"2.0","id":1`, 400, "-32700"},
		"two":                   {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, 400, "-32700"},
		"a name twice":          {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, "-32700"},
		"not UTF-8":             {call("{\"text\":\"\xff\xfe\"}"), 400, "-32700"},
		"half a pair":           {call(`{"text":"\ud800"}`), 400, "-32700"},
		"deep":                  {call(deep(100000)), 400, "-32700"},
		"deeper than we go":     {call(`{"text":"x","data":` + deep(62) + `}`), 400, "-32700"},
		"as deep as it goes":    {call(`{"text":"x","metadata":` + deep(50) + `}`), 200, ""},
		"NaN":                   {call(`{"text":"x","importance":NaN}`), 400, "-32700"},
		"beyond a double":       {call(`{"text":"x","importance":1e999}`), 400, "-32700"},
		"many fields":           {call(`{` + strings.Join(many, ",") + `}`), 200, "there is no such field"},
		"a long text":           {call(`{"text":"` + strings.Repeat("x", 2<<20) + `"}`), 200, `"isError":true`},
		"too long":              {call(`{"text":"` + strings.Repeat("x", maxMessage) + `"}`), 413, "-32600"},
		"no object":             {`[1,2,3]`, 400, "-32600"},
		"a number":              {`7`, 400, "-32600"},
		"id null":               {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, "-32600"},
		"id half":               {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, "-32600"},
		"id an object":          {`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, 400, "-32600"},
		"id a list":             {`{"jsonrpc":"2.0","id":[],"method":"tools/list"}`, 400, "-32600"},
		"id true":               {`{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, 400, "-32600"},
		"id huge":               {`{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, 400, "-32600"},
		"id long":               {`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 100000) + `","method":"ping"}`, 200, `"result":{}`},
		"odd id in a batch":     {`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":0.5,"method":"ping"}]`, 400, "-32600"},
		"as many as it takes":   {"[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/initialized"},`, maxArray-1) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 200, `"result":{}`},
		"too many in a batch":   {"[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/initialized"},`, maxArray) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "-32600"},
		"id whole in its way":   {`{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, 200, `"result":{}`},
		"unknown tool":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("n", 10000) + `"}}`, 200, "-32602"},
		"tool of another table": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ingest"}}`, 200, "-32602"},
		"wrong params":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, 200, "-32602"},
		"wrong arguments":       {call(`"text"`), 200, `"isError":true`},
	} {
		w := post(front, "a", x.body, nil)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.want) {
			t.Errorf("%s: %d %s", name, w.Code, brief(w.Body.Bytes()))
		}
		if w.Code != 200 && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %s", name, w.Body)
		}
		if w := post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil); w.Code != 200 {
			t.Fatalf("after %s: %d %s", name, w.Code, w.Body)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		w := postWith(front, method)
		if w != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, w)
		}
	}
}

// FuzzLean compares both implementations for any JSON body.
func FuzzLean(f *testing.F) {
	s := newServer(Options{Board: openBoard(f), Version: "1"}, newTrial().table())
	known := map[string]*auth.Principal{"a": member("acme")}
	ours, theirs := behindGuard(s.Handler, known), behindGuard(bySDK(s), known)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}`, "2025-06-18", "tools/call", "say")
	f.Add(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":`+modernParams(`"name":"quote","arguments":{"text":"x","times":2}`)+`}`, stateless, "tools/call", "quote")
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":`+modernParams("")+`}`, stateless, "tools/list", "")
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`, "", "", "")
	f.Add(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{}}}`, "2024-11-05", "", "")
	f.Fuzz(func(t *testing.T, body, version, method, name string) {
		if strings.Contains(body, "wait") || strings.Contains(body, "progress") || strings.Contains(body, "subscriptions") || strings.Contains(body, `\u`) {
			return // one does not end, and the other reports progress
		}
		header := map[string]string{}
		for k, v := range map[string]string{headerVersion: version, headerMethod: method, headerName: name} {
			if strings.ContainsAny(v, "\r\n\x00") {
				return
			}
			header[k] = v
		}
		mine := post(ours, "a", body, header)
		if mine.Code == 400 && strings.Contains(mine.Body.String(), `"id":null`) {
			return // it is no message, which the library does not always report
		}
		if got, want := said(t, mine), said(t, post(theirs, "a", body, header)); got != want {
			t.Errorf("%s\nours   %s\ntheirs %s", body, got, want)
		}
	})
}

// countedBody is a body that never arrives, and reports how much memory waits for it.
type countedBody struct {
	room int
	err  error
}

func (b *countedBody) Read(p []byte) (int, error) {
	b.room = max(b.room, len(p))
	return 0, b.err
}

// TestPromisedBodies: an announced length allocates no memory, and the reason why a body is not
// read is passed on.
func TestPromisedBodies(t *testing.T) {
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	for _, x := range []struct {
		err    error
		status int
		want   string
	}{
		{io.ErrUnexpectedEOF, 400, "-32600"},
		{fault.New(fault.Overloaded, "the bodies of calls take too much memory"), 503, "overloaded: "},
	} {
		body := &countedBody{err: x.err}
		r := httptest.NewRequest(http.MethodPost, "/mcp", body)
		r.ContentLength = maxMessage
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer a")
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.want) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%v: %d %s", x.err, w.Code, w.Body)
		}
		if body.room > 2*promised {
			t.Errorf("%d bytes wait for a body of which nothing came", body.room)
		}
	}
}

// TestHiddenTextIsShown: no tool's answer hides from people what a model reads in it.
func TestHiddenTextIsShown(t *testing.T) {
	s := New(Options{Board: openBoard(t), Tools: All})
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	hidden := "zebra \u202Eevil\u202C z\u200Bw \U000E0069\U000E0067 \x1b[31m"
	call := func(tool string, args map[string]any) string {
		t.Helper()
		given, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		w := post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+string(given)+`}}`, nil)
		var got struct {
			Content []struct{ Text string }
			Data    json.RawMessage `json:"structuredContent"`
		}
		if err := json.Unmarshal(parsed(t, w.Body.String()).Result, &got); err != nil || len(got.Content) != 1 {
			t.Fatalf("%s: %v in %s", tool, err, w.Body)
		}
		for _, text := range []string{got.Content[0].Text, string(got.Data)} {
			if quote.Visible(text) != text {
				t.Errorf("%s: something is hidden in %q", tool, text)
			}
		}
		return got.Content[0].Text
	}
	call("remember", map[string]any{"key": "a", "text": hidden})
	for tool, args := range map[string]map[string]any{"recall": {"key": "a"}, "search_memories": {"query": "zebra"}, "pack_context": {"topic": "zebra"}} {
		if got := call(tool, args); !strings.Contains(got, quote.Visible(hidden)) || !strings.Contains(got, "<U+202E>evil") {
			t.Errorf("%s: %q", tool, got)
		}
	}
	call("list_memories", map[string]any{})
	call("memory_history", map[string]any{"name": "a"})
	call("recall", map[string]any{"key": hidden})
}
