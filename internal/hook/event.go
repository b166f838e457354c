package hook

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/handout"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/prompt"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

// faint is the salience of events in which nothing was said or done.
const faint = 0.05

// add records an event, unless all of its text was handed out by Lukasa.
func (c *call) add(kind hmx.EventType, id string, content map[string]any, parent string) *hmx.Event {
	clean, lines := c.own.Content(kind, content, c.at.Time())
	if lines > 0 && echo.Empty(kind, clean) {
		return &hmx.Event{} // nothing is left to record
	}
	text, cut := foreign.Content(clean)
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
		Timestamp: c.at, Sequence: c.now.UnixMicro() + int64(len(c.Events)), Content: text, Metadata: foreign.Metadata(meta),
		Source: hmx.Some(foreign.HookSource + c.Agent),
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

// nameID is the id of an event that the agent itself has an id for. Transcripts have the same,
// see package foreign.
func (c *call) nameID(parts ...string) string {
	return foreign.EventID(foreign.Format(c.Agent), parts...)
}

// madeID is the id of an event without one: made of the session, the turn, the time, the number
// of the event in this call, and its text.
func (c *call) madeID(parts ...string) string {
	all := append([]string{"hook", c.Session, c.Name, c.turn, strconv.FormatInt(c.now.UnixMicro(), 10), strconv.Itoa(len(c.Events))}, parts...)
	return foreign.EventID(foreign.Format(c.Agent), all...)
}

// say records a message, unless nothing is left of it.
func (c *call) say(role, text string, tags ...string) {
	id := c.madeID(role, text)
	if len(tags) == 0 {
		id = c.saidID(role, text)
	}
	c.sayAs(id, role, text, tags...)
}

func (c *call) sayAs(id, role, text string, tags ...string) {
	if rest, _ := c.own.Cut(text, role); strings.TrimSpace(rest) == "" {
		return
	}
	ev := c.add(hmx.TypeMessage, id, map[string]any{"role": role, "text": text}, "")
	ev.Tags = tags
}

// saidID is the id of a message: the same as in its transcript, if the agent has an id for the
// turn.
func (c *call) saidID(role, text string) string {
	if c.turn == "" || c.Agent != ClaudeCode && c.Agent != Codex {
		return c.madeID(role, text)
	}
	rest, _ := c.own.Cut(text, role)
	sub := ""
	if c.group != "" {
		sub = c.Session
	}
	return foreign.SaidID(foreign.Format(c.Agent), sub, c.turn, role, rest, 1)
}

// prompt records a user's message, and requests a pack. Only the user's own words are the text
// of the message; piped input is attached. A prompt that a program wrote has at most the trust
// of an agent, and a program's note is no prompt.
func (c *call) prompt(text string) {
	c.closeOpen()
	p := c.words(text)
	c.Query, _ = c.own.Cut(p.Own, echo.User)
	c.Ask = Prompt
	switch c.in.text("source") {
	case "", "user", "sdk":
	default:
		c.ceiling = record.Agent
	}
	if strings.TrimSpace(c.Query) == "" {
		return
	}
	content := map[string]any{"role": "user", "text": p.Own}
	if p.Added != "" {
		content["attachments"] = []any{map[string]any{"type": "text", "text": p.Added}}
	}
	id := c.said
	if id == "" {
		id = c.saidID("user", p.Own)
	}
	c.add(hmx.TypeMessage, id, content, "")
}

// words separates the user's own words in a prompt from the rest.
func (c *call) words(text string) prompt.Prompt {
	p := prompt.Words(foreign.Format(c.Agent), text)
	if c.piped != "" {
		p.Added = c.piped
	}
	arguments := c.seen.words("arguments")
	if len(arguments) == 0 || p.Own == "" {
		return p
	}
	spoken, ok := prompt.Spoken(p.Own, arguments)
	switch {
	case ok && p.Added == "":
		p = spoken
	case ok:
		p.Own, p.Added = spoken.Own, strings.TrimSpace(spoken.Added+"\n\n"+p.Added)
	case c.Agent == GeminiCLI && (slices.Contains(arguments, "-p") || slices.Contains(arguments, "--prompt")):
		// It was started with one prompt, and this is another: the reason of a hook that did not
		// let it stop.
		c.ceiling = record.Agent
	}
	return p
}

// changed records a change of state.
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

// failed records an error.
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
	// guessed says that the agent has no id for the call, and id is made of its content: equal
	// calls have the same.
	guessed bool
}

// call records a tool call, unless it is one of Lukasa's own tools.
func (c *call) call(t tool) {
	if own(t, nil) {
		return
	}
	id := c.madeID("call", t.name)
	content := map[string]any{"tool_name": t.name, "arguments": foreign.AsObject(t.arguments, "input")}
	if t.id != "" {
		content["call_id"] = t.id
		if !t.guessed {
			id = c.nameID("call", t.id)
		}
	}
	c.add(hmx.TypeToolCall, id, content, "")
}

// act records a tool call and requests a check of it. Calls of Lukasa's own tools are not
// recorded, and only those that end rules are checked.
func (c *call) act(t tool) {
	if handout.OwnTool(t.name) && !strings.HasSuffix(t.name, "forget") && !strings.HasSuffix(t.name, "redact_memory") && !strings.HasSuffix(t.name, "restore_memory") {
		return
	}
	edits := len(toolcall.Edits(t.name, t.arguments, nil)) > 0 // an edit is recorded when it is done
	if !edits {
		c.call(t)
	}
	c.Ask, c.Tool = Act, foreign.Name(t.name, "")
	raw, _ := foreign.Content(clipped(foreign.AsObject(t.arguments, "input")).(map[string]any))
	c.Arguments = string(raw)
	if c.Tool == "" {
		c.Ask = Nothing
		return
	}
	n := len(c.Events)
	if edits {
		c.call(t)
	}
	c.ended(t, toolcall.Outcome{DeniedBy: toolcall.ByLukasa})
	c.denial, c.Events = slices.Clone(c.Events[n:]), c.Events[:n]
}

// maxChecked is how much of a text is checked before an action. The middle of a longer one, the
// text of a file or a here-document, is left out.
const maxChecked = 256 << 10

// clipped returns a value with its texts cut to what is checked.
func clipped(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > maxChecked {
			return strings.ToValidUTF8(v[:maxChecked*3/4]+"\n"+v[len(v)-maxChecked/4:], "")
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

// result records the result of a tool that ran.
func (c *call) result(t tool, result map[string]any, success hmx.Opt[bool]) {
	c.ended(t, toolcall.Outcome{Result: result, Success: success})
}

// ended records the result of a call, however it ended. Results of Lukasa's own tools are left
// out.
func (c *call) ended(t tool, o toolcall.Outcome) {
	if own(t, o.Result) {
		return
	}
	parent := ""
	id := c.madeID("result", t.name)
	if t.id != "" && !t.guessed {
		parent, id = c.nameID("call", t.id), c.nameID("result", t.id)
	}
	if ms, ok := c.in.millis("duration_ms", "duration"); ok && o.Duration == "" {
		o.Duration = ms
	}
	c.add(hmx.TypeToolResult, id, o.Content(t.name, t.id), parent)
}

// edited records an edit of a file.
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

// ownScheme is the prefix of Lukasa's URIs: Cursor does not always name the server of a tool.
const ownScheme = "lukasa://"

// own reports whether a tool is one of Lukasa's own, so that its call and result contain nothing
// new.
func own(t tool, result map[string]any) bool {
	if echo.OwnCall(t.name, foreign.AsObject(t.arguments, "input")) {
		return true
	}
	if strings.HasPrefix(t.name, "MCP:") && result != nil {
		text, _ := foreign.Content(result)
		return strings.Contains(string(text), ownScheme)
	}
	return false
}

// outcome reads whether a tool succeeded, from what agents write into results.
func outcome(v any) (map[string]any, hmx.Opt[bool]) {
	out := foreign.AsObject(v, "text")
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

// base is the name of the agent's working directory, which people use for the project.
func base(dir string) string {
	b := path.Base(strings.ReplaceAll(dir, `\`, "/"))
	if b == "." || b == "/" {
		return ""
	}
	return b
}

// Elsewhere reports whether an event belongs to another project than that of a place. An event
// without a project belongs to every project.
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
		meta.Project = foreign.Name(base(meta.CWD), "")
	}
	return meta.Project != "" && p.Name != "" && meta.Project != p.Name
}

// Ended reports whether an event says that its session is over.
func Ended(ev *hmx.Event) bool {
	change, ok := ev.StateChange()
	return ok && ev.EventType == hmx.TypeStateChange && change.Subject == "session" && change.To == "ended"
}

// Compacted reports whether an event says that the context of its session was compacted: earlier
// messages are no longer in the agent's context.
func Compacted(ev *hmx.Event) bool {
	change, ok := ev.StateChange()
	return ok && ev.EventType == hmx.TypeStateChange && change.Subject == "context"
}
