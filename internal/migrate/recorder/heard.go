package recorder

import (
	"context"
	"encoding/json"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// A transcript repeats what hooks of the agent recorded. A call of a tool, its result and its
// edits are the same if the agent gives them the same name in the same session. A message is the
// same if it has the same id, or the same role and text in the same session; repeated messages are
// counted. If the transcript knows more of the outcome of a recorded call than the board, that
// becomes an event of its own.

// heard is what is recorded of a session.
type heard struct {
	ids   map[string]bool  // of all events; true of those of hooks
	calls map[string]int64 // the sequence of each call
	// ends are the known outcomes of calls.
	ends map[string]end
	// edits are calls that edited files, as hooks recorded them.
	edits map[string]bool
	said  map[string]int // messages of hooks that were not met in a transcript yet
	// marks are the events of hooks without names, and bound those that are a call of the
	// transcript, by its name there.
	marks map[string][]*mark
	bound map[string]*mark
}

// end is what is known of the outcome of a call.
type end struct {
	sequence            int64
	success, code, took bool
	stopped             bool // it was denied or interrupted, and so has no success
	after               bool // a later source has added to it
}

// maxHeard is how many sessions are remembered.
const maxHeard = 256

// byHook reports whether a hook recorded an event.
func byHook(ev *hmx.Event) bool {
	return ev.Source.Set && strings.HasPrefix(ev.Source.Value, foreign.HookSource)
}

// hasHooks reports whether an event is from a transcript of an agent that has hooks as well.
func hasHooks(ev *hmx.Event) bool {
	if !ev.Source.Set {
		return false
	}
	return foreign.Format(ev.Source.Value).HasHooks()
}

// told reports whether an event of a transcript is recorded, and returns the event that adds
// what only the transcript knows of it, or nil.
func (r *Recorder) told(ctx context.Context, it source.Item) (there bool, adds *hmx.Event, err error) {
	ev := it.Event
	if r.board == nil || !hasHooks(ev) {
		return false, nil, nil
	}
	h, err := r.listen(ctx, ev.TenantID, ev.SessionID)
	if err != nil {
		return false, nil, err
	}
	if foreign.Format(ev.Source.Value) == foreign.GeminiCLI {
		return r.toldUnnamed(ctx, it, h)
	}
	if call := edited(ev); call != "" {
		_, ended := h.ends[call]
		return h.edits[call] || ended, nil, nil
	}
	call, words := told(ev)
	switch {
	case call != "" && ev.EventType == hmx.TypeToolCall:
		_, there := h.calls[call]
		return there || h.edits[call], nil, nil
	case call != "":
		if h.edits[call] {
			return true, nil, nil
		}
		known, there := h.ends[call]
		if !there {
			if at, ok := h.calls[call]; ok {
				ev.Sequence = max(ev.Sequence, at+1) // a result follows its call
			}
			return false, nil, nil
		}
		return true, adding(ev, call, known, h.calls[call]), nil
	case words == "":
		return false, nil, nil
	}
	hooked, there := h.ids[ev.EventID]
	if !there && it.Earlier != "" {
		hooked, there = h.ids[it.Earlier]
	}
	switch {
	case there && hooked:
		h.said[words] = max(0, h.said[words]-1)
		return true, nil, nil
	case there:
		// A message that was imported before is itself, and not one of a hook.
		return ev.EventID != it.Earlier && it.Earlier != "" && !h.has(ev.EventID), nil, nil
	case h.said[words] > 0:
		h.said[words]--
		return true, nil, nil
	}
	return false, nil, nil
}

func (h *heard) has(id string) bool {
	_, there := h.ids[id]
	return there
}

// adding returns the event with what the transcript knows of the outcome of a call and the board
// does not: the exit code, the success, the duration. It is nil if there is nothing, or if a later
// source has added to the call before.
func adding(ev *hmx.Event, call string, known end, called int64) *hmx.Event {
	got := endOf(ev)
	if known.after || known.stopped || !(got.stopped || got.code && !known.code || got.success && !known.success || got.took && !known.took) {
		return nil
	}
	content, _ := foreign.Value([]byte(ev.Content)).(map[string]any)
	adds := map[string]any{"call_id": call, "outcome": true, "result": map[string]any{}}
	if tool := foreign.TextIn(content, "tool_name"); tool != "" {
		adds["tool_name"] = tool
	}
	if got.code && !known.code && !got.stopped {
		result, _ := content["result"].(map[string]any)
		adds["result"] = map[string]any{"exit_code": result["exit_code"]}
	}
	if got.stopped || !known.success {
		for _, name := range []string{"success", "denied", "denied_by", "interrupted"} {
			if v, ok := content[name]; ok {
				adds[name] = v
			}
		}
	}
	if v, ok := content["duration_ms"]; ok && !known.took {
		adds["duration_ms"] = v
	}
	f := foreign.Format(ev.Source.Value)
	out := *ev
	out.EventID, out.Tags = foreign.EventID(f, "outcome", call), []string{"outcome"}
	out.Content, _ = foreign.Content(adds)
	out.Sequence = max(ev.Sequence, known.sequence+1, called+1)
	if !out.ParentEventID.Set {
		out.ParentEventID = hmx.Some(foreign.EventID(f, "call", call))
	}
	return &out
}

// endOf returns the outcome of a call from an event.
func endOf(ev *hmx.Event) end {
	var c struct {
		Success     *bool           `json:"success"`
		Denied      foreign.Truth   `json:"denied"`
		Interrupted foreign.Truth   `json:"interrupted"`
		Outcome     foreign.Truth   `json:"outcome"`
		Duration    json.RawMessage `json:"duration_ms"`
		Result      json.RawMessage `json:"result"`
	}
	_ = json.Unmarshal([]byte(ev.Content), &c) // another shape is ignored
	var result struct {
		Code json.RawMessage `json:"exit_code"`
	}
	_ = json.Unmarshal(c.Result, &result) // it may be anything
	return end{
		sequence: ev.Sequence, success: c.Success != nil, code: len(result.Code) > 0, took: len(c.Duration) > 0,
		stopped: bool(c.Denied) || bool(c.Interrupted), after: bool(c.Outcome),
	}
}

// told returns a name for an event: the call that it is about, or its speaker and words.
func told(ev *hmx.Event) (call, words string) {
	switch ev.EventType {
	case hmx.TypeToolCall:
		if c, ok := ev.ToolCall(); ok {
			return c.CallID, ""
		}
	case hmx.TypeToolResult:
		if c, ok := ev.ToolResult(); ok {
			return c.CallID, ""
		}
	case hmx.TypeMessage:
		// As it is recorded: without secrets.
		clean := *ev
		clean.Content = withoutSecrets(ev)
		if m, ok := clean.Message(); ok && strings.TrimSpace(m.Text) != "" {
			return "", m.Role + " " + strings.TrimSpace(m.Text)
		}
	}
	return "", ""
}

// edited returns the name of the call by which a file was edited, or nothing.
func edited(ev *hmx.Event) (call string) {
	if e, ok := ev.FileEdit(); ok && ev.EventType == hmx.TypeFileEdit {
		_ = json.Unmarshal([]byte(e.Extra["call_id"]), &call) // what is no text is no name
	}
	return call
}

// listen returns what is recorded of a session.
func (r *Recorder) listen(ctx context.Context, tenant, session string) (*heard, error) {
	key := tenant + "\x00" + session
	if h := r.heard[key]; h != nil {
		return h, nil
	}
	if r.heard == nil || len(r.heard) >= maxHeard {
		r.heard = map[string]*heard{}
	}
	h := &heard{ids: map[string]bool{}, calls: map[string]int64{}, ends: map[string]end{}, edits: map[string]bool{}, said: map[string]int{}}
	t := r.board.Tenant(tenant, r.o.Events)
	for q := (lukasa.EventQuery{Session: session, Limit: 1000}); ; {
		page, err := t.Events(ctx, q)
		if fault.CodeOf(err) == fault.NotFound {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			if e.Event != nil {
				h.note(e.Event)
			}
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	r.heard[key] = h
	return h, nil
}

// note adds an event of the session.
func (h *heard) note(ev *hmx.Event) {
	hooked := byHook(ev)
	h.ids[ev.EventID] = hooked
	if unnamed(ev) {
		h.noteMark(ev)
		return
	}
	call, words := told(ev)
	switch {
	case edited(ev) != "":
		if hooked {
			h.edits[edited(ev)] = true
		}
	case call != "" && ev.EventType == hmx.TypeToolCall:
		h.calls[call] = ev.Sequence
	case call != "":
		was, now := h.ends[call], endOf(ev)
		h.ends[call] = end{
			max(was.sequence, now.sequence), was.success || now.success, was.code || now.code, was.took || now.took, was.stopped || now.stopped, was.after || now.after,
		}
	case words != "" && hooked:
		h.said[words]++
	}
}
