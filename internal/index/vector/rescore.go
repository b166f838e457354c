package vector

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// partCandidates is how many candidates are worth a goroutine.
const partCandidates = 96

// greatest returns the n-th greatest number of a list, from 1. It reorders the list.
func greatest(list []float64, n int) float64 {
	for {
		// The median of three is seldom at an end.
		a, b, c := list[0], list[len(list)/2], list[len(list)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		// Greater ones first, then equal ones, then the rest.
		above, i, below := 0, 0, len(list)
		for i < below {
			switch x := list[i]; {
			case x > pivot:
				list[above], list[i] = x, list[above]
				above++
				i++
			case x < pivot:
				below--
				list[i], list[below] = list[below], x
			default:
				i++
			}
		}
		switch {
		case n <= above:
			list = list[:above]
		case n <= below:
			return pivot
		default:
			list, n = list[below:], n-below
		}
	}
}

// estimate returns the candidates with the cosines of their rows, in order.
func (s *search) estimate(ctx context.Context, near []candidate) ([]Match, error) {
	list := make([]Match, len(near))
	err := index.Share(len(near), index.Parts(len(near), partCandidates), func(_, from, to int) error {
		return s.rows(from, to, func(i int) uint64 { return s.position(&near[i]) }, func(i int, position uint64, value []byte) error {
			if i%64 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if m, ok := s.known[position]; ok {
				list[i] = m
				return nil
			}
			if value == nil {
				return damaged("a row", errContent)
			}
			var err error
			list[i], err = s.match(position, value)
			return err
		})
	})
	return list, err
}

// rowsTogether is how many rows are prefetched together: those of a search are far apart, and memory then
// loads them in parallel.
const rowsTogether = 16

// rows calls visit with the rows of documents, nil for those without one: from the cache, or from the store.
// One iterator for many rows, in position order, is much cheaper than single lookups.
func (s *search) rows(from, to int, position func(i int) uint64, visit func(i int, position uint64, value []byte) error) (err error) {
	f := rowFinder{search: s, of: math.MaxUint64}
	defer func() {
		if closed := f.close(); err == nil {
			err = closed
		}
	}()
	var room [rowsTogether][]byte
	for ; from < to; from += rowsTogether {
		some := room[:min(rowsTogether, to-from)]
		for k := range some {
			if some[k], err = f.find(position(from + k)); err != nil {
				return err
			}
			fetch(some[k])
		}
		for k, value := range some {
			if err := visit(from+k, position(from+k), value); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowFinder finds rows, in position order.
type rowFinder struct {
	*search
	it   *kv.Iter // over rows of the store; nil until it is needed
	key  []byte
	held *heldRows
	of   uint64 // the chunk of held
}

// find returns the row of a document, or nil if it has none.
func (f *rowFinder) find(position uint64) (value []byte, err error) {
	v := f.view
	p := place{v.tenant, f.space, position}
	if chunk := chunkOf(position); chunk != f.of || f.held == nil {
		f.of = chunk
		if f.held, err = f.search.held(chunk); err != nil {
			return nil, err
		}
	}
	if f.held != nil {
		return f.held.row(offsetOf(position)), nil
	}
	if value = v.keptRow(p); value != nil {
		return value, nil
	}
	if f.it == nil {
		if f.it, err = v.r.Iter(rowsFrom(nil, v.tenant, 0), rowsFrom(nil, v.tenant, v.size)); err != nil {
			return nil, err
		}
	}
	f.key = rowKey(f.key, p)
	if !f.it.Seek(f.key) || !bytes.Equal(f.it.Key(), f.key) {
		return nil, f.it.Err()
	}
	if value, err = f.it.Value(); err != nil {
		return nil, err
	}
	return v.keep(p, value), nil
}

// close releases the iterator.
func (f *rowFinder) close() error {
	if f.it == nil {
		return nil
	}
	return f.it.Close()
}

// held returns the cached rows of a chunk, or nil.
func (s *search) held(chunk uint64) (*heldRows, error) {
	i, ok := slices.BinarySearchFunc(s.refs, chunk, func(r chunkRef, chunk uint64) int { return cmp.Compare(r.number, chunk) })
	if !ok {
		return nil, nil
	}
	return s.view.heldRows(s.space, s.dimensions, &s.refs[i])
}

// keptRow returns a row that the view cached, or nil.
func (v *View) keptRow(p place) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.kept[p]
}

// keep caches a row in the view, as long as there is room, and returns a copy of it.
func (v *View) keep(p place, value []byte) []byte {
	value = bytes.Clone(value)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.kept) < maxKept {
		v.kept[p] = value
	}
	return value
}

// match returns the match of a document by its row.
func (s *search) match(position uint64, value []byte) (Match, error) {
	r, err := s.decode(value)
	if err != nil {
		return Match{}, err
	}
	return Match{Match: index.Match{Position: position, Score: s.gated(s.cosine(&r), r.pieces)}, Pieces: r.pieces, Norm: r.norm}, nil
}

// decode reads a row of the space.
func (s *search) decode(value []byte) (row, error) {
	r, err := decodeRow(value)
	if err == nil && len(r.values) != s.dimensions {
		err = damaged("a row", errContent)
	}
	return r, err
}

// cosine returns the cosine of a row and the query, up to rounding.
func (s *search) cosine(r *row) float64 {
	dot := s.view.kernels.dot(r.values, s.query.values)
	// Only products, so that nothing can be fused.
	return limited(float64(dot) * (float64(r.scale) * float64(s.query.scale)))
}

// gated returns the score of a cosine.
func (s *search) gated(cosine float64, pieces int) float64 {
	if pieces == 0 || s.gate <= 0 {
		return cosine
	}
	return cosine * (float64(pieces) / (float64(pieces) + s.gate))
}

// limited clamps a rounded cosine to its range.
func limited(x float64) float64 { return max(-1, min(1, x)) }

// accept returns the best matches that the filter accepts, at most need, best first.
func (s *search) accept(ctx context.Context, f index.Filter, list []Match, need int) ([]Match, error) {
	sorted := min(need, len(list))
	sortFirst(list, sorted)
	if f.Accept == nil {
		return list[:sorted], nil
	}
	if s.accepted == nil {
		s.accepted = make(map[uint64]bool, need)
	}
	left := make([]Match, 0, min(need, len(list)))
	for i := range list {
		if len(left) == need {
			break
		}
		if i == sorted {
			sortMatches(list[i:]) // the rest is seldom needed
		}
		m := list[i]
		ok, asked := s.accepted[m.Position]
		if !asked {
			err := ctx.Err()
			if err == nil {
				ok, err = f.Accept(m.Position)
			}
			if err != nil {
				return nil, err
			}
			s.accepted[m.Position] = ok
		}
		if ok {
			left = append(left, m)
		}
	}
	return left, nil
}

// exact replaces the estimates of matches by exact cosines.
func (s *search) exact(ctx context.Context, q *Query, list []Match) error {
	if len(list) == 0 {
		return nil
	}
	length := math.Sqrt(product(q.Vector, q.Vector))
	return index.Share(len(list), index.Parts(len(list), partExact), func(_, from, to int) error {
		return s.exactPart(ctx, q, length, list[from:to])
	})
}

// partExact is how many exact cosines are worth a goroutine.
const partExact = 4

// exactPart is exact for some of the matches.
func (s *search) exactPart(ctx context.Context, q *Query, length float64, list []Match) error {
	for i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := q.Exact(list[i].Position)
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		if len(v) != len(q.Vector) {
			return fault.Newf(fault.Internal, "the vector of position %d has %d numbers, and not %d", list[i].Position, len(v), len(q.Vector))
		}
		other := math.Sqrt(product(v, v))
		if !(other > 0) || other > math.MaxFloat64 {
			continue
		}
		cosine := limited(product(q.Vector, v) / float64(length*other))
		list[i].Score, list[i].Exact = s.gated(cosine, list[i].Pieces), true
	}
	return nil
}

// product returns the dot product of two vectors. A product of two float32 is exact in float64. There are
// four sums, of every fourth number each, that are added in order.
func product(a, b []float32) float64 {
	var sums [4]float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		sums[0] += float64(float64(x[0]) * float64(y[0]))
		sums[1] += float64(float64(x[1]) * float64(y[1]))
		sums[2] += float64(float64(x[2]) * float64(y[2]))
		sums[3] += float64(float64(x[3]) * float64(y[3]))
	}
	for ; i < len(a); i++ {
		sums[i%4] += float64(float64(a[i]) * float64(b[i]))
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}
