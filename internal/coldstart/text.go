package coldstart

import (
	"slices"
	"strings"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// render makes the entry of a candidate, with its text in the form that was asked
// for. An event among the outcomes is told with what came of it, and is then
// trusted no more than that.
func (g *Gathering) render(found *bundle.Candidate, in bundle.Tier, e *bundle.Entry) error {
	c := g.cards[found.Index]
	e.Type, e.Key, e.Status, e.Version, e.Trust = c.Class, c.Key, c.Status, c.Version, c.Trust
	e.Actor, e.Agent, e.Session, e.Tags = c.Actor, c.Agent, c.Session, c.Tags
	e.Created, e.Updated = board.TimeOf(c.Created), board.TimeOf(c.Updated)
	if c.Kind == record.Event {
		e.Status = string(c.Outcome)
	}
	e.Text, e.Tokens = c.Medium, c.MediumTokens
	switch g.form {
	case memory.FormShort:
		e.Text, e.Tokens = c.Short, c.ShortTokens
	case memory.FormFull:
		var err error
		if e.Text, err = g.full(c); err != nil {
			return gone(err)
		}
		e.Tokens = -1
	}
	if in == bundle.TierOutcomes && c.Kind == record.Event && !told(c) {
		came, err := g.whatFollowed(c)
		if err != nil {
			return err
		}
		if len(came.parts) > 0 {
			e.Trust = min(e.Trust, came.trust)
			e.Text, e.Tokens = g.join(e.Text, came.parts)
		}
		if came.outcome != "" {
			e.Status = string(came.outcome)
		}
	}
	if e.Tokens < 0 {
		e.Tokens = g.core.Tokens().Count(e.Text)
	}
	return nil
}

// full returns the whole text of what a card is about, as the journal has it.
func (g *Gathering) full(c *frame.Card) (string, error) {
	if c.Kind == record.Event {
		ev, err := g.core.EventAt(g.s, c.Position)
		if err != nil {
			return "", err
		}
		return kind.Full(ev.Event), nil
	}
	body, err := g.core.BodyAt(g.s, c.Kind, c.Position)
	if err != nil {
		return "", err
	}
	switch body := body.(type) {
	case *memory.Memory:
		return body.Render(memory.FormFull), nil
	case *memory.Policy:
		return body.Full(), nil
	}
	return c.Medium, nil
}

// told reports whether an event says itself how it went.
func told(c *frame.Card) bool { return c.Outcome != "" && c.Outcome != memory.OutcomeUnknown }

// eventAt returns the event at a place, or nil if it is not there for who looks.
func (g *Gathering) eventAt(p timeline.Place) (*board.StoredEvent, error) {
	ev, err := g.core.EventAt(g.s, p.Position)
	if fault.CodeOf(err) == fault.Erased {
		return nil, nil // since the snapshot was taken
	}
	if err != nil || !access.SeesEvent(g.s.View, ev.Event) {
		return nil, err
	}
	return ev, nil
}

// join returns a text with what came of it behind it, as much as the form has
// room for, and the count of the whole, or -1 where nothing had to be counted.
// What goes first is what came last, but for a check that failed.
func (g *Gathering) join(text string, came []part) (string, int) {
	limit := memory.MediumTokens
	switch g.form {
	case memory.FormFull:
		for _, p := range came {
			text += "\n" + strings.TrimLeft(arrow, " ") + p.text
		}
		return text, -1
	case memory.FormShort:
		limit = memory.ShortTokens
	}
	for {
		longer := text
		for _, p := range came {
			longer += arrow + p.text
		}
		if n := g.core.Tokens().Count(longer); n <= limit {
			return longer, n
		}
		if len(came) == 1 {
			// Half of the room is for what was done, so that what came of it is
			// told in any case.
			shorter, _ := cut(g.core.Tokens(), text, limit/2)
			return cut(g.core.Tokens(), shorter+arrow+came[0].text, limit)
		}
		drop := len(came) - 1
		for i := drop; i >= 0; i-- {
			if !came[i].failed {
				drop = i
				break
			}
		}
		came = slices.Delete(came, drop, drop+1)
	}
}

// cutMarker stands where a text ends before its end.
const cutMarker = "…"

// cut returns a text of at most that many tokens, and how many they are. What was
// quoted where it is cut stays between quotes.
func cut(c tokens.Counter, text string, limit int) (string, int) {
	for room := limit; ; room-- {
		head := tokens.Truncate(c, text, room, cutMarker)
		if head != text {
			head = kind.Closed(head)
		}
		if n := c.Count(head); n <= limit || room == 0 {
			return head, n
		}
	}
}
