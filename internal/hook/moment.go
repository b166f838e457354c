package hook

import (
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

// moments are an agent's names of the hook events that have the same members in all agents.
// Empty means that it has none.
type moments struct {
	start      string // a session begins
	prompt     string // a prompt
	before     string // before a tool runs
	failed     string // it failed
	compacting string // before the context is compacted
	ended      string // the session is over
}

// momentsOf returns an agent's names.
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

// moment reads an event that has the same members in all agents, and reports whether it is one.
func (c *call) moment() bool {
	switch m := momentsOf(c.Agent); c.Name {
	case m.start:
		c.Ask = Start // its actions show that it began
	case m.prompt:
		c.prompt(c.in.text("prompt"))
	case m.before:
		c.act(c.used())
	case m.failed:
		c.failure()
	case m.compacting:
		if c.Agent == GeminiCLI {
			break // it comes before each request to the model, and does not report the outcome
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

// used is the tool of an event.
func (c *call) used() tool {
	t := usedOf(c.in)
	if t.id == "" && c.Agent == GeminiCLI {
		// Gemini CLI has no id for a call: a call and its result are matched by content.
		t.id, t.guessed = toolcall.GuessedCall(c.Session, t.name, foreign.AsObject(t.arguments, "input")), true
	}
	return t
}

func usedOf(f fields) tool {
	return tool{id: f.text("tool_use_id", "toolUseId", "tool_call_id"), name: f.text("tool_name", "toolName"), arguments: f.first("tool_input", "toolArgs")}
}

// failure records the call and the result of a tool that failed, or was not allowed to run.
func (c *call) failure() {
	t := c.used()
	c.call(t)
	text := c.in.text("error", "reason", "error_message")
	o := toolcall.Failed(text)
	switch {
	case c.Name == "PermissionDenied" && o.DeniedBy == "":
		o = toolcall.Outcome{DeniedBy: toolcall.ByPolicy}
		if text != "" {
			o.Result = map[string]any{"text": text}
		}
	case c.in.truth("is_interrupt"):
		o.Interrupted = true
		delete(o.Result, "exit_code") // it is that of the signal, not of the command
	case c.in.text("failure_type") != "":
		o = c.cursorFailure(o)
	}
	c.ended(t, o)
}

// cursorFailure reads Cursor's name of a failure.
func (c *call) cursorFailure(o toolcall.Outcome) toolcall.Outcome {
	switch how := c.in.text("failure_type"); how {
	case "permission_denied", "denied":
		if o.DeniedBy == "" {
			o = toolcall.Outcome{DeniedBy: toolcall.ByUser}
		}
	default:
		if o.Result != nil {
			o.Result["failure"] = how
		}
	}
	return o
}
