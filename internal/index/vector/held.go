package vector

import (
	"math/bits"
	"sync/atomic"

	"lukasa.dev/internal/index"
)

// heldRows is the cached rows of a finished chunk, by position. They are immutable. None of them is
// from an embedding: that can be replaced by another one with the same code, which the digest of the
// codes would not show.
type heldRows struct {
	there  live
	before [len(live{})]uint16 // rows before each word of there
	each   int                 // bytes of a row
	list   []byte
	slab   *slab       // that list is in; may be nil
	recent atomic.Bool // used since it was last considered for eviction
}

// heldBytes is approximately the memory of that many rows.
func heldBytes(rows, each int) int64 {
	const besides = 512
	return int64(rows*each) + besides
}

func (h *heldRows) bytes() int64 { return heldBytes(1, cap(h.list)) }

// row returns the row at an offset, or nil if there is none.
func (h *heldRows) row(offset int) []byte {
	if !h.there.has(offset) {
		return nil
	}
	word, bit := offset/64, offset%64
	at := int(h.before[word]) + bits.OnesCount64(h.there[word]&(1<<bit-1))
	return h.list[at*h.each : (at+1)*h.each : (at+1)*h.each]
}

// asked is the cache entry of a chunk's rows: the rows, or how often single ones were read from the
// store.
type asked struct {
	at      spaceChunk
	digest  [8]byte // of the chunk
	reads   int     // of single rows, since it was last considered
	loading bool
	never   bool // they cannot be cached
	rows    *heldRows
	place   int   // index in the list of the cache, from 1; 0 if it has no rows
	slot    *slot // refers to the rows; may be nil
}

const (
	// loadAfter is how many rows of a chunk are read one by one before all of them are, which costs
	// about as much as a few dozen reads.
	loadAfter = 16
	// maxAsked is for how many chunks reads are counted.
	maxAsked = 1 << 16
)

// held returns the cached rows of a chunk, or nil. It sets load if they were read often, and there is
// room for that many bytes; the caller must then call hold. The slot, which may be nil, refers to them
// from then on.
func (c *Cache) held(at spaceChunk, digest [8]byte, s *slot, bytes int64) (rows *heldRows, load bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.asked[at]
	if a == nil || a.digest != digest {
		if a != nil {
			c.release(a)
		} else if len(c.asked) >= maxAsked {
			c.forgetAsked()
		}
		a = &asked{at: at, digest: digest}
		c.asked[at] = a
	}
	if a.rows != nil {
		a.rows.recent.Store(true)
		if s != nil {
			a.slot = s
			s.rows.Store(a.rows)
		}
		return a.rows, false
	}
	if a.reads++; a.reads < loadAfter || a.loading || a.never {
		return nil, false
	}
	if a.reads = 0; !c.roomForRows(bytes) {
		return nil, false
	}
	a.loading = true
	return nil, true
}

// forgetAsked drops the counts of reads.
func (c *Cache) forgetAsked() {
	for at, a := range c.asked {
		if a.rows == nil && !a.loading {
			delete(c.asked, at)
		}
	}
}

// roomForRows reports whether there is room for more rows. If there is none, it evicts one that was not
// used recently, for the next caller: if all are in use, replacing one gains nothing.
func (c *Cache) roomForRows(bytes int64) bool {
	if c.used+bytes <= c.limit {
		return true
	}
	if len(c.rows) > 0 {
		c.releaseOne()
	}
	return c.used+bytes <= c.limit
}

// hold caches the rows of a chunk, or records with nil that they cannot be cached.
func (c *Cache) hold(at spaceChunk, digest [8]byte, rows *heldRows) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.asked[at]
	if a == nil || a.digest != digest {
		return // another version was cached meanwhile
	}
	a.loading, a.never = false, rows == nil
	if rows == nil || a.rows != nil {
		return
	}
	a.rows = rows
	rows.recent.Store(true)
	c.rows = append(c.rows, a)
	a.place = len(c.rows)
	c.used += rows.bytes()
	if rows.slab != nil {
		rows.slab.rows = append(rows.slab.rows, a)
	}
	c.shrink()
}

// release evicts rows and their entry.
func (c *Cache) release(a *asked) {
	if c.asked[a.at] == a {
		delete(c.asked, a.at)
	}
	if a.place == 0 {
		return
	}
	if a.slot != nil {
		a.slot.rows.CompareAndSwap(a.rows, nil)
		a.slot = nil
	}
	last := c.rows[len(c.rows)-1]
	c.rows[a.place-1], last.place = last, a.place
	c.rows[len(c.rows)-1] = nil
	c.rows = c.rows[:len(c.rows)-1]
	c.used -= a.rows.bytes()
	a.place, a.rows = 0, nil
}

// heldRows returns the cached rows of a chunk, or nil.
func (v *View) heldRows(space index.Digest, dimensions int, ref *chunkRef) (*heldRows, error) {
	if ref.tail {
		return nil, nil
	}
	if ref.slot != nil {
		if rows := ref.slot.rows.Load(); rows != nil {
			if !rows.recent.Load() {
				rows.recent.Store(true)
			}
			return rows, nil
		}
	}
	at := spaceChunk{v.tenant, space, ref.number}
	rows, load := v.cache.held(at, ref.entry.digest, ref.slot, heldBytes(int(ref.entry.rows), rowHead+dimensions))
	if !load {
		return rows, nil
	}
	rows, err := v.loadRows(at, dimensions, int(ref.entry.rows))
	v.cache.hold(at, ref.entry.digest, rows)
	return rows, err
}

// loadRows reads all count rows of a finished chunk. It returns nil if one of them is from an
// embedding.
func (v *View) loadRows(at spaceChunk, dimensions, count int) (h *heldRows, err error) {
	first := at.chunk * chunkRows
	it, err := v.r.Iter(rowsFrom(nil, at.tenant, first), rowsFrom(nil, at.tenant, first+chunkRows))
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := it.Close(); err == nil {
			err = closed
		}
	}()
	h = &heldRows{each: rowHead + dimensions}
	h.list, h.slab = v.cache.rowRoom(count * h.each)
	for ok := it.First(); ok; ok = it.Next() {
		p, err := placeOf(it.Key())
		if err != nil {
			return nil, err
		}
		if p.space != at.space {
			continue
		}
		value, err := it.Value()
		if err != nil {
			return nil, err
		}
		if r, err := decodeRow(value); err != nil || r.late {
			return nil, err
		}
		if len(value) != h.each {
			return nil, damaged("a row", errContent)
		}
		h.there.set(offsetOf(p.position))
		h.list = append(h.list, value...)
	}
	n := 0
	for i, w := range h.there {
		h.before[i] = uint16(n)
		n += bits.OnesCount64(w)
	}
	if err := it.Err(); err != nil {
		return nil, err
	}
	if n != count {
		return nil, damaged("a chunk", errContent)
	}
	return h, nil
}
