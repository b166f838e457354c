package hook

import "lukasa.dev/hmx"

// moments are what an agent calls those hook events that agents tell in the same members,
// whatever they call them. Empty is one that it does not have.
type moments struct {
	start      string // a session begins
	prompt     string // somebody asks for something
	before     string // a tool is about to run
	failed     string // it failed
	compacting string // the context is about to be made shorter
	ended      string // the session is over
}

// momentsOf returns what an agent calls them.
func momentsOf(agent string) moments {
	switch agent {
	case ClaudeCode, Codex, VSCode:
		return moments{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "PreCompact", "SessionEnd"}
	case Cursor:
		return moments{"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUseFailure", "preCompact", "sessionEnd"}
	case GeminiCLI:
		return moments{"SessionStart", "BeforeAgent", "BeforeTool", "", "PreCompress", "SessionEnd"}
	}
	return moments{}
}

// moment reads an event that the agent tells as others do, and reports whether it is one.
func (c *call) moment() bool {
	switch m := momentsOf(c.Agent); c.Name {
	case m.start:
		c.Ask = Start // that it began is told by what it does
	case m.prompt:
		c.prompt(c.in.text("prompt"))
	case m.before:
		c.act(c.used())
	case m.failed:
		c.failure()
	case m.compacting:
		c.changed("context", "being compacted", c.in.text("trigger"), map[string]any{"instructions": c.in.text("custom_instructions")})
	case m.ended:
		if c.in.text("reason") == "error" {
			c.failed("session_error", c.in.text("error_message"))
		}
		c.changed("session", "ended", c.in.text("reason"), nil)
	default:
		return false
	}
	return true
}

// used is the tool that an event is about.
func (c *call) used() tool { return usedOf(c.in) }

func usedOf(f fields) tool {
	return tool{id: f.text("tool_use_id", "toolUseId", "tool_call_id"), name: f.text("tool_name", "toolName"), arguments: f.first("tool_input", "toolArgs")}
}

// failure makes the call and the result of a tool that failed, or was not allowed to run.
func (c *call) failure() {
	c.call(c.used())
	out := map[string]any{"error": c.in.text("error", "reason", "error_message")}
	if how := c.in.text("failure_type"); how != "" {
		out["failure"] = how
	}
	if c.in.truth("is_interrupt") {
		out["interrupted"] = true
	}
	if c.Name == "PermissionDenied" {
		out["denied"] = true
	}
	c.result(c.used(), out, hmx.Some(false))
}
