// Package bundle composes what an agent receives when it starts: candidates of three tiers, by
// salience, cut to a budget of tokens, and links to the rest.
//
// # What is guaranteed
//
//   - Purity: no clock, no randomness, no I/O except the caller's render. The same
//     candidates, in any order, give the same bundle.
//   - A record is in one tier: pinned before outcomes before frame-relevant.
//   - Pinned candidates score [salience.PinnedFloor] at least.
//   - The rendered entries fit the budget, except that one entry is always kept,
//     whatever its size. No dropped candidate ranks before a kept one.
//   - Dropped candidates are counted, and the best of them are linked.
//
// # What is not
//
// Nothing is filtered here: forgotten, expired, hidden or out-of-scope records must not be
// among the candidates. The caller supplies texts and their token counts.
package bundle

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// Entry is one entry of a bundle: a memory, a policy or an event.
type Entry struct {
	URI     memory.URI // without a version
	ID      string
	Kind    record.Kind
	Type    string // a memory's type, a policy's kind, an event's type
	Key     string
	Status  string // a goal's status, a constraint's strength, an event's outcome …
	Version uint32 // 0 for an event
	Trust   record.Trust
	Actor   string // its writer
	Agent   string // the agent of an event
	Session string // of an event
	Tags    []string
	Created time.Time
	Updated time.Time

	// Name is its key in the maps of the bundle: its id, or the text of its URI if two records
	// share an id.
	Name string
	// Text is the record in the form of the bundle, Tokens its count and Score its salience
	// here. The maps have the same under its name.
	Text   string
	Tokens int
	Score  float32
}

// Candidate is a record that the scan of a tier found, with what decides whether it is kept.
type Candidate struct {
	Kind    record.Kind
	ID      string
	Created int64 // nanoseconds since 1970
	// Salience is from 0 to 1, without the floor.
	Salience float64
	// PinRank breaks ties of score among pinned candidates: 0 comes first.
	PinRank int
	// Known is the token count in the form of the bundle if it is known before rendering, and
	// otherwise 0.
	Known int
	// Index is for the caller's use; Compose ignores it.
	Index int
}

// Ranks of pinned candidates: identities, then constraints, then goals.
const (
	RankIdentity = iota
	RankConstraint
	RankGoal
)

// Bundle is what an agent receives when it starts. Its slices and maps belong to the caller.
type Bundle struct {
	Pinned        []*Entry // by score
	FrameRelevant []*Entry // by score
	Outcomes      []*Entry // newest first, then by score

	// Rendered, Tokens and Scores are keyed by [Entry.Name]. Rendered has the kept entries.
	// Scores also has those of ReachableURIs, and Tokens those of them whose count was known
	// before the budget was spent.
	Rendered map[string]string
	Tokens   map[string]int
	Scores   map[string]float32

	ReachableURIs []memory.URI // the best dropped candidates, best first
	TotalTokens   int          // of the kept entries
	Trimmed       int          // how many were dropped
	LatencyMS     int64        // set by the caller of Compose
	Form          memory.Form

	Budget int // the effective budget
	Tenant string
	// Counter is the token counter, Size and Root identify the state that was read. The caller
	// of Compose sets them.
	Counter string
	Size    uint64
	Root    merkle.Hash
}

// Render makes the entry of a candidate that is about to be kept, with its text in the form of
// the bundle and its count; Compose fills in name and score. [ErrGone] leaves the candidate
// out, as if it had not been found.
type Render func(c *Candidate, in Tier, e *Entry) error

// ErrGone is what a render returns for a record that was removed meanwhile.
var ErrGone = errors.New("bundle: it is not there any more")

// placed is a candidate with its tier and its score there, and its entry once it is kept.
type placed struct {
	*Candidate
	tier  Tier
	score float64
	entry *Entry
}

// entriesAtOnce is how many entries are allocated at a time.
const entriesAtOnce = 16

// Compose makes a bundle of the candidates of the three tiers, which belong to one tenant and
// which Compose may change. It renders them in the order in which they are kept, until one does
// not fit.
func Compose(tenant string, pinned, outcomes, frames []Candidate, o Options, render Render) (*Bundle, error) {
	o, err := o.Normalize()
	if err != nil {
		return nil, err
	}
	all, clash := place(pinned, outcomes, frames, &o)
	queue := newQueue(all)
	b := &Bundle{Form: o.Form, Budget: o.BudgetTokens, Tenant: tenant}
	kept := make([]placed, 0, min(len(queue), 64))
	var room []Entry
	for len(queue) > 0 {
		p := &queue[0]
		tokens := p.Known
		var e *Entry
		if len(kept) == 0 || tokens == 0 || b.TotalTokens+tokens <= o.BudgetTokens {
			if len(room) == 0 {
				room = make([]Entry, min(len(queue), entriesAtOnce))
			}
			e = &room[0]
			*e = Entry{URI: memory.URI{Tenant: tenant, Kind: p.Kind, ID: p.ID}, ID: p.ID, Kind: p.Kind}
			if err = render(p.Candidate, p.tier, e); errors.Is(err, ErrGone) {
				queue.pop()
				continue
			} else if err != nil {
				return nil, err
			}
			tokens = e.Tokens
		}
		if len(kept) > 0 && b.TotalTokens+tokens > o.BudgetTokens {
			p.Known = tokens
			break
		}
		b.TotalTokens += tokens
		p.entry, room = e, room[1:]
		kept = append(kept, queue.pop())
	}
	b.Trimmed = len(queue)
	dropped := make([]placed, 0, min(len(queue), MaxReachableURIs))
	for len(queue) > 0 && len(dropped) < MaxReachableURIs {
		dropped = append(dropped, queue.pop())
	}
	b.fill(kept, dropped, clash)
	return b, nil
}

// place gives every candidate one tier and its score there. It also reports whether records of
// different kinds share an id.
func place(pinned, outcomes, frames []Candidate, o *Options) (all []placed, clash bool) {
	all = make([]placed, 0, len(pinned)+min(len(outcomes), o.OutcomeLimit)+len(frames))
	seen := make(map[string]uint32, cap(all)) // the kinds that share an id
	add := func(c *Candidate, tier Tier, floor float64) {
		kinds, own := seen[c.ID], uint32(1)<<c.Kind
		if kinds&own == 0 {
			clash = clash || kinds != 0
			seen[c.ID] = kinds | own
			all = append(all, placed{c, tier, max(c.score(), floor), nil})
		}
	}
	if o.Includes(TierPinned) {
		for i := range pinned {
			add(&pinned[i], TierPinned, salience.PinnedFloor)
		}
	}
	if o.Includes(TierOutcomes) {
		slices.SortFunc(outcomes, func(a, b Candidate) int { return byTime(&a, &b) })
		// What the limit cuts off may still be in the tier below.
		most := len(all) + o.OutcomeLimit
		for i := 0; i < len(outcomes) && len(all) < most; i++ {
			add(&outcomes[i], TierOutcomes, 0)
		}
	}
	if o.Includes(TierFrameRelevant) {
		for i := range frames {
			add(&frames[i], TierFrameRelevant, 0)
		}
	}
	return all, clash
}

// score is the candidate's salience, clamped.
func (c *Candidate) score() float64 {
	if !(c.Salience > 0) { // also if NaN
		return 0
	}
	return min(c.Salience, 1)
}

// byTime is the order of outcomes.
func byTime(a, b *Candidate) int {
	if c := cmp.Compare(b.Created, a.Created); c != 0 {
		return c
	}
	if c := cmp.Compare(b.score(), a.score()); c != 0 {
		return c
	}
	return byID(a, b)
}

// byID breaks the remaining ties.
func byID(a, b *Candidate) int {
	if c := cmp.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// byScore is the order in which candidates are kept: by score, pinned first, by rank among
// these, newest first.
func byScore(a, b *placed) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if a.tier != b.tier && (a.tier == TierPinned || b.tier == TierPinned) {
		if a.tier == TierPinned {
			return -1
		}
		return 1
	}
	if a.tier == TierPinned {
		if c := cmp.Compare(a.PinRank, b.PinRank); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(b.Created, a.Created); c != 0 {
		return c
	}
	return byID(a.Candidate, b.Candidate)
}

// queue returns its items in the order byScore. Few of many are needed, so it is a heap and not
// a sorted list.
type queue []placed

func newQueue(all []placed) queue {
	q := queue(all)
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
	return q
}

// pop removes the first.
func (q *queue) pop() placed {
	old := *q
	first, last := old[0], len(old)-1
	old[0] = old[last]
	*q = old[:last]
	q.sink(0)
	return first
}

func (q queue) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if right := child + 1; right < len(q) && byScore(&q[right], &q[child]) < 0 {
			child = right
		}
		if byScore(&q[i], &q[child]) <= 0 {
			return
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

// fill puts the kept candidates into their tiers, and fills the maps and counts for kept and
// dropped ones. Both lists are in the order byScore.
func (b *Bundle) fill(kept, dropped []placed, clash bool) {
	told := len(kept) + len(dropped)
	names := naming{tenant: b.Tenant}
	if clash {
		names.look(kept, dropped)
	}
	b.Rendered = make(map[string]string, len(kept))
	b.Tokens, b.Scores = make(map[string]int, told), make(map[string]float32, told)
	var outcomes []placed
	for i := range kept {
		p := &kept[i]
		e := p.entry
		e.Name, e.Score = names.of(p.Candidate), float32(p.score)
		b.Rendered[e.Name], b.Tokens[e.Name], b.Scores[e.Name] = e.Text, e.Tokens, e.Score
		switch p.tier {
		case TierPinned:
			b.Pinned = append(b.Pinned, e)
		case TierFrameRelevant:
			b.FrameRelevant = append(b.FrameRelevant, e)
		case TierOutcomes:
			outcomes = append(outcomes, *p)
		}
	}
	slices.SortFunc(outcomes, func(x, y placed) int { return byTime(x.Candidate, y.Candidate) })
	for i := range outcomes {
		b.Outcomes = append(b.Outcomes, outcomes[i].entry)
	}
	if len(dropped) > 0 {
		b.ReachableURIs = make([]memory.URI, len(dropped))
	}
	for i := range dropped {
		p := &dropped[i]
		b.ReachableURIs[i] = memory.URI{Tenant: b.Tenant, Kind: p.Kind, ID: p.ID}
		name := names.of(p.Candidate)
		b.Scores[name] = float32(p.score)
		if p.Known > 0 {
			b.Tokens[name] = p.Known
		}
	}
}

// scheme is the prefix of every URI.
const scheme = "lukasa://"

// naming assigns the names of records in the maps of a bundle.
type naming struct {
	tenant string
	kinds  map[string]uint32 // of the records that share an id
}

// look finds the ids that two records share.
func (n *naming) look(lists ...[]placed) {
	n.kinds = make(map[string]uint32)
	for _, list := range lists {
		for i := range list {
			n.kinds[list[i].ID] |= 1 << list[i].Kind
		}
	}
}

// of returns the name of a record. An id that looks like a URI is never a name by itself, so
// that names are unique.
func (n *naming) of(c *Candidate) string {
	kinds := n.kinds[c.ID]
	if kinds&(kinds-1) != 0 && c.Kind != record.Memory || strings.HasPrefix(c.ID, scheme) {
		return memory.URI{Tenant: n.tenant, Kind: c.Kind, ID: c.ID}.String()
	}
	return c.ID
}
