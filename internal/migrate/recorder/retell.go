package recorder

import (
	"context"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

// Retell gives unnamed events of hooks the ids of the same events from a transcript that was
// imported before, so that the board recognises them. It considers only sessions whose first
// event is from a transcript; events of other agents have names.
func Retell(ctx context.Context, tenant func(name string) *lukasa.Tenant, events []*hmx.Event) error {
	known := map[string]*imported{}
	for _, ev := range events {
		if !unnamed(ev) {
			continue
		}
		key := ev.TenantID + "\x00" + ev.SessionID
		session, ok := known[key]
		if !ok {
			var err error
			if session, err = importedOf(ctx, tenant(ev.TenantID), ev.SessionID); err != nil {
				return err
			}
			known[key] = session
		}
		if session != nil {
			session.rename(ev)
		}
	}
	return nil
}

// imported is what the board has of a session from a transcript.
type imported struct {
	calls    map[string][]*importedCall // by what hooks call them
	edits    []*hmx.Event
	messages []*hmx.Event
}

// importedCall is a call from a transcript.
type importedCall struct {
	event, result string
	since, until  time.Time
}

// importedOf returns what the board has of a session from a transcript, or nil if hooks began it.
func importedOf(ctx context.Context, t *lukasa.Tenant, session string) (*imported, error) {
	var s *imported
	byID := map[string]*importedCall{}
	for q := (lukasa.EventQuery{Session: session, Limit: 1}); ; q.Limit = 1000 {
		page, err := t.Events(ctx, q)
		if fault.CodeOf(err) == fault.NotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			ev := e.Event
			if ev == nil || !ev.Source.Set || ev.Source.Value != string(foreign.GeminiCLI) {
				if s == nil {
					return nil, nil
				}
				continue
			}
			if s == nil {
				s = &imported{calls: map[string][]*importedCall{}}
			}
			s.add(ev, byID)
		}
		if q.After = page.Next; q.After == "" {
			return s, nil
		}
	}
}

// add takes in an event of a transcript.
func (s *imported) add(ev *hmx.Event, byID map[string]*importedCall) {
	call, words := told(ev)
	switch {
	case ev.EventType == hmx.TypeFileEdit:
		s.edits = append(s.edits, ev)
	case call != "" && ev.EventType == hmx.TypeToolCall:
		tool, args := toolOf(ev)
		c := &importedCall{event: ev.EventID, since: ev.Timestamp.Time()}
		byID[call] = c
		alias := toolcall.GuessedCall(ev.SessionID, tool, args)
		s.calls[alias] = append(s.calls[alias], c)
	case call != "":
		if c := byID[call]; c != nil && c.result == "" {
			c.result, c.until = ev.EventID, ev.Timestamp.Time()
		}
	case words != "":
		s.messages = append(s.messages, ev)
	}
}

// rename gives an event of a hook the id of the same event of the transcript, if there is one.
func (s *imported) rename(ev *hmx.Event) {
	call, words := told(ev)
	at := ev.Timestamp.Time()
	switch {
	case ev.EventType == hmx.TypeFileEdit:
		mine, _ := ev.FileEdit()
		for _, e := range s.edits {
			its, _ := e.FileEdit()
			when := e.Timestamp.Time()
			if its.Path == mine.Path && its.Diff == mine.Diff && !at.After(when.Add(slack)) && at.After(when.Add(-promptLead)) {
				ev.EventID = e.EventID
				return
			}
		}
	case call != "":
		for _, c := range s.calls[call] {
			if at.Before(c.since.Add(-slack)) || !c.until.IsZero() && at.After(c.until.Add(slack)) {
				continue
			}
			if ev.EventType == hmx.TypeToolCall {
				ev.EventID = c.event
			} else if c.result != "" {
				ev.EventID = c.result
			}
			return
		}
	case words != "":
		s.renameMessage(ev, words, at)
	}
}

// renameMessage finds the message, or those that make it up.
func (s *imported) renameMessage(ev *hmx.Event, words string, at time.Time) {
	role, whole, _ := strings.Cut(words, " ")
	rest := whole
	for _, e := range s.messages {
		_, theirs := told(e)
		its, text, _ := strings.Cut(theirs, " ")
		when := e.Timestamp.Time()
		if its != role {
			continue
		}
		if role == "user" {
			if text == rest && !at.After(when.Add(slack)) && !at.Before(when.Add(-promptLead)) {
				ev.EventID = e.EventID
				return
			}
			continue
		}
		if after, ok := strings.CutPrefix(rest, text); ok && !at.Before(when.Add(-slack)) && (after == "" || after[0] == '\n') {
			if rest = strings.TrimSpace(after); rest == "" {
				ev.EventID = e.EventID
				return
			}
		}
	}
	if content, ok := foreign.Value([]byte(ev.Content)).(map[string]any); ok && rest != whole {
		content["text"] = rest // the transcript has the text before it
		ev.Content, _ = foreign.Content(content)
	}
}
