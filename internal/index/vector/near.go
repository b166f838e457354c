package vector

import (
	"context"

	"lukasa.dev/internal/index"
)

// Near is a document compared with a query.
type Near struct {
	// Values times Scale is the vector of length 1 in the row. The values are signed
	// and must not be changed; nil if the document has none in the space.
	Values []byte
	Scale  float32
	Cosine float64
	Pieces int // word pieces of the text; 0 if unknown

	kernels *kernels
	wide    []int16 // Values, once they are compared with others
}

// AddTo adds the vector times a factor to a sum of vectors of its space.
func (n *Near) AddTo(sum []float32, factor float32) {
	n.kernels.add(sum, n.Values, n.Scale, factor)
}

// Like returns the cosine of two documents of one space. Both must have a vector. It is
// for one goroutine.
func (n *Near) Like(o *Near) float64 {
	if n.wide == nil {
		n.wide = make([]int16, len(n.Values))
		for i, x := range n.Values {
			n.wide[i] = int16(int8(x))
		}
	}
	return limited(float64(n.kernels.dot(o.Values[:len(n.wide)], n.wide)) * (float64(n.Scale) * float64(o.Scale)))
}

// Near compares the given documents with a query, in their order. Only the vector and
// the space of the query count.
func (v *View) Near(ctx context.Context, q Query, positions []uint64) ([]Near, error) {
	list := make([]Near, len(positions))
	q.Gate = 0
	s, err := v.newSearch(&q)
	if s == nil || err != nil {
		return list, err
	}
	err = index.Share(len(list), index.Parts(len(list), partCandidates), func(_, from, to int) error {
		return s.rows(from, to, func(i int) uint64 { return positions[i] }, func(i int, position uint64, value []byte) error {
			if i%64 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if value == nil {
				return nil
			}
			r, err := s.decode(value)
			if err != nil {
				return err
			}
			list[i] = Near{Values: r.values, Scale: r.scale, Cosine: s.cosine(&r), Pieces: r.pieces, kernels: &v.kernels}
			return nil
		})
	})
	return list, err
}
