package hook

import (
	"encoding/json"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/toolcall"
)

// claude reads the events of Claude Code, and of Codex and VS Code, which use the same names
// and members for the events they share.
func (c *call) claude() bool {
	switch c.Name {
	case "SubagentStart":
		c.Ask = Start // its actions show that it began
	case "PostToolUse":
		c.claudeUse(c.used(), c.in.first("tool_response", "tool_result"))
	case "PermissionDenied":
		c.failure()
	case "PostToolBatch":
		for _, one := range c.in.list("tool_calls") {
			if f, ok := one.(map[string]any); ok {
				if r, there := f["tool_response"]; there {
					if o, stopped := toolcall.Stopped(texts(r)); stopped {
						c.call(usedOf(f))
						c.ended(usedOf(f), o)
						continue
					}
					c.claudeUse(usedOf(f), r)
				} else {
					c.call(usedOf(f))
				}
			}
		}
	case "SubagentStop":
		c.say("assistant", c.in.text("last_assistant_message"))
		c.changed("sub-agent", "stopped", c.in.text("agent_type"), nil)
	case "Stop":
		c.closeOpen()
		c.say("assistant", c.in.text("last_assistant_message"))
		c.changed("turn", "stopped", "", nil)
	case "StopFailure":
		c.say("assistant", c.in.text("last_assistant_message"))
		c.failed(c.in.text("error"), c.in.text("error_details"))
	case "PostCompact":
		c.say("assistant", c.in.text("compact_summary"), "summary")
		c.changed("context", "compacted", c.in.text("trigger"), nil)
	case "TaskCreated", "TaskCompleted":
		to := map[string]string{"TaskCreated": "created", "TaskCompleted": "completed"}[c.Name]
		c.changed("task: "+c.in.text("task_subject"), to, "", map[string]any{"description": c.in.text("task_description"), "teammate": c.in.text("teammate_name")})
	case "CwdChanged":
		c.changed("working directory", c.in.text("new_cwd"), "", map[string]any{"from": c.in.text("old_cwd")})
	case "FileChanged":
		operation := map[string]string{"add": "create", "unlink": "delete"}[c.in.text("event")]
		if operation == "" {
			operation = "modify"
		}
		c.edited(c.in.text("file_path"), operation, "")
	case "PermissionRequest", "Notification", "UserPromptExpansion", "Setup", "TeammateIdle", "Elicitation", "ElicitationResult", "ConfigChange",
		"WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "DirectoryAdded", "MessageDisplay", "PreModelSwitch", "PostModelSwitch":
		// Another event has the same information, or it is about the program and not the work.
	default:
		return false
	}
	return true
}

// claudeUse records the use of a tool that did not fail.
func (c *call) claudeUse(t tool, response any) {
	out, success := outcome(response)
	o := toolcall.Outcome{Result: lean(out), Success: success}
	raw, err := json.Marshal(response)
	switch {
	case c.Agent == Codex && err == nil:
		o = c.codexUse(raw)
		if o.Duration != "" {
			response = map[string]any{"duration_ms": o.Duration}
		}
	case fields(out).truth("interrupted"):
		o.Interrupted = true
		delete(o.Result, "interrupted")
	case !success.Set:
		o.Success = hmx.Some(true)
	}
	if !c.editedBy(t, response, o.Done()) {
		c.call(t)
		c.ended(t, o)
	}
}

// codexUse reads the result of a Codex tool. Its exit code is only in the rollout.
func (c *call) codexUse(raw json.RawMessage) toolcall.Outcome {
	o := toolcall.CodexResult(raw)
	if told, ok := toolcall.Stopped(fields(o.Result).text("text")); ok {
		return told
	}
	if end := c.seen.under("end"); end != nil {
		o = o.With(endOf(end))
	}
	return o
}

// lean returns a result of Claude Code without empty members, and with a shell's output as one
// text.
func lean(out map[string]any) map[string]any {
	kept := make(map[string]any, len(out))
	for name, v := range out {
		switch v := v.(type) {
		case nil:
		case bool:
			if v {
				kept[name] = v
			}
		case string:
			if v != "" {
				kept[name] = v
			}
		case []any:
			if len(v) > 0 {
				kept[name] = v
			}
		default:
			kept[name] = v
		}
	}
	if _, shell := out["stdout"]; shell {
		if text, ok := kept["stdout"]; ok {
			delete(kept, "stdout")
			kept["text"] = text
		}
	}
	return kept
}
