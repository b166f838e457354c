package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
)

// retelling is a session, as an agent tells its hooks and as it writes its transcript.
type retelling struct {
	agent string
	hooks []hookMoment // without the session
	lines []string     // of the transcript
	want  []string     // what is recorded of either, in order, see [kept]
}

// hookMoment is the input of a hook, at an offset in milliseconds from the session's start.
type hookMoment struct {
	at int64
	in string
}

func retellings() []retelling {
	const patch = `*** Begin Patch\n*** Add File: new.go\n+package a\n*** Update File: old.go\n*** Move to: moved.go\n@@\n-\tb()\n+\tc()\n*** End Patch`
	return []retelling{
		{
			agent: "claude-code",
			hooks: []hookMoment{
				{10, `"hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"Wait longer."`},
				{1100, `"hook_event_name":"PreToolUse","prompt_id":"p1","tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/a.go","old_string":"1","new_string":"2"}`},
				{1900, `"hook_event_name":"PostToolUse","prompt_id":"p1","tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/a.go","old_string":"1","new_string":"2"},"tool_response":{"filePath":"/a.go"}`},
				{2900, `"hook_event_name":"PostToolUse","prompt_id":"p1","tool_name":"Write","tool_use_id":"t2","tool_input":{"file_path":"/b.go","content":"x\ny\n"},"tool_response":{"type":"create"}`},
				{4100, `"hook_event_name":"PreToolUse","prompt_id":"p1","tool_name":"Edit","tool_use_id":"t3","tool_input":{"file_path":"/c.go","old_string":"3","new_string":"4"}`},
				{4900, `"hook_event_name":"PostToolUseFailure","prompt_id":"p1","tool_name":"Edit","tool_use_id":"t3","tool_input":{"file_path":"/c.go","old_string":"3","new_string":"4"},"error":"not there"`},
				{6100, `"hook_event_name":"PreToolUse","prompt_id":"p1","tool_name":"Bash","tool_use_id":"t4","tool_input":{"command":"go test"}`},
				{6900, `"hook_event_name":"PostToolUseFailure","prompt_id":"p1","tool_name":"Bash","tool_use_id":"t4","tool_input":{"command":"go test"},"error":"Exit code 3\nFAIL"`},
				{8100, `"hook_event_name":"PreToolUse","prompt_id":"p1","tool_name":"mcp__lukasa__recall","tool_use_id":"t5","tool_input":{"key":"x"}`},
				{8900, `"hook_event_name":"PostToolUse","prompt_id":"p1","tool_name":"mcp__lukasa__recall","tool_use_id":"t5","tool_input":{"key":"x"},"tool_response":"a memory"`},
				{10100, `"hook_event_name":"PreToolUse","prompt_id":"p1","tool_name":"Bash","tool_use_id":"t6","tool_input":{"command":"git push"}`},
				// The user rejects it: no hook is run.
				{20010, `"hook_event_name":"UserPromptSubmit","prompt_id":"p2","prompt":"Use a branch."`},
				{21100, `"hook_event_name":"PreToolUse","prompt_id":"p2","tool_name":"Bash","tool_use_id":"t7","tool_input":{"command":"git push origin main"}`},
				// Lukasa denies it: no hook is run.
				{24100, `"hook_event_name":"Stop","prompt_id":"p2","last_assistant_message":"Done."`},
			},
			lines: []string{
				`{"type":"user","uuid":"u1","promptId":"p1","sessionId":"s","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"Wait longer."}}`,
				`{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a.go","old_string":"1","new_string":"2"}},{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":"/b.go","content":"x\ny\n"}}]}}`,
				`{"type":"user","uuid":"u3","sessionId":"s","timestamp":"2026-11-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"It was changed."}]},"toolUseResult":{"filePath":"/a.go"}}`,
				`{"type":"user","uuid":"u4","sessionId":"s","timestamp":"2026-11-01T10:00:03Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"It was made."}]},"toolUseResult":{"type":"create"}}`,
				`{"type":"assistant","uuid":"u5","sessionId":"s","timestamp":"2026-11-01T10:00:04Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Edit","input":{"file_path":"/c.go","old_string":"3","new_string":"4"}}]}}`,
				`{"type":"user","uuid":"u6","sessionId":"s","timestamp":"2026-11-01T10:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","is_error":true,"content":"not there"}]}}`,
				`{"type":"assistant","uuid":"u7","sessionId":"s","timestamp":"2026-11-01T10:00:06Z","message":{"role":"assistant","content":[{"type":"text","text":"I test it."},{"type":"tool_use","id":"t4","name":"Bash","input":{"command":"go test"}}]}}`,
				`{"type":"user","uuid":"u8","sessionId":"s","timestamp":"2026-11-01T10:00:07Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t4","is_error":true,"content":"Exit code 3\nFAIL"}]},"toolUseResult":"Error: Exit code 3\nFAIL"}`,
				`{"type":"assistant","uuid":"u9","sessionId":"s","timestamp":"2026-11-01T10:00:08Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t5","name":"mcp__lukasa__recall","input":{"key":"x"}}]}}`,
				`{"type":"user","uuid":"u10","sessionId":"s","timestamp":"2026-11-01T10:00:09Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t5","content":"a memory"}]}}`,
				`{"type":"assistant","uuid":"u11","sessionId":"s","timestamp":"2026-11-01T10:00:10Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t6","name":"Bash","input":{"command":"git push"}}]}}`,
				`{"type":"user","uuid":"u12","sessionId":"s","timestamp":"2026-11-01T10:00:12Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t6","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected."}]},"toolUseResult":"User rejected tool use"}`,
				`{"type":"user","uuid":"u13","sessionId":"s","timestamp":"2026-11-01T10:00:12Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}`,
				`{"type":"user","uuid":"u14","promptId":"p2","sessionId":"s","timestamp":"2026-11-01T10:00:20Z","message":{"role":"user","content":"Use a branch."}}`,
				`{"type":"assistant","uuid":"u15","sessionId":"s","timestamp":"2026-11-01T10:00:21Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t7","name":"Bash","input":{"command":"git push origin main"}}]}}`,
				`{"type":"user","uuid":"u16","sessionId":"s","timestamp":"2026-11-01T10:00:22Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t7","is_error":true,"content":"Lukasa: Never push to main directly."}]},"toolUseResult":"Error: Lukasa: Never push to main directly."}`,
				`{"type":"assistant","uuid":"u17","sessionId":"s","timestamp":"2026-11-01T10:00:24Z","message":{"role":"assistant","content":"Done."}}`,
			},
			want: []string{
				`message user Wait longer.`,
				`file_edit {"call_id":"t1","diff":"-1\n+2","operation":"modify","path":"/a.go","tool_name":"Edit"}`,
				`file_edit {"call_id":"t2","diff":"+x\n+y","operation":"create","path":"/b.go","tool_name":"Write"}`,
				`tool_call t3`, `tool_result t3 success false`, `+message assistant I test it.`, `tool_call t4`, `tool_result t4 success false, exit code 3`,
				`tool_call t6`, `tool_result t6 denied by user`, `message user Use a branch.`, `tool_call t7`, `tool_result t7 denied by lukasa`, `message assistant Done.`,
			},
		},
		{
			agent: "codex",
			hooks: []hookMoment{
				{1010, `"hook_event_name":"UserPromptSubmit","turn_id":"n1","prompt":"Wait longer."`},
				{2900, `"hook_event_name":"PostToolUse","turn_id":"n1","tool_name":"apply_patch","tool_use_id":"c1","tool_input":{"command":"` + patch + `"},"tool_response":{"output":"Success","metadata":{"exit_code":0,"duration_seconds":0.5}}`},
				{4900, `"hook_event_name":"PostToolUse","turn_id":"n1","tool_name":"apply_patch","tool_use_id":"c2","tool_input":{"command":"` + patch + `"},"tool_response":{"output":"no","metadata":{"exit_code":1}}`},
				{6100, `"hook_event_name":"PreToolUse","turn_id":"n1","tool_name":"Bash","tool_use_id":"c3","tool_input":{"command":"make"}`},
				{6900, `"hook_event_name":"PostToolUse","turn_id":"n1","tool_name":"Bash","tool_use_id":"c3","tool_input":{"command":"make"},"tool_response":"out\n"`},
				{8100, `"hook_event_name":"PreToolUse","turn_id":"n1","tool_name":"Bash","tool_use_id":"exec-1","tool_input":{"command":"ls"}`},
				{8150, `"hook_event_name":"PostToolUse","turn_id":"n1","tool_name":"Bash","tool_use_id":"exec-1","tool_input":{"command":"ls"},"tool_response":"a.go\n"`},
				{10100, `"hook_event_name":"PreToolUse","turn_id":"n1","tool_name":"Bash","tool_use_id":"c4","tool_input":{"command":"git push"}`},
				{12100, `"hook_event_name":"Stop","turn_id":"n1","last_assistant_message":"Done."`},
			},
			lines: []string{
				`{"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s","instructions":"Be brief.","source":"exec"}}`,
				`{"timestamp":"2026-11-01T10:00:00Z","type":"event_msg","payload":{"type":"task_started","turn_id":"n1"}}`,
				`{"timestamp":"2026-11-01T10:00:00Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"<skills_instructions>x</skills_instructions>"}]}}`,
				`{"timestamp":"2026-11-01T10:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /srv/shop\nNever push."},{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}`,
				`{"timestamp":"2026-11-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Wait longer."}]}}`,
				`{"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"` + patch + `"}}`,
				`{"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c1","output":"{\"output\":\"Success\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.5}}"}}`,
				`{"timestamp":"2026-11-01T10:00:04Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"` + patch + `"}}`,
				`{"timestamp":"2026-11-01T10:00:05Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":1}}"}}`,
				`{"timestamp":"2026-11-01T10:00:05.5Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I build it."}]}}`,
				`{"timestamp":"2026-11-01T10:00:06Z","type":"response_item","payload":{"type":"function_call","call_id":"c3","name":"exec_command","arguments":"{\"cmd\":\"make\"}"}}`,
				`{"timestamp":"2026-11-01T10:00:06.8Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c3","command":["bash","-lc","make"],"status":"failed","exit_code":3,"aggregated_output":"out\n","duration_ms":40}}}`,
				`{"timestamp":"2026-11-01T10:00:07Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"out\n"}}`,
				`{"timestamp":"2026-11-01T10:00:08Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"c9","name":"exec","input":"await tools.exec_command({cmd:'ls'})"}}`,
				`{"timestamp":"2026-11-01T10:00:08.12Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["bash","-lc","ls"],"status":"completed","exit_code":0,"aggregated_output":"a.go\n"}}}`,
				`{"timestamp":"2026-11-01T10:00:08.2Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c9","output":"a.go\n"}}`,
				`{"timestamp":"2026-11-01T10:00:09Z","type":"response_item","payload":{"type":"function_call","call_id":"c8","name":"search_memories","namespace":"mcp__lukasa__","arguments":"{}"}}`,
				`{"timestamp":"2026-11-01T10:00:09Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c8","output":"a long answer"}}`,
				`{"timestamp":"2026-11-01T10:00:10Z","type":"response_item","payload":{"type":"function_call","call_id":"c4","name":"exec_command","arguments":"{\"cmd\":\"git push\"}"}}`,
				`{"timestamp":"2026-11-01T10:00:11Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c4","output":"Command blocked by PreToolUse hook: Lukasa: Never push to main directly.. Command: git push"}}`,
				`{"timestamp":"2026-11-01T10:00:12Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`,
			},
			want: []string{
				`message user Wait longer.`,
				`file_edit {"call_id":"c1","diff":"+package a","duration_ms":500,"operation":"create","path":"new.go","tool_name":"apply_patch"}`,
				`file_edit {"call_id":"c1","diff":"@@\n-\tb()\n+\tc()","duration_ms":500,"old_path":"old.go","operation":"rename","path":"moved.go","tool_name":"apply_patch"}`,
				`tool_call c2`, `tool_result c2 success false, exit code 1`, `+message assistant I build it.`, `tool_call c3`, `tool_result c3 success false, exit code 3`,
				`tool_call exec-1`, `tool_result exec-1 success true, exit code 0`, `tool_call c4`, `tool_result c4 denied by lukasa`, `message assistant Done.`,
			},
		},
	}
}

// kept returns what is recorded of the session, of what a transcript tells as well, in its
// order: edits with all they say, calls by their names, how they ended, and who said what.
func kept(t *testing.T, dir string) []string {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // the test has what it wants
	if _, err := ask.FoldSpool(t.Context(), dir, b, ""); err != nil {
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
			Success    *bool
			DeniedBy   string `json:"denied_by"`
			Result     struct {
				Code *int `json:"exit_code"`
			}
		}
		if err := json.Unmarshal([]byte(e.Event.Content), &c); err != nil {
			t.Fatal(err)
		}
		switch e.Event.EventType {
		case "file_edit":
			out = append(out, "file_edit "+string(e.Event.Content))
		case "message":
			out = append(out, "message "+c.Role+" "+c.Text)
		case "tool_call":
			out = append(out, "tool_call "+c.Call)
		case "tool_result":
			text := "tool_result " + c.Call
			if c.DeniedBy != "" {
				text += " denied by " + c.DeniedBy
			}
			if c.Success != nil {
				text += fmt.Sprintf(" success %v", *c.Success)
			}
			if c.Result.Code != nil {
				text += fmt.Sprintf(", exit code %d", *c.Result.Code)
			}
			out = append(out, text)
		}
	}
	return out
}

// A session becomes the same through hooks, of its transcript, and through both in any order:
// the same events in the same order, each once, with the same outcomes.
func TestHooksAndTranscripts(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC).UnixMicro()
	for _, r := range retellings() {
		// The transcript is as long as it is when the hook is run.
		write := func(t *testing.T, dir string, until int64) string {
			file := filepath.Join(dir, "rollout-s.jsonl")
			var lines []string
			for _, l := range r.lines {
				if _, rest, _ := strings.Cut(l, `"timestamp":"`); until < 0 || migrateTime(t, rest) <= began+until*1000 {
					lines = append(lines, l+"\n")
				}
			}
			if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			return file
		}
		hooks := func(t *testing.T, dir string) {
			for _, told := range r.hooks {
				file := write(t, filepath.Dir(dir), told.at)
				in := fmt.Sprintf(`{"session_id":"s","transcript_path":%q,%s}`, file, told.in)
				at := strconv.FormatInt(began+told.at*1000, 10)
				if out, problems, code := runHook(t, nothing(t), in, r.agent, "--data", dir, "--limit", "1m", "--budget", "0", "--at", at); out != "{}\n" || problems != "" || code != 0 {
					t.Fatalf("%q, %q, %d", out, problems, code)
				}
			}
		}
		bringing := func(t *testing.T, dir string) {
			file := write(t, t.TempDir(), -1)
			var out, problems bytes.Buffer
			if code := Run(t.Context(), []string{"import", "--from", r.agent, file, "--data", dir}, nil, &out, &problems, nothing(t)); code != 0 {
				t.Fatalf("exit code %d: %s%s", code, out.String(), problems.String())
			}
		}
		for name, ways := range map[string][]func(*testing.T, string){
			"hooks": {hooks}, "transcript": {bringing}, "both": {hooks, bringing}, "the transcript first": {bringing, hooks}, "the transcript twice": {bringing, bringing},
			"the hooks twice": {hooks, hooks}, "all": {bringing, hooks, bringing, hooks},
		} {
			t.Run(fmt.Sprintf("%s/%s", r.agent, name), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "data")
				for _, way := range ways {
					way(t, dir)
				}
				var want []string
				for _, w := range r.want {
					if rest, alone := strings.CutPrefix(w, "+"); !alone || !strings.Contains(name, "hooks") {
						want = append(want, rest)
					}
				}
				if got := kept(t, dir); !slices.Equal(got, want) {
					t.Errorf("recorded is\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// migrateTime reads the time with which a text begins, in microseconds.
func migrateTime(t *testing.T, text string) int64 {
	t.Helper()
	value, _, _ := strings.Cut(text, `"`)
	at, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}
