package lexical

import (
	"bytes"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/text"
)

// builder writes the rows of segments. Its buffers are reused.
type builder struct {
	shape  *shape
	tx     *kv.Txn
	tenant uint32

	slabs  []*slab // unused
	used   []*slab // of the current group
	spread spread

	sources []*source // for reuse
	heads   []text.Term
	list    postings
	out     bucketWriter
	bucket  uint16

	block  block
	places []blockPlace
	chunks []chunkPlace
	key    []byte
	arena  []byte
	room   []byte
	blocks []byte
	row    []byte
}

// noTerm is above every term.
const noTerm = text.Term(1) << termBits

// source is a part of a new segment: a stored segment, or a slab. It iterates over its
// terms in order, one first byte at a time.
type source struct {
	shift uint32 // from offsets in the source to those in the segment

	postings []uint64 // the rest of a slab
	lengths  *[slabSize]uint32

	stored  bool
	segment segment
	rows    [][]byte // of the current first byte, not read yet
	reader  bucketReader
	gone    []uint64 // bitmap of removed documents; nil for none
}

// firstShift is the position of the first byte of a term. The suffix in bucket rows is
// below it.
const firstShift = 8 * suffixBytes

// next moves to the next term and returns it, or noTerm if none with this first byte
// is left.
func (s *source) next(first text.Term) (text.Term, error) {
	if !s.stored {
		if len(s.postings) == 0 || slabTerm(s.postings[0])>>firstShift != first {
			return noTerm, nil
		}
		return slabTerm(s.postings[0]), nil
	}
	for {
		if s.reader.next() {
			return first<<firstShift | text.Term(s.reader.suffix), nil
		}
		if !s.reader.done() {
			return noTerm, damaged("a bucket")
		}
		if len(s.rows) == 0 {
			return noTerm, nil
		}
		if !s.reader.open(s.rows[0]) {
			return noTerm, damaged("a bucket")
		}
		s.rows = s.rows[1:]
	}
}

// level reads the rows of all segments of a level, which are all parts of the new
// segment.
type level struct {
	it      *kv.Iter
	first   segment
	sources []*source
}

// merge makes a segment of stored ones and of the slabs within it. The rows of the
// stored ones are deleted.
func (b *builder) merge(target segment, parts []segment, gone []member) error {
	sources := b.gather(target, parts, gone)
	levels, err := b.levels(sources)
	for first := text.Term(0); first < 256 && err == nil; first++ {
		b.arena = b.arena[:0]
		for i := 0; i < len(levels) && err == nil; i++ {
			err = b.rows(&levels[i], byte(first))
		}
		if err == nil {
			err = b.mergeSources(target, sources, first)
		}
	}
	if err == nil {
		err = b.flush(target)
	}
	for i := range levels {
		if e := levels[i].it.Close(); err == nil {
			err = e
		}
	}
	return err
}

// gather returns the sources of a segment, by position.
func (b *builder) gather(target segment, parts []segment, gone []member) (list []*source) {
	begin, end := b.shape.begin(target), b.shape.end(target)
	one := func() *source {
		if len(list) == len(b.sources) {
			b.sources = append(b.sources, new(source))
		}
		list = b.sources[:len(list)+1]
		return list[len(list)-1]
	}
	for _, part := range parts {
		*one() = source{stored: true, segment: part, shift: uint32(b.shape.begin(part) - begin), gone: b.bitsOf(part, gone)}
	}
	for _, slab := range b.used {
		if slab.begin >= begin && slab.begin < end {
			*one() = source{shift: uint32(slab.begin - begin), postings: slab.postings, lengths: &slab.lengths}
		}
	}
	return list
}

// levels returns the levels of the stored sources. Their iterators must be closed,
// also after an error.
func (b *builder) levels(sources []*source) (list []level, err error) {
	for len(sources) > 0 && sources[0].stored {
		seg, n := sources[0].segment, 1
		for n < len(sources) && sources[n].stored && sources[n].segment.level == seg.level {
			n++
		}
		prefix := index.NewKey(nil, Prefix, tableBucket, b.tenant).Byte(byte(seg.level))
		it, err := b.tx.Iter(prefix, kv.PrefixEnd(prefix))
		if err != nil {
			return list, err
		}
		list = append(list, level{it, seg, sources[:n]})
		sources = sources[n:]
	}
	return list, nil
}

// rows passes the rows of terms with one first byte to the sources of a level, and
// deletes them.
func (b *builder) rows(l *level, first byte) error {
	for _, s := range l.sources {
		s.rows = nil
	}
	step := 1 << (16 - b.shape.bits[l.first.level])
	for bucket := int(first) << 8; bucket < (int(first)+1)<<8; bucket += step {
		if err := b.bucketRows(l, uint16(bucket)); err != nil {
			return err
		}
	}
	return nil
}

// bucketRows is rows for one bucket. It seeks to the first of the segments: before it
// there may be many deleted rows, which an iterator skips one by one.
func (b *builder) bucketRows(l *level, bucket uint16) error {
	b.key = bucketKey(b.key, b.tenant, l.first, bucket)
	for ok := l.it.Seek(b.key); ok; ok = l.it.Next() {
		key := l.it.Key()
		if len(key) != keyEnd || !bytes.Equal(key[:keySpan], b.key[:keySpan]) {
			break
		}
		n := spanAt(key[keySpan:]) - l.first.span
		if n >= uint64(len(l.sources)) {
			return damaged("a bucket")
		}
		row, err := l.it.Value()
		if err != nil {
			return err
		}
		from := len(b.arena)
		b.arena = append(b.arena, row...)
		l.sources[n].rows = append(l.sources[n].rows, b.arena[from:len(b.arena):len(b.arena)])
		if err := b.tx.DeleteBlind(key); err != nil {
			return err
		}
		if n == uint64(len(l.sources))-1 {
			break
		}
	}
	return l.it.Err()
}

// bitsOf returns a bitmap of the removed documents of a segment, or nil if there are
// none.
func (b *builder) bitsOf(seg segment, gone []member) []uint64 {
	begin, end := b.shape.begin(seg), b.shape.end(seg)
	gone = within(gone, begin, end)
	if len(gone) == 0 {
		return nil
	}
	bits := make([]uint64, (end-begin+63)/64)
	for i := range gone {
		offset := gone[i].position - begin
		bits[offset/64] |= 1 << (offset % 64)
	}
	return bits
}

// mergeSources writes the terms of the sources with one first byte.
func (b *builder) mergeSources(target segment, sources []*source, first text.Term) (err error) {
	heads := b.heads[:0]
	for _, s := range sources {
		term, err := s.next(first)
		if err != nil {
			return err
		}
		heads = append(heads, term)
	}
	b.heads = heads
	for {
		least := noTerm
		for _, t := range heads {
			least = min(least, t)
		}
		if least == noTerm {
			return nil
		}
		b.list.clear()
		for i, t := range heads {
			if t != least {
				continue
			}
			if err := b.take(sources[i], least); err != nil {
				return err
			}
			if heads[i], err = sources[i].next(first); err != nil {
				return err
			}
			if heads[i] <= least {
				return damaged("a bucket")
			}
		}
		if len(b.list.offsets) > 0 {
			if err := b.write(target, least); err != nil {
				return err
			}
		}
	}
}

// take appends the postings of a source's term to the list.
func (b *builder) take(s *source, term text.Term) error {
	if s.stored {
		return b.takeStored(s, term)
	}
	i := 0
	for ; i < len(s.postings) && slabTerm(s.postings[i]) == term; i++ {
		p := s.postings[i]
		offset := uint32(p>>weightBits) & (slabSize - 1)
		b.list.add(offset+s.shift, uint8(p), s.lengths[offset])
	}
	s.postings = s.postings[i:]
	return nil
}

func (b *builder) takeStored(s *source, term text.Term) error {
	from := len(b.list.offsets)
	chunked, err := b.load(s.segment, term, s.reader.body, s.shift)
	if err != nil {
		return err
	}
	if s.gone != nil {
		b.list.drop(from, s.shift, s.gone)
	}
	if chunked {
		return b.deleteChunks(s.segment, term)
	}
	return nil
}

// deleteChunks deletes the rows of b.chunks.
func (b *builder) deleteChunks(seg segment, term text.Term) error {
	for i := range b.chunks {
		if b.chunks[i].n > 0 {
			b.key = chunkKey(b.key, b.tenant, seg, term, i)
			if err := b.tx.DeleteBlind(b.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// load appends the postings of a body to the list. If they are in chunks, it sets
// b.chunks.
func (b *builder) load(seg segment, term text.Term, body []byte, shift uint32) (chunked bool, err error) {
	width := b.shape.spans[seg.level]
	n, chunked, rest, ok := readBody(body, width)
	if !ok {
		return false, damaged("a bucket")
	}
	if !chunked {
		if b.places, ok = b.list.decodeList(rest, n, 0, uint32(width), shift, &b.block, b.places); !ok {
			return false, damaged("a list of postings")
		}
		return false, nil
	}
	if b.chunks, ok = b.shape.readChunks(b.chunks[:0], rest, n, width); !ok {
		return false, damaged("a bucket")
	}
	for i := range b.chunks {
		if err := b.loadChunk(seg, term, i, shift); err != nil {
			return false, err
		}
	}
	return true, nil
}

// loadChunk appends the postings of one of b.chunks to the list.
func (b *builder) loadChunk(seg segment, term text.Term, i int, shift uint32) error {
	c := &b.chunks[i]
	if c.n == 0 {
		return nil
	}
	b.key = chunkKey(b.key, b.tenant, seg, term, i)
	row, ok, err := b.tx.Get(b.key, b.room[:0])
	if err != nil {
		return err
	}
	b.room = row
	if ok {
		b.places, ok = b.list.decodeList(row, c.n, c.begin, c.end, shift, &b.block, b.places)
	}
	if !ok {
		return damaged("a list of postings")
	}
	return nil
}

// drop removes postings of removed documents from a list, starting at an index.
func (p *postings) drop(from int, shift uint32, gone []uint64) {
	n := from
	for i := from; i < len(p.offsets); i++ {
		if offset := p.offsets[i] - shift; gone[offset/64]>>(offset%64)&1 == 0 {
			p.offsets[n], p.weights[n], p.lengths[n] = p.offsets[i], p.weights[i], p.lengths[i]
			n++
		}
	}
	p.offsets, p.weights, p.lengths = p.offsets[:n], p.weights[:n], p.lengths[:n]
}

// write puts the list into the bucket of its term. Terms arrive in order.
func (b *builder) write(seg segment, term text.Term) error {
	if bucket := b.shape.bucketOf(seg.level, term); bucket != b.bucket {
		if err := b.flush(seg); err != nil {
			return err
		}
		b.bucket = bucket
	}
	from := len(b.out.bodies)
	if err := b.writeBody(seg, term); err != nil {
		return err
	}
	b.out.add(term, from)
	return nil
}

// writeBody appends the body of the list to the bucket, and writes its chunks.
func (b *builder) writeBody(seg segment, term text.Term) (err error) {
	n := len(b.list.offsets)
	chunks := b.shape.chunks(n)
	b.out.bodies = appendHead(b.out.bodies, n, chunks > 1)
	if chunks == 1 {
		b.out.bodies, b.blocks = b.list.appendList(b.out.bodies, b.blocks, 0)
		return nil
	}
	each := uint32(b.shape.spans[seg.level]) / uint32(chunks)
	b.chunks = b.chunks[:0]
	from := 0
	for i := range chunks {
		c := chunkPlace{begin: uint32(i) * each, end: uint32(i+1) * each}
		to := from
		for to < n && b.list.offsets[to] < c.end {
			to++
		}
		part := b.list.part(from, to)
		if err := b.writeChunk(seg, term, i, &c, &part); err != nil {
			return err
		}
		b.chunks = append(b.chunks, c)
		from = to
	}
	b.out.bodies = appendChunks(b.out.bodies, b.chunks)
	return nil
}

// writeChunk writes the row of a chunk, and fills in its place.
func (b *builder) writeChunk(seg segment, term text.Term, i int, c *chunkPlace, part *postings) error {
	c.n = len(part.offsets)
	b.key = chunkKey(b.key, b.tenant, seg, term, i)
	if c.n == 0 {
		return nil
	}
	c.weight, c.length = part.bounds()
	b.row, b.blocks = part.appendList(b.row[:0], b.blocks, c.begin)
	return b.tx.SetBlind(b.key, b.row)
}

// flush writes the current bucket, if it is not empty.
func (b *builder) flush(seg segment) error {
	if b.out.number == 0 {
		return nil
	}
	b.key = bucketKey(b.key, b.tenant, seg, b.bucket)
	return b.tx.SetBlind(b.key, b.out.flush())
}
