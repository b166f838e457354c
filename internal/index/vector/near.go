package vector

import "context"

// Near is a document as it lies to a query.
type Near struct {
	// Vector is of length 1, as its row gives it; nil if the document has none in the
	// space.
	Vector []float32
	Cosine float64
	Pieces int // word pieces of the text; 0 if unknown
}

// Near returns how documents that are named lie to a query, in their order. Of the
// query only the vector and the space count.
func (v *View) Near(ctx context.Context, q Query, positions []uint64) ([]Near, error) {
	list := make([]Near, len(positions))
	q.Gate = 0
	s, err := v.newSearch(&q)
	if s == nil || err != nil {
		return list, err
	}
	room := make([]float32, len(positions)*s.dimensions)
	err = share(len(list), workers(len(list), partCandidates), func(_, from, to int) error {
		return s.rows(from, to, func(i int) uint64 { return positions[i] }, func(i int, position uint64, value []byte) error {
			if i%64 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if value == nil {
				return nil
			}
			m, err := s.match(position, value)
			if err != nil {
				return err
			}
			r, err := decodeRow(value)
			if err != nil {
				return err
			}
			one := &list[i]
			one.Cosine, one.Pieces = m.Score, m.Pieces
			one.Vector = room[i*s.dimensions : (i+1)*s.dimensions]
			for k, x := range r.values {
				one.Vector[k] = r.scale * float32(int8(x))
			}
			return nil
		})
	})
	return list, err
}
