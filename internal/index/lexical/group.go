package lexical

import (
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/text"
)

// group is the changes of a group of records to the documents of one tenant.
type group struct {
	// The positions in [first, next) have been passed.
	first, next uint64
	added       []member // in the order of their positions
	gone        []member // of earlier groups
	terms       []uint64 // of all of them: term and weight
	// The changes of the statistics, documents first. They may be negative.
	documents, length int64
}

// member is a document that a group adds or removes.
type member struct {
	position uint64
	length   uint32
	from, to int // its part of the group's terms
	dead     bool
}

// weightBits is how many bits of a group's term are its weight.
const weightBits = 8

// maxKept is the largest buffer of terms that is kept for the next group.
const maxKept = 1 << 20

func (g *group) clear() {
	if cap(g.terms) > maxKept {
		g.terms = nil
	}
	*g = group{added: g.added[:0], gone: g.gone[:0], terms: g.terms[:0]}
}

// group returns the group of a tenant.
func (x *Lexical) group(tenant uint32) *group {
	g := x.groups[tenant]
	if g == nil {
		if n := len(x.free); n > 0 {
			g, x.free = x.free[n-1], x.free[:n-1]
		} else {
			g = new(group)
		}
		x.groups[tenant] = g
	}
	return g
}

// pass records that the record at a position has been seen, whatever it is.
func (x *Lexical) pass(tenant uint32, position uint64) {
	g := x.group(tenant)
	if g.next == 0 {
		g.first = position
	}
	g.next = position + 1
}

// add adds a document. Its position has not been passed.
func (x *Lexical) add(tx *kv.Txn, tenant uint32, d *index.Document) error {
	if len(d.Tokens) == 0 {
		return nil
	}
	w := &x.row
	w.write(d.Tokens)
	x.key = forwardKey(x.key, tenant, d.Position)
	if err := tx.SetBlind(x.key, w.row); err != nil {
		return err
	}
	g := x.group(tenant)
	m := member{position: d.Position, length: w.length, from: len(g.terms), to: len(g.terms) + len(w.terms)}
	for i, t := range w.terms {
		g.terms = append(g.terms, uint64(t)<<weightBits|uint64(w.weights[i]))
	}
	g.added = append(g.added, m)
	g.documents++
	g.length += int64(m.length)
	return nil
}

// remove removes a document, if it exists.
func (x *Lexical) remove(tx *kv.Txn, tenant uint32, position uint64) error {
	g := x.group(tenant)
	x.key = forwardKey(x.key, tenant, position)
	i, ok := slices.BinarySearchFunc(g.added, position, func(m member, p uint64) int {
		switch {
		case m.position < p:
			return -1
		case m.position > p:
			return 1
		}
		return 0
	})
	if ok {
		if m := &g.added[i]; !m.dead {
			m.dead = true
			g.documents--
			g.length -= int64(m.length)
			return tx.Delete(x.key)
		}
		return nil
	}
	row, ok, err := tx.Get(x.key, x.build.room[:0])
	if err != nil || !ok {
		return err
	}
	x.build.room = row
	f, err := readForward(row)
	if err != nil {
		return err
	}
	m := member{position: position, length: f.length, from: len(g.terms)}
	for i, w := range f.weights {
		g.terms = append(g.terms, uint64(f.term(i))<<weightBits|uint64(w))
	}
	m.to = len(g.terms)
	g.gone = append(g.gone, m)
	g.documents--
	g.length -= int64(m.length)
	return tx.Delete(x.key)
}

// finish writes the changes of a group to a tenant's segments and statistics.
func (x *Lexical) finish(tx *kv.Txn, tenant uint32, g *group) error {
	if err := x.count(tx, tenant, g); err != nil {
		return err
	}
	slices.SortFunc(g.gone, func(a, b member) int {
		if a.position < b.position {
			return -1
		}
		return 1
	})
	s := x.shape
	if s.tail(g.first) == s.tail(g.next) && len(g.gone) == 0 {
		return nil // nothing is sealed, nothing changes
	}
	before, after := s.segments(g.first), s.segments(g.next)
	b := &x.build
	b.tx, b.tenant = tx, tenant
	defer func() { b.tx = nil }()
	kept := 0
	for kept < len(before) && kept < len(after) && before[kept] == after[kept] {
		if gone := within(g.gone, s.begin(before[kept]), s.end(before[kept])); len(gone) > 0 {
			if err := b.rewrite(before[kept], gone, g.terms); err != nil {
				return err
			}
		}
		kept++
	}
	// The other old segments are covered by the new ones, except for the slabs at
	// the end.
	before, after = before[kept:], after[kept:]
	if len(after) == 0 {
		return nil
	}
	if err := b.loadSlabs(g, s.tail(g.first), s.tail(g.next)); err != nil {
		return err
	}
	for _, seg := range after {
		n := 0
		for n < len(before) && s.begin(before[n]) < s.end(seg) {
			n++
		}
		if err := b.merge(seg, before[:n], g.gone); err != nil {
			return err
		}
		before = before[n:]
	}
	return nil
}

// within returns the members at positions from begin to below end.
func within(list []member, begin, end uint64) []member {
	from := 0
	for from < len(list) && list[from].position < begin {
		from++
	}
	to := from
	for to < len(list) && list[to].position < end {
		to++
	}
	return list[from:to]
}

// count writes the statistics.
func (x *Lexical) count(tx *kv.Txn, tenant uint32, g *group) error {
	if g.documents == 0 && g.length == 0 {
		return nil
	}
	x.key = statisticsKey(x.key, tenant)
	s, err := readStatistics(tx, x.key)
	if err != nil {
		return err
	}
	s.documents += uint64(g.documents)
	s.length += uint64(g.length)
	if s.documents == 0 {
		return tx.Delete(x.key)
	}
	return tx.SetBlind(x.key, s.encode(nil))
}

// readStatistics reads the statistics under a key, all zero if there are none.
func readStatistics(r kv.Reader, key []byte) (s statistics, err error) {
	v, ok, err := r.Get(key, nil)
	if err != nil || !ok {
		return s, err
	}
	return decodeStatistics(v)
}

// slabSize is the maximum number of positions of a slab, so that an offset fits a
// byte.
const slabSize = 256

// slab is a span of the smallest width that is not stored as a segment: its
// postings by term, then by document. Each is a term, an offset of 8 bits, and a
// weight.
type slab struct {
	begin    uint64
	postings []uint64
	lengths  [slabSize]uint32
}

// offsetBits is how many bits of a slab's posting are the offset.
const offsetBits = 8

// slabTermShift is where the term begins in a slab's posting.
const slabTermShift = offsetBits + weightBits

// loadSlabs makes slabs of the documents in [from, to): those of earlier groups
// from their forward rows, those of this group from memory.
func (b *builder) loadSlabs(g *group, from, to uint64) error {
	width := b.shape.spans[levels-1]
	number := int((to - from) / width)
	for len(b.slabs) < number {
		b.slabs = append(b.slabs, new(slab))
	}
	b.used = b.slabs[:number]
	for i, s := range b.used {
		s.begin, s.postings = from+uint64(i)*width, s.postings[:0]
	}
	if from < g.first {
		if err := b.loadStored(g, from, g.first); err != nil {
			return err
		}
	}
	for i := range g.added {
		m := &g.added[i]
		if m.dead || m.position >= to {
			continue
		}
		s, offset := b.slabOf(from, m.position)
		s.lengths[offset] = m.length
		for _, t := range g.terms[m.from:m.to] {
			s.postings = append(s.postings, t>>weightBits<<slabTermShift|offset<<weightBits|t&maxWeight)
		}
	}
	for _, s := range b.used {
		b.spread.sort(s.postings)
	}
	return nil
}

// slabOf returns the slab of a position, and its offset in it.
func (b *builder) slabOf(from, position uint64) (s *slab, offset uint64) {
	s = b.used[(position-from)/b.shape.spans[levels-1]]
	return s, position - s.begin
}

// loadStored adds the existing documents of earlier groups.
func (b *builder) loadStored(g *group, from, to uint64) error {
	it, err := b.tx.Iter(forwardKey(nil, b.tenant, from), forwardKey(nil, b.tenant, to))
	if err != nil {
		return err
	}
	defer it.Close()
	gone := g.gone
	for ok := it.First(); ok; ok = it.Next() {
		position := positionOf(it.Key())
		for len(gone) > 0 && gone[0].position < position {
			gone = gone[1:]
		}
		if len(gone) > 0 && gone[0].position == position {
			continue
		}
		row, err := it.Value()
		if err != nil {
			return err
		}
		f, err := readForward(row)
		if err != nil {
			return err
		}
		s, offset := b.slabOf(from, position)
		s.lengths[offset] = f.length
		for i, w := range f.weights {
			s.postings = append(s.postings, uint64(f.term(i))<<slabTermShift|offset<<weightBits|uint64(w))
		}
	}
	return it.Close()
}

// slabTerm returns the term of a slab's posting.
func slabTerm(posting uint64) text.Term { return text.Term(posting >> slabTermShift) }
