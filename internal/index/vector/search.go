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

// MaxMatches is the maximum number of matches of a search.
const MaxMatches = 10_000

// The number of rows that are estimated: a minimum, which grows with the number of codes,
// and a number per requested match.
const (
	leastRows    = 600
	mostRows     = 2_000
	rowsPart     = 1_000 // one in that many codes, within the two above
	rowsPerMatch = 2
)

// widest is the maximum factor by which more rows are estimated if the filter rejects most
// of them.
const widest = 8

// exactMatches is the default number of best matches that are computed exactly.
const exactMatches = 50

// Query is a search.
type Query struct {
	Vector []float32 // of any length above zero
	// Own searches the vectors of the named model instead of the built-in one, with as many
	// dimensions as the query has.
	Own   bool
	Model string
	K     int // maximum number of matches
	// Gate lowers the scores of short texts, which are near everything: a text with n
	// pieces gets n/(n+Gate) of its cosine. Zero, and vectors with unknown pieces, keep the
	// cosine.
	Gate   float64
	Filter index.Filter
	// Exact returns the vector of a document, of which only the direction counts, or nil if
	// there is none. It is called for the best matches only, by several goroutines. Nil
	// keeps the estimates.
	Exact func(position uint64) ([]float32, error)
	// ExactMatches is for how many of the best it is called; zero means 50.
	ExactMatches int
}

// Match is a document that was found. Its score is the gated cosine.
type Match struct {
	index.Match
	Exact  bool    // the score is exact; otherwise an estimate that is off by about 0.002
	Pieces int     // word pieces of the text; 0 if unknown
	Norm   float32 // length of the vector, of the built-in model's before it was divided by it
}

// Search returns the documents whose vectors are nearest to a query, best first; equal
// scores by position. Exact scores and estimates are ordered as one list.
//
// The filter's mask is called for every chunk, Accept for the best candidates in order. If
// too few of those are left, twice as many are considered, until there are enough, or no
// more, or eight times as many. What the mask leaves out has no influence on the rest.
//
// A tenant without vectors of its own has no matches. If there are some, but none of the
// model and the dimensions, that is an error.
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
	// What is not requested is not computed, nor filtered.
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

// search is a running query.
type search struct {
	scan
	query quantized[int16]
	gate  float64
	// The results of earlier rounds.
	known    map[uint64]Match
	accepted map[uint64]bool
}

// remember keeps results for the next round.
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
	return bad("is zero, and has no direction")
}

// noSpace returns an error if there are only vectors of other spaces, or nil if there are
// none at all.
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

// sortMatches sorts matches, best first.
func sortMatches(list []Match) { slices.SortFunc(list, compareMatches) }

// compareMatches orders matches by score, and equal ones by position.
func compareMatches(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Position, b.Position))
}

// sortFirst moves the n best to the front, in order, and leaves the others in any order.
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
