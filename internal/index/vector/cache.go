package vector

import (
	"sync"
	"sync/atomic"
)

// Cache holds codes in memory, and rows of chunks that are read often, together up to
// a number of bytes. It belongs to one store and is safe for concurrent use.
//
// What is too much goes by chance, except for what was used lately: a search reads
// all codes of a space in their order, so that what was used longest ago is just
// what the next one needs first. Rows go before codes do.
type Cache struct {
	limit int64

	mu     sync.Mutex
	used   int64
	items  map[spaceChunk]*item
	list   []*item
	asked  map[spaceChunk]*asked
	rows   []*asked // that have some
	chance uint64
}

// item is a chunk in the cache.
type item struct {
	at      spaceChunk
	version version
	load    sync.Once
	chunk   *chunk
	err     error
	recent  atomic.Bool // used since it was last considered

	place int // in the list, from 1; 0 if it is not there. Guarded by the cache
}

// version tells the states of a chunk apart.
type version struct {
	digest [8]byte // of a finished one
	size   uint64  // of the tenant, for one that is not finished
}

// chunk is the codes of a chunk as they are scanned. It does not change.
type chunk struct {
	number  uint64
	words   int
	offsets []uint16
	blocks  []uint64 // see blockRows; the last one is filled up with zeros
}

// bytes is how much memory a chunk takes, about.
func (c *chunk) bytes() int64 {
	const besides = 256
	if c == nil {
		return besides
	}
	return int64(2*cap(c.offsets)+8*cap(c.blocks)) + besides
}

// newChunk arranges codes for a scan. Their offsets must be in order.
func newChunk(number uint64, c *codes) *chunk {
	n := len(c.offsets)
	if n == 0 {
		return nil
	}
	t := &chunk{number: number, words: c.words, offsets: c.offsets}
	t.blocks = make([]uint64, (n+blockRows-1)/blockRows*blockRows*c.words)
	for i := range n {
		code := c.list[i*c.words : (i+1)*c.words]
		block := t.blocks[i/blockRows*blockRows*c.words+i%blockRows:]
		for k, w := range code {
			block[k*blockRows] = w
		}
	}
	return t
}

// NewCache returns a cache that holds up to so many bytes. A million vectors of the
// built-in model take 34 MB, and their rows 267 MB.
func NewCache(bytes int64) *Cache {
	return &Cache{limit: bytes, items: make(map[spaceChunk]*item), asked: make(map[spaceChunk]*asked), chance: 1}
}

// Bytes is about how many bytes the cache holds.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// chunk returns a chunk as it is in a version. What is not there is loaded, once
// for all who ask meanwhile.
func (c *Cache) chunk(at spaceChunk, v version, load func() (*chunk, error)) (*chunk, error) {
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
			return // another version came meanwhile
		}
		if x.err != nil {
			delete(c.items, at)
			return
		}
		x.recent.Store(true)
		c.list = append(c.list, x)
		x.place = len(c.list)
		c.used += x.chunk.bytes()
		c.shrink()
	})
	if !x.recent.Load() {
		x.recent.Store(true)
	}
	return x.chunk, x.err
}

// drop lets an item go.
func (c *Cache) drop(x *item) {
	delete(c.items, x.at)
	if x.place == 0 {
		return // still being loaded
	}
	last := c.list[len(c.list)-1]
	c.list[x.place-1], last.place = last, x.place
	c.list[len(c.list)-1] = nil
	c.list = c.list[:len(c.list)-1]
	x.place = 0
	c.used -= x.chunk.bytes()
}

// shrink lets rows and items go until the rest is not too much.
func (c *Cache) shrink() {
	for c.used > c.limit && len(c.rows) > 0 {
		a := c.rows[c.random()%uint64(len(c.rows))]
		if !a.recent {
			c.release(a)
		}
		a.recent = false
	}
	for c.used > c.limit && len(c.list) > 0 {
		x := c.list[c.random()%uint64(len(c.list))]
		if !x.recent.Swap(false) {
			c.drop(x)
		}
	}
}

// random returns a number by chance.
func (c *Cache) random() uint64 {
	c.chance ^= c.chance << 13
	c.chance ^= c.chance >> 7
	c.chance ^= c.chance << 17
	return c.chance
}
