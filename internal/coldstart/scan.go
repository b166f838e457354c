package coldstart

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// Limits of the scans of a bundle. They limit the work of one call; the oldest rows beyond
// them are not read.
const (
	// ScanRows is how many rows a scan reads: of one rank of pinned records, of one class in
	// one frame, of the attempts at one object.
	ScanRows = 4096
	// frameEvents is how many events of a frame are candidates of the frame-relevant tier.
	// They are many and say little each; as outcomes they have a tier of their own.
	frameEvents = 64
)

// Gathering builds one bundle: the snapshot, the view, and the candidates.
type Gathering struct {
	core    *board.Board
	s       board.State
	now     int64
	weights salience.Weights
	form    memory.Form
	frames  []memory.Frame
	tags    []string // of the request

	look                       *frame.Cursor
	cards                      []*frame.Card // of the candidates, by their index
	ofKind                     [record.Policy + 1][]*frame.Card
	pinned, outcomes, relevant []bundle.Candidate
	tries                      []try
}

// Judging returns a gathering that judges cards of a state at a time, for a request with
// tags.
func Judging(core *board.Board, s board.State, now int64, tags []string) *Gathering {
	return &Gathering{core: core, s: s, now: now, tags: tags}
}

// try is an event among the outcomes of an object.
type try struct {
	object   int // which of the frames
	position uint64
}

// scan finds the candidates of the tiers that are wanted, and how much each of
// them matters.
func (g *Gathering) scan(ctx context.Context, o *bundle.Options) error {
	g.look = frame.Look(g.s.Reader, g.s.Tenant.Number)
	err := g.find(ctx, o)
	if err == nil {
		err = g.weigh()
	}
	return fault.First(err, g.look.Close())
}

// weigh sets the salience of the candidates. Their usage is looked up for all of them at
// once, since no scan depends on it.
func (g *Gathering) weigh() error {
	for _, k := range [...]record.Kind{record.Event, record.Memory, record.Policy} {
		if err := g.look.Count(k, g.ofKind[k]); err != nil {
			return err
		}
	}
	for _, list := range [...][]bundle.Candidate{g.pinned, g.outcomes, g.relevant} {
		for i := range list {
			list[i].Salience = g.salience(g.cards[list[i].Index])
		}
	}
	return nil
}

// salience returns how much a card matters. A record with less trust than a user never
// reaches the salience of pinned records: otherwise a writer that writes and rates much would
// crowd out the rules that it has to keep.
func (g *Gathering) salience(c *frame.Card) float64 {
	score := g.weights.Score(c.Factors(g.now))
	if c.Trust < record.User {
		return min(score, UnderPinned)
	}
	return score
}

// UnderPinned is the highest salience of a record with less trust than a user.
const UnderPinned = salience.PinnedFloor - 0.01

// find finds the candidates.
func (g *Gathering) find(ctx context.Context, o *bundle.Options) error {
	if len(g.frames) > 0 {
		g.relevant, g.cards = make([]bundle.Candidate, 0, 128), make([]*frame.Card, 0, 128)
	}
	if o.Includes(bundle.TierPinned) {
		for _, rank := range frame.Ranks() {
			if err := g.scanPinned(ctx, rank); err != nil {
				return err
			}
		}
	}
	for i, f := range g.frames {
		if o.Includes(bundle.TierOutcomes) {
			if err := g.scanOutcomes(ctx, i, f, o.OutcomeLimit); err != nil {
				return err
			}
		}
		if o.Includes(bundle.TierFrameRelevant) {
			for _, s := range [...]struct {
				class frame.Class
				most  int
			}{{frame.Memories, ScanRows}, {frame.EventMemories, ScanRows}, {frame.Events, frameEvents}} {
				if err := g.scanFrame(ctx, f, s.class, s.most); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// scanPinned finds what is pinned with a rank, newest first.
func (g *Gathering) scanPinned(ctx context.Context, rank frame.Rank) error {
	var failed error
	looked := 0
	err := g.look.Pinned(rank, func(c *frame.Card) bool {
		if g.told(c, &failed) {
			found := g.candidate(c)
			found.PinRank = int(rank)
			g.pinned = append(g.pinned, found)
		}
		looked++
		failed = fault.First(failed, ctx.Err())
		return looked < ScanRows && failed == nil
	})
	return fault.First(failed, err)
}

// scanFrame finds up to that many cards of a class in a frame, newest first.
func (g *Gathering) scanFrame(ctx context.Context, f memory.Frame, class frame.Class, most int) error {
	var failed error
	looked, kept := 0, 0
	err := g.look.Scan(f, class, func(c *frame.Card) bool {
		if g.told(c, &failed) {
			g.relevant = append(g.relevant, g.candidate(c))
			kept++
		}
		looked++
		failed = fault.First(failed, ctx.Err())
		return looked < ScanRows && kept < most && failed == nil
	})
	return fault.First(failed, err)
}

// scanOutcomes finds what was done to an object before, newest first: as many as
// the limit allows, and all that happened at the time of the last of them, among
// which the score decides.
func (g *Gathering) scanOutcomes(ctx context.Context, object int, f memory.Frame, limit int) error {
	var failed error
	var last int64
	looked, kept := 0, 0
	err := g.look.Outcomes(f.Verb, f.Ref, func(c *frame.Card) bool {
		if kept >= limit && c.Created != last {
			return false
		}
		if g.told(c, &failed) {
			found := g.candidate(c)
			if c.Kind == record.Event {
				found.Known = 0 // later events are rendered with it
				g.tries = append(g.tries, try{object, c.Position})
			}
			g.outcomes = append(g.outcomes, found)
			kept, last = kept+1, c.Created
		}
		looked++
		failed = fault.First(failed, ctx.Err())
		return looked < ScanRows && failed == nil
	})
	return fault.First(failed, err)
}

// told reports whether a card is visible to the caller: it may be shown, and is valid for
// them.
func (g *Gathering) told(c *frame.Card, failed *error) bool {
	if !g.Shows(c) {
		return false
	}
	outside, err := g.Outside(c)
	*failed = fault.First(*failed, err)
	return !outside && err == nil
}

// Shows reports whether a card may be shown to the caller: it is valid, has not expired, is
// meant for them, and their scope allows it. A hidden card has no effect.
func (g *Gathering) Shows(c *frame.Card) bool {
	switch agent := g.s.View.Agent; {
	case c.Expires <= g.now, g.now < c.ValidFrom, g.now >= c.ValidUntil:
		return false
	case agent != "" && c.Private && c.Actor != agent:
		return false
	case agent != "" && len(c.Agents) > 0 && !access.Addressed(c.Agents, agent):
		return false
	}
	return g.s.View.Scope == "" || access.Allows(g.s.View, access.CardSubject(c))
}

// candidate returns a card as a candidate, without its salience.
func (g *Gathering) candidate(c *frame.Card) bundle.Candidate {
	found := bundle.Candidate{Kind: c.Kind, ID: c.ID, Created: c.Created, Index: len(g.cards)}
	switch g.form {
	case memory.FormShort:
		found.Known = c.ShortTokens
	case memory.FormMedium:
		found.Known = c.MediumTokens
	}
	g.cards = append(g.cards, c)
	g.ofKind[c.Kind] = append(g.ofKind[c.Kind], c)
	return found
}

// Outside reports whether a card is of a memory that is not valid for the caller. An erased
// one counts as outside.
func (g *Gathering) Outside(c *frame.Card) (bool, error) {
	if !c.Scoped || c.Kind != record.Memory {
		return false, nil
	}
	body, err := g.core.BodyAt(g.s, c.Kind, c.Position)
	if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
		return code == fault.Erased, nil
	}
	return err == nil && !access.AppliesBody(g.s.View, body, g.s.Tenant.Name, g.tags, g.now), err
}
