// Package lexical is the index of words: which documents hold a term, how often,
// and which of them fit a question best (BM25).
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
// Positions are cut into segments: as many whole spans of 131,072 as have been
// seen to their end, then of 16,384, of 2,048 and of 256; what is left is the
// tail, which has forward rows only. When the last position of a span is seen, what
// there was of it becomes one segment. Within a segment, a bucket holds the terms
// that begin with the same bits; how many bits depends on the level alone. Postings
// bring the length of their document, so that nothing else is read to score them.
//
// # What is guaranteed
//
// What is stored depends on how many records the tenant has and on the documents
// that are live, on nothing else: not on how records came in groups, and a document
// that was taken away leaves the bytes of one that never was. Counts and lengths
// are those of the live documents, always.
//
// Scores have the same bits on every machine: each term's part is rounded to a
// multiple of 2^-30, so that sums are exact in any order, and leaving out what cannot
// be among the best changes nothing. Equal scores are ordered by position.
//
// # What is not
//
// Words are not here, nor in any key: terms are hashes of 48 bits, and two words may
// share one. A document without any token is not in the index and counts nowhere. A
// term counts for at most 127 occurrences in a document.
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

// shape is how positions are cut into segments, and segments into rows. There is
// one, but tests have smaller ones.
type shape struct {
	// spans are the widths of segments, largest first: powers of two, each a
	// multiple of the next. The smallest is from 64, as a filter's mask is read by
	// words of so many bits, to slabSize.
	spans [levels]uint64
	// bits are how many leading bits of a term make its bucket, by level: from 8 to 16.
	bits [levels]uint
	// inline is how many postings of a term are kept in its bucket. What has more
	// is kept in chunks of its own.
	inline int
}

const levels = 4

// theShape is what is stored.
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

// end is the position behind its last.
func (s *shape) end(g segment) uint64 { return (g.span + 1) * s.spans[g.level] }

// segments returns the segments of a tenant with so many records, in the order of
// their positions.
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

// chunks returns into how many chunks the postings of a term are cut: one, if they
// are in its bucket, or as many that each has about inline of them at most.
func (s *shape) chunks(postings int) int {
	n := 1
	for n*s.inline < postings {
		n *= 2
	}
	return n
}

// Lexical is the fold. What the group at hand adds and takes away is kept in memory
// until its end; nothing stays from one group to the next.
type Lexical struct {
	shape  *shape
	keeper index.Keeper
	groups map[uint32]*group // by tenant
	free   []*group
	row    forwardWriter
	build  builder
	key    []byte
}

// maxFree is how many groups are kept for the next ones to use.
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

// Reset forgets what is in memory.
func (x *Lexical) Reset() {
	clear(x.groups)
	x.free = nil
	x.build = builder{shape: x.shape}
}

// Apply takes in what a record does to documents.
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

// Finish seals the segments that the group completed, and takes out of the others
// what the group took away.
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
