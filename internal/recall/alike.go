package recall

import (
	"context"
	"math"
	"slices"

	"lukasa.dev/internal/text"
)

// alikeHits is how many of the best hits are compared with each other.
const alikeHits = 100

// alike marks hits that have nearly the same words as a better one: nine of ten.
func (e *question) alike(ctx context.Context, hits []Hit) error {
	hits = hits[:min(len(hits), alikeHits)]
	sets := make([][]text.Term, len(hits))
	for i := range hits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.mayBeAlike(hits, i) {
			continue
		}
		doc, err := e.words.Forward(hits[i].Position)
		if err != nil {
			return err
		}
		if doc == nil {
			continue
		}
		set := make([]text.Term, len(doc.Tokens))
		for k, t := range doc.Tokens {
			set[k] = t.Term
		}
		slices.Sort(set)
		sets[i] = slices.Compact(set)
		for j := range i {
			if !hits[j].Duplicate && same(sets[i], sets[j]) {
				hits[i].Duplicate, hits[i].Of = true, j
				break
			}
		}
	}
	return nil
}

// mayBeAlike reports whether a hit is about as long and about as near to the question as
// another: what has the same words is both. Most hits need not be read then.
func (e *question) mayBeAlike(hits []Hit, i int) bool {
	a := &e.list[e.place[hits[i].Position]]
	if a.row.Words > manyTerms || a.row.Words < fewTerms {
		return false
	}
	for j := range hits {
		b := &e.list[e.place[hits[j].Position]]
		longer, shorter := max(a.row.Words, b.row.Words), min(a.row.Words, b.row.Words)
		if j != i && 4*shorter >= 3*longer && math.Abs(a.near-b.near) < likeNear {
			return true
		}
	}
	return false
}

// likeNear is how far the nearness of texts with nearly the same words is apart at most.
const likeNear = 0.1

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
