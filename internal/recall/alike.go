package recall

import (
	"context"
	"math"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/text"
)

// alikeHits is how many of the best hits are compared with each other.
const alikeHits = 100

// alike marks hits that have nearly the same words as a better one: nine of ten.
func (e *question) alike(ctx context.Context, hits []Hit) error {
	hits = hits[:min(len(hits), alikeHits)]
	may := e.mayBeAlike(hits)
	sets := make([][]text.Term, len(hits))
	err := index.Share(len(may), index.Workers(len(may), partReads), func(_, from, to int) error {
		for _, i := range may[from:to] {
			err := ctx.Err()
			if err == nil {
				sets[i], err = e.terms(hits[i].Position)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range hits {
		for j := range i {
			if !hits[j].Duplicate && same(sets[i], sets[j]) {
				hits[i].Duplicate, hits[i].Of = true, j
				break
			}
		}
	}
	return nil
}

// partReads is how many documents to read are worth a goroutine.
const partReads = 8

// terms returns the terms of a document, each once, in order.
func (e *question) terms(position uint64) ([]text.Term, error) {
	doc, err := e.words.Forward(position)
	if err != nil || doc == nil {
		return nil, err
	}
	set := make([]text.Term, len(doc.Tokens))
	for k, t := range doc.Tokens {
		set[k] = t.Term
	}
	slices.Sort(set)
	return slices.Compact(set), nil
}

// mayBeAlike returns which hits are about as long as another, and may be near it: what
// has the same words is both. Most hits need not be read then.
func (e *question) mayBeAlike(hits []Hit) (may []int) {
	places := make([]int, len(hits))
	wanted := make([]bool, len(hits)) // its length is one that is compared, and none like it was found yet
	for i := range hits {
		places[i] = e.place[hits[i].Position]
		words := e.list[places[i]].row.Words
		wanted[i] = words <= manyTerms && words >= fewTerms
	}
	for i, a := range places {
		own := e.list[a].row.Words
		for j, b := range places[:i] {
			other := e.list[b].row.Words
			if !wanted[i] && !wanted[j] || 4*min(own, other) < 3*max(own, other) || !e.like(a, b) {
				continue
			}
			for _, k := range []int{i, j} {
				if wanted[k] {
					wanted[k] = false
					may = append(may, k)
				}
			}
		}
	}
	slices.Sort(may)
	return may
}

// like reports whether two candidates are near each other and about as near to the
// question, or whether that is not known: a text of which the model has few pieces has a
// vector that says little of it.
func (e *question) like(a, b int) bool {
	if e.near == nil || e.unread(a) || e.unread(b) {
		return true
	}
	return math.Abs(e.list[a].near-e.list[b].near) < likeNear && e.near[a].Like(&e.near[b]) > likeEach
}

// unread reports whether the model has no pieces for most words of a candidate.
func (e *question) unread(i int) bool {
	return e.near[i].Values == nil || 8*e.near[i].Pieces < e.list[i].row.Words
}

// How far the nearness of texts with nearly the same words is apart at most, and how near
// they are to each other at least.
const (
	likeNear = 0.1
	likeEach = 0.7
)

// manyTerms is how many terms a text has at most that is compared with others: what is
// that long is seldom said twice.
const manyTerms = 2000

// fewTerms is how many terms a text has at least that can say the same as another: of
// very short ones there are too many.
const fewTerms = 4

// same reports whether two sets of terms, both in order, have nine of ten in common.
func same(a, b []text.Term) bool {
	if min(len(a), len(b)) < fewTerms || 10*min(len(a), len(b)) < 9*max(len(a), len(b)) {
		return false
	}
	common, j := 0, 0
	for _, t := range a {
		for j < len(b) && b[j] < t {
			j++
		}
		if j < len(b) && b[j] == t {
			common++
		}
	}
	return 10*common >= 9*(len(a)+len(b)-common)
}
