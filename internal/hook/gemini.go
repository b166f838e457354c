package hook

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate"
)

// gemini reads the events of Gemini CLI.
func (c *call) gemini() bool {
	switch c.Name {
	case "AfterTool":
		c.geminiResult()
	case "AfterAgent":
		c.say("assistant", c.in.text("prompt_response"))
		c.changed("turn", "stopped", "", nil)
	case "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification":
		// They tell of each request to the model what the others tell of the work.
	default:
		return false
	}
	return true
}

// geminiResult makes a result. Gemini CLI has no name for a use of a tool, so that the call
// is told by its arguments.
func (c *call) geminiResult() {
	t := c.used()
	response := fields(migrate.Object(c.in["tool_response"], "llmContent"))
	out := map[string]any{"arguments": migrate.Object(t.arguments, "input")}
	if text := texts(response["llmContent"]); text != "" {
		out["text"] = text
	} else if shown := texts(response["returnDisplay"]); shown != "" {
		out["text"] = shown
	}
	failed := response.first("error")
	if failed != nil {
		out["error"] = failed
	}
	if !c.editedBy(t, map[string]any(response), hmx.Some(failed == nil)) {
		c.result(t, out, hmx.Some(failed == nil))
	}
}
