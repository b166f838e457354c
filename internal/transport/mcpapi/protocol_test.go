package mcpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/testsize"
)

// connect returns a client of the library that is connected to s as who, in a revision of the
// protocol, over HTTP or over a pair of pipes.
func connect(t testing.TB, s *Server, who *auth.Principal, version string, overHTTP bool) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	var transport mcp.Transport
	if overHTTP {
		srv := httptest.NewServer(behindGuard(s.Handler, map[string]*auth.Principal{"": who}))
		t.Cleanup(srv.Close)
		transport = &mcp.StreamableClientTransport{Endpoint: srv.URL, DisableStandaloneSSE: true}
	} else {
		in, w := io.Pipe()
		r, out := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- s.ServeStdio(context.WithoutCancel(t.Context()), who, in, out)
			out.Close()
		}()
		t.Cleanup(func() {
			w.Close()
			if err := <-ended; err != nil {
				t.Errorf("ServeStdio: %v", err)
			}
		})
		transport = &mcp.IOTransport{Reader: r, Writer: w}
	}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// callTool calls a tool and returns its text, its data, and whether it failed.
func callTool(t testing.TB, cs *mcp.ClientSession, name string, args any) (text string, data map[string]any, failed bool) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(res.Content) != 1 {
		t.Fatalf("%s: %d pieces of content", name, len(res.Content))
	}
	text = res.Content[0].(*mcp.TextContent).Text
	if res.StructuredContent != nil {
		data = res.StructuredContent.(map[string]any)
		var same map[string]any
		if err := json.Unmarshal([]byte(text), &same); err != nil || fmt.Sprint(same) != fmt.Sprint(data) {
			t.Errorf("%s: the text is not the data: %s", name, text)
		}
	}
	return text, data, res.IsError
}

type object = map[string]any

// TestEveryRevision runs a short session in every revision, over both transports.
func TestEveryRevision(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, version := range mcp.SupportedProtocolVersions() {
		for _, overHTTP := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/http=%v", version, overHTTP), func(t *testing.T) {
				s := New(Options{Board: openBoard(t), Tools: All, Version: "1.2.3"})
				cs := connect(t, s, member("acme"), version, overHTTP)
				if got := cs.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("agreed on %s", got)
				}
				life(t, cs)
			})
		}
	}
}

// life does what an agent does.
func life(t *testing.T, cs *mcp.ClientSession) {
	ctx := t.Context()
	tools, err := cs.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) < 20 {
		t.Fatalf("%v, %v", tools, err)
	}
	if text, data, failed := callTool(t, cs, "remember", object{
		"key": "release/cadence", "text": "Releases go out on <Thursdays> & never on Fridays.", "tags": []string{"release"},
		"frames": []object{{"verb": "deliver", "kind": "service", "ref": "api"}},
	}); failed || data != nil || text != "Remembered: release/cadence, version 1." {
		t.Errorf("remember: %s %v", text, data)
	}
	if text, data, failed := callTool(t, cs, "recall", object{"key": "release/cadence"}); failed || data != nil || !strings.Contains(text, "\nReleases go out on <Thursdays> & never on Fridays.\n") {
		t.Errorf("recall: %s %v", text, data)
	}
	if text, data, failed := callTool(t, cs, "search_memories", object{"query": "when do releases go out"}); failed || data != nil ||
		!strings.Contains(text, "\n- release/cadence fact: Releases go out on <Thursdays> & never on Fridays.\n") {
		t.Errorf("search_memories: %s %v", text, data)
	}
	if text, data, failed := callTool(t, cs, "pack_context", object{"topic": "release process", "budget_tokens": 500}); failed || data != nil || !strings.Contains(text, "## Facts\n") || !strings.Contains(text, "Releases go out") {
		t.Errorf("pack_context: %s", text)
	}
	if text, data, failed := callTool(t, cs, "context", object{"verb": "deliver", "objects": object{"service": "api"}}); failed || data != nil ||
		!strings.HasPrefix(text, "## For this task\n") || !strings.Contains(text, "\n- release/cadence fact: Releases go out") {
		t.Errorf("context: %s %v", text, data)
	}
	if text, data, failed := callTool(t, cs, "record_event", object{"session_id": "s1", "event_type": "message", "content": object{"role": "user", "text": "Ship it."}}); failed || data != nil || text != "Recorded as #1." {
		t.Errorf("record_event: %s %v", text, data)
	}
	if text, _, failed := callTool(t, cs, "recall", object{"key": "#1"}); failed || !strings.HasPrefix(text, "#1: message by user, ") || !strings.Contains(text, "\nShip it.\n") {
		t.Errorf("recall of an event: %s", text)
	}
	if _, data, failed := callTool(t, cs, "feedback", object{"outcome": "success", "cited": []string{"release/cadence"}}); failed {
		t.Errorf("feedback: %v", data)
	}
	complaints(t, cs)
	resources(t, cs)
	prompts(t, cs)
	if _, data, failed := callTool(t, cs, "forget", object{"name": "release/cadence", "reason": "it changed"}); failed {
		t.Errorf("forget: %v", data)
	}
	if text, _, failed := callTool(t, cs, "recall", object{"key": "release/cadence"}); !failed || !strings.HasPrefix(text, "not_found: ") || !strings.Contains(text, "\nfix: ") {
		t.Errorf("recall of what is forgotten: %s", text)
	}
}

// complaints: bad calls give errors in words, and bad requests give protocol errors.
func complaints(t *testing.T, cs *mcp.ClientSession) {
	for _, x := range []struct {
		tool string
		args any
		want string
	}{
		{"remember", object{"key": "k"}, "text: it is missing"},
		{"remember", object{"text": 7}, "text: it is 7, but must be a string"},
		{"remember", object{"Text": "x"}, "names are case-sensitive: write text"},
		{"remember", object{"text": "x", "type": "rumour"}, "is not one of identity, fact"},
		{"remember", object{"text": "x", "colour": "red"}, "colour: there is no such field"},
		{"context", object{"verb": "dance"}, "is not one of find, acquire"},
		{"recall", nil, "key: it is missing"},
	} {
		text, data, failed := callTool(t, cs, x.tool, x.args)
		if !failed || data != nil || !strings.HasPrefix(text, "invalid_argument: ") || !strings.Contains(text, x.want) || !strings.Contains(text, "\nfix: ") {
			t.Errorf("%s %v: %s", x.tool, x.args, text)
		}
	}
	_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"})
	var jerr *jsonrpc.Error
	if !errors.As(err, &jerr) || jerr.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("unknown tool: %v", err)
	}
}

// resources reads what is stored.
func resources(t *testing.T, cs *mcp.ClientSession) {
	ctx := t.Context()
	list, err := cs.ListResources(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range list.Resources {
		uris = append(uris, r.URI)
	}
	if fmt.Sprint(uris) != "[memory:///root memory://release/cadence]" {
		t.Errorf("resources %v", uris)
	}
	templates, err := cs.ListResourceTemplates(ctx, nil)
	if err != nil || len(templates.ResourceTemplates) != 4 {
		t.Errorf("%v, %v", templates, err)
	}
	for uri, want := range map[string]string{
		"memory:///root":           `"size":`,
		"memory://release/cadence": "<Thursdays> & never",
		"memory:///sessions/s1":    "Ship it.",
	} {
		res, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if text := res.Contents[0].Text; !strings.HasPrefix(text, evidence+"\n\n````json\n") || !strings.Contains(text, want) || res.Contents[0].URI != uri {
			t.Errorf("%s: %s", uri, text)
		}
	}
	for _, uri := range []string{"memory://no/such/key", "memory:///artifacts/none", "memory:///memories/none", "memory:///", "memory://", "memory:///other", "file:///etc/passwd", "memory://%zz"} {
		_, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		var jerr *jsonrpc.Error
		if !errors.As(err, &jerr) || jerr.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

// prompts gets each prompt.
func prompts(t *testing.T, cs *mcp.ClientSession) {
	ctx := t.Context()
	list, err := cs.ListPrompts(ctx, nil)
	if err != nil || len(list.Prompts) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, x := range []struct {
		name string
		args map[string]string
		want string
	}{
		{"start_task", map[string]string{"verb": "deliver", "object": "service=api"}, "What matters for this:\n- (fact, user) Releases go out"},
		{"start_task", map[string]string{"verb": "build"}, "I begin this task: build\n"},
		{"recall_about", map[string]string{"topic": "release process"}, "## Facts\n"},
		{"review_memory", map[string]string{"key": "release/cadence"}, `"op":`},
	} {
		res, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: x.name, Arguments: x.args})
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if text := res.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, x.want) || !strings.Contains(text, evidence) {
			t.Errorf("%s: %s", x.name, text)
		}
	}
	for name, args := range map[string]map[string]string{"start_task": {"verb": "dance"}, "recall_about": nil, "review_memory": {"key": "none"}, "nothing": nil} {
		if _, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args}); err == nil {
			t.Errorf("%s %v: no error", name, args)
		}
	}
	if _, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "start_task", Arguments: map[string]string{"verb": "build", "object": "api"}}); err == nil || !strings.Contains(err.Error(), "kind=ref") {
		t.Errorf("a bad object: %v", err)
	}
}

// TestNobodyIsRefused answers a request without a caller with 401, whatever its content.
func TestNobodyIsRefused(t *testing.T) {
	s := New(Options{Board: openBoard(t)})
	front := behindGuard(s.Handler, nil)
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{`, ``} {
		w := post(front, "x", body, nil)
		if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" || !strings.Contains(w.Body.String(), `"code":"unauthenticated"`) {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	}
	if w := post(New(Options{Board: openBoard(t)}).Handler(Caller{}), "x", `{}`, nil); w.Code != http.StatusUnauthorized {
		t.Errorf("without a way to tell: %d", w.Code)
	}
}
