package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev"
)

// retelling is a session, as an agent tells its hooks and as it writes its transcript.
type retelling struct {
	agent string
	hooks []string // without the session
	lines []string // of the transcript
	want  []string // what is recorded of either, see [kept]
}

func retellings() []retelling {
	const patch = `*** Begin Patch\n*** Add File: new.go\n+package a\n*** Update File: old.go\n*** Move to: moved.go\n@@\n-\tb()\n+\tc()\n*** End Patch`
	return []retelling{
		{
			agent: "claude-code",
			hooks: []string{
				`"hook_event_name":"UserPromptSubmit","prompt":"Wait longer."`,
				`"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/a.go","old_string":"1","new_string":"2"}`,
				`"hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/a.go","old_string":"1","new_string":"2"},"tool_response":{"filePath":"/a.go"}`,
				`"hook_event_name":"PostToolUse","tool_name":"Write","tool_use_id":"t2","tool_input":{"file_path":"/b.go","content":"x\ny\n"},"tool_response":{"type":"create"}`,
				`"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t3","tool_input":{"file_path":"/c.go","old_string":"3","new_string":"4"}`,
				`"hook_event_name":"PostToolUseFailure","tool_name":"Edit","tool_use_id":"t3","tool_input":{"file_path":"/c.go","old_string":"3","new_string":"4"},"error":"not there"`,
				`"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"t4","tool_input":{"command":"go test"},"tool_response":{"stdout":"ok"}`,
				`"hook_event_name":"Stop","last_assistant_message":"Done."`,
			},
			lines: []string{
				`{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"Wait longer."}}`,
				`{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a.go","old_string":"1","new_string":"2"}},{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":"/b.go","content":"x\ny\n"}}]}}`,
				`{"type":"user","uuid":"u3","sessionId":"s","timestamp":"2026-11-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"It was changed."}]},"toolUseResult":{"filePath":"/a.go"}}`,
				`{"type":"user","uuid":"u4","sessionId":"s","timestamp":"2026-11-01T10:00:03Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"It was made."}]},"toolUseResult":{"type":"create"}}`,
				`{"type":"assistant","uuid":"u5","sessionId":"s","timestamp":"2026-11-01T10:00:04Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Edit","input":{"file_path":"/c.go","old_string":"3","new_string":"4"}}]}}`,
				`{"type":"user","uuid":"u6","sessionId":"s","timestamp":"2026-11-01T10:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","is_error":true,"content":"not there"}]}}`,
				`{"type":"assistant","uuid":"u7","sessionId":"s","timestamp":"2026-11-01T10:00:06Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t4","name":"Bash","input":{"command":"go test"}}]}}`,
				`{"type":"user","uuid":"u8","sessionId":"s","timestamp":"2026-11-01T10:00:07Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t4","content":"ok"}]}}`,
				`{"type":"assistant","uuid":"u9","sessionId":"s","timestamp":"2026-11-01T10:00:08Z","message":{"role":"assistant","content":"Done."}}`,
			},
			want: []string{
				`file_edit {"call_id":"t1","diff":"-1\n+2","operation":"modify","path":"/a.go","tool_name":"Edit"}`,
				`file_edit {"call_id":"t2","diff":"+x\n+y","operation":"create","path":"/b.go","tool_name":"Write"}`,
				`message assistant Done.`, `message user Wait longer.`, `tool_call t3`, `tool_call t4`, `tool_result t3`, `tool_result t4`,
			},
		},
		{
			agent: "codex",
			hooks: []string{
				`"hook_event_name":"UserPromptSubmit","prompt":"Wait longer."`,
				`"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_use_id":"c1","tool_input":{"command":"` + patch + `"},"tool_response":{"output":"Success","metadata":{"exit_code":0,"duration_seconds":0.5}}`,
				`"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_use_id":"c2","tool_input":{"command":"` + patch + `"},"tool_response":{"output":"no","metadata":{"exit_code":1}}`,
			},
			lines: []string{
				`{"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s"}}`,
				`{"timestamp":"2026-11-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Wait longer."}]}}`,
				`{"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"` + patch + `"}}`,
				`{"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c1","output":"{\"output\":\"Success\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.5}}"}}`,
				`{"timestamp":"2026-11-01T10:00:04Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"` + patch + `"}}`,
				`{"timestamp":"2026-11-01T10:00:05Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":1}}"}}`,
			},
			want: []string{
				`file_edit {"call_id":"c1","diff":"+package a","duration_ms":500,"operation":"create","path":"new.go","tool_name":"apply_patch"}`,
				`file_edit {"call_id":"c1","diff":"@@\n-\tb()\n+\tc()","duration_ms":500,"old_path":"old.go","operation":"rename","path":"moved.go","tool_name":"apply_patch"}`,
				`message user Wait longer.`, `tool_call c2`, `tool_result c2`,
			},
		},
	}
}

// kept returns what is recorded of the session, of what a transcript tells as well, in order:
// edits with all they say, calls and results by their names, and who said what.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // the test has what it wants
	if _, err := foldSpool(t.Context(), dir, b, ""); err != nil {
		t.Fatal(err)
	}
	page, err := b.Tenant("default", lukasa.Writer{}).Events(t.Context(), lukasa.EventQuery{Session: "s", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range page.Events {
		var c struct {
			Role, Text string
			Call       string `json:"call_id"`
		}
		if err := json.Unmarshal([]byte(e.Event.Content), &c); err != nil {
			t.Fatal(err)
		}
		switch e.Event.EventType {
		case "file_edit":
			out = append(out, "file_edit "+string(e.Event.Content))
		case "message":
			out = append(out, "message "+c.Role+" "+c.Text)
		case "tool_call", "tool_result":
			out = append(out, string(e.Event.EventType)+" "+c.Call)
		}
	}
	slices.Sort(out)
	return out
}

// A session becomes the same through hooks, of its transcript, and through both: nothing is
// there twice, and edits are edits.
func TestHooksAndTranscripts(t *testing.T) {
	for _, r := range retellings() {
		hooks := func(t *testing.T, dir string) {
			for _, in := range r.hooks {
				if out, problems, code := runHook(t, nothing(t), `{"session_id":"s",`+in+`}`, r.agent, "--data", dir, "--budget", "0"); out != "{}\n" || problems != "" || code != 0 {
					t.Fatalf("%q, %q, %d", out, problems, code)
				}
			}
		}
		bringing := func(t *testing.T, dir string) {
			file := filepath.Join(t.TempDir(), "rollout-s.jsonl")
			if err := os.WriteFile(file, []byte(strings.Join(r.lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, problems bytes.Buffer
			if code := Run(t.Context(), []string{"import", "--from", r.agent, file, "--data", dir}, nil, &out, &problems, nothing(t)); code != 0 {
				t.Fatalf("exit code %d: %s", code, problems.String())
			}
		}
		for name, ways := range map[string][]func(*testing.T, string){
			"hooks": {hooks}, "transcript": {bringing}, "both": {hooks, bringing}, "the transcript twice": {bringing, bringing}, "all": {hooks, bringing, bringing},
		} {
			t.Run(fmt.Sprintf("%s/%s", r.agent, name), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "data")
				for _, way := range ways {
					way(t, dir)
				}
				if got := kept(t, dir); !slices.Equal(got, r.want) {
					t.Errorf("recorded is\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(r.want, "\n"))
				}
			})
		}
	}
}
