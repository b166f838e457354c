package hook

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

// cursor reads the events of Cursor.
func (c *call) cursor() bool {
	switch c.Name {
	case "postToolUse":
		if _, success := outcome(c.in.first("tool_output")); !c.editedBy(c.used(), c.in.first("tool_output"), success) {
			c.call(c.used())
			c.cursorResult(c.used(), c.in.first("tool_output"))
		}
	case "beforeShellExecution":
		c.act(c.shell())
	case "afterShellExecution":
		c.cursorResult(c.shell(), c.in.text("output"))
	case "beforeMCPExecution":
		c.act(c.mcp())
	case "afterMCPExecution":
		c.cursorResult(c.mcp(), c.in.text("result_json"))
	case "afterFileEdit", "afterTabFileEdit":
		c.edited(c.in.text("file_path"), "modify", toolcall.Differences(c.in.list("edits")))
	case "subagentStart":
		if sub := foreign.Name(c.in.text("subagent_id"), ""); sub != "" {
			c.Session = foreign.Name(c.in.text("parent_conversation_id"), c.Session)
			c.below(sub)
		}
		if task := c.in.text("task"); task != "" {
			c.changed("sub-agent", "started", c.in.text("subagent_type"), map[string]any{"task": task})
		}
	case "subagentStop":
		c.changed("sub-agent", "stopped", c.in.text("status"), map[string]any{
			"task": c.in.text("task"), "kind": c.in.text("subagent_type"), "summary": c.in.text("summary", "result"), "files": c.in.first("modified_files"),
		})
	case "afterAgentResponse":
		c.say("assistant", c.in.text("text"))
	case "stop":
		c.changed("turn", "stopped", c.in.text("status"), nil)
	case "afterAgentThought", "beforeReadFile", "beforeTabFileRead", "workspaceOpen":
		// A model's reasoning and the content of files are not recorded.
	default:
		return false
	}
	return true
}

// shell is the command of an event about a shell.
func (c *call) shell() tool {
	return tool{name: "Shell", arguments: map[string]any{"command": c.in.text("command")}}
}

// mcp is the tool of an event about an MCP server. The server identifies Lukasa's own tools.
func (c *call) mcp() tool {
	t := c.used()
	if server := c.in.text("mcp_server_name"); server != "" {
		t.name = "MCP:" + server + ":" + t.name
	} else {
		t.name = "MCP:" + t.name
	}
	return t
}

// cursorResult records a result, which Cursor encodes as JSON in a string.
func (c *call) cursorResult(t tool, output any) {
	out, success := outcome(output)
	if !success.Set && c.Name == "postToolUse" {
		success = hmx.Some(true)
	}
	c.result(t, out, success)
}
