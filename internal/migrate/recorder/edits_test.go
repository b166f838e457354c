package recorder

import (
	"context"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
)

// A transcript that an earlier version imported, with edits as calls and results, adds no
// edits to them.
func TestEditsBroughtBefore(t *testing.T) {
	const claude = `{"type":"assistant","uuid":"u1","sessionId":"s","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a.go","old_string":"1","new_string":"2"}}]}}
{"type":"user","uuid":"u2","sessionId":"s","timestamp":"2026-11-01T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"It was changed."}]}}
`
	const codex = `{"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"t1","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a\n+1\n*** Add File: b\n+2\n*** End Patch"}}
{"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"t1","output":"Success"}}
`
	for _, tc := range []struct {
		format foreign.Format
		text   string
		edits  int
	}{{foreign.ClaudeCode, claude, 1}, {foreign.Codex, codex, 2}} {
		for _, before := range []bool{false, true} {
			b := board(t)
			if before {
				for i, c := range []struct {
					kind    hmx.EventType
					content hmx.Raw
				}{
					{hmx.TypeToolCall, `{"tool_name":"Edit","arguments":{},"call_id":"t1"}`},
					{hmx.TypeToolResult, `{"tool_name":"Edit","result":{},"call_id":"t1"}`},
				} {
					ev := &hmx.Event{
						HMXVersion: hmx.Version, EventID: "before-" + string(c.kind), EventType: c.kind, TenantID: "acme", AgentID: "a", SessionID: "s",
						Timestamp: hmx.TimeOf(sourcetest.Modified()), Sequence: int64(i), Content: c.content, Metadata: "{}", Source: hmx.Some(string(tc.format)),
					}
					if _, err := b.Append(context.Background(), lukasa.Writer{Trust: lukasa.User}, ev); err != nil {
						t.Fatal(err)
					}
				}
			}
			want := map[bool]int{false: tc.edits, true: 0}[before]
			for range 2 { // the second time, all of it is there
				counts, left := bring(t, b, tc.format, "rollout-s.jsonl", []byte(tc.text), false)
				if counts.Events != want || counts.Duplicates != tc.edits-want || len(left) > 1 {
					t.Errorf("%s, before %v: %+v, %v", tc.format, before, counts, left)
				}
				want = 0
			}
		}
	}
}

// An edit without a result is left out, since nothing says whether it was made, and Leave
// receives it.
func TestEditsWithoutResult(t *testing.T) {
	const line = `{"type":"assistant","uuid":"u1","sessionId":"s","timestamp":"2026-11-01T10:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"I edit."},{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a.go","old_string":"1","new_string":"2"}}]}}
`
	counts, left := bring(t, board(t), foreign.ClaudeCode, "s.jsonl", []byte(line), false)
	if counts.Events != 1 || len(left) != 1 || left[0].Reason != source.Unfinished || left[0].Line != 1 || !strings.Contains(left[0].Detail, "edit") {
		t.Errorf("%+v, %v", counts, left)
	}
}
