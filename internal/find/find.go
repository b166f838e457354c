// Package find answers exactly: by predicates on things and events, by steps along what refers to
// what, and with the neighbourhood of a thing as a graph. What it looks at is bounded.
package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/weights"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/relevance"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/salience"
)

// FindOrder is by what hits are ordered.
type FindOrder string

// The orders.
const (
	BySalience  FindOrder = "salience"  // what matters most first
	ByTime      FindOrder = "time"      // the newest first
	ByRelevance FindOrder = "relevance" // what answers the text best first
)

// FindOrders lists the orders.
func FindOrders() []FindOrder { return []FindOrder{BySalience, ByTime, ByRelevance} }

// Direction is which way edges are followed.
type Direction string

// The directions.
const (
	Outward Direction = "out" // from where an edge begins to where it ends; the default
	Inward  Direction = "in"
	BothWay Direction = "both"
)

// Directions lists the directions.
func Directions() []Direction { return []Direction{Outward, Inward, BothWay} }

// Bounds of one find. Beyond them it is refused, and says what would narrow it.
const (
	DefaultFindLimit = 20
	MaxFindLimit     = 500
	// MaxFindHops is how far the steps go together.
	MaxFindHops = 6
	// maxLooked is how many things and events are looked at for the predicates,
	// and passing how many more times rows may be passed by that tell themselves
	// that they are not wanted.
	maxLooked = 20_000
	passing   = 10
	// maxNodes is how many things and events the steps may come by, and
	// maxEdges how many edges they may look at on the way.
	maxNodes = 10_000
	maxEdges = 40_000
)

// FindOptions says what is looked for. All predicates must hold; of a list, one
// of its items must. At least one predicate has to narrow what is looked at: one
// of Types, Tags, KeyPrefix, Agent, Session, Frame with its reference, After and
// Before for things; one of Session, Agent and such a Frame for events.
type FindOptions struct {
	Tenant string
	// Kinds are the kinds of what is looked for. None means what holds
	// knowledge: memories, entities, relations, conflicts, policies and
	// artifacts; with a Session, which those do not have, events and feedback.
	Kinds []record.Kind
	// Types are memory types, event types, kinds of edges and policies, types of
	// entities and artifacts, predicates of relations.
	Types []string
	Tags  []string
	// KeyPrefix is the whole segments that a key begins with: release is of
	// release and of release/cadence, not of releases.
	KeyPrefix string
	// Agent is whose event it is, who wrote a thing, or whom a thing is about.
	Agent   string
	Session string
	// After and Before are when a thing was created, or what an event has as its
	// timestamp: not before the one, and before the other.
	After, Before time.Time
	// Frame is verb:kind=ref, or verb:kind for any reference, which does not
	// narrow.
	Frame string
	// Status is the word that changes over the life of a thing: a goal's or an
	// artifact's status, a constraint's strength, an outcome. Artifacts that are not
	// active are found by it, or by a comparison of it, only.
	Status string
	// State is that of things. Empty means live ones; events are live.
	State catalog.State
	// HeldAt is when it must have been there and hold, by what is known of it in the
	// state. Zero means at the time of the view, for what is live.
	HeldAt time.Time
	// Where compares single fields.
	Where []Compare
	// Text is what is asked, in words. What has none of them is left out.
	Text string

	// Follow leads on from the first Seeds hits along the edges between things.
	Follow []Step
	// Seeds is from how many hits the steps begin. Zero means half of Limit,
	// rounded up. Hits beyond are not shown unless a step leads to them.
	Seeds int

	// Order is the order of hits that are equally far from the predicates, which
	// come first. Empty means relevance where there is a Text, else salience.
	Order FindOrder
	// Limit is how many hits there may be. Zero means [DefaultFindLimit], and
	// [MaxFindLimit] is the most.
	Limit int
	// BudgetTokens is how many tokens the texts of all hits may have. Zero means
	// no budget but that of the view's scope. It is never exceeded: the first
	// hit that does not fit ends the answer.
	BudgetTokens int
	// Form is how much of each hit is shown. Empty means medium.
	Form memory.Form
	// AsOf is the state that is looked through. Zero means the present.
	AsOf retrieval.AsOf
	View board.View
}

// Compare is a comparison of one field with a value. What does not have the
// field does not match, whatever the comparison.
//
// Fields are text, key, id, actor, type and status, which are texts; trust, by
// its tiers; importance and confidence, which are numbers; created and updated,
// which are times; metadata.<name>, and data.<name>: of a memory's data, an
// entity's attributes, an artifact's or an event's content, and of any other
// kind the body itself. What stands under a name decides how it is compared:
// numbers as numbers, times as times, texts byte by byte, of a list any item.
//
// Comparisons are = != < <= > >= and for texts contains, which does not mind
// case, and prefix.
type Compare struct {
	Field, Op, Value string
}

// Step leads from things to those that edges connect them with, and on from
// those up to a number of hops. Each step begins where the one before has led
// to.
type Step struct {
	Kinds     []memory.EdgeKind
	Direction Direction // empty means out
	Hops      int       // 1 to [MaxFindHops], all steps together
}

// Found is the answer to a find.
type Found struct {
	Hits []Hit
	// Scanned is how many things, events and edges were looked at; under a
	// scope, only those that were found.
	Scanned int
	// Matched is how many the predicates found, and Reached how many more the
	// steps.
	Matched, Reached int
	// Trimmed is how many hits within the limit were left out for the budget.
	Trimmed      int
	TotalTokens  int
	BudgetTokens int // that was kept to; zero for none
	Form         memory.Form
	Order        FindOrder
	Counter      string     // by which tokens are counted
	Root         board.Root // of the state that was looked at
}

// Hit is a thing or an event that was found.
type Hit struct {
	URI   memory.URI   // of a thing with its version
	Thing *board.Thing // nil for an event
	Event *board.StoredEvent
	// Score is the salience or, in the order of relevance, the relevance. Both are
	// from 0 to 1; the best of what the predicates found has a relevance of 1.
	Score   float64
	Factors salience.Factors
	Text    string
	Tokens  int
	// Hops is how far it is from what the predicates found, and Path leads from
	// there to it, both ends included.
	Hops int
	Path []memory.URI
}

// Find returns what the predicates hold for, and what the steps lead to from
// there. Hits are ordered by hops, then by the order asked for, then by URI, so
// that the same state has the same answer. It reads one state, writes nothing
// and counts nothing.
//
// Of a past state the answer is that of then, but for what was erased since, and
// for what the caller may not see now.
func Find(ctx context.Context, b *retrieval.Retriever, o FindOptions) (*Found, error) {
	q, err := o.compile()
	if err != nil {
		return nil, err
	}
	var found *Found
	err = b.Core().ReadAs(ctx, o.Tenant, o.View, func(st board.State) (err error) {
		m, letGo, err := b.At(ctx, st, o.AsOf)
		if err != nil {
			return err
		}
		defer letGo()
		s := &search{ctx: ctx, StateAt: m, q: q, view: st.View, used: make(map[record.Kind]bool)}
		if m.Tenant == nil { // before the first record
			found = &Found{
				Form: q.Form, Order: q.Order, Counter: b.Core().Tokens().Name(), Root: board.Root{Tenant: o.Tenant, Hash: merkle.EmptyRoot()}, BudgetTokens: s.budget(),
			}
			return nil
		}
		if err = s.begin(); err == nil {
			found, err = s.run()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// search is one find under way.
type search struct {
	retrieval.StateAt
	ctx     context.Context
	q       *query
	view    board.View // with its scope
	now     int64      // decides what has ended
	heldAt  int64      // decides what holds
	weights salience.Weights
	ranking *relevance.Ranking   // nil without a text
	used    map[record.Kind]bool // whether feedback drew on things of a kind
	scanned int
}

// State returns what is searched, and for whom.
func (s *search) State() board.State {
	return board.State{Reader: s.Reader, Tenant: s.Tenant, View: s.view}
}

// candidate is what is kept of a thing or an event while others are looked at.
// Heads and events are let go: there may be many, and they may be large.
type candidate struct {
	kind     record.Kind
	id       string
	name     string        // its URI as text
	thing    catalog.Thing // of a thing
	position uint64        // of an event
	time     int64         // by which it is ordered
	factors  salience.Factors
	text     int // its number in the ranking, or -1
	score    float64
	hops     int
	via      *candidate // one hop nearer
}

func (c *candidate) uri(tenant string) memory.URI {
	return memory.URI{Tenant: tenant, Kind: c.kind, ID: c.id}
}

// begin finds out who looks, and when.
func (s *search) begin() (err error) {
	s.now = access.NowOf(s.view, s.Tenant)
	s.heldAt = s.now
	if !s.q.HeldAt.IsZero() {
		s.heldAt = index.Nanos(s.q.HeldAt)
	}
	if s.q.Text != "" {
		s.ranking = relevance.Rank(s.q.Text)
	}
	s.weights, _, err = weights.For(s.Reader, s.Tenant.Number, s.view.Agent)
	return err
}

// run finds, follows, orders and shows.
func (s *search) run() (*Found, error) {
	matched, err := s.match()
	if err != nil {
		return nil, err
	}
	for _, c := range matched {
		if c.text >= 0 {
			c.factors.Similarity, c.factors.Similar = s.ranking.Score(c.text), true
		}
		s.rate(c)
	}
	s.sort(matched)
	found := &Found{
		Matched: len(matched), Form: s.q.Form, Order: s.q.Order, Counter: s.From.Core().Tokens().Name(), Root: board.RootOf(s.Tenant), BudgetTokens: s.budget(),
	}
	hits := matched
	if len(s.q.Follow) > 0 {
		hits = matched[:min(len(matched), s.q.Seeds)]
		reached, err := s.follow(hits)
		if err != nil {
			return nil, err
		}
		s.sort(reached)
		found.Reached = len(reached)
		hits = slices.Concat(hits, reached)
	}
	if found.Scanned = s.scanned; s.view.Scope != "" {
		found.Scanned = found.Matched + found.Reached // what is hidden is not counted either
	}
	return found, s.show(hits, found)
}

// budget returns the tokens that may be spent: the least of what was asked for
// and what the scope allows.
func (s *search) budget() int {
	asked, most := s.q.BudgetTokens, access.Of(s.view).Budget()
	if asked == 0 || most > 0 && most < asked {
		return most
	}
	return asked
}

// usage gives a candidate the factors that others' use of it decides.
func (s *search) usage(c *candidate, d index.Digest) error {
	any, asked := s.used[c.kind]
	if !asked {
		var err error
		if any, err = frame.Used(s.Reader, s.Tenant.Number, c.kind); err != nil {
			return err
		}
		s.used[c.kind] = any
	}
	if !any {
		return nil // most kinds are never drawn on
	}
	uses, wins, losses, err := frame.Usage(s.Reader, s.Tenant.Number, c.kind, d)
	c.factors.Access, c.factors.Citations = salience.Access(uses), salience.Citations(wins, losses)
	return err
}

// rate gives a candidate its score.
func (s *search) rate(c *candidate) {
	if s.q.Order == ByRelevance {
		c.score = c.factors.Similarity
		return
	}
	c.score = s.weights.Score(c.factors)
}

// sort puts candidates in their order.
func (s *search) sort(list []*candidate) {
	slices.SortFunc(list, func(a, b *candidate) int {
		if c := cmp.Compare(a.hops, b.hops); c != 0 {
			return c
		}
		c := cmp.Compare(b.score, a.score)
		if s.q.Order == ByTime {
			c = cmp.Compare(b.time, a.time)
		}
		return cmp.Or(c, strings.Compare(a.name, b.name))
	})
}

// show reads the first candidates again and puts them into the answer, as long as
// limit and budget last.
func (s *search) show(list []*candidate, found *Found) error {
	left := min(len(list), s.q.Limit)
	for _, c := range list {
		if left == 0 {
			return nil
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		hit, err := s.hit(c)
		if fault.CodeOf(err) == fault.Erased {
			continue // since the snapshot was taken
		}
		if err != nil {
			return err
		}
		hit.Tokens = s.From.Core().Tokens().Count(hit.Text)
		if found.BudgetTokens > 0 && found.TotalTokens+hit.Tokens > found.BudgetTokens {
			found.Trimmed = left
			return nil
		}
		found.TotalTokens += hit.Tokens
		found.Hits = append(found.Hits, *hit)
		left--
	}
	return nil
}

// hit reads what a candidate stands for.
func (s *search) hit(c *candidate) (*Hit, error) {
	hit := &Hit{URI: c.uri(s.Tenant.Name), Score: c.score, Factors: c.factors, Hops: c.hops}
	if c.via != nil {
		for at := c; at != nil; at = at.via {
			hit.Path = append(hit.Path, at.uri(s.Tenant.Name))
		}
		slices.Reverse(hit.Path)
	}
	var err error
	if c.kind == record.Event {
		if err = s.stays(c.position); err != nil {
			return nil, err
		}
		if hit.Event, err = s.From.Core().EventAt(s.State(), c.position); err == nil {
			hit.Text = retrieval.RenderEvent(hit.Event.Event, s.q.Form, s.From.Core().Tokens())
		}
		return hit, err
	}
	h, _, err := catalog.HeadOf(s.Reader, s.Tenant.Number, c.kind, c.thing)
	if err == nil {
		err = s.stays(h.Position)
	}
	if err != nil {
		return nil, err
	}
	if hit.Thing, err = s.From.Core().ThingIn(s.State(), h, 0); err == nil {
		hit.URI, hit.Text = hit.Thing.URI, retrieval.RenderBody(hit.Thing.Body, s.q.Form, s.From.Core().Tokens())
	}
	return hit, err
}

// stays is an error for what is in a past state and was erased since.
func (s *search) stays(position uint64) error {
	if s.Since == nil {
		return nil
	}
	since, err := s.Since(position)
	if err == nil && since != board.OnRecord {
		err = fault.Newf(fault.Erased, "position %d was erased", position)
	}
	return err
}
