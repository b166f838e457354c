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
		f                  foreign.Format
		text, result, want string
	}{
		{foreign.Codex, text, `{"call_id":"c1","result":{"text":"x"},"tool_name":"Bash"}`, `{"call_id":"c1","duration_ms":12,"outcome":true,"result":{"exit_code":3},"success":false,"tool_name":"exec_command"}`},
		{foreign.Codex, text, `{"call_id":"c1","duration_ms":10,"result":{"exit_code":3,"text":"x"},"success":false,"tool_name":"Bash"}`, ""},
		{foreign.Codex, text, `{"call_id":"c1","denied":true,"denied_by":"lukasa","result":{}}`, ""},
		// A board of an earlier version holds a denial as a failure.
		{foreign.ClaudeCode, denied, `{"call_id":"c1","result":{"text":"Lukasa: Never push."},"success":false,"tool_name":"Bash"}`, `{"call_id":"c1","denied":true,"denied_by":"lukasa","outcome":true,"result":{}}`},
	} {
		b := board(t)
		for i, ev := range []*hmx.Event{
			{EventType: hmx.TypeToolCall, EventID: foreign.EventID(tc.f, "call", "c1"), Content: `{"call_id":"c1","tool_name":"Bash","arguments":{}}`},
			{EventType: hmx.TypeToolResult, EventID: foreign.EventID(tc.f, "result", "c1"), Content: hmx.Raw(tc.result)},
		} {
			ev.HMXVersion, ev.TenantID, ev.AgentID, ev.SessionID, ev.Metadata = hmx.Version, "acme", "a", "s", "{}"
			ev.Timestamp, ev.Sequence, ev.Source = hmx.TimeOf(sourcetest.Modified()), 9e15+int64(i), hmx.Some(foreign.HookSource+string(tc.f)) // by a clock that is ahead
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
			if n != 3 || last.ParentEventID.Value != foreign.EventID(tc.f, "call", "c1") || strings.Join(last.Tags, " ") != "outcome" {
				t.Errorf("%d events, the last %+v", n, last)
			}
		}
		if got != tc.want {
			t.Errorf("added is %s and not %s", got, tc.want)
		}
	}
}
