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

// render renders the entry of a candidate in the requested form. An event among
// the outcomes is rendered with its outcome, and has no more trust than that.
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

// full returns the whole text of a card's record, from the journal.
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

// told reports whether an event states its own outcome.
func told(c *frame.Card) bool { return c.Outcome != "" && c.Outcome != memory.OutcomeUnknown }

// eventAt returns the event at a place, or nil if the caller does not see it.
func (g *Gathering) eventAt(p timeline.Place) (*board.StoredEvent, error) {
	ev, err := g.core.EventAt(g.s, p.Position)
	if fault.CodeOf(err) == fault.Erased {
		return nil, nil // erased since the snapshot was taken
	}
	if err != nil || !access.SeesEvent(g.s.View, ev.Event) {
		return nil, err
	}
	return ev, nil
}

// join appends the outcome to a text, as far as the form has room, and returns
// the token count, or -1 if nothing had to be counted. The last parts are cut
// first, except for a failed check.
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
			// Half of the room is for the event, so that its outcome always fits.
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

// cutMarker marks a cut text.
const cutMarker = "…"

// cut returns at most limit tokens of a text, and their number. A quote that is
// cut stays closed.
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
