package hook

import (
	"encoding/json"
	"strings"
	"testing"
)

// A denial by Lukasa is recorded without Lukasa's own text; for an edit, which is recorded when
// it is done, its call is recorded as well.
func TestDenial(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"git push"}`:                                     "tool_result",
		`"tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"a","old_string":"1","new_string":"2"}`:        "tool_call tool_result",
		`"tool_name":"mcp__lukasa__recall","tool_use_id":"t1","tool_input":{"key":"x"}`:                                 "",
		`"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"lukasa pack 'git push'"}`:                       "",
		`"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"git push # lukasa"},"tool_response":"whatever"`: "tool_result",
	} {
		c, err := Decode(ClaudeCode, []byte(`{"hook_event_name":"PreToolUse","session_id":"s",`+in+`}`), Options{Now: called})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range c.Denial("lukasa://acme/memory/m1") {
			got = append(got, string(e.EventType))
			if e.EventType == "tool_result" && string(e.Content) != `{"call_id":"t1","denied":true,"denied_by":"lukasa","result":{},"rule":"lukasa://acme/memory/m1","tool_name":"`+c.Tool+`"}` {
				t.Errorf("the denial is %s", e.Content)
			}
			if last := c.Events; len(last) > 0 && e.Sequence <= last[len(last)-1].Sequence {
				t.Errorf("the denial is before the call")
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: recorded is %v and not %s", in, got, want)
		}
	}
}

// Findings are added to the input once, and nothing is added to an input that is no object.
func TestSeen(t *testing.T) {
	t.Parallel()
	const rollout = `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c1","status":"failed","exit_code":3}}}`
	const rejected = `{"type":"user","timestamp":"2026-11-01T10:00:00Z","message":{"content":"Go on."}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}
{"type":"user","timestamp":"2026-11-01T10:00:01Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"The user doesn't want to proceed with this tool use."}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"The user doesn't want to proceed with this tool use."}]}}
`
	for _, tc := range []struct{ agent, in, tail, want string }{
		{Codex, `{"hook_event_name":"PostToolUse","transcript_path":"r.jsonl","tool_use_id":"c1"}` + "\n", rollout, `{"end":{"result":{"exit_code":3},"success":false}}`},
		{Codex, `{"hook_event_name":"PostToolUse","transcript_path":"r.jsonl","tool_use_id":"c2"}`, rollout, ""},
		{Codex, `{"hook_event_name":"PostToolUse","transcript_path":"/etc/passwd","tool_use_id":"c1"}`, rollout, ""},
		{ClaudeCode, `{"hook_event_name":"UserPromptSubmit","transcript_path":"r.jsonl","prompt":"x"}`, rejected,
			`{"arguments":["-p","x"],"stopped":[{"at":"2026-11-01T10:00:01Z","call_id":"t1","denied":true,"denied_by":"user","result":{},"tool_name":"Bash"}]}`},
		{ClaudeCode, `{"hook_event_name":"SessionEnd","transcript_path":"r.jsonl"}`, rejected + `{"type":"user","message":{"content":"And?"}}` + "\n" + `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t3","name":"Bash"}]}}`, ""},
		{ClaudeCode, `{"hook_event_name":"Stop","transcript_path":"r.jsonl"}`, rejected[:strings.Index(rejected, `"tool_use_id"`)], ""},
		{ClaudeCode, `{"hook_event_name":"Stop","transcript_path":"r.jsonl"`, rejected, ""},
		{ClaudeCode, `[]`, rejected, ""},
		{ClaudeCode, ``, rejected, ""},
	} {
		w := World{Transcript: func(string) []byte { return []byte(tc.tail) }, Arguments: func() []string { return []string{"-p", "x"} }}
		got := Seen(tc.agent, []byte(tc.in), w)
		if tc.want == "" {
			if string(got) != tc.in {
				t.Errorf("%s becomes %s", tc.in, got)
			}
			continue
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(got, &members); err != nil || string(members[seenName]) != tc.want {
			t.Errorf("%s becomes %s: %v", tc.in, got, err)
		}
		if again := Seen(tc.agent, got, w); string(again) != string(got) {
			t.Errorf("seen twice: %s", again)
		}
	}
}
