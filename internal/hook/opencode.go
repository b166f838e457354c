package hook

import (
	"encoding/json"
	"strconv"
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
		c.prompt(c.opencodeSaid(out.list("parts")))
	case "tool.execute.before":
		t.arguments = out.first("args")
		c.act(t)
	case "tool.execute.after":
		c.opencodeResult(t, out)
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
		if c.in.truth("last") {
			c.changed("session", "ended", "run", nil) // the process ends with its turn
		}
	case "tool.error":
		c.opencodeFailure(of)
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

// opencodeResult makes the result of a tool that did not throw. The shell tool tells the exit
// code, and none for a command that was ended.
func (c *call) opencodeResult(t tool, out fields) {
	o := migrate.Outcome{Result: map[string]any{}}
	text := out.text("output")
	if text == "" {
		text = texts(out["content"]) // of a tool of an MCP server
	}
	if text != "" {
		o.Result["text"] = text
	}
	about := out.under("metadata")
	exit, told := about["exit"]
	if _, how := outcome(map[string]any(about)); how.Set {
		o.Success = how
	}
	switch n, number := exit.(json.Number); {
	case number:
		o.Result["exit_code"], o.Success = n, hmx.Some(n == "0")
	case told && strings.Contains(text, "User aborted the command"):
		o.Interrupted = true
	case told && strings.Contains(text, "exceeding timeout"):
		o.Success = hmx.Some(false)
	}
	well := o.Success
	if o.Interrupted {
		well = hmx.Some(false)
	}
	if !c.editedBy(t, o.Result, well) {
		c.call(t)
		c.ended(t, o)
	}
}

// opencodeFailure makes the result of a tool that threw, was denied or was ended, of the part of
// the message that tells it. The plugin knows whose denial it was.
func (c *call) opencodeFailure(of fields) {
	part := of.under("part")
	state := part.under("state")
	t := tool{id: part.text("callID"), name: part.text("tool"), arguments: state.first("input")}
	o := migrate.Failed(state.text("error"))
	switch by := of.text("denied_by"); by {
	case migrate.ByLukasa, migrate.ByUser, migrate.ByPolicy:
		if o.DeniedBy != by {
			o = migrate.Outcome{DeniedBy: by}
		}
	}
	if o.DeniedBy == "" && state.under("metadata").truth("interrupted") {
		o.Interrupted = true
	}
	begun, ended := state.under("time").text("start"), state.under("time").text("end")
	from, err := strconv.ParseInt(begun, 10, 64)
	to, failed := strconv.ParseInt(ended, 10, 64)
	if err == nil && failed == nil && to >= from && o.DeniedBy == "" {
		o.Duration = json.Number(strconv.FormatInt(to-from, 10))
	}
	c.call(t)
	c.ended(t, o)
}

// opencodeSaid is the text of the parts that the user wrote. A process that runs one prompt puts
// quotation marks around its arguments, which the user did not write, and piped input behind
// them. In the terminal, quotation marks are the user's own.
func (c *call) opencodeSaid(parts []any) string {
	var out []string
	arguments := c.in.words("arguments")
	for _, p := range parts {
		f, _ := p.(map[string]any)
		part := fields(f)
		if part.text("type") != "text" || part.truth("synthetic") || part.truth("ignored") {
			continue
		}
		text := part.text("text")
		if plain, ok := migrate.Unquoted(text, arguments); ok {
			text = plain.Own
			c.piped = plain.Added
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n\n")
}
