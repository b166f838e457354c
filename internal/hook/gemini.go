package hook

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
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
		// They repeat for each request to the model what the others report.
	default:
		return false
	}
	return true
}

// geminiResult makes a result.
func (c *call) geminiResult() {
	t := c.used()
	response := fields(foreign.AsObject(c.in["tool_response"], "llmContent"))
	text := texts(response["llmContent"])
	if text == "" {
		text = texts(response["returnDisplay"])
	}
	o := toolcall.GeminiEnd(t.name, text)
	if failed := response.first("error"); failed != nil && o.DeniedBy == "" && !o.Interrupted {
		if o.Result == nil {
			o.Result = map[string]any{}
		}
		o.Result["error"], o.Success = failed, hmx.Some(false)
		if m, ok := failed.(map[string]any); ok && fields(m).text("message") != "" {
			o.Result["error"] = fields(m).text("message")
		}
	}
	if c.editedBy(t, map[string]any(response), o.Done()) {
		return
	}
	if len(toolcall.Edits(t.name, t.arguments, nil)) > 0 {
		c.call(t) // a failed edit has no call yet
	}
	c.ended(t, o)
}
