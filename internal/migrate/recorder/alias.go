package recorder

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// Hooks of Gemini CLI have no name for a call, a message or a turn. Their events are matched by
// content and time: a call is the one of the same tool with the same arguments that a hook
// recorded between the answer of the model and the end of the call.

// slack is how far the times of hooks and transcripts may be apart. Both use one clock.
const slack = 2 * time.Second

// promptLead is how long before a prompt its hook may have been called: the agent writes the prompt
// when its hooks are over.
const promptLead = 2 * time.Minute

// mark is an event that a hook recorded, without a name that a transcript has.
type mark struct {
	id   string
	at   time.Time
	seq  int64
	end  end
	used bool
	text string // of a message, what no message of the transcript said yet
}

// unnamed reports whether a hook recorded an event that has no name.
func unnamed(ev *hmx.Event) bool {
	return ev.Source.Set && ev.Source.Value == foreign.HookSource+string(foreign.GeminiCLI)
}

// noteMark takes in an event of a hook that has no name.
func (h *heard) noteMark(ev *hmx.Event) {
	call, words := told(ev)
	m := &mark{id: ev.EventID, at: ev.Timestamp.Time(), seq: ev.Sequence, end: endOf(ev)}
	key := ""
	switch {
	case ev.EventType == hmx.TypeFileEdit:
		key = editKey(ev)
	case call != "" && ev.EventType == hmx.TypeToolCall:
		key = "call " + call
	case call != "":
		key = "end " + call
	case words != "":
		role, text, _ := strings.Cut(words, " ")
		m.text, key = text, "said "+role
	default:
		return
	}
	if h.marks == nil {
		h.marks = map[string][]*mark{}
	}
	h.marks[key] = append(h.marks[key], m)
}

// take returns the first mark of a key within a time that is not taken yet, and takes it.
func (h *heard) take(key string, from, to time.Time) *mark {
	for _, m := range h.marks[key] {
		if !m.used && !m.at.Before(from.Add(-slack)) && (to.IsZero() || !m.at.After(to.Add(slack))) {
			m.used = true
			return m
		}
	}
	return nil
}

// takeWords returns the mark of a message that contains a text, and removes that text from it:
// at the end of a turn a hook records all text of the turn as one message.
func (h *heard) takeWords(role, text string, at time.Time) *mark {
	for _, m := range h.marks["said "+role] {
		switch {
		case m.used:
		case role == "user":
			if m.text == text && !m.at.After(at.Add(slack)) && !m.at.Before(at.Add(-promptLead)) {
				m.used = true
				return m
			}
		case !m.at.Before(at.Add(-slack)):
			if rest, ok := strings.CutPrefix(m.text, text); ok && (rest == "" || strings.HasPrefix(rest, "\n")) {
				m.text = strings.TrimSpace(rest)
				m.used = m.text == ""
				return m
			}
		}
	}
	return nil
}

// toldUnnamed is reported for a transcript of an agent whose hooks have no names.
func (r *Recorder) toldUnnamed(ctx context.Context, it source.Item, h *heard) (there bool, adds *hmx.Event, err error) {
	ev := it.Event
	same := h.has(ev.EventID) // the same once more
	if call, words := told(ev); call == "" && words != "" && it.Alias == "" {
		role, text, _ := strings.Cut(words, " ")
		m := h.takeWords(role, text, ev.Timestamp.Time())
		return m != nil && !same, nil, nil
	}
	if same {
		return false, nil, nil
	}
	if it.Alias == "" {
		return false, nil, nil
	}
	if ev.CorrelationID.Set { // hooks of a sub-agent name the session that it works for
		if h, err = r.listen(ctx, ev.TenantID, ev.CorrelationID.Value); err != nil {
			return false, nil, err
		}
	}
	switch {
	case ev.EventType == hmx.TypeFileEdit:
		return h.take(editKey(ev), it.Since, it.Until) != nil, nil, nil
	case ev.EventType == hmx.TypeToolCall:
		m := h.take("call "+it.Alias, it.Since, it.Until)
		if m != nil {
			call, _ := told(ev)
			h.bind(call, m)
		}
		return m != nil, nil, nil
	}
	call, _ := told(ev)
	bound := h.bound[call]
	if m := h.take("end "+it.Alias, it.Since, it.Until); m != nil {
		called := m.seq
		if h.has(foreign.EventID(foreign.GeminiCLI, "outcome", call)) {
			return true, nil, nil
		}
		adds := adding(ev, call, m.end, called)
		if adds != nil {
			renamed(adds, it.Alias, bound)
		}
		return true, adds, nil
	}
	if bound != nil {
		renamed(ev, it.Alias, bound)
		ev.Sequence = max(ev.Sequence, bound.seq+1)
	}
	return false, nil, nil
}

// editKey is what an edit of a file is found by: earlier versions gave it no name of a call.
func editKey(ev *hmx.Event) string {
	e, _ := ev.FileEdit()
	return "edit " + e.Path + "\x00" + e.Diff
}

// bind notes that a call of the transcript is one that a hook recorded.
func (h *heard) bind(call string, m *mark) {
	if h.bound == nil {
		h.bound = map[string]*mark{}
	}
	h.bound[call] = m
}

// renamed gives an event about the end of a call the name that the recorded call has.
func renamed(ev *hmx.Event, alias string, called *mark) {
	content, _ := foreign.Value([]byte(ev.Content)).(map[string]any)
	if content == nil {
		return
	}
	content["call_id"] = alias
	ev.Content, _ = foreign.Content(content)
	ev.ParentEventID = hmx.Opt[string]{}
	if called != nil {
		ev.ParentEventID = hmx.Some(called.id)
	}
}

// toolOf returns the tool and the arguments of a call.
func toolOf(ev *hmx.Event) (tool string, arguments map[string]any) {
	var c struct {
		Tool      string          `json:"tool_name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal([]byte(ev.Content), &c) // what is of another shape says nothing
	return c.Tool, foreign.AsObject(foreign.Value(c.Arguments), "input")
}
