package hook

import "lukasa.dev/internal/migrate"

// moments are what an agent calls those hook events that agents tell in the same members,
// whatever they call them. Empty is one that it does not have.
type moments struct {
	start      string // a session begins
	prompt     string // someone asks for something
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
		if c.Agent == GeminiCLI {
			break // it comes before each request to the model, and says nothing of the outcome
		}
		c.changed("context", "being compacted", c.in.text("trigger"), map[string]any{"instructions": c.in.text("custom_instructions")})
	case m.ended:
		c.closeOpen()
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
func (c *call) used() tool {
	t := usedOf(c.in)
	if t.id == "" && c.Agent == GeminiCLI {
		// Gemini CLI has no name for a call: it and its result are alike in all they do.
		t.id, t.guessed = migrate.GuessedCall(c.Session, t.name, migrate.Object(t.arguments, "input")), true
	}
	return t
}

func usedOf(f fields) tool {
	return tool{id: f.text("tool_use_id", "toolUseId", "tool_call_id"), name: f.text("tool_name", "toolName"), arguments: f.first("tool_input", "toolArgs")}
}

// failure makes the call and the result of a tool that failed, or was not allowed to run.
func (c *call) failure() {
	t := c.used()
	c.call(t)
	text := c.in.text("error", "reason", "error_message")
	o := migrate.Failed(text)
	switch {
	case c.Name == "PermissionDenied" && o.DeniedBy == "":
		o = migrate.Outcome{DeniedBy: migrate.ByPolicy}
		if text != "" {
			o.Result = map[string]any{"text": text}
		}
	case c.in.truth("is_interrupt"):
		o.Interrupted = true
		delete(o.Result, "exit_code") // it tells of the signal, not of the command
	case c.in.text("failure_type") != "":
		o = c.cursorFailure(o)
	}
	c.ended(t, o)
}

// cursorFailure reads how Cursor names a failure.
func (c *call) cursorFailure(o migrate.Outcome) migrate.Outcome {
	switch how := c.in.text("failure_type"); how {
	case "permission_denied", "denied":
		if o.DeniedBy == "" {
			o = migrate.Outcome{DeniedBy: migrate.ByUser}
		}
	default:
		if o.Result != nil {
			o.Result["failure"] = how
		}
	}
	return o
}
