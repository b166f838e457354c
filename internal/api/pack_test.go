package api

import (
	"strconv"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/tokens"
)

// A marked pack is within its budget, and is not recorded when it comes back, neither as a
// whole nor a line of it, from any sender. What a user types is recorded, and so is the output
// of other tools.
func TestPackTextMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := admin("acme")
	for _, budget := range []string{"40", "120", "2000"} {
		text := w.must(who, "pack_text", `{"query":"when are releases cut","marked":true,"budget":`+budget+`}`).(*operation.Text).Body
		n := tokens.O200k().Count(text)
		if !strings.HasPrefix(text, "Memory (Lukasa#") || !strings.HasSuffix(text, "\n(end)") || strconv.Itoa(n) > budget && len(strconv.Itoa(n)) >= len(budget) {
			t.Errorf("of a budget of %s are %d used: %s", budget, n, text)
		}
	}
	block := w.must(who, "pack_text", `{"query":"when are releases cut","marked":true}`).(*operation.Text).Body
	const line = "Releases are cut every second Tuesday."
	if !strings.Contains(block, line) {
		t.Fatalf("it says %s", block)
	}
	list := w.must(who, "pack_text", `{"query":"deploy"}`).(*operation.Text).Body // it is also recognised without a mark
	for i, tc := range []struct{ kind, content, want string }{
		{"message", `{"role":"user","text":` + w.text(block) + `}`, ""},
		{"message", `{"role":"assistant","text":` + w.text(list) + `}`, ""},
		{"message", `{"role":"assistant","text":"` + line + `"}`, ""},
		{"message", `{"role":"user","text":` + w.text(block+"\nFix it.") + `}`, `"Fix it."`},
		{"message", `{"role":"user","text":"` + line + `"}`, `"` + line + `"`},
		{"tool_result", `{"tool_name":"Read","result":{"text":` + w.text("a\n"+block+"\nb") + `}}`, `"a\nb"`},
		{"tool_call", `{"tool_name":"mcp__lukasa__recall","arguments":{}}`, ""},
		{"tool_result", `{"tool_name":"mcp__lukasa__recall","result":{"text":"x"}}`, ""},
		{"tool_call", `{"tool_name":"Bash","arguments":{"command":"lukasa list"}}`, ""},
		{"tool_call", `{"tool_name":"Bash","arguments":{"command":"make lukasa"}}`, `"make lukasa"`},
	} {
		id := "own-" + strconv.Itoa(i)
		out := w.read(w.must(who, "record_event", `{"session_id":"own","event_id":"`+id+`","event_type":"`+tc.kind+`","content":`+tc.content+`}`))
		_, placed := out["position"]
		if own := out["disposition"] == "own"; own != (tc.want == "") || placed == own {
			t.Errorf("%s becomes %v", tc.content, out)
		}
		events := w.text(w.must(who, "list_events", `{"session":"own"}`))
		if !strings.Contains(events, tc.want) || strings.Contains(events, id) != (tc.want != "") {
			t.Errorf("%s is recorded as %s", tc.content, events)
		}
	}
}

// TestVerifyPackOfOthers: an agent may verify only its own packs. The errors of a pack that it
// forged would reveal records that it may not see.
func TestVerifyPackOfOthers(t *testing.T) {
	w := newWorld(t)
	agent := func(name string) *auth.Principal {
		return &auth.Principal{Key: "k-" + name, Role: auth.Agent, Tenant: "acme", Agent: name, Rights: auth.Read | auth.Write, Trust: lukasa.Agent}
	}
	made := func(who *auth.Principal, args string) string {
		t.Helper()
		return w.text(w.must(who, "pack", args))
	}
	one := made(agent("one"), `{"query":"refunds"}`)
	for _, pack := range []string{
		made(admin("acme"), `{"query":"refunds"}`),
		made(admin("acme"), `{"query":"refunds","agent_id":"two"}`),
		strings.Replace(one, `"agent_id":"one"`, `"agent_id":"two"`, 1),
		strings.Replace(one, `"agent_id":"one",`, ``, 1),
	} {
		if pack == one {
			t.Fatal("nothing was changed in it")
		}
		if _, err := w.run(agent("one"), "verify_pack", `{"pack":`+pack+`}`); fault.CodeOf(err) != fault.NotPermitted {
			t.Errorf("%.200s: %v", pack, err)
		}
	}
	w.must(agent("one"), "verify_pack", `{"pack":`+one+`}`)
	w.must(admin("acme"), "verify_pack", `{"pack":`+one+`}`)
}
