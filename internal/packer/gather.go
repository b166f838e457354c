package packer

import (
	"cmp"
	"context"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/coldstart"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
)

// Limits of what is gathered besides the search hits.
const (
	pinsOfRank    = 64  // that are always included
	askedNames    = 8   // names in the question
	graphThings   = 16  // records that the names lead to
	conflictsSeen = 512 // the newest
)

const (
	// ruleRelevance is the minimum relevance of a rule that is not hard.
	ruleRelevance = 0.2
	// graphRelevance is the relevance of entities that the question names, and of
	// their relations, if the search did not find them: times their confidence.
	graphRelevance = 0.4
)

// gather finds the candidates: what the search found, what is always told, what the
// question names, and what contradicts itself among all that.
func (p *Assembly) gather(ctx context.Context) error {
	pins, err := p.pins()
	if err != nil {
		return err
	}
	began := p.packer.ticks()
	answer, degraded, err := p.Answer(ctx)
	if err != nil {
		return err
	}
	p.searched += p.packer.ticks().Sub(began)
	p.degraded, p.class, p.Found, p.more = append(p.degraded, degraded...), answer.Class, answer.Hits, answer.More
	p.list, p.seen = make([]pack.Candidate, 0, len(answer.Hits)+len(pins)+graphThings), make([]excerpt.Item, 0, len(answer.Hits)+len(pins)+graphThings)
	best := 0.0
	if len(answer.Hits) > 0 {
		best = answer.Hits[0].Score
	}
	if err := p.addHits(ctx, answer.Hits, pins, best); err != nil {
		return err
	}
	began = p.packer.ticks()
	if err := p.addThings(ctx, answer, pins, best); err != nil {
		return err
	}
	p.searched += p.packer.ticks().Sub(began)
	for _, position := range pins {
		if err := p.addThing(ctx, position, finding{pinned: true}); err != nil {
			return err
		}
	}
	if err := p.addNamed(ctx, answer.Class.Entities); err != nil {
		return err
	}
	if err := p.addConflicts(ctx); err != nil {
		return err
	}
	return p.addRules(ctx)
}

// pins returns the positions of what is always included, in order.
func (p *Assembly) pins() (list []uint64, err error) {
	g := coldstart.Judging(p.From.Core(), board.State{Reader: p.Reader, Tenant: p.Tenant, View: p.View}, p.Now, p.Request.Tags)
	look := frame.Look(p.Reader, p.Tenant.Number)
	for _, rank := range frame.Ranks() {
		looked, kept := 0, 0
		var failed error
		walked := look.Pinned(rank, func(c *frame.Card) bool {
			if g.Shows(c) && (p.Shown == nil || p.Shown.Has(c.Position)) {
				var outside bool
				if outside, failed = g.Outside(c); !outside && failed == nil {
					list = append(list, c.Position)
					kept++
				}
			}
			looked++
			return failed == nil && looked < excerpt.MaxWalked && kept < toldOf(rank)
		})
		err = fault.First(fault.First(err, failed), walked)
	}
	return list, fault.First(err, look.Close())
}

// toldOf returns how many pinned records of a rank are always included: for rules, as
// many as a pack can hold.
func toldOf(rank frame.Rank) int {
	if rank == frame.RankConstraint {
		return hmx.MaxPackEntries
	}
	return pinsOfRank
}

// finding is why a record is a candidate.
type finding struct {
	relevance float64
	salience  float64
	weighed   bool // the salience is known
	pinned    bool
}

// addHits makes candidates of what a search found. Best is the score of the best of all.
func (p *Assembly) addHits(ctx context.Context, hits []recall.Hit, pins []uint64, best float64) error {
	if len(hits) == 0 {
		return nil
	}
	var things []int
	for i := range hits {
		if hits[i].Row.Kind != record.Event {
			things = append(things, i)
		}
	}
	known := make([]excerpt.Item, len(hits))
	if err := p.Parallel(ctx, len(things), func(k int) (err error) {
		known[things[k]], err = p.ItemAt(hits[things[k]].Position)
		return err
	}); err != nil {
		return err
	}
	place := make([]int, len(hits)) // index of a hit in the list, plus one
	for i := range hits {
		h := &hits[i]
		if at, there := p.at[h.Position]; there {
			place[i] = at + 1
			continue
		}
		x := finding{salience: h.Salience(), weighed: true, pinned: slices.Contains(pins, h.Position)}
		if best > 0 {
			x.relevance = min(h.Score/best, 1)
		}
		before := len(p.list)
		if h.Row.Kind == record.Event {
			if err := p.addEvent(h.Position, &h.Row, x); err != nil {
				return err
			}
		} else if err := p.addKnown(ctx, h.Position, &h.Row, known[i], x); err != nil {
			return err
		}
		if len(p.list) > before {
			place[i] = len(p.list)
			if h.Duplicate {
				p.list[before].SameAs = place[h.Of]
			}
		}
	}
	return nil
}

// candidate fills in what all candidates have.
func (p *Assembly) candidate(position uint64, row *roster.Row, where excerpt.Place, x finding) pack.Candidate {
	c := pack.Candidate{
		Kind: row.Kind, Position: position, Section: where.Section, Source: where.Source, Time: row.Time, Trust: row.Trust,
		Relevance: x.relevance, Confidence: 1, Salience: row.Importance, Pinned: x.pinned, Known: max(row.Pieces, 1), Index: len(p.list),
	}
	if x.weighed {
		c.Salience = x.salience
	}
	if c.Trust < record.User {
		c.Salience = min(c.Salience, coldstart.UnderPinned)
	}
	if row.Session != (index.Digest{}) {
		c.Session = string(row.Session[:])
	}
	return c
}

// put appends a candidate.
func (p *Assembly) put(c pack.Candidate, x excerpt.Item) {
	p.at[c.Position] = len(p.list)
	p.list, p.seen = append(p.list, c), append(p.seen, x)
}

// addEvent makes a candidate of an event, if its section is requested.
func (p *Assembly) addEvent(position uint64, row *roster.Row, x finding) error {
	where := excerpt.EventPlace(row.Class)
	if !p.Request.Includes(where.Section) {
		return nil
	}
	c := p.candidate(position, row, where, x)
	c.Class = excerpt.EventType(row.Class)
	if row.Closer {
		rec, err := p.Record(position)
		if err != nil {
			return p.Passed(err)
		}
		if rec == nil || rec.Event == nil {
			return nil
		}
		if end, ok := index.EndOfLife(rec.Header.Time, rec.Event); ok && end <= p.Now {
			c.Deprecated = "its time to live is over"
		}
	}
	p.put(c, excerpt.Item{})
	return nil
}

// addThing makes a candidate of the thing at a position, unless it is one.
func (p *Assembly) addThing(ctx context.Context, position uint64, x finding) error {
	if _, there := p.at[position]; there {
		return nil
	}
	row, ok, err := p.Rows.Row(position)
	if err != nil || !ok {
		return err
	}
	known, err := p.ItemAt(position)
	if err != nil {
		return err
	}
	return p.addKnown(ctx, position, &row, known, x)
}

// addKnown makes a candidate of a thing, if it belongs into a pack for the caller
// and its section is wanted. What is a rule is one all the same.
func (p *Assembly) addKnown(ctx context.Context, position uint64, row *roster.Row, known excerpt.Item, x finding) error {
	h := known.Head
	if h == nil || h.State != catalog.Live {
		return nil
	}
	if shown, err := p.Shows(h); err != nil || !shown {
		return err
	}
	where, err := p.PlaceOf(ctx, h, known.Body)
	if err != nil {
		return err
	}
	if where == (excerpt.Place{}) || h.Kind == record.Artifact && h.Status == string(hmx.StatusDraft) {
		return nil
	}
	if !p.Applies(known.Body) {
		return nil // it holds elsewhere
	}
	rule := h.Kind == record.Policy || where.Section == hmx.SectionConstraints && h.Kind == record.Memory
	if rule && !x.pinned && x.relevance < ruleRelevance {
		return nil
	}
	if policy, ok := known.Body.(*memory.Policy); ok && p.View.Agent != "" && len(policy.Scope.Agents) > 0 && !access.Addressed(policy.Scope.Agents, p.View.Agent) {
		return nil // it is for others
	}
	c := p.candidate(position, row, where, x)
	c.Thing, c.Class, c.Confidence, c.Deprecated = h.ID, h.Class, h.Confidence, p.WhyOver(h)
	if schema := h.Kind == record.Artifact && h.Class == string(hmx.TypeTaskSchema); c.Deprecated == "" && (rule || schema) {
		switch erased, err := p.DerivedFromErased(known.Body); {
		case err != nil:
			return err
		case erased: // it is left out in both forms
		case schema:
			p.schemas[h.ID] = max(p.schemas[h.ID], c.Relevance)
		default:
			p.ruleOf(&c, known)
		}
	}
	if p.Request.Includes(where.Section) {
		p.put(c, known)
	}
	return nil
}

// addNamed makes candidates of the entities that the question names, and of what
// relates them to others. Where not all is shown nobody is asked for names, as in a
// search, nor where only what has a tag is wanted, which relations have not.
func (p *Assembly) addNamed(ctx context.Context, names []string) error {
	if p.Shown != nil || access.Of(p.View) != nil || len(p.Options.Tags) > 0 {
		return nil
	}
	var things []*catalog.Head
	for _, name := range names[:min(len(names), askedNames)] {
		list, err := p.Heads(ctx, record.Entity, 0, func(visit func(catalog.Thing) bool) error {
			return catalog.Named(p.Reader, p.Tenant.Number, record.Entity, name, visit)
		}, graphThings-len(things))
		if err != nil {
			return err
		}
		for _, h := range list {
			related, err := p.Heads(ctx, record.Relation, 0, func(visit func(catalog.Thing) bool) error {
				uri := memory.URI{Tenant: p.Tenant.Name, Kind: record.Entity, ID: h.ID}
				return catalog.ReferrersOf(p.Reader, p.Tenant.Number, uri.String(), record.Relation, func(r catalog.Referrer) bool { return visit(r.Thing) })
			}, graphThings-len(things))
			if err != nil {
				return err
			}
			things = append(append(things, h), related...)
		}
	}
	for _, h := range things[:min(len(things), graphThings)] {
		if p.WhyOver(h) != "" {
			continue
		}
		if err := p.addThing(ctx, h.Position, finding{relevance: graphRelevance * h.Confidence}); err != nil {
			return err
		}
	}
	return nil
}

// addConflicts says which candidates contradict each other, and makes candidates of
// the open conflicts between them.
func (p *Assembly) addConflicts(ctx context.Context) error {
	list, err := p.Heads(ctx, record.Conflict, 0, func(visit func(catalog.Thing) bool) error {
		return catalog.List(p.Reader, p.Tenant.Number, catalog.All(record.Conflict, catalog.Live), nil, func(_ []byte, d catalog.Thing) bool { return visit(d) })
	}, conflictsSeen)
	if err != nil || len(list) == 0 {
		return err
	}
	things := make(map[string]int, len(p.list))
	for i := range p.list {
		if c := &p.list[i]; c.Kind != record.Event {
			things[memory.URI{Tenant: p.Tenant.Name, Kind: c.Kind, ID: c.Thing}.String()] = i
		}
	}
	for _, h := range list {
		if err := p.addConflict(ctx, h, things); err != nil {
			return err
		}
	}
	return nil
}

func (p *Assembly) addConflict(ctx context.Context, h *catalog.Head, things map[string]int) error {
	c := pack.Conflict{ID: h.ID, Trust: h.Trust}
	for _, link := range h.Links {
		i, ok := things[link.To]
		if !ok {
			var err error
			if i, ok, err = p.eventIn(link.To); err != nil {
				return err
			}
		}
		switch {
		case !ok:
		case link.Rel == "winner":
			c.Winner = i + 1
		case link.Rel == "between":
			c.Between = append(c.Between, i)
		}
	}
	open := h.Status == string(memory.ConflictOpen)
	if len(c.Between) < 2 {
		return nil
	}
	if open || c.Winner > 0 {
		p.conflict = append(p.conflict, c)
	}
	if !open || len(p.Options.Tags) > 0 {
		return nil
	}
	// It matters as much as the second most relevant of its sides.
	relevant := make([]float64, len(c.Between))
	for k, i := range c.Between {
		relevant[k] = p.list[i].Relevance
	}
	slices.SortFunc(relevant, func(a, b float64) int { return cmp.Compare(b, a) })
	return p.addThing(ctx, h.Position, finding{relevance: relevant[1]})
}

// eventIn returns the index of the event of a URI in the list.
func (p *Assembly) eventIn(uri string) (int, bool, error) {
	u, err := memory.ParseURI(uri)
	if err != nil || u.Kind != record.Event {
		return 0, false, nil
	}
	id := record.ID(p.Tenant.Name, record.Event, u.ID)
	position, ok, err := ledger.Find(p.Reader, p.Tenant.Number, &id)
	if err != nil || !ok {
		return 0, false, err
	}
	i, ok := p.at[position]
	return i, ok, nil
}
