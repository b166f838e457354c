package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/record"
)

// EventID returns the id of an event that is made of what a program recorded: a hash of the
// format and of what the source calls it.
func EventID(f Format, parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{string(f)}, parts...) {
		_, _ = h.Write(strconv.AppendInt(nil, int64(len(p)), 10)) // a hash takes everything
		_, _ = h.Write([]byte{':'})
		_, _ = h.Write([]byte(p))
	}
	return "imp-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// openCall is a tool call whose result is still to come.
type openCall struct {
	tool, event string
	held        *held // of a call whose event is not made yet
}

// maxCalls is how many open calls are remembered.
const maxCalls = 4096

// Limits of what is made. They are below those of HMX, which counts the JSON around it.
const (
	maxContent  = 480 << 10
	maxMetadata = 32 << 10
	maxName     = 512
)

// turn is what one message of a source becomes: one event or several, in order.
type turn struct {
	place
	// id is what the source calls it.
	id []string
	// calls is what the ids of calls and results begin with, where that is not the id.
	calls    []string
	named    bool // calls is to be used
	session  string
	agent    string
	at       hmx.Time
	assumed  bool // the source has no time
	sequence int64
	group    string // becomes the correlation id
	trace    string
	tags     []string
	meta     map[string]any
	original string // what the source calls it, for the provenance
	prompt   string // what the agent calls the turn of its user, if it has a name for it
	ceiling  record.Trust
	retold   bool
	earlier  string // id under which the next event may be recorded already
	part     int    // events made so far
	// alias, since and until are those of an [Item].
	alias        string
	since, until time.Time
}

// lineSequence is the sequence of the first event of a line. A line may become many.
func lineSequence(n int) int64 { return int64(n) << 16 }

// inTime gives the events of a line their sequence by the time that the line tells, in
// microseconds as hooks count them, so that both sources of a session have one order. Within a
// source it always grows.
func (r *run) inTime(t *turn) {
	t.sequence = lineSequence(t.line)
	if !t.at.IsZero() {
		t.sequence = t.at.Time().UnixMicro()
	}
	if last := r.latest; last != nil {
		t.sequence = max(t.sequence, last.sequence+int64(max(last.part, 1)))
	}
	r.latest = t
}

// say makes a message.
func (r *run) say(ctx context.Context, t *turn, role, text string, attachments []any) error {
	if text, _ = r.o.Own.CutAt(text, role, t.at.Time()); text == "" && len(attachments) == 0 {
		r.leave(t.place, Empty, "a message without text")
		return nil
	}
	content := map[string]any{"role": role, "text": text}
	if len(attachments) > 0 {
		content["attachments"] = attachments
	}
	ceiling := t.ceiling
	if role == "system" && (ceiling == 0 || ceiling > record.Agent) {
		ceiling = record.Agent // its author is unknown
	}
	id := r.partID(t, "text", "")
	if t.prompt == "" || role == "system" || slices.Contains(t.tags, "summary") {
		return r.emit(ctx, t, hmx.TypeMessage, id, content, ceiling, "")
	}
	sub := ""
	if t.group != "" {
		sub = t.session
	}
	first := SaidID(r.format, sub, t.prompt, role, text, 1)
	r.said[first]++
	t.earlier = id
	return r.emit(ctx, t, hmx.TypeMessage, SaidID(r.format, sub, t.prompt, role, text, r.said[first]), content, ceiling, "")
}

// SaidID returns the id of a message whose turn has a name, from the turn, the role and the text,
// so that a hook and a transcript give it the same id.
// sub is the session of a sub-agent, or empty: the turns of others have names of their own, which
// a copy of the session keeps. n counts equal messages of the turn, from 1.
func SaidID(f Format, sub, turn, role, text string, n int) string {
	return EventID(f, "said", sub, turn, role, strings.TrimSpace(text), strconv.Itoa(n))
}

// call makes a tool call, and remembers it for its result.
func (r *run) call(ctx context.Context, t *turn, id, tool string, arguments map[string]any) error {
	event := r.partID(t, "call", id)
	if echo.OwnCall(tool, arguments) {
		t.part++ // its place stays, and the ids of what follows
		r.leave(t.place, Own, "a call of Lukasa's own tools")
		if id != "" && len(r.own) < maxCalls {
			r.own[t.session+"\x00"+id] = true
		}
		return nil
	}
	if id != "" {
		if len(r.calls) >= maxCalls {
			r.unended()
		}
		h := r.hold(t, id, tool, arguments)
		r.calls[t.session+"\x00"+id] = openCall{tool, event, h}
		if h != nil {
			return nil
		}
	}
	return r.emit(ctx, t, hmx.TypeToolCall, event, callContent(id, tool, arguments), t.ceiling, "")
}

// callContent is what the event of a tool call says.
func callContent(id, tool string, arguments map[string]any) map[string]any {
	content := map[string]any{"tool_name": tool, "arguments": arguments}
	if id != "" {
		content["call_id"] = id
	}
	return content
}

// result makes the result of a tool call.
func (r *run) result(ctx context.Context, t *turn, id, tool string, result map[string]any, success hmx.Opt[bool]) error {
	o := Outcome{Result: result, Success: success}
	if ms, ok := result["duration_ms"]; ok {
		delete(result, "duration_ms")
		o.Duration = json.Number(fmt.Sprint(ms))
	}
	return r.ended(ctx, t, id, tool, o)
}

// ended makes the result of a tool call, however it ended.
func (r *run) ended(ctx context.Context, t *turn, id, tool string, o Outcome) error {
	key := t.session + "\x00" + id
	open := r.calls[key]
	delete(r.calls, key)
	if tool == "" {
		tool = open.tool
	}
	if r.own[key] && id != "" || echo.OwnCall(tool, nil) {
		delete(r.own, key)
		t.part++
		r.leave(t.place, Own, "the result of one of Lukasa's own tools")
		return nil
	}
	return r.emit(ctx, t, hmx.TypeToolResult, r.partID(t, "result", id), o.Content(tool, id), t.ceiling, open.event)
}

// failure makes an error.
func (r *run) failure(ctx context.Context, t *turn, kind, message, stack string) error {
	content := map[string]any{}
	for name, value := range map[string]string{"error_type": kind, "message": message, "stack": stack} {
		if value != "" {
			content[name] = value
		}
	}
	if len(content) == 0 {
		r.leave(t.place, Empty, "an error without words")
		return nil
	}
	return r.emit(ctx, t, hmx.TypeError, r.partID(t, "error", ""), content, t.ceiling, "")
}

// partID returns the id of the next event of a turn.
func (r *run) partID(t *turn, kind, key string) string {
	if t.named && key != "" && (kind == "call" || kind == "result") {
		return EventID(r.format, append(append([]string{}, t.calls...), kind, key)...)
	}
	return EventID(r.format, append(append([]string{}, t.id...), kind, strconv.Itoa(t.part))...)
}

// emit hands an event to the sink, without what Lukasa has handed out, unless nothing else is
// in it.
func (r *run) emit(ctx context.Context, t *turn, kind hmx.EventType, id string, content map[string]any, ceiling record.Trust, parent string) error {
	content, lines := r.o.Own.Content(kind, content, t.at.Time())
	if lines > 0 && echo.Empty(kind, content) {
		t.part++
		r.leave(t.place, Own, "what Lukasa had handed out")
		return nil
	}
	text, cut := fit(content, maxContent)
	from := map[string]any{"from": string(r.format)}
	if r.src.Name != "" {
		from["file"] = r.src.Name
	}
	if t.line > 0 {
		from["line"] = t.line
	}
	if t.index >= 0 {
		from["index"] = t.index
	}
	if t.original != "" {
		from["id"] = t.original
	}
	if t.assumed {
		from["time"] = "assumed"
	}
	if cut {
		from["cut"] = true
	}
	meta := map[string]any{"import": from}
	for name, value := range t.meta {
		if value != nil && value != "" {
			meta[name] = value
		}
	}
	r.project(meta)
	metadata, _ := fit(meta, maxMetadata)
	at := t.at
	if at.IsZero() {
		at = hmx.TimeOf(r.src.Modified)
	}
	ev := &hmx.Event{
		HMXVersion: hmx.Version, EventID: id, EventType: kind, TenantID: r.o.Tenant,
		AgentID: name(t.agent, string(r.format)), SessionID: name(t.session, r.stem()),
		Timestamp: at, Sequence: t.sequence + int64(t.part), Content: text, Metadata: metadata,
		Source: hmx.Some(string(r.format)), Tags: tags(t.tags),
	}
	for _, f := range []struct {
		to    *hmx.Opt[string]
		value string
	}{{&ev.ParentEventID, parent}, {&ev.CorrelationID, t.group}, {&ev.TraceID, t.trace}} {
		if v := name(f.value, ""); v != "" {
			*f.to = hmx.Some(v)
		}
	}
	t.part++
	earlier := t.earlier
	t.earlier = ""
	return r.sink.Take(ctx, Item{Event: ev, Ceiling: ceiling, Retold: t.retold, Line: t.line, Earlier: earlier, Alias: t.alias, Since: t.since, Until: t.until})
}

// project adds the project of the working directory that metadata names.
func (r *run) project(meta map[string]any) {
	dir, _ := meta["cwd"].(string)
	if r.o.Project == nil || dir == "" {
		return
	}
	found, ok := r.projects[dir]
	if !ok {
		found[0], found[1] = r.o.Project(dir)
		if r.projects == nil || len(r.projects) >= maxCalls {
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

// time gives a turn its time: what the source says, or that of the source as a whole.
func (t *turn) time(values ...any) {
	for _, v := range values {
		if at, ok := when(v); ok {
			t.at, t.assumed = at, false
			return
		}
	}
	t.assumed = t.at.IsZero()
}
