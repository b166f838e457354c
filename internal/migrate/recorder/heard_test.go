package recorder

import (
	"context"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/sourcetest"
)

// A transcript of what hooks have recorded as it happened adds what they did not hear, and
// nothing twice; and it does so each time.
func TestAfterHooks(t *testing.T) {
	const claude = `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"yes"}}
{"type":"assistant","uuid":"u2","sessionId":"s","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","uuid":"u3","sessionId":"s","timestamp":"2026-11-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.go"}]}}
{"type":"user","uuid":"u4","sessionId":"s","timestamp":"2026-11-01T10:00:03Z","message":{"role":"user","content":"yes"}}
{"type":"user","uuid":"u5","sessionId":"s","timestamp":"2026-11-01T10:00:04Z","message":{"role":"user","content":"§Lqbfd - a memory\nno"}}
`
	const codex = `{"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-11-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"yes"}]}}
{"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"toolu_1"}}
{"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"toolu_1","output":"a.go"}}
`
	const secret = "push with ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	const secretive = `{"type":"user","uuid":"u1","sessionId":"s","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"` + secret + `"}}
`
	for _, tc := range []struct {
		format     foreign.Format
		text       string
		heard      []string // what hooks recorded
		added, dup int
	}{
		{foreign.ClaudeCode, claude, nil, 6, 0},
		{foreign.ClaudeCode, claude, []string{"call", "result", "yes", "no"}, 2, 4}, // one yes was said before there were hooks
		{foreign.ClaudeCode, claude, []string{"yes", "yes", "yes"}, 4, 2},
		{foreign.ClaudeCode, claude, []string{"edit"}, 4, 2},    // it is the call and the result
		{foreign.ClaudeCode, secretive, []string{secret}, 0, 1}, // it is recorded without
		{foreign.Codex, codex, nil, 3, 0},
		{foreign.Codex, codex, []string{"call", "result", "yes"}, 0, 3},
	} {
		b := board(t)
		for i, what := range tc.heard {
			ev := &hmx.Event{
				HMXVersion: hmx.Version, EventID: "hook-" + what + strings.Repeat("+", i), EventType: hmx.TypeMessage, TenantID: "acme", AgentID: "a", SessionID: "s",
				Timestamp: hmx.TimeOf(sourcetest.Modified()), Sequence: int64(i), Content: hmx.Raw(`{"role":"user","text":"` + what + `"}`), Metadata: "{}", Source: hmx.Some(foreign.HookSource + string(tc.format)),
			}
			switch what {
			case "call":
				ev.EventType, ev.Content = hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"ls"},"call_id":"toolu_1"}`
			case "edit":
				ev.EventType, ev.Content = hmx.TypeFileEdit, `{"path":"a.go","operation":"modify","diff":"+a","call_id":"toolu_1"}`
				ev.EventID = foreign.EventID(tc.format, "result", "toolu_1")
			case "result":
				ev.EventType, ev.Content = hmx.TypeToolResult, `{"tool_name":"Bash","result":{"stdout":"a.go"},"success":true,"call_id":"toolu_1"}`
				ev.EventID = foreign.EventID(tc.format, "result", "toolu_1")
			}
			if _, err := b.Append(context.Background(), lukasa.Writer{Trust: lukasa.User}, ev); err != nil {
				t.Fatal(err)
			}
		}
		for round, want := range []int{tc.added, 0} {
			counts, left := bring(t, b, tc.format, "rollout-s.jsonl", []byte(tc.text), false)
			if counts.Events != want || counts.Duplicates != tc.added+tc.dup-want || len(left) > 1 {
				t.Errorf("%s after %v, round %d: %+v, %v", tc.format, tc.heard, round, counts, left)
			}
		}
	}
}
