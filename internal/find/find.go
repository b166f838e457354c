// Package find runs exact queries: predicates on versioned records and events, steps
// along their references, and the neighbourhood of a record as a graph. The work of
// a query is limited.
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

// FindOrder is the order of hits.
type FindOrder string

// The orders.
const (
	BySalience  FindOrder = "salience"  // most important first
	ByTime      FindOrder = "time"      // newest first
	ByRelevance FindOrder = "relevance" // best match of the text first
)

// FindOrders lists the orders.
func FindOrders() []FindOrder { return []FindOrder{BySalience, ByTime, ByRelevance} }

// Direction is the direction in which edges are followed.
type Direction string

// The directions.
const (
	Outward Direction = "out" // from the start of an edge to its end; the default
	Inward  Direction = "in"
	BothWay Direction = "both"
)

// Directions lists the directions.
func Directions() []Direction { return []Direction{Outward, Inward, BothWay} }

// Limits of one find. Beyond them it is refused, with advice what would narrow it.
const (
	DefaultFindLimit = 20
	MaxFindLimit     = 500
	// MaxFindHops is the maximum number of hops of all steps together.
	MaxFindHops = 6
	// maxLooked is how many records and events are read for the predicates. Rows
	// that show by themselves that they do not match may be skipped, passing times
	// as many.
	maxLooked = 20_000
	passing   = 10
	// maxNodes is how many records and events the steps may visit, and maxEdges how
	// many edges they may read.
	maxNodes = 10_000
	maxEdges = 40_000
)

// FindOptions is a query. All predicates must hold; of a list, one of its items
// must. At least one predicate must narrow the search: one of Types, Tags,
// KeyPrefix, Agent, Session, Frame with a reference, After and Before for versioned
// records; one of Session, Agent and such a Frame for events.
type FindOptions struct {
	Tenant string
	// Kinds are the kinds to find. None means those that hold knowledge: memories,
	// entities, relations, conflicts, policies and artifacts; with a Session, which
	// those do not have, events and feedback.
	Kinds []record.Kind
	// Types are memory types, event types, kinds of edges and policies, types of
	// entities and artifacts, and predicates of relations.
	Types []string
	Tags  []string
	// KeyPrefix is the leading whole segments of a key: release matches release and
	// release/cadence, not releases.
	KeyPrefix string
	// Agent is the agent of an event, the writer of a record, or the agent that a
	// record is about.
	Agent   string
	Session string
	// After and Before limit the creation time of a record, or the timestamp of an
	// event: After is inclusive, Before exclusive.
	After, Before time.Time
	// Frame is verb:kind=ref, or verb:kind for any reference, which does not narrow.
	Frame string
	// Status is the field that changes over the life of a record: a goal's or an
	// artifact's status, a constraint's strength, an outcome. Only it, or a
	// comparison of it, finds inactive artifacts.
	Status string
	// State is the state of versioned records. Empty means live; events are live.
	State catalog.State
	// HeldAt is a time at which the record must have existed and been valid, by what
	// the state knows. Zero means the time of the view, for live records.
	HeldAt time.Time
	// Where compares single fields.
	Where []Compare
	// Text is a question in words. Documents with none of its words are left out.
	Text string

	// Follow continues from the first Seeds hits along edges.
	Follow []Step
	// Seeds is how many hits the steps start from. Zero means half of Limit, rounded
	// up. Other hits are shown only if a step leads to them.
	Seeds int

	// Order is the order of hits with equally many hops; the hits of the predicates
	// come first. Empty means relevance if there is a Text, else salience.
	Order FindOrder
	// Limit is the maximum number of hits. Zero means [DefaultFindLimit];
	// [MaxFindLimit] is the maximum.
	Limit int
	// BudgetTokens is the maximum number of tokens of all hits together. Zero means
	// no budget except that of the view's scope. It is never exceeded: the first hit
	// that does not fit ends the answer.
	BudgetTokens int
	// Form is how much of each hit is shown. Empty means medium.
	Form memory.Form
	// AsOf is the state to search. Zero means the present.
	AsOf retrieval.AsOf
	View board.View
}

// Compare compares one field with a value. A record without the field never matches.
//
// Fields are text, key, id, actor, type and status, which are texts; trust, by its
// tiers; importance and confidence, which are numbers; created and updated, which
// are times; metadata.<name>, and data.<name>: of a memory's data, an entity's
// attributes, an artifact's or an event's content, and for any other kind of the
// body itself. The value of a name decides how it is compared: numbers as numbers,
// times as times, texts byte by byte, lists by any item.
//
// Comparisons are = != < <= > >= and for texts contains, which ignores case, and
// prefix.
type Compare struct {
	Field, Op, Value string
}

// Step leads from records along edges to others, up to a number of hops. Each step
// starts where the previous one ended.
type Step struct {
	Kinds     []memory.EdgeKind
	Direction Direction // empty means out
	Hops      int       // 1 to [MaxFindHops], all steps together
}

// Found is the answer to a find.
type Found struct {
	Hits []Hit
	// Scanned is how many records, events and edges were read; under a scope, only
	// those that were found.
	Scanned int
	// Matched is how many hits the predicates found, and Reached how many more the
	// steps did.
	Matched, Reached int
	// Trimmed is how many hits within the limit were left out for the budget.
	Trimmed      int
	TotalTokens  int
	BudgetTokens int // the limit that was applied; zero for none
	Form         memory.Form
	Order        FindOrder
	Counter      string     // the counter of the tokens
	Root         board.Root // of the state that was searched
}

// Hit is a versioned record or an event that was found.
type Hit struct {
	URI   memory.URI   // of a versioned record, with its version
	Thing *board.Thing // nil for an event
	Event *board.StoredEvent
	// Score is the salience or, in the order of relevance, the relevance. Both are
	// from 0 to 1; the best hit of the predicates has a relevance of 1.
	Score   float64
	Factors salience.Factors
	Text    string
	Tokens  int
	// Hops is the distance from the hits of the predicates, and Path leads from
	// there to this hit, both ends included.
	Hops int
	Path []memory.URI
}

// Find returns the records that match the predicates, and those that the steps lead
// to. Hits are ordered by hops, then by the requested order, then by URI, so that
// the same state has the same answer. It reads one state, writes nothing and counts
// nothing.
//
// For a past state the answer is that of then, except for what was erased since and
// what the caller may not see now.
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
		s := &search{StateAt: m, q: q, view: o.AsOf.View(st.View), used: make(map[record.Kind]bool)}
		if m.Tenant == nil { // before the first record
			found = &Found{
				Form: q.Form, Order: q.Order, Counter: b.Core().Tokens().Name(), Root: board.Root{Tenant: o.Tenant, Hash: merkle.EmptyRoot()}, BudgetTokens: s.budget(),
			}
			return nil
		}
		if err = s.begin(); err == nil {
			found, err = s.run(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// search is one running find.
type search struct {
	retrieval.StateAt
	q       *query
	view    board.View // with its scope
	now     int64      // decides what has expired
	heldAt  int64      // decides what is valid
	weights salience.Weights
	ranking *relevance.Ranking   // nil without a text
	used    map[record.Kind]bool // whether feedback used records of a kind
	scanned int
}

// State returns the state and the view of the search.
func (s *search) State() board.State {
	return board.State{Reader: s.Reader, Tenant: s.Tenant, View: s.view}
}

// candidate is what is kept of a record or an event while others are read. Heads and
// events are dropped: they may be many and large.
type candidate struct {
	kind     record.Kind
	id       string
	name     string        // its URI as text
	thing    catalog.Thing // of a versioned record
	position uint64        // of an event
	time     int64         // the time it is ordered by
	factors  salience.Factors
	text     int // its number in the ranking, or -1
	score    float64
	hops     int
	via      *candidate // the candidate one hop nearer
}

func (c *candidate) uri(tenant string) memory.URI {
	return memory.URI{Tenant: tenant, Kind: c.kind, ID: c.id}
}

// begin determines the view and the time.
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
func (s *search) run(ctx context.Context) (*Found, error) {
	matched, err := s.match(ctx)
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
		reached, err := s.follow(ctx, hits)
		if err != nil {
			return nil, err
		}
		s.sort(reached)
		found.Reached = len(reached)
		hits = slices.Concat(hits, reached)
	}
	if found.Scanned = s.scanned; s.view.Scope != "" {
		found.Scanned = found.Matched + found.Reached // hidden ones are not counted either
	}
	return found, s.show(ctx, hits, found)
}

// budget returns the token limit: the lower of the requested one and that of the
// scope.
func (s *search) budget() int {
	asked, most := s.q.BudgetTokens, access.Of(s.view).Budget()
	if asked == 0 || most > 0 && most < asked {
		return most
	}
	return asked
}

// usage sets the factors of a candidate that depend on its use.
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
		return nil // most kinds are never used
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

// sort sorts candidates.
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
func (s *search) show(ctx context.Context, list []*candidate, found *Found) error {
	left := min(len(list), s.q.Limit)
	for _, c := range list {
		if left == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		hit, err := s.hit(c)
		if fault.CodeOf(err) == fault.Erased {
			continue // erased since the snapshot was taken
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

// hit reads the record of a candidate.
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

// stays returns an error for a record of a past state that was erased since.
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
