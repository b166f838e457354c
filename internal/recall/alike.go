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

// alike marks hits that share nine of ten words with a better hit.
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

// partReads is how many reads are worth a goroutine.
const partReads = 8

// terms returns the distinct terms of a document, sorted.
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

// mayBeAlike returns which hits have about the same length as another and may be near it, as
// texts with the same words are. So most hits need not be read.
func (e *question) mayBeAlike(hits []Hit) (may []int) {
	places := make([]int, len(hits))
	wanted := make([]bool, len(hits)) // its length is compared, and no hit like it was found yet
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

// like reports whether two candidates are near each other and about equally near to the
// question, or whether that is unknown: if the model knows few pieces of a text, its vector
// says little.
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

// For texts with nearly the same words: the largest difference of their nearness to the
// question, and the least nearness to each other.
const (
	likeNear = 0.1
	likeEach = 0.7
)

// manyTerms is the most terms of a text that is compared: longer texts are seldom repeated.
const manyTerms = 2000

// fewTerms is the least terms of a text that can repeat another: too many very short texts are
// alike.
const fewTerms = 4

// same reports whether two sorted sets of terms have nine of ten in common.
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
