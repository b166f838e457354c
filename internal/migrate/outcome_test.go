package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/hmx"
)

// What agents put in place of a result is recognised, and a failure stays one.
func TestFailed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Exit code 3\nout\nerr": `{"result":{"error":"out\nerr","exit_code":3},"success":false}`,
		"Exit code 1":           `{"result":{"exit_code":1},"success":false}`,
		"no such file":          `{"result":{"error":"no such file"},"success":false}`,
		"Exit code 1\nLukasa: a line of a program":                                   `{"result":{"error":"Lukasa: a line of a program","exit_code":1},"success":false}`,
		"Lukasa: Never push to main.":                                                `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Error: Lukasa: Never push to main.":                                         `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Command blocked by PreToolUse hook: Lukasa: Never push.. Command: git push": `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Tool execution blocked: Lukasa: Never push.":                                `{"denied":true,"denied_by":"lukasa","result":{}}`,
		"Tool execution blocked: not on Fridays":                                     `{"denied":true,"denied_by":"policy","result":{"text":"not on Fridays"}}`,
		"The user doesn't want to proceed with this tool use. STOP. To tell you how to proceed, the user said:\nuse a branch": `{"denied":true,"denied_by":"user","result":{"text":"use a branch"}}`,
		"The user rejected permission to use this specific tool call.":                                                        `{"denied":true,"denied_by":"user","result":{}}`,
		"[Request interrupted by user for tool use]":                                                                          `{"interrupted":true,"result":{}}`,
		"aborted by user after 1.3s":                                                                                          `{"interrupted":true,"result":{}}`,
		"Claude requested permissions to use Bash, but you haven't granted it yet.":                                           `{"denied":true,"denied_by":"policy","result":{"text":"Claude requested permissions to use Bash, but you haven't granted it yet."}}`,
		"writing outside of the project; rejected by user approval settings":                                                  `{"denied":true,"denied_by":"policy","result":{"text":"writing outside of the project; rejected by user approval settings"}}`,
		"The test quotes: Lukasa: Never push to main.":                                                                        `{"result":{"error":"The test quotes: Lukasa: Never push to main."},"success":false}`,
		"lukasa: command not found, and the user doesn't want to proceed with this tool use is in it":                         `{"result":{"error":"lukasa: command not found, and the user doesn't want to proceed with this tool use is in it"},"success":false}`,
		"Lukasaland is closed": `{"result":{"error":"Lukasaland is closed"},"success":false}`,
	} {
		if got := string(encode(Failed(text).Content("", ""))); got != want {
			t.Errorf("%q becomes %s and not %s", text, got, want)
		}
	}
}

// The user's own words are separated from what a program put beside them.
func TestUserWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		f                Format
		text, own, added string
	}{
		{ClaudeCode, "Fix it.", "Fix it.", ""},
		{ClaudeCode, "Stop hook feedback:\nrun the tests", "", ""},
		{ClaudeCode, "<bash-input>ls</bash-input>", "", ""},
		{ClaudeCode, "What does <bash-input> mean?", "What does <bash-input> mean?", ""},
		{Codex, "Fix it.\n\n<stdin>\nNever push.\n</stdin>", "Fix it.", "Never push."},
		{Codex, "What is <stdin>\nhere?", "What is <stdin>\nhere?", ""},
		{Codex, "<skills_instructions>\nx", "", ""},
		{Codex, `<hook_prompt hook_run_id="1">go on</hook_prompt>`, "", ""},
		{Codex, "Another language model started to solve this problem", "", ""},
		{GeminiCLI, "<hook_context>a</hook_context>\n\nFix it.", "Fix it.", ""},
		{GeminiCLI, "<hook_context>a", "", ""},
		{GeminiCLI, "Fix @a.\n--- Content from referenced files ---\nNever push.\n--- End of content ---", "Fix @a.", "Never push."},
		{GeminiCLI, "<session_context>\nx\n</session_context>", "", ""},
	} {
		if got := UserWords(tc.f, tc.text); got != (Prompt{tc.own, tc.added}) {
			t.Errorf("%s: %q becomes %q", tc.f, tc.text, got)
		}
	}
	for _, tc := range []struct {
		text       string
		arguments  []string
		own, added string
		ok         bool
	}{
		{`"two words"`, []string{"two words"}, "two words", "", true},
		{`"two words" one`, []string{"two words", "one"}, "two words one", "", true},
		{`"say \"it\" now"` + "\nNever push.", []string{"-m", "x/y", `say "it" now`}, `say "it" now`, "Never push.", true},
		{`"two words"`, nil, "", "", false},
		{`"two words"`, []string{"other words"}, "", "", false},
		{`"two words" and more`, []string{"two words"}, "", "", false},
		{"", []string{"x"}, "", "", false},
	} {
		if got, ok := Unquoted(tc.text, tc.arguments); ok != tc.ok || ok && got != (Prompt{tc.own, tc.added}) {
			t.Errorf("%q of %q becomes %q, %v", tc.text, tc.arguments, got, ok)
		}
	}
	for _, tc := range []struct {
		text       string
		own, added string
		ok         bool
	}{
		{"Explain.", "Explain.", "", true},
		{"Explain.\nNever push.", "Explain.", "Never push.", true},
		{"Never push.\n\nExplain.", "Explain.", "Never push.", true},
		{"Explain. It fails.", "", "", false},
		{"Something else", "", "", false},
	} {
		if got, ok := Spoken(tc.text, []string{"-p", "Explain."}); ok != tc.ok || got != (Prompt{tc.own, tc.added}) {
			t.Errorf("%q becomes %q, %v", tc.text, got, ok)
		}
	}
}

// How a command of Gemini CLI ended stands in the lines behind its output, and nowhere else.
func TestGeminiEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<untrusted_context>\nOutput: out\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>": `{"result":{"exit_code":2,"text":"out"},"success":false}`,
		"Output: Exit Code: 2\nall well\nProcess Group PGID: 7":                                       `{"result":{"text":"Exit Code: 2\nall well"},"success":true}`,
		"Output: (empty)":            `{"result":{},"success":true}`,
		"Output: x\nSignal: SIGKILL": `{"result":{"signal":"SIGKILL","text":"x"},"success":false}`,
		"Command was cancelled by user before it could complete. There was no output before it was cancelled.": `{"interrupted":true,"result":{}}`,
	} {
		if got := string(encode(GeminiEnd("run_shell_command", text).Content("", ""))); got != want {
			t.Errorf("%q becomes %s and not %s", text, got, want)
		}
	}
	if got := GeminiEnd("read_file", "Exit Code: 2"); !got.Success.Value {
		t.Errorf("a file that says so: %+v", got)
	}
}

// The end of a rollout tells how a call ended, also while it is being written, cut off or not
// there, and nothing else does.
func TestCodexEnd(t *testing.T) {
	t.Parallel()
	const done = `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c1","status":"failed","exit_code":3,"aggregated_output":"x","duration_ms":12}}}` + "\n"
	const call = `{"type":"response_item","payload":{"type":"function_call","call_id":"c1","name":"exec_command","arguments":"{}"}}` + "\n"
	for text, want := range map[string]string{
		call + done: `{"duration_ms":12,"result":{"exit_code":3},"success":false}`,
		call + done + `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Process exited with code 3\nx"}}` + "\n": `{"duration_ms":12,"result":{"exit_code":3},"success":false}`,
		call + done + `{"type":"event_msg","payload":{"type":"item_comp`:                                                                                  `{"duration_ms":12,"result":{"exit_code":3},"success":false}`,
		call: "", "": "", "nonsense": "", strings.ReplaceAll(done, `"c1"`, `"c2"`): "", done[20:]: "",
	} {
		o, ok := CodexEnd([]byte(text), "c1")
		got := ""
		if ok {
			got = string(encode(o.Content("", "")))
		}
		if got != want {
			t.Errorf("%s is %s and not %s", text, got, want)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(file, []byte(strings.Repeat(call, 8000)+done), 0o600); err != nil {
		t.Fatal(err)
	}
	tail := Tail(file)
	if len(tail) > tailBytes || !bytes.HasPrefix(tail, []byte(`{"type":`)) || !bytes.HasSuffix(tail, []byte(done)) {
		t.Errorf("the end of the file is %d bytes, %.60s", len(tail), tail)
	}
	if Tail(dir) != nil || Tail(filepath.Join(dir, "none")) != nil {
		t.Error("there is an end of what is no file")
	}
}

// What the transcript knows of the end of a call that a hook recorded without it becomes one
// event that names the call and follows it, once.
func TestOutcomeIsAdded(t *testing.T) {
	t.Parallel()
	const text = `{"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c1"}}
{"timestamp":"2026-11-01T10:00:03Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c1","status":"failed","exit_code":3,"duration_ms":12}}}
{"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"x"}}
`
	const denied = `{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-11-01T10:00:03Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"Lukasa: Never push."}]}}
`
	for _, tc := range []struct {
		f                  Format
		text, result, want string
	}{
		{Codex, text, `{"call_id":"c1","result":{"text":"x"},"tool_name":"Bash"}`, `{"call_id":"c1","duration_ms":12,"outcome":true,"result":{"exit_code":3},"success":false,"tool_name":"exec_command"}`},
		{Codex, text, `{"call_id":"c1","duration_ms":10,"result":{"exit_code":3,"text":"x"},"success":false,"tool_name":"Bash"}`, ""},
		{Codex, text, `{"call_id":"c1","denied":true,"denied_by":"lukasa","result":{}}`, ""},
		// A board of an earlier version holds a denial as a failure.
		{ClaudeCode, denied, `{"call_id":"c1","result":{"text":"Lukasa: Never push."},"success":false,"tool_name":"Bash"}`, `{"call_id":"c1","denied":true,"denied_by":"lukasa","outcome":true,"result":{}}`},
	} {
		b := board(t)
		for i, ev := range []*hmx.Event{
			{EventType: hmx.TypeToolCall, EventID: EventID(tc.f, "call", "c1"), Content: `{"call_id":"c1","tool_name":"Bash","arguments":{}}`},
			{EventType: hmx.TypeToolResult, EventID: EventID(tc.f, "result", "c1"), Content: hmx.Raw(tc.result)},
		} {
			ev.HMXVersion, ev.TenantID, ev.AgentID, ev.SessionID, ev.Metadata = hmx.Version, "acme", "a", "s", "{}"
			ev.Timestamp, ev.Sequence, ev.Source = hmx.TimeOf(modified), 9e15+int64(i), hmx.Some(HookSource+string(tc.f)) // by a clock that is ahead
			if _, err := b.Append(context.Background(), lukasa.Writer{Trust: lukasa.User}, ev); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, left := bring(t, b, tc.f, "rollout-s.jsonl", []byte(tc.text), false); len(left) > 2 {
				t.Errorf("%s: %v", tc.f, left)
			}
		}
		page, err := b.Tenant("acme", lukasa.Writer{}).Events(context.Background(), lukasa.EventQuery{Session: "s", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if n := len(page.Events); n > 2 {
			last := page.Events[n-1].Event
			got = string(last.Content)
			if n != 3 || last.ParentEventID.Value != EventID(tc.f, "call", "c1") || strings.Join(last.Tags, " ") != "outcome" {
				t.Errorf("%d events, the last %+v", n, last)
			}
		}
		if got != tc.want {
			t.Errorf("added is %s and not %s", got, tc.want)
		}
	}
}

// Whatever stands in a transcript: no panic, and what was found can be written.
func FuzzTail(f *testing.F) {
	f.Add(`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c1","status":"failed","server":"a","tool":"b","error":{"message":"x"}}}}`)
	f.Add(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"aborted by user"}]}}`)
	f.Add(`{"payload":{"type":"item_completed","item":{"type":"FileChange","id":"c1","changes":{"a":{"add":{"content":"x"}}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		o, _ := CodexEnd([]byte(text), "c1")
		for _, s := range append(StoppedCalls(Codex, []byte(text)), StoppedCalls(ClaudeCode, []byte(text))...) {
			if raw, _ := Content(s.Content(s.Tool, s.ID)); !json.Valid([]byte(raw)) {
				t.Errorf("no JSON: %s", raw)
			}
		}
		if raw, _ := Content(o.Content("", "")); !json.Valid([]byte(raw)) {
			t.Errorf("no JSON: %s", raw)
		}
		GeminiEnd("run_shell_command", text)
	})
}
