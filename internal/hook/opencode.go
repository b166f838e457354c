package hook

import (
	"encoding/json"
	"strconv"
	"strings"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/prompt"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/record"
)

// opencode reads the input from [OpenCodePlugin]: hook_event_name is the name of the plugin's
// hook, session_id and cwd are those of the session, and input, output and event are what
// OpenCode passed to the hook. A session with a parent is that of a sub-agent.
func (c *call) opencode() bool {
	if parent := foreign.Name(c.in.text("parent_session_id"), ""); parent != "" {
		c.group, c.ceiling = parent, record.Agent
	}
	in, out := c.in.under("input"), c.in.under("output")
	t := tool{id: in.text("callID"), name: in.text("tool"), arguments: in.first("args")}
	switch c.Name {
	case "event":
		return c.opencodeEvent(c.in.under("event"))
	case "chat.message":
		c.turn = in.text("messageID")
		if id := out.under("message").text("id"); id != "" {
			c.said = c.nameID("message", id)
		}
		c.prompt(c.opencodeSaid(out.list("parts")))
	case "tool.execute.before":
		t.arguments = out.first("args")
		c.act(t)
	case "tool.execute.after":
		c.opencodeResult(t, out)
	case "experimental.session.compacting":
		c.changed("context", "being compacted", "", nil)
	case "experimental.chat.system.transform":
		// It is where the plugin adds the stored context.
	default:
		return false
	}
	return true
}

// opencodeEvent reads an event of OpenCode's bus.
func (c *call) opencodeEvent(event fields) bool {
	of := event.under("properties")
	info := of.under("info")
	c.Name = foreign.Name(event.text("type"), c.Name)
	switch c.Name {
	case "session.created":
		c.Ask = Start // its actions show that it began
	case "session.idle":
		c.changed("turn", "stopped", "", nil)
		if c.in.truth("last") {
			c.changed("session", "ended", "run", nil) // the process ends with its turn
		}
	case "tool.error":
		c.opencodeFailure(of)
	case "session.error":
		e := of.under("error")
		c.failed(e.text("name"), e.under("data").text("message"))
	case "session.compacted":
		c.changed("context", "compacted", "", nil)
	case "session.deleted":
		c.changed("session", "ended", "deleted", nil)
	case "file.edited":
		// The tool that edited it has more details.
	case "message.updated":
		c.turn = info.text("parentID")
		if info.text("role") == "assistant" {
			c.sayAs(c.nameID("message", info.text("id")), "assistant", of.text("text"))
			if id := info.text("id"); id != "" {
				c.failedAs(c.nameID("error", id), info.under("error"))
			}
		}
	default:
		return false
	}
	return true
}

// failedAs records the error of a message, with the same id as in its transcript.
func (c *call) failedAs(id string, e fields) {
	n := len(c.Events)
	c.failed(e.text("name"), e.under("data").text("message"))
	if len(c.Events) > n {
		c.Events[n].EventID = id
	}
}

// opencodeResult records the result of a tool that did not throw.
func (c *call) opencodeResult(t tool, out fields) {
	text := out.text("output")
	if text == "" {
		text = texts(out["content"]) // of an MCP tool
	}
	o := toolcall.OpenCodeEnd(map[string]any{"output": text, "metadata": out["metadata"]})
	if ms, ok := c.in.millis("duration_ms"); ok && !o.Interrupted {
		o.Duration = ms
	}
	response := map[string]any{}
	if o.Duration != "" {
		response["duration_ms"] = o.Duration
	}
	if !c.editedBy(t, response, o.Done()) {
		c.call(t)
		c.ended(t, o)
	}
}

// opencodeFailure records the result of a tool that threw, was denied or was aborted, from the
// part of the message that reports it. The plugin knows whose denial it was.
func (c *call) opencodeFailure(of fields) {
	part := of.under("part")
	state := part.under("state")
	t := tool{id: part.text("callID"), name: part.text("tool"), arguments: state.first("input")}
	o := toolcall.Failed(state.text("error"))
	switch by := of.text("denied_by"); by {
	case toolcall.ByLukasa, toolcall.ByUser, toolcall.ByPolicy:
		if o.DeniedBy != by {
			o = toolcall.Outcome{DeniedBy: by}
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

// opencodeSaid is the text of the parts that the user wrote. A process that runs one prompt adds
// quotation marks around its arguments, which the user did not write, and piped input after
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
		if plain, ok := prompt.Unquoted(text, arguments); ok {
			text = plain.Own
			c.piped = plain.Added
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n\n")
}
