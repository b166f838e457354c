// Package lexical is the index of words: which documents contain a term, how often,
// and which of them match a question best (BM25).
//
// # Tables
//
//	d  tenant, position                  → forward row: the document's terms and tokens
//	b  tenant, level, bucket, span       → bucket row: the postings of the terms in it;
//	                                       on the level of the largest spans the span is first
//	c  tenant, level, span, term, chunk  → postings of a frequent term in a part of the span
//	s  tenant                            → how many documents there are, and their length
//	h  see [index.Keeper]
//
// Positions are divided into segments: as many complete spans of 131,072 as there
// are, then of 16,384, of 2,048 and of 256; the rest is the tail, which has forward
// rows only. When the last position of a span is seen, its parts become one segment.
// Within a segment, a bucket holds the terms with the same leading bits; the number
// of bits depends on the level alone. Postings include the length of their document,
// so that nothing else is read to score them.
//
// # What is guaranteed
//
// What is stored depends only on the number of the tenant's records and on the live
// documents: not on the grouping of records, and a removed document leaves the same
// bytes as one that never existed. Counts and lengths are always those of the live
// documents.
//
// Scores have the same bits on every machine: each term's part is rounded to a
// multiple of 2^-30, so that sums are exact in any order, and skipping what cannot
// be among the best changes nothing. Equal scores are ordered by position.
//
// # What is not
//
// Words are not here, nor in any key: terms are hashes of 48 bits, and two words may
// share one. A document without tokens is not in the index and not counted. A term
// counts for at most 127 occurrences in a document.
package lexical

import (
	"maps"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// Prefix is the first byte of the fold's keys.
const Prefix = 'X'

const format = 3

// shape is how positions are divided into segments, and segments into rows. There is
// one in production; tests have smaller ones.
type shape struct {
	// spans are the widths of segments, largest first: powers of two, each a
	// multiple of the next. The smallest is from 64, since a filter's mask is read
	// in words of 64 bits, to slabSize.
	spans [levels]uint64
	// bits are how many leading bits of a term make its bucket, by level: from 8 to
	// 16.
	bits [levels]uint
	// inline is the maximum number of postings of a term in its bucket. More are
	// kept in chunks of their own.
	inline int
}

const levels = 4

// theShape is the shape that is stored.
func theShape() *shape {
	return &shape{
		spans:  [levels]uint64{131072, 16384, 2048, 256},
		bits:   [levels]uint{14, 11, 8, 8},
		inline: 2048,
	}
}

// segment is a span of positions whose postings are kept together.
type segment struct {
	level int
	span  uint64
}

// begin is the first position of a segment.
func (s *shape) begin(g segment) uint64 { return g.span * s.spans[g.level] }

// end is the position after its last.
func (s *shape) end(g segment) uint64 { return (g.span + 1) * s.spans[g.level] }

// segments returns the segments of a tenant with that many records, by position.
func (s *shape) segments(size uint64) (list []segment) {
	from := uint64(0)
	for level, width := range s.spans {
		to := size / width
		for span := from / width; span < to; span++ {
			list = append(list, segment{level, span})
		}
		from = to * width
	}
	return list
}

// tail is the first position that is in no segment yet.
func (s *shape) tail(size uint64) uint64 {
	smallest := s.spans[levels-1]
	return size / smallest * smallest
}

// chunks returns the number of chunks of a term's postings: one if they are in its
// bucket, otherwise enough for about inline postings each.
func (s *shape) chunks(postings int) int {
	n := 1
	for n*s.inline < postings {
		n *= 2
	}
	return n
}

// Lexical is the fold. The changes of the current group are kept in memory until its
// end; nothing is kept between groups.
type Lexical struct {
	shape  *shape
	keeper index.Keeper
	groups map[uint32]*group // by tenant
	free   []*group
	row    forwardWriter
	build  builder
	key    []byte
}

// maxFree is how many groups are kept for reuse.
const maxFree = 16

// New returns the fold.
func New() *Lexical { return newShaped(theShape()) }

func newShaped(s *shape) *Lexical {
	return &Lexical{
		shape: s, keeper: index.Keeper{Prefix: Prefix},
		groups: make(map[uint32]*group), build: builder{shape: s},
	}
}

// Name is the fold's name.
func (x *Lexical) Name() string { return "lexical" }

// Prefix is the first byte of the fold's keys.
func (x *Lexical) Prefix() byte { return Prefix }

// Format is the number of the fold's layout.
func (x *Lexical) Format() uint32 { return format<<16 | index.DocumentVersion }

// Reset drops the current group.
func (x *Lexical) Reset() {
	clear(x.groups)
	x.free = nil
	x.build = builder{shape: x.shape}
}

// Apply applies the effect of a record on documents.
func (x *Lexical) Apply(tx *kv.Txn, r *index.Record) error {
	changes, err := x.keeper.Changes(tx, r)
	if err != nil {
		return err
	}
	for _, position := range changes.Gone {
		if err := x.remove(tx, r.Tenant, position); err != nil {
			return err
		}
	}
	if changes.Add != nil {
		if err := x.add(tx, r.Tenant, changes.Add); err != nil {
			return err
		}
	}
	x.pass(r.Tenant, r.Header.Position)
	return nil
}

// Finish seals the segments that the group completed, and removes the removed
// documents from the others.
func (x *Lexical) Finish(tx *kv.Txn) error {
	for _, tenant := range slices.Sorted(maps.Keys(x.groups)) {
		g := x.groups[tenant]
		if err := x.finish(tx, tenant, g); err != nil {
			return err
		}
		if len(x.free) < maxFree {
			g.clear()
			x.free = append(x.free, g)
		}
	}
	clear(x.groups)
	if cap(x.row.terms) > maxKept {
		x.row = forwardWriter{}
	}
	return nil
}

var _ index.Fold = (*Lexical)(nil)
