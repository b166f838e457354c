package transcripts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

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
			got = string(foreign.Encode(o.Content("", "")))
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

// Whatever stands in a transcript: no panic, and what was found can be written.
func FuzzTail(f *testing.F) {
	f.Add(`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c1","status":"failed","server":"a","tool":"b","error":{"message":"x"}}}}`)
	f.Add(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"aborted by user"}]}}`)
	f.Add(`{"payload":{"type":"item_completed","item":{"type":"FileChange","id":"c1","changes":{"a":{"add":{"content":"x"}}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		o, _ := CodexEnd([]byte(text), "c1")
		for _, s := range append(StoppedCalls(foreign.Codex, []byte(text)), StoppedCalls(foreign.ClaudeCode, []byte(text))...) {
			if raw, _ := foreign.Content(s.Content(s.Tool, s.ID)); !json.Valid([]byte(raw)) {
				t.Errorf("no JSON: %s", raw)
			}
		}
		if raw, _ := foreign.Content(o.Content("", "")); !json.Valid([]byte(raw)) {
			t.Errorf("no JSON: %s", raw)
		}
		toolcall.GeminiEnd("run_shell_command", text)
	})
}
