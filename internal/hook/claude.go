package hook

import (
	"encoding/json"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate"
)

// claude reads the events of Claude Code, and of Codex and VS Code, which have the same names
// and members for those that they share.
func (c *call) claude() bool {
	switch c.Name {
	case "SubagentStart":
		c.Ask = Start // that it began is told by what it does
	case "PostToolUse":
		c.claudeUse(c.used(), c.in.first("tool_response", "tool_result"))
	case "PermissionDenied":
		c.failure()
	case "PostToolBatch":
		for _, one := range c.in.list("tool_calls") {
			if f, ok := one.(map[string]any); ok {
				if r, there := f["tool_response"]; there {
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
		// Another event tells the same, or it is about the program and not about the work.
	default:
		return false
	}
	return true
}

// claudeUse makes the use of a tool that did not fail.
func (c *call) claudeUse(t tool, response any) {
	out, success := outcome(response)
	raw, err := json.Marshal(response)
	if c.Agent == Codex && err == nil {
		out, success = migrate.CodexResult(raw)
		response = out
	} else if !success.Set {
		success = hmx.Some(true)
	}
	if !c.editedBy(t, response, success) {
		c.call(t)
		c.result(t, out, success)
	}
}
