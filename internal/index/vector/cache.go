package vector

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
)

// Cache caches codes, and rows of frequently read chunks, together up to a number of bytes.
// It belongs to one store and is safe for concurrent use.
//
// It evicts at random, except for recently used items: a search reads all codes of a space
// in order, so that the least recently used one is what the next search needs first. Rows
// are evicted before codes.
type Cache struct {
	limit int64

	mu        sync.Mutex
	used      int64
	items     map[spaceChunk]*item
	list      []*item
	asked     map[spaceChunk]*asked
	rows      []*asked // those with rows
	spaces    map[spaceID]*chunks
	codeSlabs slabs
	rowSlabs  slabs
	chance    uint64
}

// item is a cached chunk.
type item struct {
	at      spaceChunk
	version version
	load    sync.Once
	chunk   *chunk
	err     error

	// Guarded by the cache.
	place int   // index in the list, from 1; 0 if it is not there
	slot  *slot // that leads to it; may be nil
}

// lately reports whether it was used since the last call. An item without codes is not
// worth keeping.
func (x *item) lately() bool { return x.chunk != nil && x.chunk.recent.Swap(false) }

// version identifies the state of a chunk.
type version struct {
	digest [8]byte // of a finished one
	size   uint64  // of the tenant, for an unfinished one
}

// chunk is the codes of a chunk in scan order. They are immutable.
type chunk struct {
	offsets []uint16
	blocks  []byte      // see blockRows; the last one is padded with zeros
	slab    *slab       // that blocks is in; may be nil
	recent  atomic.Bool // used since it was last considered for eviction
}

// use marks it as used.
func (c *chunk) use() {
	if c != nil && !c.recent.Load() {
		c.recent.Store(true)
	}
}

// bytes is approximately the memory of a chunk.
func (c *chunk) bytes() int64 {
	const besides = 256
	if c == nil {
		return besides
	}
	return int64(2*cap(c.offsets)+cap(c.blocks)) + besides
}

// newChunk arranges codes for a scan. Their offsets must be in order. The cache may be nil.
func (c *Cache) newChunk(from *codes) *chunk {
	n := len(from.offsets)
	if n == 0 {
		return nil
	}
	t := &chunk{offsets: from.offsets}
	step := blockRows * 8 * from.words
	t.blocks, t.slab = c.codeRoom((n + blockRows - 1) / blockRows * step)
	for i := 0; i < n; i += 8 { // eight codes at a time
		block := t.blocks[i/blockRows*step+i%blockRows:]
		for k := range from.words {
			var eight [8]uint64
			for r := range min(8, n-i) {
				eight[r] = from.list[(i+r)*from.words+k]
			}
			transpose(&eight)
			for j, w := range eight {
				binary.LittleEndian.PutUint64(block[(8*k+j)*blockRows:], w)
			}
		}
	}
	return t
}

// transpose turns eight words of eight bytes into the words of the first bytes, of the
// second and so on.
func transpose(w *[8]uint64) {
	swap := func(far int, shift uint, mask uint64) {
		for i := range w {
			if i&far == 0 {
				x := (w[i]>>shift ^ w[i+far]) & mask
				w[i] ^= x << shift
				w[i+far] ^= x
			}
		}
	}
	swap(4, 32, 0x00000000ffffffff)
	swap(2, 16, 0x0000ffff0000ffff)
	swap(1, 8, 0x00ff00ff00ff00ff)
}

// codeRoom returns zeroed memory for codes.
func (c *Cache) codeRoom(bytes int) ([]byte, *slab) {
	if c == nil {
		return make([]byte, bytes), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	room, of := c.codeSlabs.take(bytes)
	return room[:bytes], of
}

// rowRoom returns memory for rows.
func (c *Cache) rowRoom(bytes int) ([]byte, *slab) {
	if c == nil {
		return make([]byte, 0, bytes), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rowSlabs.take(bytes)
}

// NewCache returns a cache of at most that many bytes. A million vectors of the built-in
// model take 34 MB, and their rows 267 MB.
func NewCache(bytes int64) *Cache {
	most := int(min(bytes/slabPart, mostSlab))
	return &Cache{
		codeSlabs: slabs{most: most}, rowSlabs: slabs{most: most},
		limit: bytes, items: make(map[spaceChunk]*item), asked: make(map[spaceChunk]*asked), spaces: make(map[spaceID]*chunks), chance: 1,
	}
}

// chunk returns a chunk in a version. If it is not cached, it is loaded once for all
// concurrent callers. The slot, which may be nil, refers to it from then on.
func (c *Cache) chunk(at spaceChunk, v version, s *slot, load func() (*chunk, error)) (*chunk, error) {
	if c == nil {
		return load()
	}
	c.mu.Lock()
	x := c.items[at]
	if x == nil || x.version != v {
		if x != nil {
			c.drop(x)
		}
		x = &item{at: at, version: v}
		c.items[at] = x
	}
	c.mu.Unlock()
	x.load.Do(func() {
		x.chunk, x.err = load()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.items[at] != x {
			return // another version was cached meanwhile
		}
		if x.err != nil {
			delete(c.items, at)
			return
		}
		c.list = append(c.list, x)
		x.place = len(c.list)
		x.chunk.use()
		c.used += x.chunk.bytes()
		if x.chunk != nil && x.chunk.slab != nil {
			x.chunk.slab.codes = append(x.chunk.slab.codes, x)
		}
		c.shrink()
	})
	if s != nil && x.err == nil && x.chunk != nil {
		c.lead(s, x)
	}
	x.chunk.use()
	return x.chunk, x.err
}

// lead makes a slot refer to the codes of an item, if that is cached.
func (c *Cache) lead(s *slot, x *item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.place > 0 {
		x.slot = s
		s.codes.Store(x.chunk)
	}
}

// drop evicts an item.
func (c *Cache) drop(x *item) {
	if c.items[x.at] == x {
		delete(c.items, x.at)
	}
	if x.place == 0 {
		return // still being loaded, or gone
	}
	if x.slot != nil {
		x.slot.codes.CompareAndSwap(x.chunk, nil)
		x.slot = nil
	}
	last := c.list[len(c.list)-1]
	c.list[x.place-1], last.place = last, x.place
	c.list[len(c.list)-1] = nil
	c.list = c.list[:len(c.list)-1]
	x.place = 0
	c.used -= x.chunk.bytes()
}

// shrink evicts rows and items until the rest fits.
func (c *Cache) shrink() {
	for c.used > c.limit && len(c.rows) > 0 {
		c.releaseOne()
	}
	for c.used > c.limit && len(c.list) > 0 {
		x := c.list[c.random()%uint64(len(c.list))]
		all := []*item{x}
		if x.chunk != nil && x.chunk.slab != nil {
			all = x.chunk.slab.codes
		}
		recent := false
		for _, x := range all {
			recent = x.place > 0 && x.lately() || recent
		}
		if recent {
			continue
		}
		for _, x := range all {
			c.drop(x)
		}
	}
}

// releaseOne evicts the rows of a chunk together with those in the same slab, unless one of
// them was used recently.
func (c *Cache) releaseOne() {
	a := c.rows[c.random()%uint64(len(c.rows))]
	all := []*asked{a}
	if a.rows.slab != nil {
		all = a.rows.slab.rows
	}
	recent := false
	for _, a := range all {
		recent = a.rows != nil && a.rows.recent.Swap(false) || recent
	}
	if recent {
		return
	}
	for _, a := range all {
		c.release(a)
	}
}

// random returns a random number.
func (c *Cache) random() uint64 {
	c.chance ^= c.chance << 13
	c.chance ^= c.chance >> 7
	c.chance ^= c.chance << 17
	return c.chance
}

// known returns the chunks of a space if their directory equals the given one, else nil.
func (c *Cache) known(id spaceID, directory []byte, ends []int) *chunks {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.spaces[id]; k != nil && slices.Equal(k.ends, ends) && bytes.Equal(k.directory, directory) {
		return k
	}
	return nil
}

// maxSpaces is the number of spaces whose chunks are cached.
const maxSpaces = 1 << 10

// know caches the chunks of a space.
func (c *Cache) know(id spaceID, k *chunks) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spaces) >= maxSpaces {
		clear(c.spaces)
	}
	c.spaces[id] = k
}
