package lexical

// cursor iterates over the postings of a term in one segment, forwards only. Postings
// are in blocks, and blocks in chunks; what is not needed is neither read nor decoded.
// A term that is kept in its bucket has one chunk.
type cursor struct {
	view    *View
	scorer  *scorer
	term    *queryTerm
	segment segment

	chunks  []chunkPlace
	chunk   int
	read    bool // places are those of the chunk
	places  []blockPlace
	place   int
	decoded bool // block is that of the place
	block   block
	at      int // index among its postings
	row     []byte
}

// open starts with a body of a segment.
func (c *cursor) open(v *View, s *scorer, t *queryTerm, seg segment, body []byte) error {
	c.view, c.scorer, c.term, c.segment = v, s, t, seg
	c.chunk, c.place, c.at, c.read, c.decoded = 0, 0, 0, false, false
	c.chunks, c.places = c.chunks[:0], c.places[:0]
	width := v.shape.spans[seg.level]
	n, chunked, rest, ok := readBody(body, width)
	if !ok {
		return damaged("a bucket")
	}
	if chunked {
		if c.chunks, ok = v.shape.readChunks(c.chunks, rest, n, width); !ok {
			return damaged("a bucket")
		}
		for i := range c.chunks {
			if p := &c.chunks[i]; p.n > 0 {
				p.bound = s.bound(t.factor, p.weight, p.length)
			}
		}
		return nil
	}
	c.chunks = append(c.chunks, chunkPlace{end: uint32(width), n: n})
	return c.list(rest)
}

// openTail starts with postings of a tail, which are in memory.
func (c *cursor) openTail(v *View, s *scorer, t *queryTerm) {
	c.view, c.scorer, c.term, c.chunk = v, s, t, 0
	p := &t.lists.tail
	b := &c.block
	b.n = len(p.offsets)
	copy(b.offsets[:], p.offsets)
	copy(b.weights[:], p.weights)
	copy(b.lengths[:], p.lengths)
	c.chunks = append(c.chunks[:0], chunkPlace{end: slabSize, n: b.n})
	c.whole()
}

// whole makes the decoded block the only one of the chunk.
func (c *cursor) whole() {
	b := &c.block
	p := blockPlace{base: b.offsets[0], last: b.offsets[b.n-1], n: b.n}
	all := postings{b.offsets[:b.n], b.weights[:b.n], b.lengths[:b.n]}
	p.weight, p.length = all.bounds()
	p.bound = c.scorer.bound(c.term.factor, p.weight, p.length)
	c.places = append(c.places[:0], p)
	c.place, c.at, c.read, c.decoded = 0, 0, true, true
}

// list starts with the list of the current chunk.
func (c *cursor) list(list []byte) error {
	p := &c.chunks[c.chunk]
	if p.n <= blockSize {
		if !c.block.decode(list, p.n, p.begin, p.end) {
			return damaged("a list of postings")
		}
		c.whole()
		return nil
	}
	var ok bool
	if c.places, ok = readDirectory(c.places[:0], list, p.n, p.begin, p.end); !ok {
		return damaged("a list of postings")
	}
	for i := range c.places {
		b := &c.places[i]
		b.bound = c.scorer.bound(c.term.factor, b.weight, b.length)
	}
	c.place, c.read, c.decoded = 0, true, false
	return nil
}

// load reads the current chunk.
func (c *cursor) load() error {
	v := c.view
	row, ok, err := v.reader.Get(chunkKey(nil, v.tenant, c.segment, c.term.term, c.chunk), c.row[:0])
	if err != nil {
		return err
	}
	if c.row = row; !ok {
		return damaged("a list of postings")
	}
	return c.list(row)
}

// seek moves to the first posting at or after an offset, and is false if there is none
// below limit. Offsets must not decrease from call to call.
func (c *cursor) seek(offset, limit uint32) (bool, error) {
	for c.chunk < len(c.chunks) {
		p := &c.chunks[c.chunk]
		if p.begin >= limit {
			return false, nil
		}
		if p.end <= offset || p.n == 0 {
			c.nextChunk()
			continue
		}
		if !c.read {
			if err := c.load(); err != nil {
				return false, err
			}
		}
		for c.place < len(c.places) && c.places[c.place].last < offset {
			c.place++
			c.decoded = false
		}
		if c.place == len(c.places) {
			c.nextChunk()
			continue
		}
		b := &c.places[c.place]
		if b.base >= limit {
			return false, nil
		}
		if !c.decoded {
			if !c.block.decode(b.bytes, b.n, b.base, b.last+1) || c.block.offsets[b.n-1] != b.last {
				return false, damaged("a list of postings")
			}
			c.decoded, c.at = true, 0
		}
		at, offsets := c.at, &c.block.offsets
		for offsets[at&(slabSize-1)] < offset { // ends at the last, which is not below
			at++
		}
		c.at = at
		return offsets[at&(slabSize-1)] < limit, nil
	}
	return false, nil
}

func (c *cursor) nextChunk() {
	c.chunk++
	c.read, c.decoded = false, false
}

// bound returns the maximum that the term can add to a score at offsets in [begin,
// end), zero if it does not occur. It reads nothing.
func (c *cursor) bound(begin, end uint32) (most float64) {
	for i := c.chunk; i < len(c.chunks); i++ {
		p := &c.chunks[i]
		if p.begin >= end {
			break
		}
		if p.end <= begin || p.n == 0 {
			continue
		}
		if i > c.chunk || !c.read {
			most = max(most, p.bound)
			continue
		}
		for k := c.place; k < len(c.places); k++ {
			b := &c.places[k]
			first := b.base
			if k == c.place && c.decoded {
				first = c.block.offsets[c.at]
			}
			if first >= end {
				break
			}
			if b.last >= begin {
				most = max(most, b.bound)
			}
		}
	}
	return most
}

// density returns approximately how many postings there are in that many positions.
func (c *cursor) density(positions uint32) int {
	p := &c.chunks[min(c.chunk, len(c.chunks)-1)]
	return 1 + int(uint64(p.n)*uint64(positions)/uint64(p.end-p.begin))
}

// next returns a lower bound of the next posting at or after an offset. It reads
// nothing.
func (c *cursor) next(offset uint32) uint32 {
	for i := c.chunk; i < len(c.chunks); i++ {
		p := &c.chunks[i]
		if p.end <= offset || p.n == 0 {
			continue
		}
		if i > c.chunk || !c.read {
			return max(p.begin, offset)
		}
		for k := c.place; k < len(c.places); k++ {
			if b := &c.places[k]; b.last >= offset {
				if k == c.place && c.decoded {
					return max(c.block.offsets[c.at], offset)
				}
				return max(b.base, offset)
			}
		}
	}
	return noOffset
}

// noOffset is above every offset.
const noOffset = 1 << 31

// part returns what the current posting adds to a score.
func (c *cursor) part() float64 {
	return c.scorer.part(c.term.factor, c.block.weights[c.at], c.block.lengths[c.at])
}
