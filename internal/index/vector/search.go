package vector

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
)

// MaxMatches is how many matches may be asked for.
const MaxMatches = 10_000

// How many rows give an estimate: at least, which is the more the more there are, and for
// each match that is asked for.
const (
	leastRows    = 600
	mostRows     = 2_000
	rowsPart     = 1_000 // one in so many of all codes, within the two above
	rowsPerMatch = 2
)

// widest is how many times as many rows are looked at as at first, at most, where the
// filter does not accept most of them.
const widest = 8

// exactMatches is how many of the best are computed exactly if nothing else is said.
const exactMatches = 50

// Query is what is searched for.
type Query struct {
	Vector []float32 // of any length above zero
	// Own searches the vectors that did not come from the built-in model but from the
	// one that is named, with as many dimensions as the query has.
	Own   bool
	Model string
	K     int // how many matches at most
	// Gate holds short texts back, which are near everything: the score of one with as
	// many pieces is half of its cosine, of one with n of them n/(n+Gate). Zero, and
	// vectors whose pieces are not known, leave it at the cosine.
	Gate   float64
	Filter index.Filter
	// Exact returns the vector of a document, of which only the direction counts, or
	// nil if there is none. It is called for the best matches only, by several
	// goroutines. Nil leaves it at estimates.
	Exact func(position uint64) ([]float32, error)
	// ExactMatches is for how many of the best it is called; zero means 50.
	ExactMatches int
}

// Match is a document that was found. Its score is the cosine, as the gate leaves it.
type Match struct {
	index.Match
	Exact  bool    // the score is exact; else it is an estimate that is off by about 0.002
	Pieces int     // word pieces of the text; 0 if unknown
	Norm   float32 // length of the vector, of the built-in model's before it was divided by it
}

// Search returns the documents whose vectors are nearest to a query, best first; of
// those with equal scores the one with the lower position. Exact scores and estimates
// are ordered as one list.
//
// The filter's mask is asked about every chunk that there is, its second part about
// the best candidates in their order; when too few of those are left, twice as many
// are looked at, until there are enough, or no more, or eight times as many. What the
// mask leaves out has no influence on what is found of the rest.
//
// A tenant without vectors of its own has no matches. Where there are some, but none
// of the model and the dimensions, that is an error.
func (v *View) Search(ctx context.Context, q Query) ([]Match, error) {
	if q.K < 1 || q.K > MaxMatches {
		return nil, fault.Newf(fault.InvalidArgument, "k: is %d, but must be from 1 to %d", q.K, MaxMatches).WithFix("ask for fewer")
	}
	s, err := v.newSearch(&q)
	if s == nil || err != nil {
		return nil, err
	}
	if err := s.mask(q.Filter); err != nil {
		return nil, err
	}
	exact := cmp.Or(q.ExactMatches, exactMatches)
	if q.Exact == nil {
		exact = 0
	}
	// What is not asked for is not computed, nor asked about.
	need := max(q.K, exact)
	first := max(int(min(max(s.all/rowsPart, leastRows), mostRows)), rowsPerMatch*q.K)
	for rows := first; ; rows *= 2 {
		near, err := s.nearest(ctx, rows)
		if err != nil {
			return nil, err
		}
		all := len(near) < rows
		estimated, err := s.estimate(ctx, near)
		if err != nil {
			return nil, err
		}
		list, err := s.accept(ctx, q.Filter, estimated, need)
		if err != nil {
			return nil, err
		}
		if len(list) < need && !all && rows < widest*first {
			s.remember(estimated)
			continue
		}
		if err := s.exact(ctx, &q, list[:min(exact, len(list))]); err != nil {
			return nil, err
		}
		sortMatches(list)
		return list[:min(q.K, len(list))], nil
	}
}

// search is a query on its way.
type search struct {
	scan
	query quantized[int16]
	gate  float64
	// What was found out in an earlier round.
	known    map[uint64]Match
	accepted map[uint64]bool
}

// remember keeps what was found out for the next round.
func (s *search) remember(list []Match) {
	if s.known == nil {
		s.known = make(map[uint64]Match, len(list))
	}
	for _, m := range list {
		s.known[m.Position] = m
	}
}

// newSearch prepares a query. It returns nil if there is nothing to search in.
func (v *View) newSearch(q *Query) (*search, error) {
	query, ok := quantize[int16](nil, q.Vector, maxQuery)
	if !ok {
		return nil, badVector(q.Vector)
	}
	space := builtin
	if q.Own {
		space = spaceOf(q.Model, len(q.Vector))
	}
	l, ok, err := v.listing(space)
	if err != nil {
		return nil, err
	}
	if !ok || l.dimensions != len(q.Vector) {
		return nil, v.noSpace(q, l)
	}
	s := &search{query: query, gate: q.Gate}
	s.view, s.space, s.dimensions = v, space, l.dimensions
	s.all = l.vectors
	if s.refs, err = v.chunks(space); err != nil {
		return nil, err
	}
	turned := make([]int64, codeBits(l.dimensions))
	for i, x := range query.values {
		turned[i] = int64(x)
	}
	rotate(turned)
	s.table = tableOf(turned, v.kernels.bytes)
	return s, nil
}

// badVector says what is wrong with the vector of a query.
func badVector(vector []float32) error {
	bad := func(format string, args ...any) error {
		return fault.Newf(fault.InvalidArgument, "vector: "+format, args...)
	}
	if len(vector) == 0 || len(vector) > maxDimensions {
		return bad("has %d numbers, but must have from 1 to %d", len(vector), maxDimensions)
	}
	for i, x := range vector {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return bad("number %d is %v, which is not a finite number", i, x)
		}
	}
	return bad("is zero, which points nowhere")
}

// noSpace says that there are other vectors than those which are searched for. It
// returns nil if there are none.
func (v *View) noSpace(q *Query, l listing) error {
	if !q.Own {
		if l.dimensions == 0 {
			return nil
		}
		return fault.Newf(fault.InvalidArgument, "vector: has %d numbers, but those of the built-in model have %d", len(q.Vector), l.dimensions).
			WithFix("name the model that made it, or ask in words")
	}
	const shown = 8
	list, err := v.Spaces(shown + 2)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(s Space) bool { return s.Builtin })
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, s := range list[:min(shown, len(list))] {
		names = append(names, spaceName(s.Model, s.Dimensions))
	}
	if len(list) > shown {
		names = append(names, "others")
	}
	return fault.Newf(fault.InvalidArgument, "vector: there are no vectors of %s here", spaceName(q.Model, len(q.Vector))).
		WithFix("there are vectors of " + strings.Join(names, "; "))
}

// spaceName names a space for a message.
func spaceName(model string, dimensions int) string {
	if model == "" {
		return fmt.Sprintf("an unnamed model with %d dimensions", dimensions)
	}
	return fmt.Sprintf("model %q with %d dimensions", model, dimensions)
}

// sortMatches puts the best first.
func sortMatches(list []Match) { slices.SortFunc(list, compareMatches) }

// compareMatches puts the better one first, and of equally good ones the one with the lower
// position.
func compareMatches(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Position, b.Position))
}

// sortFirst puts the n best first, in order, and the others behind them in any order.
func sortFirst(list []Match, n int) {
	if n == 0 {
		return
	}
	scores := make([]float64, len(list))
	for i := range list {
		scores[i] = list[i].Score
	}
	least, first := greatest(scores, n), 0
	for i := range list {
		if list[i].Score >= least {
			list[first], list[i] = list[i], list[first]
			first++
		}
	}
	sortMatches(list[:first])
}
