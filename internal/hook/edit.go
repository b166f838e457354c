package hook

import (
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/toolcall"
)

// editedBy records the use of a tool that only edited files, and reports whether it is one. The
// edit is recorded once: it has no call and no result, and its transcript finds it by the id of
// the call. A failed edit is no edit.
func (c *call) editedBy(t tool, response any, success hmx.Opt[bool]) bool {
	all := toolcall.Edits(t.name, t.arguments, response)
	if len(all) == 0 || success.Set && !success.Value {
		return false
	}
	for i, e := range all {
		id := c.madeID("edit", e.Path, e.Diff)
		if t.id != "" && !t.guessed {
			if id = c.nameID("result", t.id); i > 0 {
				id = c.nameID("edit", t.id, strconv.Itoa(i))
			}
		}
		content := e.Content(t.name, t.id)
		if ms, ok := c.in.millis("duration_ms", "duration"); ok {
			content["duration_ms"] = ms
		} else if told, ok := response.(map[string]any); ok && told["duration_ms"] != nil && (c.Agent == Codex || c.Agent == OpenCode) {
			content["duration_ms"] = told["duration_ms"]
		}
		c.add(hmx.TypeFileEdit, id, content, "")
	}
	return true
}
