package hook

import (
	"encoding/json"

	"lukasa.dev/hmx"
)

// OwnCall reports whether an event is a call of one of Lukasa's own tools, or its result.
func OwnCall(ev *hmx.Event) bool {
	var content struct {
		Tool      string          `json:"tool_name"`
		Arguments json.RawMessage `json:"arguments"`
		Command   string          `json:"command"`
	}
	if json.Unmarshal([]byte(ev.Content), &content) != nil {
		return false
	}
	t := tool{name: content.Tool}
	if json.Unmarshal(content.Arguments, &t.arguments) != nil {
		t.arguments = nil
	}
	if content.Command != "" {
		t.arguments = map[string]any{"command": content.Command}
	}
	return own(t, nil)
}
