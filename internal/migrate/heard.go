package migrate

import (
	"encoding/json"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// What a hook of an agent recorded as it happened, its transcript tells once more. A call of a
// tool, its result and its edits are the same when the agent gives them the same name in the
// same session. A message is the same when the same role says the same in the same session; said
// twice, it is there twice.

// heard is what hooks recorded of a session.
type heard struct {
	calls map[string]bool
	said  map[string]int // and was not met in a transcript yet
	// brought are the results that a transcript told before edits were told as such.
	brought map[string]bool
}

// maxHeard is how many sessions are remembered.
const maxHeard = 256

// byHook reports whether a hook recorded an event.
func byHook(ev *hmx.Event) bool {
	return ev.Source.Set && strings.HasPrefix(ev.Source.Value, HookSource)
}

// told reports whether a hook recorded what a transcript says.
func (r *Recorder) told(ev *hmx.Event) (bool, error) {
	if r.board == nil || !ev.Source.Set || ev.Source.Value != string(ClaudeCode) && ev.Source.Value != string(Codex) {
		return false, nil
	}
	h, err := r.listen(ev.TenantID, ev.SessionID)
	if err != nil {
		return false, err
	}
	if call := edited(ev); call != "" {
		return h.calls["result "+call] || h.brought["result "+call], nil
	}
	call, words := told(ev)
	if call != "" {
		return h.calls[call], nil
	}
	if words == "" || h.said[words] == 0 {
		return false, nil
	}
	// One that was brought in before is itself, and not what the hook heard.
	_, err = r.board.Tenant(ev.TenantID, r.o.Events).Event(r.ctx, ev.EventID)
	if fault.CodeOf(err) != fault.NotFound {
		return false, nil
	}
	h.said[words]--
	return true, nil
}

// told names what an event says: the call that it is, or who says what.
func told(ev *hmx.Event) (call, words string) {
	switch ev.EventType {
	case hmx.TypeToolCall:
		if c, ok := ev.ToolCall(); ok && c.CallID != "" {
			return "call " + c.CallID, ""
		}
	case hmx.TypeToolResult:
		if c, ok := ev.ToolResult(); ok && c.CallID != "" {
			return "result " + c.CallID, ""
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

// listen returns what hooks recorded of a session.
func (r *Recorder) listen(tenant, session string) (*heard, error) {
	key := tenant + "\x00" + session
	if h := r.heard[key]; h != nil {
		return h, nil
	}
	if r.heard == nil || len(r.heard) >= maxHeard {
		r.heard = map[string]*heard{}
	}
	h := &heard{calls: map[string]bool{}, said: map[string]int{}, brought: map[string]bool{}}
	t := r.board.Tenant(tenant, r.o.Events)
	for q := (lukasa.EventQuery{Session: session, Limit: 1000}); ; {
		page, err := t.Events(r.ctx, q)
		if fault.CodeOf(err) == fault.NotFound {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			if e.Event == nil {
				continue
			}
			if !byHook(e.Event) {
				if call, _ := told(e.Event); e.Event.EventType == hmx.TypeToolResult && call != "" {
					h.brought[call] = true
				}
				continue
			}
			if call := edited(e.Event); call != "" {
				h.calls["call "+call], h.calls["result "+call] = true, true
			} else if call, words := told(e.Event); call != "" {
				h.calls[call] = true
			} else if words != "" {
				h.said[words]++
			}
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	r.heard[key] = h
	return h, nil
}
