package source

import (
	"context"
	"slices"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

// held is a call of a tool that only edits files: whether it becomes an edit, its result says.
type held struct {
	turn      Turn // as it was at the call
	arguments map[string]any
}

// hold keeps a call back until its result is read, if the tool only edits files and its agent
// has hooks, which tell it so. The event has its place all the same.
func (r *Run) hold(t *Turn, id, tool string, arguments map[string]any) *held {
	if !r.Format.HasHooks() || id == "" || len(toolcall.Edits(tool, arguments, nil)) == 0 {
		return nil
	}
	h := &held{turn: *t, arguments: arguments}
	t.Part++
	return h
}

// edit makes the edits of a call that was held back, now that its result is known, and reports
// whether that was one that went well. One that did not is a call, and its result follows.
func (r *Run) edit(ctx context.Context, t *Turn, id string, response map[string]any, success hmx.Opt[bool]) (done bool, err error) {
	open := r.calls[t.Session+"\x00"+id]
	if open.held == nil {
		return false, nil
	}
	if success.Set && !success.Value {
		err := r.release(ctx, id, open)
		open.held = nil
		r.calls[t.Session+"\x00"+id] = open
		return false, err
	}
	delete(r.calls, t.Session+"\x00"+id)
	return true, r.Edited(ctx, t, id, open.tool, toolcall.Edits(open.tool, open.held.arguments, response), response["duration_ms"])
}

// Edited makes the edits of a call. took is how long they took in milliseconds, or nil.
func (r *Run) Edited(ctx context.Context, t *Turn, id, tool string, edits []toolcall.Edit, took any) error {
	for i, e := range edits {
		event := r.partID(t, "result", id)
		if i > 0 && t.Named {
			event = foreign.EventID(r.Format, append(append([]string{}, t.Calls...), "edit", id, strconv.Itoa(i))...)
		}
		content := e.Content(tool, id)
		if took != nil {
			content["duration_ms"] = took
		}
		if err := r.Emit(ctx, t, hmx.TypeFileEdit, event, content, t.Ceiling, ""); err != nil {
			return err
		}
	}
	return nil
}

// Conclude makes the result of a call however it ended: the edits of one that was held back and
// went well, and the result of any other. response is what else is known of the edits.
func (r *Run) Conclude(ctx context.Context, t *Turn, id, tool string, o toolcall.Outcome, response map[string]any) error {
	if o.Duration != "" {
		response["duration_ms"] = o.Duration
	}
	if done, err := r.edit(ctx, t, id, response, o.Done()); done || err != nil {
		return err
	}
	return r.Ended(ctx, t, id, tool, o)
}

// release makes the event of a call that was held back.
func (r *Run) release(ctx context.Context, id string, open openCall) error {
	t := open.held.turn
	return r.Emit(ctx, &t, hmx.TypeToolCall, open.event, callContent(id, open.tool, open.held.arguments), t.Ceiling, "")
}

// Unended forgets all calls, and says of those that were held back and have no result that
// they were left out: whether a file was edited, nothing says.
func (r *Run) Unended() {
	var lines []int
	for _, open := range r.calls {
		if open.held != nil {
			lines = append(lines, open.held.turn.Line)
		}
	}
	clear(r.calls)
	slices.Sort(lines)
	for _, line := range lines {
		r.Leave(Place{line, -1}, Unfinished, "an edit whose result is not there")
	}
}
