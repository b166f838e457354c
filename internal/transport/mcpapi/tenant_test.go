package mcpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// TestTenantsNeverMeet gives two tenants the same names, and searches all answers to one for
// data of the other.
func TestTenantsNeverMeet(t *testing.T) {
	s := New(Options{Board: openBoard(t), Tools: All})
	for _, overHTTP := range []bool{false, true} {
		t.Run(fmt.Sprintf("http=%v", overHTTP), func(t *testing.T) {
			ours := connect(t, s, member(fmt.Sprintf("ours-%v", overHTTP)), "", overHTTP)
			theirs := connect(t, s, member(fmt.Sprintf("theirs-%v", overHTTP)), "", overHTTP)
			const secret = "umbrella-7431"
			var uri string
			for _, key := range []string{"shared/key", "only/theirs"} {
				text, _, failed := callTool(t, theirs, "remember", object{"key": key, "text": "The word is " + secret + ".", "tags": []string{"word"}})
				if failed {
					t.Fatal(text)
				}
				_, data, _ := callTool(t, theirs, "resolve", object{"name": key})
				uri = data["uri"].(string)
			}
			callTool(t, theirs, "record_event", object{"session_id": "s1", "event_type": "message", "content": object{"role": "user", "text": secret}})
			callTool(t, ours, "remember", object{"key": "shared/key", "text": "Ours."})

			head, _, _ := strings.Cut(uri, "#")
			_, id, _ := strings.Cut(head, "/memory/")
			var seen strings.Builder
			for _, x := range []struct {
				tool string
				args object
			}{
				{"recall", object{"key": "shared/key"}}, {"recall", object{"key": "only/theirs"}}, {"recall", object{"key": head}}, {"recall", object{"key": "#1"}}, {"resolve", object{"name": head}},
				{"search_memories", object{"query": secret}}, {"pack_context", object{"topic": secret}}, {"context", object{}}, {"list_memories", object{}},
				{"list_tags", object{}}, {"memory_history", object{"name": head}}, {"memory_history", object{"name": "only/theirs"}}, {"forget", object{"name": head}},
				{"restore_memory", object{"name": head}}, {"relate_memories", object{"kind": "supports", "from": head, "to": "shared/key"}},
				{"feedback", object{"outcome": "failure", "cited": []string{head}}}, {"redact_memory", object{"names": []string{head}}},
				{"remember", object{"key": "x", "text": "x", "tenant": "theirs"}}, {"artifacts", object{}}, {"explain", object{"id": head, "query": secret}},
			} {
				res, err := ours.CallTool(t.Context(), &mcp.CallToolParams{Name: x.tool, Arguments: x.args})
				if err != nil {
					t.Errorf("%s: %v", x.tool, err)
					continue
				}
				text := res.Content[0].(*mcp.TextContent).Text
				fmt.Fprintf(&seen, "%s %v: %s\n", x.tool, x.args, strings.ReplaceAll(text, fmt.Sprintf("%q", secret), ""))
			}
			for r, err := range ours.Resources(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&seen, r.URI, r.Name)
			}
			for _, uri := range []string{"memory://shared/key", "memory://only/theirs", "memory:///sessions/s1", memoryURI + id, "memory:///root", "memory://" + escape(head, true)} {
				res, err := ours.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if err == nil {
					fmt.Fprintln(&seen, res.Contents[0].Text)
				}
			}
			for _, args := range []map[string]string{{"key": "only/theirs"}, {"key": head}} {
				if res, err := ours.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "review_memory", Arguments: args}); err == nil {
					fmt.Fprintln(&seen, res.Messages[0].Content.(*mcp.TextContent).Text)
				}
			}
			for _, line := range strings.Split(seen.String(), "\n") {
				said := strings.NewReplacer("'"+secret+"'", "", `topic:`+secret, "", `query:`+secret, "", `"query":`+fmt.Sprintf("%q", secret), "").Replace(line)
				if strings.Contains(said, secret) || strings.Contains(said, "only/theirs") && !strings.Contains(said, "not_found") && !strings.Contains(said, "no memory") {
					t.Errorf("seen: %s", line)
				}
			}
			if text, _, failed := callTool(t, theirs, "recall", object{"key": "only/theirs"}); failed || !strings.Contains(text, secret) || !strings.Contains(text, ", version 1, ") {
				t.Errorf("what is theirs is not as it was: %s", text)
			}
		})
	}
}

// TestRevokedKeyEnds revokes the key of a connected client with a running call.
func TestRevokedKeyEnds(t *testing.T) {
	board := openBoard(t)
	keys, err := auth.Open(t.Context(), board, auth.StoreOptions{Bootstrap: strings.Repeat("operator-token-", 4)})
	if err != nil {
		t.Fatal(err)
	}
	boss, err := keys.Authenticate(t.Context(), strings.Repeat("operator-token-", 4), "acme", "")
	if err != nil {
		t.Fatal(err)
	}
	key, secret, err := keys.Create(t.Context(), boss, auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Write})
	if err != nil {
		t.Fatal(err)
	}
	who, err := keys.Authenticate(t.Context(), secret, "", "")
	if err != nil {
		t.Fatal(err)
	}
	x := newTrial()
	s := newServer(Options{Board: board, Keys: keys}, x.table())
	p := newPipe(t.Context(), t, s, who)
	p.send(hello)
	p.next()
	p.send(thanks, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
	receive(t, x.started)
	go io.Copy(io.Discard, p.out)
	if _, err := keys.Revoke(t.Context(), boss, key.ID, "lost"); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, x.started); got != "cancelled" {
		t.Error(got)
	}
	if err := receive(t, p.ended); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("%v", err)
	}
	if err := s.ServeStdio(t.Context(), who, strings.NewReader(""), io.Discard); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("a second time: %v", err)
	}
}

// TestRequestEndsWithItsContext is the same over HTTP, where the guard in front of the handler
// cancels the context.
func TestRequestEndsWithItsContext(t *testing.T) {
	x := newTrial()
	s := newServer(Options{Board: openBoard(t)}, x.table())
	for _, params := range []string{`{"name":"wait"}`, `{"name":"wait","task":{}}`} { // here, and by the library
		ended := make(chan struct{})
		ctx, cancel := newCancel(t)
		go func() {
			defer close(ended)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.Handler(Caller{Who: member("acme")}).ServeHTTP(w, r.WithContext(ctx))
			})
			post(h, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, nil)
		}()
		receive(t, x.started)
		cancel()
		if got := receive(t, x.started); got != "cancelled" {
			t.Error(got)
		}
		receive(t, ended)
	}
}

// TestQuota counts calls, including several in one request.
func TestQuota(t *testing.T) {
	still := fixedClock()
	book := func() *quota.Book {
		return quota.New(quota.Options{Default: quota.Limits{RequestsPerSecond: 1}, Clock: still})
	}
	limited := func(o Options) (answered, refused int) {
		s := newServer(o, newTrial().table())
		front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
		var batch []string
		for i := range 50 {
			batch = append(batch, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}`, i))
		}
		w := post(front, "a", "["+strings.Join(batch, ",")+"]", nil)
		var list []answer
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatalf("%v in %s", err, w.Body)
		}
		for _, a := range list {
			if strings.Contains(string(a.Result), "rate_limited: ") {
				refused++
			} else if strings.Contains(string(a.Result), `"structuredContent"`) {
				answered++
			}
		}
		return answered, refused
	}
	board := openBoard(t)
	if answered, refused := limited(Options{Board: board}); answered != 50 || refused != 0 {
		t.Errorf("without quotas %d answered, %d refused", answered, refused)
	}
	answered, refused := limited(Options{Board: board, Quotas: book()})
	if answered == 0 || refused == 0 || answered+refused != 50 {
		t.Errorf("%d answered, %d refused", answered, refused)
	}
	// Over standard input the server itself counts.
	s := newServer(Options{Board: board, Quotas: book()}, newTrial().table())
	p := started(t.Context(), t, s)
	refused = 0
	for range 50 {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}`)
		if strings.Contains(p.next(), "rate_limited: ") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	p.in.Close()
	receive(t, p.ended)
}

// TestPanicIsAFault: the answer to a panic does not reveal its message, and the panic is
// logged.
func TestPanicIsAFault(t *testing.T) {
	var log bytes.Buffer
	s := newServer(Options{Board: openBoard(t), Log: slog.New(slog.NewTextHandler(&log, nil))}, newTrial().table())
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	for _, params := range []string{`{"name":"crash"}`, `{"name":"crash","task":{}}`} {
		w := post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, nil)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"isError":true`) || !strings.Contains(w.Body.String(), "internal: ") || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if strings.Count(log.String(), "the secret of the house") != 2 {
		t.Errorf("log: %s", log.String())
	}
}

// TestRightsDecide calls every tool with every kind of credential, and compares with the table.
func TestRightsDecide(t *testing.T) {
	s := New(Options{Board: openBoard(t), Tools: All})
	for rights := auth.Rights(0); rights <= auth.Read|auth.Write|auth.Admin; rights++ {
		for _, role := range []auth.Role{0, auth.Operator, auth.Member, auth.Agent, auth.Holder} {
			for _, tenant := range []string{"", "acme"} {
				who := &auth.Principal{Key: "k", Role: role, Tenant: tenant, Agent: "a", Rights: rights, Trust: lukasa.Agent}
				front := behindGuard(s.Handler, map[string]*auth.Principal{"a": who})
				for _, tool := range s.tools {
					want := allowed(tool.op, who)
					w := post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool.def.Name+`","arguments":{"no_such_field":1}}}`, nil)
					// A permitted caller gets an error about the arguments.
					if got := strings.Contains(w.Body.String(), "there is no such field"); got != want {
						t.Errorf("%s of %v with %v in %q: allowed %v, want %v: %s", tool.def.Name, role, rights, tenant, got, want, w.Body)
					}
				}
			}
		}
	}
}

// TestAnswersFitTheirSchemas validates structured answers against the schemas in tools/list.
func TestAnswersFitTheirSchemas(t *testing.T) {
	s := New(Options{Board: openBoard(t), Tools: All})
	cs := connect(t, s, member("acme"), "", true)
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range tools.Tools {
		if tool.OutputSchema == nil {
			continue
		}
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		schema := new(jsonschema.Schema)
		if err := json.Unmarshal(text, schema); err != nil {
			t.Fatal(err)
		}
		if schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		tool string
		args object
	}{
		{"remember", object{"key": "a", "text": "A."}}, {"remember_if_absent", object{"key": "b", "text": "B."}}, {"remember_if_absent", object{"key": "a", "text": "C."}},
		{"recall", object{"key": "a", "form": "short"}}, {"search_memories", object{"query": "a", "explain": true}}, {"search_memories", object{"query": "nothing of the kind"}},
		{"context", object{"verb": "build"}}, {"record_event", object{"session_id": "s", "event_type": "tool_call", "content": object{"tool_name": "ls", "arguments": object{}}}},
		{"feedback", object{"outcome": "success", "cited": []string{"a"}}}, {"list_memories", object{}}, {"list_tags", object{}}, {"memory_history", object{"name": "a"}},
		{"relate_memories", object{"kind": "supports", "from": "a", "to": "b"}}, {"resolve", object{"name": "a"}}, {"artifacts", object{}},
		{"next_step", object{"session_id": "s"}}, {"check_action", object{"tool": "ls"}}, {"explain", object{"id": "a", "query": "a"}},
		{"forget", object{"name": "a"}}, {"restore_memory", object{"name": "a"}},
	} {
		text, data, failed := callTool(t, cs, x.tool, x.args)
		if failed {
			t.Errorf("%s %v: %s", x.tool, x.args, text)
			continue
		}
		if schemas[x.tool] == nil { // it answers with text alone
			if data != nil || text == "" {
				t.Errorf("%s %v: %q %v", x.tool, x.args, text, data)
			}
			continue
		}
		if err := schemas[x.tool].Validate(data); err != nil {
			t.Errorf("%s %v: %v in %s", x.tool, x.args, err, text)
		}
	}
}

// TestNothingIsRememberedYet: an empty memory is no error.
func TestNothingIsRememberedYet(t *testing.T) {
	s := New(Options{Board: openBoard(t), Tools: All})
	cs := connect(t, s, member("acme"), "", true)
	for tool, args := range map[string]object{
		"recall": {"key": "a"}, "search_memories": {"query": "a"}, "context": {"verb": "build"}, "pack_context": {"topic": "a"}, "list_memories": {}, "list_tags": {},
	} {
		if text, _, failed := callTool(t, cs, tool, args); failed && !strings.Contains(text, "nothing is remembered yet\nfix: continue without") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	list, err := cs.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != rootURI {
		t.Errorf("%v, %v", list, err)
	}
	for name, args := range map[string]map[string]string{"start_task": {"verb": "build"}, "recall_about": {"topic": "a"}} {
		if _, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, failed := callTool(t, cs, "remember", object{"key": "a", "text": "A."}); failed {
		t.Error("the first memory is refused")
	}
}

// TestHold: memory is reserved for the answers to reads before they are sent, and for no
// others.
func TestHold(t *testing.T) {
	var held int64
	full := false
	s := New(Options{Board: openBoard(t), Tools: All})
	hold := func(bytes int64) error {
		if full {
			return fault.New(fault.Overloaded, "too much is in memory")
		}
		held += bytes
		return nil
	}
	front := s.Handler(Caller{Who: member("acme"), Hold: hold})
	call := func(tool, args string) string {
		return post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`, nil).Body.String()
	}
	full = true
	if got := call("remember", `{"key":"a","text":"A."}`); strings.Contains(got, "overloaded") {
		t.Errorf("what was done is not told: %s", got)
	}
	if got := call("list_memories", `{}`); !strings.Contains(got, "overloaded: ") {
		t.Error(got)
	}
	full = false
	if got := call("list_memories", `{}`); held < 100 || !strings.Contains(got, `"structuredContent"`) {
		t.Errorf("%d bytes are held for %s", held, got)
	}
}

// TestMemoryToolCounts writes files until the storage limit of the tenant is reached.
func TestMemoryToolCounts(t *testing.T) {
	board := openBoard(t)
	book := quota.New(quota.Options{Default: quota.Limits{MaxRecords: 2}})
	if err := book.Attach(t.Context(), board); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Board: board, Tools: All, Quotas: book})
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	for i := range 4 {
		got := post(front, "a", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_tool","arguments":{"command":"create","path":"/memories/%d","file_text":"x"}}}`, i), nil).Body.String()
		if refused := strings.Contains(got, "over_quota: "); refused != (i >= 2) {
			t.Errorf("file %d: %s", i, got)
		}
	}
}

// TestTurn: tool calls do not wait for a slot; those without one get an error.
func TestTurn(t *testing.T) {
	left := 0
	s := newServer(Options{Board: openBoard(t)}, newTrial().table())
	turn := func() (func(), error) {
		if left == 0 {
			return nil, fault.New(fault.Overloaded, "too many calls are in progress")
		}
		left--
		return func() { left++ }, nil
	}
	front := s.Handler(Caller{Who: member("acme"), Turn: turn})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"x"}}}`
	if w := post(front, "a", call, nil); !strings.Contains(w.Body.String(), "overloaded: ") {
		t.Error(w.Body)
	}
	left = 1
	for range 3 {
		if w := post(front, "a", call, nil); !strings.Contains(w.Body.String(), `"structuredContent"`) {
			t.Error(w.Body)
		}
	}
	if left != 1 {
		t.Errorf("%d places are left", left)
	}
}
