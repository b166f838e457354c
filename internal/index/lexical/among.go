package lexical

import (
	"context"

	"lukasa.dev/internal/text"
)

// Among returns how many of the documents in a mask have each of some terms. It reads
// their postings, except where the mask is empty.
func (v *View) Among(ctx context.Context, terms []text.Term, mask func(chunk int) (*[16]uint64, error)) ([]uint64, error) {
	list := make([]queryTerm, len(terms))
	for i, t := range terms {
		list[i].term = t
	}
	if err := v.load(list); err != nil {
		return nil, err
	}
	counts := make([]uint64, len(terms))
	room := v.cache.room()
	defer v.cache.rooms.Put(room)
	room.open = room.open[:0]
	c := room.cursor()
	var s scorer
	for i := range list {
		m := masked{mask: mask, chunk: -1, size: v.size}
		for n, seg := range v.segments {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			body := list[i].lists.bodies[n]
			if body == nil {
				continue
			}
			if err := c.open(v, &s, &list[i], seg, body); err != nil {
				return nil, err
			}
			if err := m.count(c, v.shape.begin(seg), uint32(v.shape.spans[seg.level])); err != nil {
				return nil, err
			}
		}
		if len(list[i].lists.tail.offsets) > 0 {
			c.openTail(v, &s, &list[i])
			if err := m.count(c, v.from, uint32(v.size-v.from)); err != nil {
				return nil, err
			}
		}
		counts[i] = m.documents
	}
	return counts, nil
}

// masked counts the documents in a mask.
type masked struct {
	mask      func(chunk int) (*[16]uint64, error)
	size      uint64
	chunk     int // the chunk of bits
	bits      *[16]uint64
	documents uint64
}

// chunkDocs is how many positions a mask covers at once.
const chunkDocs = 1024

// at loads the bits of the chunk of a position.
func (m *masked) at(position uint64) (err error) {
	if chunk := int(position / chunkDocs); chunk != m.chunk {
		m.bits, err = m.mask(chunk)
		m.chunk = chunk
	}
	return err
}

// count reads the postings of a segment.
func (m *masked) count(c *cursor, begin uint64, width uint32) error {
	for offset := uint32(0); offset < width; {
		// Chunks with an empty mask are skipped unread.
		if err := m.at(begin + uint64(offset)); err != nil {
			return err
		}
		if m.bits == nil {
			offset = uint32(uint64(m.chunk+1)*chunkDocs - begin)
			continue
		}
		ok, err := c.seek(offset, width)
		if err != nil || !ok {
			return err
		}
		for _, offset = range c.block.offsets[c.at:c.block.n] {
			p := begin + uint64(offset)
			if err := m.at(p); err != nil {
				return err
			}
			if m.bits != nil {
				m.documents += m.bits[p%chunkDocs/64] >> (p % 64) & 1
			}
		}
		offset++
	}
	return nil
}

// Averaging returns parameters that have the effect of p in a flat query if documents
// have that many tokens on average.
func (p Params) Averaging(length float64) Params {
	if length <= 0 {
		return Params{K1: p.K1}
	}
	held := float64(p.B*flatLength) / length
	sum := 1 - p.B + held
	return Params{K1: min(float64(p.K1*sum), maxK1), B: held / sum}
}

// maxK1 is the maximum K1 of a query.
const maxK1 = 10
