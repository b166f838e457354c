package hook

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

// faint is the salience of what happened without anything being said or done.
const faint = 0.05

// add makes an event.
func (c *call) add(kind hmx.EventType, id string, content map[string]any, parent string) *hmx.Event {
	clean, lines := without(content)
	text, cut := migrate.Content(clean.(map[string]any))
	about := map[string]any{"agent": c.Agent, "event": c.Name}
	if cut || c.cut {
		about["cut"] = true
	}
	if lines > 0 {
		about["own_lines"] = lines
	}
	meta := map[string]any{"hook": about}
	for name, value := range map[string]string{
		"cwd": c.Directory, "project": c.Place.Name, "project_id": c.Place.ID(), "model": c.in.text("model_id", "model"), "git_branch": c.in.text("git_branch"), "turn": c.turn, "version": c.in.text("cursor_version"),
	} {
		if value != "" {
			meta[name] = value
		}
	}
	ev := &hmx.Event{
		HMXVersion: hmx.Version, EventID: id, EventType: kind, AgentID: c.AgentID, SessionID: c.Session,
		Timestamp: c.at, Sequence: c.now.UnixMicro() + int64(len(c.Events)), Content: text, Metadata: migrate.Metadata(meta),
		Source: hmx.Some(migrate.HookSource + c.Agent),
	}
	if parent != "" {
		ev.ParentEventID = hmx.Some(parent)
	}
	if c.group != "" {
		ev.CorrelationID = hmx.Some(c.group)
	}
	c.Events = append(c.Events, Event{Event: ev, Ceiling: c.ceiling})
	return ev
}

// nameID is the id of something that the agent itself has a name for. Transcripts have the
// same, see package migrate.
func (c *call) nameID(parts ...string) string {
	return migrate.EventID(migrate.Format(c.Agent), parts...)
}

// madeID is the id of something without a name: of the session, the turn, the time, which
// event of this call it is, and what it says.
func (c *call) madeID(parts ...string) string {
	all := append([]string{"hook", c.Session, c.Name, c.turn, strconv.FormatInt(c.now.UnixMicro(), 10), strconv.Itoa(len(c.Events))}, parts...)
	return migrate.EventID(migrate.Format(c.Agent), all...)
}

// say makes a message, unless nothing is left of it.
func (c *call) say(role, text string, tags ...string) {
	c.sayAs(c.madeID(role, text), role, text, tags...)
}

func (c *call) sayAs(id, role, text string, tags ...string) {
	rest, _ := without(text)
	if strings.TrimSpace(rest.(string)) == "" {
		return
	}
	ev := c.add(hmx.TypeMessage, id, map[string]any{"role": role, "text": text}, "")
	ev.Tags = tags
}

// prompt makes the message of a person, and asks for a pack. One that a program wrote is
// trusted as far as an agent.
func (c *call) prompt(text string) {
	rest, _ := without(text)
	c.Query = rest.(string)
	c.Ask = Prompt
	switch c.in.text("source") {
	case "", "user", "sdk":
	default:
		c.ceiling = record.Agent
	}
	c.say("user", text)
}

// changed tells that something has become something else.
func (c *call) changed(subject, to, reason string, more map[string]any) {
	content := map[string]any{"subject": subject, "to": to}
	if reason != "" {
		content["reason"] = reason
	}
	for name, value := range more {
		if value != nil && value != "" {
			content[name] = value
		}
	}
	ev := c.add(hmx.TypeStateChange, c.madeID(subject, to), content, "")
	ev.Salience = hmx.Some(faint)
}

// failed makes an error.
func (c *call) failed(kind, message string) {
	content := map[string]any{}
	if kind != "" {
		content["error_type"] = kind
	}
	if message != "" {
		content["message"] = message
	}
	if len(content) > 0 {
		c.add(hmx.TypeError, c.madeID("error", kind, message), content, "")
	}
}

// tool is a use of a tool.
type tool struct {
	id, name  string
	arguments any
}

// call makes a tool call, and returns its id.
func (c *call) call(t tool) string {
	id := c.madeID("call", t.name)
	content := map[string]any{"tool_name": t.name, "arguments": migrate.Object(t.arguments, "input")}
	if t.id != "" {
		id = c.nameID("call", t.id)
		content["call_id"] = t.id
	}
	c.add(hmx.TypeToolCall, id, content, "")
	return id
}

// act makes a tool call and asks what speaks against it.
func (c *call) act(t tool) {
	if len(migrate.Edits(t.name, t.arguments, nil)) == 0 { // an edit is told when it is done
		c.call(t)
	}
	c.Ask, c.Tool = Act, migrate.Name(t.name, "")
	raw, _ := migrate.Content(clipped(migrate.Object(t.arguments, "input")).(map[string]any))
	c.Arguments = string(raw)
	if c.Tool == "" {
		c.Ask = Nothing
	}
}

// maxChecked is how much of a text is looked at before an action: what is checked is short,
// and what is longer is not checked to its end.
const maxChecked = 16 << 10

// clipped returns a value with its texts cut to what is looked at.
func clipped(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > maxChecked {
			return strings.ToValidUTF8(v[:maxChecked], "")
		}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = clipped(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = clipped(x)
		}
		return out
	}
	return v
}

// result makes the result of a tool. What one of Lukasa's own tools gave back is not told
// again.
func (c *call) result(t tool, result map[string]any, success hmx.Opt[bool]) {
	parent := ""
	id := c.madeID("result", t.name)
	content := map[string]any{"tool_name": t.name}
	if t.id != "" {
		parent, id = c.nameID("call", t.id), c.nameID("result", t.id)
		content["call_id"] = t.id
	}
	if own(t, result) {
		result = map[string]any{}
	}
	content["result"] = result
	if success.Set {
		content["success"] = success.Value
	}
	if ms, ok := c.in.millis("duration_ms", "duration"); ok {
		content["duration_ms"] = ms
	}
	c.add(hmx.TypeToolResult, id, content, parent)
}

// edited makes an edit of a file.
func (c *call) edited(file, operation, diff string) {
	if file == "" {
		return
	}
	content := map[string]any{"path": file, "operation": operation}
	if diff != "" {
		content["diff"] = diff
	}
	c.add(hmx.TypeFileEdit, c.madeID("edit", file, diff), content, "")
}

// ownName is in the names of Lukasa's own tools and command lines, and ownScheme begins the
// names of what it keeps: Cursor does not say whose tool a tool is.
const (
	ownName   = "lukasa"
	ownScheme = "lukasa://"
)

// ownCommand is Lukasa's command line in a shell. It is compiled when one may be there: a hook
// has little time.
var ownCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\s*([^\\s;&|<>()$`]*/)?lukasa(\\s[^;&|<>()$`\n]*)?$")
})

// ownTool reports whether a name is one that agents give to Lukasa's own tools:
// mcp__lukasa__recall, lukasa.pack, mcp_lukasa_recall.
func ownTool(name string) bool {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "mcp_"); ok {
		name = strings.TrimPrefix(rest, "_")
	}
	rest, ok := strings.CutPrefix(name, ownName)
	return ok && (rest == "" || strings.IndexByte("_.-/:", rest[0]) >= 0)
}

// own reports whether a tool is one of Lukasa's own, so that its result is nothing new.
func own(t tool, result map[string]any) bool {
	if ownTool(t.name) {
		return true
	}
	if strings.HasPrefix(t.name, "MCP:") && result != nil {
		text, _ := migrate.Content(result)
		return strings.Contains(string(text), ownScheme)
	}
	args := fields(migrate.Object(t.arguments, "input"))
	command := args.text("command")
	return strings.Contains(command, ownName) && ownCommand().MatchString(command)
}

// outcome reads how the result of a tool went, of what agents write into results.
func outcome(v any) (map[string]any, hmx.Opt[bool]) {
	out := migrate.Object(v, "text")
	if list, ok := v.([]any); ok {
		if text := texts(list); text != "" {
			out = map[string]any{"text": text}
		}
	}
	f := fields(out)
	for _, name := range []string{"exit_code", "exitCode"} {
		if n, ok := f[name].(json.Number); ok {
			return out, hmx.Some(n == "0")
		}
	}
	for _, name := range []string{"is_error", "isError"} {
		if f.truth(name) {
			return out, hmx.Some(false)
		}
	}
	if b, ok := f["success"].(bool); ok {
		return out, hmx.Some(b)
	}
	return out, hmx.Opt[bool]{}
}

// base is the name of the directory that an agent works in, which is what people call the
// project.
func base(dir string) string {
	b := path.Base(strings.ReplaceAll(dir, `\`, "/"))
	if b == "." || b == "/" {
		return ""
	}
	return b
}

// Elsewhere reports whether an event was recorded for another project than that of a place.
// One that names no project is of every project.
func Elsewhere(ev *hmx.Event, p *project.Place) bool {
	var meta struct {
		Project string `json:"project"`
		ID      string `json:"project_id"`
		CWD     string `json:"cwd"`
	}
	if json.Unmarshal([]byte(ev.Metadata), &meta) != nil {
		return false
	}
	if meta.ID != "" && len(p.IDs) > 0 {
		return !slices.Contains(p.IDs, meta.ID)
	}
	if meta.Project == "" {
		meta.Project = migrate.Name(base(meta.CWD), "")
	}
	return meta.Project != "" && p.Name != "" && meta.Project != p.Name
}

// Ended reports whether an event says that its session is over.
func Ended(ev *hmx.Event) bool {
	change, ok := ev.StateChange()
	return ok && ev.EventType == hmx.TypeStateChange && change.Subject == "session" && change.To == "ended"
}

// Compacted reports whether an event says that the context of its session was compacted: what
// was said before is no longer before the agent's eyes.
func Compacted(ev *hmx.Event) bool {
	change, ok := ev.StateChange()
	return ok && ev.EventType == hmx.TypeStateChange && change.Subject == "context"
}
