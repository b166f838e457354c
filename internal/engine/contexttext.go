package engine

import (
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
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
func (g *gathering) render(found *bundle.Candidate, in bundle.Tier, e *bundle.Entry) error {
	c := g.cards[found.Index]
	e.Type, e.Key, e.Status, e.Version, e.Trust = c.Class, c.Key, c.Status, c.Version, c.Trust
	e.Actor, e.Agent, e.Session, e.Tags = c.Actor, c.Agent, c.Session, c.Tags
	e.Created, e.Updated = at(c.Created), at(c.Updated)
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
		came, trust, err := g.whatFollowed(c)
		if err != nil {
			return err
		}
		if len(came) > 0 {
			e.Trust = min(e.Trust, trust)
			e.Text, e.Tokens = g.join(e.Text, came)
		}
	}
	if e.Tokens < 0 {
		e.Tokens = g.b.tokens.Count(e.Text)
	}
	return nil
}

// full returns the whole text of what a card is about, as the journal has it.
func (g *gathering) full(c *frame.Card) (string, error) {
	if c.Kind == record.Event {
		ev, err := g.b.eventAt(g.r, g.t, c.Position)
		if err != nil {
			return "", err
		}
		return kind.Full(ev.Event), nil
	}
	body, err := g.b.bodyAt(g.r, g.t, c.Kind, c.Position)
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

// What came of an event that does not say itself how it went is looked for
// among the events that followed it in its session.
const (
	// followed is how many of them are looked at.
	followed = 16
	// passed is how many that are out of scope are passed over on the way.
	passed = 256
	// verdicts is how many that judge it are told.
	verdicts = 3
	// arrow stands between an event and what came of it.
	arrow = " -> "
)

// judges are the types of events that say whether what was done before was any
// good, and reports those that say how they went themselves.
var (
	judges  = []hmx.EventType{hmx.TypeTestRun, hmx.TypeError, hmx.TypeFeedback}
	reports = []hmx.EventType{hmx.TypeToolResult, hmx.TypeCommandExec, hmx.TypeAPIResult}
)

// whatFollowed returns what came of an event: the first verdicts in what followed
// it, or else the first report, up to where the same was tried again. It also
// returns the lowest trust among them.
func (g *gathering) whatFollowed(c *frame.Card) (texts []string, trust record.Trust, err error) {
	object := -1
	for _, t := range g.tries {
		if t.position == c.Position {
			object = t.object
			break
		}
	}
	var places [followed]timeline.Place
	n, hidden := 0, 0
	var failed error
	behind := timeline.Place{Sequence: c.Sequence, Timestamp: c.Timestamp, Position: c.Position}
	err = timeline.Following(g.r, g.t.Number, c.Session, behind, func(p timeline.Place) bool {
		if g.view.Scope != "" {
			var ev *StoredEvent
			if ev, failed = g.eventAt(p); failed != nil {
				return false
			}
			if ev == nil {
				hidden++
				return hidden < passed
			}
		}
		places[n] = p
		n++
		return n < followed && !slices.Contains(g.tries, try{object, p.Position})
	})
	if err := first(failed, err); err != nil {
		return nil, 0, err
	}
	trust = record.Operator
	for _, look := range [...]struct {
		types []hmx.EventType
		most  int
	}{{judges, verdicts}, {reports, 1}} {
		for _, p := range places[:n] {
			if len(texts) == look.most {
				break
			}
			if !slices.Contains(look.types, p.Type) {
				continue
			}
			text, tier, err := g.tells(p)
			if err != nil {
				return nil, 0, err
			}
			if text != "" {
				texts, trust = append(texts, text), min(trust, tier)
			}
		}
		if len(texts) > 0 {
			break
		}
	}
	return texts, trust, nil
}

// eventAt returns the event at a place, or nil if it is not there for who looks.
func (g *gathering) eventAt(p timeline.Place) (*StoredEvent, error) {
	ev, err := g.b.eventAt(g.r, g.t, p.Position)
	if fault.CodeOf(err) == fault.Erased {
		return nil, nil // since the snapshot was taken
	}
	if err != nil || !g.view.seesEvent(ev) {
		return nil, err
	}
	return ev, nil
}

// tells returns what an event says about how something went, if it does and is
// not over.
func (g *gathering) tells(p timeline.Place) (string, record.Trust, error) {
	ev, err := g.eventAt(p)
	if err != nil || ev == nil {
		return "", 0, err
	}
	if end, ok := index.EndOfLife(ev.Recorded.UnixNano(), ev.Event); ok && end <= g.now {
		return "", 0, nil
	}
	facets := kind.Read(ev.Event)
	if !facets.Tells {
		return "", 0, nil
	}
	return facets.Text, ev.Trust, nil
}

// join returns a text with what came of it behind it, as much as the form has
// room for, and the count of the whole, or -1 where nothing had to be counted.
func (g *gathering) join(text string, came []string) (string, int) {
	limit := memory.MediumTokens
	switch g.form {
	case memory.FormFull:
		for _, c := range came {
			text += "\n" + strings.TrimLeft(arrow, " ") + c
		}
		return text, -1
	case memory.FormShort:
		limit = memory.ShortTokens
	}
	count := -1
	for i, c := range came {
		longer := text + arrow + c
		n := g.b.tokens.Count(longer)
		if n > limit {
			if i == 0 {
				// Half of the room is for what was done, so that what came of it
				// is told in any case.
				shorter, _ := cut(g.b.tokens, text, limit/2)
				text, count = cut(g.b.tokens, shorter+arrow+c, limit)
			}
			break
		}
		text, count = longer, n
	}
	return text, count
}

// cutMarker stands where a text ends before its end.
const cutMarker = "…"

// cut returns a text of at most so many tokens, and how many they are. What was
// quoted where it is cut stays between quotes.
func cut(c tokens.Counter, text string, limit int) (string, int) {
	for room := limit; ; room-- {
		head := tokens.Truncate(c, text, room, cutMarker)
		if head != text && strings.Count(head, `"`)%2 == 1 {
			head += `"`
		}
		if n := c.Count(head); n <= limit || room == 0 {
			return head, n
		}
	}
}
