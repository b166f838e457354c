package source

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
	"lukasa.dev/internal/record"
)

// openCall is a tool call whose result is still to come.
type openCall struct {
	tool, event string
	held        *held // of a call whose event is not made yet
}

// MaxCalls is how many open calls are remembered.
const MaxCalls = 4096

// Turn is what one message of a source becomes: one event or several, in order.
type Turn struct {
	Place
	// ID is what the source calls it.
	ID []string
	// Calls is what the ids of calls and results begin with, where that is not the id.
	Calls    []string
	Named    bool // Calls is to be used
	Session  string
	Agent    string
	At       hmx.Time
	Assumed  bool // the source has no time
	Sequence int64
	Group    string // becomes the correlation id
	Trace    string
	Tags     []string
	Meta     map[string]any
	Original string // what the source calls it, for the provenance
	Prompt   string // what the agent calls the turn of its user, if it has a name for it
	Message  string // the id of the message that it says, where hooks give it one
	Ceiling  record.Trust
	Retold   bool
	earlier  string // id under which the next event may be recorded already
	Part     int    // events made so far
	// Alias, Since and Until are those of an [Item].
	Alias        string
	Since, Until time.Time
}

// LineSequence is the sequence of the first event of a line. A line may become many.
func LineSequence(n int) int64 { return int64(n) << 16 }

// InTime gives the events of a line their sequence by the time that the line tells, in
// microseconds as hooks count them, so that both sources of a session have one order. Within a
// source it always grows.
func (r *Run) InTime(t *Turn) {
	t.Sequence = LineSequence(t.Line)
	if !t.At.IsZero() {
		t.Sequence = t.At.Time().UnixMicro()
	}
	if last := r.latest; last != nil {
		t.Sequence = max(t.Sequence, last.Sequence+int64(max(last.Part, 1)))
	}
	r.latest = t
}

// Say makes a message.
func (r *Run) Say(ctx context.Context, t *Turn, role, text string, attachments []any) error {
	if text, _ = r.Options.Own.CutAt(text, role, t.At.Time()); text == "" && len(attachments) == 0 {
		r.Leave(t.Place, Empty, "a message without text")
		return nil
	}
	content := map[string]any{"role": role, "text": text}
	if len(attachments) > 0 {
		content["attachments"] = attachments
	}
	ceiling := t.Ceiling
	if role == "system" && (ceiling == 0 || ceiling > record.Agent) {
		ceiling = record.Agent // its author is unknown
	}
	if t.Message != "" {
		return r.Emit(ctx, t, hmx.TypeMessage, t.Message, content, ceiling, "")
	}
	id := r.partID(t, "text", "")
	if t.Prompt == "" || role == "system" || slices.Contains(t.Tags, "summary") {
		return r.Emit(ctx, t, hmx.TypeMessage, id, content, ceiling, "")
	}
	sub := ""
	if t.Group != "" {
		sub = t.Session
	}
	first := foreign.SaidID(r.Format, sub, t.Prompt, role, text, 1)
	r.said[first]++
	t.earlier = id
	return r.Emit(ctx, t, hmx.TypeMessage, foreign.SaidID(r.Format, sub, t.Prompt, role, text, r.said[first]), content, ceiling, "")
}

// Call makes a tool call, and remembers it for its result.
func (r *Run) Call(ctx context.Context, t *Turn, id, tool string, arguments map[string]any) error {
	event := r.partID(t, "call", id)
	if echo.OwnCall(tool, arguments) {
		t.Part++ // its place stays, and the ids of what follows
		r.Leave(t.Place, Own, "a call of Lukasa's own tools")
		if id != "" && len(r.own) < MaxCalls {
			r.own[t.Session+"\x00"+id] = true
		}
		return nil
	}
	if id != "" {
		if len(r.calls) >= MaxCalls {
			r.Unended()
		}
		h := r.hold(t, id, tool, arguments)
		r.calls[t.Session+"\x00"+id] = openCall{tool, event, h}
		if h != nil {
			return nil
		}
	}
	return r.Emit(ctx, t, hmx.TypeToolCall, event, callContent(id, tool, arguments), t.Ceiling, "")
}

// Called reports whether a call has no result yet, and whether it is one of Lukasa's own tools.
func (r *Run) Called(t *Turn, id string) (open, own bool) {
	key := t.Session + "\x00" + id
	_, open = r.calls[key]
	return open, r.own[key]
}

// callContent is what the event of a tool call says.
func callContent(id, tool string, arguments map[string]any) map[string]any {
	content := map[string]any{"tool_name": tool, "arguments": arguments}
	if id != "" {
		content["call_id"] = id
	}
	return content
}

// Result makes the result of a tool call.
func (r *Run) Result(ctx context.Context, t *Turn, id, tool string, result map[string]any, success hmx.Opt[bool]) error {
	o := toolcall.Outcome{Result: result, Success: success}
	if ms, ok := result["duration_ms"]; ok {
		delete(result, "duration_ms")
		o.Duration = json.Number(fmt.Sprint(ms))
	}
	return r.Ended(ctx, t, id, tool, o)
}

// Ended makes the result of a tool call, however it ended.
func (r *Run) Ended(ctx context.Context, t *Turn, id, tool string, o toolcall.Outcome) error {
	key := t.Session + "\x00" + id
	open := r.calls[key]
	delete(r.calls, key)
	if tool == "" {
		tool = open.tool
	}
	if r.own[key] && id != "" || echo.OwnCall(tool, nil) {
		delete(r.own, key)
		t.Part++
		r.Leave(t.Place, Own, "the result of one of Lukasa's own tools")
		return nil
	}
	return r.Emit(ctx, t, hmx.TypeToolResult, r.partID(t, "result", id), o.Content(tool, id), t.Ceiling, open.event)
}

// Fail makes an error.
func (r *Run) Fail(ctx context.Context, t *Turn, kind, message, stack string) error {
	content := map[string]any{}
	for name, value := range map[string]string{"error_type": kind, "message": message, "stack": stack} {
		if value != "" {
			content[name] = value
		}
	}
	if len(content) == 0 {
		r.Leave(t.Place, Empty, "an error without words")
		return nil
	}
	return r.Emit(ctx, t, hmx.TypeError, r.partID(t, "error", ""), content, t.Ceiling, "")
}

// partID returns the id of the next event of a turn.
func (r *Run) partID(t *Turn, kind, key string) string {
	if t.Named && key != "" && (kind == "call" || kind == "result") {
		return foreign.EventID(r.Format, append(append([]string{}, t.Calls...), kind, key)...)
	}
	return foreign.EventID(r.Format, append(append([]string{}, t.ID...), kind, strconv.Itoa(t.Part))...)
}

// Emit hands an event to the sink, without what Lukasa has handed out, unless nothing else is
// in it.
func (r *Run) Emit(ctx context.Context, t *Turn, kind hmx.EventType, id string, content map[string]any, ceiling record.Trust, parent string) error {
	content, lines := r.Options.Own.Content(kind, content, t.At.Time())
	if lines > 0 && echo.Empty(kind, content) {
		t.Part++
		r.Leave(t.Place, Own, "what Lukasa had handed out")
		return nil
	}
	text, cut := foreign.Content(content)
	from := map[string]any{"from": string(r.Format)}
	if r.Source.Name != "" {
		from["file"] = r.Source.Name
	}
	if t.Line > 0 {
		from["line"] = t.Line
	}
	if t.Index >= 0 {
		from["index"] = t.Index
	}
	if t.Original != "" {
		from["id"] = t.Original
	}
	if t.Assumed {
		from["time"] = "assumed"
	}
	if cut {
		from["cut"] = true
	}
	meta := map[string]any{"import": from}
	for name, value := range t.Meta {
		if value != nil && value != "" {
			meta[name] = value
		}
	}
	r.project(meta)
	metadata := foreign.Metadata(meta)
	at := t.At
	if at.IsZero() {
		at = hmx.TimeOf(r.Source.Modified)
	}
	ev := &hmx.Event{
		HMXVersion: hmx.Version, EventID: id, EventType: kind, TenantID: r.Options.Tenant,
		AgentID: foreign.Name(t.Agent, string(r.Format)), SessionID: foreign.Name(t.Session, r.Stem()),
		Timestamp: at, Sequence: t.Sequence + int64(t.Part), Content: text, Metadata: metadata,
		Source: hmx.Some(string(r.Format)), Tags: foreign.Tags(t.Tags),
	}
	for _, f := range []struct {
		to    *hmx.Opt[string]
		value string
	}{{&ev.ParentEventID, parent}, {&ev.CorrelationID, t.Group}, {&ev.TraceID, t.Trace}} {
		if v := foreign.Name(f.value, ""); v != "" {
			*f.to = hmx.Some(v)
		}
	}
	t.Part++
	earlier := t.earlier
	t.earlier = ""
	return r.sink.Take(ctx, Item{Event: ev, Ceiling: ceiling, Retold: t.Retold, Line: t.Line, Earlier: earlier, Alias: t.Alias, Since: t.Since, Until: t.Until})
}

// project adds the project of the working directory that metadata names.
func (r *Run) project(meta map[string]any) {
	dir, _ := meta["cwd"].(string)
	if r.Options.Project == nil || dir == "" {
		return
	}
	found, ok := r.projects[dir]
	if !ok {
		found[0], found[1] = r.Options.Project(dir)
		if r.projects == nil || len(r.projects) >= MaxCalls {
			r.projects = map[string][2]string{}
		}
		r.projects[dir] = found
	}
	for i, name := range []string{"project", "project_id"} {
		if found[i] != "" {
			meta[name] = found[i]
		}
	}
}

// Time gives a turn its time: what the source says, or that of the source as a whole.
func (t *Turn) Time(values ...any) {
	for _, v := range values {
		if at, ok := foreign.When(v); ok {
			t.At, t.Assumed = at, false
			return
		}
	}
	t.Assumed = t.At.IsZero()
}
