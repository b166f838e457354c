package hook

import (
	"encoding/json"
	"testing"

	"lukasa.dev/hmx"
)

func TestSettled(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind    hmx.EventType
		content map[string]any
		want    bool
	}{
		{hmx.TypeMessage, map[string]any{"role": "user", "text": "Never push to main directly."}, true},
		{hmx.TypeMessage, map[string]any{"role": "user", "text": "Actually, the staging database is called lyra."}, true},
		{hmx.TypeMessage, map[string]any{"role": "user", "text": "Which database does the staging server use?"}, false},
		{hmx.TypeMessage, map[string]any{"role": "user", "text": "Please fix the flaky test of the importer, it fails on slow machines because it sleeps. Never push to main directly."}, true},
		{hmx.TypeMessage, map[string]any{"role": "user", "text": "Please fix the flaky test of the importer, it fails on slow machines because it sleeps. My timezone is CET."}, false},
		{hmx.TypeMessage, map[string]any{"role": "assistant", "text": "Never push to main directly."}, false},
		{hmx.TypeToolCall, map[string]any{"tool_name": "Bash", "arguments": map[string]any{"command": "git push"}}, true},
		{hmx.TypeToolResult, map[string]any{"tool_name": "Bash", "success": true}, false},
	} {
		text, err := json.Marshal(tc.content)
		if err != nil {
			t.Fatal(err)
		}
		if got := Settled(&hmx.Event{EventType: tc.kind, Content: hmx.Raw(text)}); got != tc.want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
