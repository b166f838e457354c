package mcpapi

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/tokens"
)

// listedTools returns the answer to tools/list as it is sent.
func listedTools(t testing.TB, set Set) (result string, tools []*mcp.Tool) {
	t.Helper()
	s := New(Options{Board: openBoard(t), Tools: set})
	front := behindGuard(s.Handler, map[string]*auth.Principal{"a": member("acme")})
	w := post(front, "a", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
	var list mcp.ListToolsResult
	sent := parsed(t, w.Body.String()).Result
	if err := json.Unmarshal(sent, &list); err != nil {
		t.Fatal(err)
	}
	return string(sent), list.Tools
}

// TestToolsAreCheap bounds the tokens that the sets of tools cost an agent with every request.
func TestToolsAreCheap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		set  Set
		most int // tokens
		want []string
	}{
		{Default, 1200, []string{"context", "feedback", "forget", "pack_context", "recall", "record_event", "remember", "search_memories"}},
		{Hooked, 360, []string{"recall", "remember", "search_memories"}},
	} {
		sent, tools := listedTools(t, tc.set)
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		if !slices.Equal(names, tc.want) {
			t.Errorf("%s: tools %v, want %v", tc.set, names, tc.want)
		}
		count := tokens.O200k().Count(sent)
		if count > tc.most {
			t.Errorf("%s: they take %d tokens, and should take %d at most", tc.set, count, tc.most)
		}
		t.Logf("%s: %d tokens, %d bytes", tc.set, count, len(sent))
	}
}

// TestInstructionsAreShort keeps the instructions within what Claude Code passes on.
func TestInstructionsAreShort(t *testing.T) {
	t.Parallel()
	for _, set := range []Set{Default, Hooked, All} {
		if n := utf8.RuneCountInString(set.instructions()); n >= 2048 {
			t.Errorf("%s: %d characters", set, n)
		}
	}
	for _, tool := range toolsOf(api.Operations(), Default) {
		if n := utf8.RuneCountInString(tool.def.Description); n >= 2048 || tool.op.Tool.Doc == "" {
			t.Errorf("%s: %d characters", tool.def.Name, n)
		}
		if tool.op.Tool.Run == nil || tool.def.OutputSchema != nil {
			t.Errorf("%s does not answer with text alone", tool.def.Name)
		}
	}
}

// TestAllTools: every operation with a tool is listed, with its effects on the board.
func TestAllTools(t *testing.T) {
	sent, tools := listedTools(t, All)
	t.Logf("%d tools, %d tokens, %d bytes", len(tools), tokens.O200k().Count(sent), len(sent))
	byName := map[string]*mcp.Tool{}
	for _, tool := range tools {
		byName[tool.Name] = tool
	}
	for _, name := range []string{
		"remember", "recall", "search_memories", "pack_context", "context", "record_event", "feedback", "forget",
		"remember_if_absent", "list_memories", "list_tags", "memory_history", "restore_memory", "redact_memory", "relate_memories",
		"resolve", "artifacts", "next_step", "check_action", "explain", "verify",
	} {
		if byName[name] == nil {
			t.Errorf("there is no tool %s", name)
		}
	}
	for _, op := range api.Operations() {
		if op.Tool == nil {
			continue
		}
		name := op.Tool.Name
		if name == "" {
			name = op.Name
		}
		tool := byName[name]
		if tool == nil {
			t.Errorf("%s has no tool", op.Name)
			continue
		}
		a := tool.Annotations
		if a.ReadOnlyHint != op.ReadOnly() || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s: %+v", name, a)
		}
		if !op.ReadOnly() && (a.DestructiveHint == nil || *a.DestructiveHint != op.Tool.Destructive || a.IdempotentHint != op.Tool.Idempotent) {
			t.Errorf("%s: %+v", name, a)
		}
		if (tool.OutputSchema == nil) != (op.Media != "" || op.Tool.Run != nil) {
			t.Errorf("%s: the answer is of %q, and its schema %v", name, op.Media, tool.OutputSchema)
		}
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if schema == nil {
				continue
			}
			c := jsonschema.NewCompiler()
			c.DefaultDraft(jsonschema.Draft2020)
			if err := c.AddResource("schema.json", schema); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compile("schema.json"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, f := range op.Fields() {
			told := strings.Contains(string(inputSchema(op, All)), `"`+f.Name+`":`)
			if hide := !f.Required && slices.Contains(seldom(), f.Name); told == hide {
				t.Errorf("%s: %s is told: %v", name, f.Name, told)
			}
		}
	}
}

// TestDocument compares docs/mcp.md with the tools, the unlisted fields, the resources and the
// prompts.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	names := append(seldom(), mcp.SupportedProtocolVersions()...)
	s := New(Options{Board: openBoard(t), Tools: All})
	for _, tool := range s.tools {
		names = append(names, tool.def.Name)
	}
	names = append(names, rootURI, memoryURI+"<id>", sessionURI+"<id>", artifactURI+"<id>", schemeURI+"<key>", "start_task", "recall_about", "review_memory")
	for _, name := range names {
		if !strings.Contains(string(text), name) {
			t.Errorf("docs/mcp.md does not tell of %s", name)
		}
	}
}

// TestSeldomFieldsAreThere: every name in the list is a field of some tool.
func TestSeldomFieldsAreThere(t *testing.T) {
	there := map[string]bool{}
	for _, op := range api.Operations() {
		if op.Tool != nil {
			for _, f := range op.Fields() {
				there[f.Name] = true
			}
		}
	}
	list := seldom()
	if !slices.IsSorted(list) {
		t.Error("the list is not in order")
	}
	for _, name := range list {
		if !there[name] {
			t.Errorf("no tool has %s", name)
		}
	}
}
