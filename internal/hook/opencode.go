package hook

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate"
	"lukasa.dev/internal/record"
)

// opencode reads what the plugin of [OpenCodePlugin] hands over: hook_event_name is the name
// of the plugin's hook, session_id and cwd are of the session, and input, output and event
// are what OpenCode gave to the hook. A session that another one began is that of a sub-agent.
func (c *call) opencode() bool {
	if parent := migrate.Name(c.in.text("parent_session_id"), ""); parent != "" {
		c.group, c.ceiling = parent, record.Agent
	}
	in, out := c.in.under("input"), c.in.under("output")
	t := tool{id: in.text("callID"), name: in.text("tool"), arguments: in.first("args")}
	switch c.Name {
	case "event":
		return c.opencodeEvent(c.in.under("event"))
	case "chat.message":
		c.turn = in.text("messageID")
		c.prompt(said(out.list("parts")))
	case "tool.execute.before":
		t.arguments = out.first("args")
		c.act(t)
	case "tool.execute.after":
		result := map[string]any{}
		if text := out.text("output"); text != "" {
			result["text"] = text
		}
		success := hmx.Opt[bool]{}
		if _, how := outcome(map[string]any(out.under("metadata"))); how.Set {
			success = how
		} else if n := out.under("metadata").text("exit"); n != "" {
			success = hmx.Some(n == "0")
		}
		if !c.editedBy(t, result, success) {
			c.call(t)
			c.result(t, result, success)
		}
	case "experimental.session.compacting":
		c.changed("context", "being compacted", "", nil)
	case "experimental.chat.system.transform":
		// It is where the plugin puts what it was told before.
	default:
		return false
	}
	return true
}

// opencodeEvent reads an event of OpenCode's bus.
func (c *call) opencodeEvent(event fields) bool {
	of := event.under("properties")
	info := of.under("info")
	c.Name = migrate.Name(event.text("type"), c.Name)
	switch c.Name {
	case "session.created":
		c.Ask = Start // that it began is told by what it does
	case "session.idle":
		c.changed("turn", "stopped", "", nil)
	case "session.error":
		c.opencodeError(of.under("error"))
	case "session.compacted":
		c.changed("context", "compacted", "", nil)
	case "session.deleted":
		c.changed("session", "ended", "deleted", nil)
	case "file.edited":
		// The tool that edited it tells more.
	case "message.updated":
		c.turn = info.text("parentID")
		if info.text("role") == "assistant" {
			c.sayAs(c.nameID("message", info.text("id")), "assistant", of.text("text"))
			c.opencodeError(info.under("error"))
		}
	default:
		return false
	}
	return true
}

// opencodeError makes an error, of its name and what it says.
func (c *call) opencodeError(e fields) {
	c.failed(e.text("name"), e.under("data").text("message"))
}

// said is the text of the parts that the user wrote.
func said(parts []any) string {
	var out []string
	for _, p := range parts {
		f, _ := p.(map[string]any)
		part := fields(f)
		if part.text("type") == "text" && !part.truth("synthetic") && !part.truth("ignored") {
			out = append(out, part.text("text"))
		}
	}
	return strings.Join(out, "\n\n")
}
