package column

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Cache holds chunks of the columns of one store in memory, up to a number of
// bytes. It is safe for concurrent use.
//
// For each column of a tenant it knows the newest state that was opened. It evicts
// at random, except for recently used items: if a column is larger than the cache
// and is read from start to end repeatedly, the least recently used chunk is the
// one that is needed next. An evicted chunk stays valid for its users.
type Cache struct {
	limit int64

	mu      sync.Mutex
	used    int64
	members map[place]*member
	items   []*item
	chance  uint64
}

// place says which column of which tenant.
type place struct {
	prefix, table byte
	tenant        uint32
}

// member is a column of a tenant.
type member struct {
	place place
	state *state
	item  item
}

// item is what can be evicted: the state of a column, or a chunk.
type item struct {
	recent atomic.Bool // used since it was last considered for eviction

	// The cache guards the rest.
	member *member
	slot   *slot
	bytes  int64
	at     int // index among the items, from 1; 0 if it is not cached
}

// touch marks the item as used.
func (x *item) touch() {
	if !x.recent.Load() {
		x.recent.Store(true)
	}
}

// NewCache returns a cache of at most that many bytes.
func NewCache(bytes int64) *Cache {
	return &Cache{limit: bytes, members: make(map[place]*member), chance: 1}
}

// known returns the newest state of a column that was opened, or nil.
func (c *Cache) known(column Column, tenant uint32) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[place{column.Prefix, column.Table, tenant}]
	if m == nil {
		return nil
	}
	m.item.touch()
	return m.state
}

// The overhead of a chunk, a slot and a member.
const (
	chunkBytes  = int64(unsafe.Sizeof(Chunk{}))
	slotBytes   = int64(unsafe.Sizeof(slot{})) + 8
	memberBytes = int64(unsafe.Sizeof(member{})+unsafe.Sizeof(state{})) + 64
)

// learn stores s, if it is newer than the known state. It returns the known state
// of that size, or s itself.
func (c *Cache) learn(column Column, tenant uint32, s *state) *state {
	at := place{column.Prefix, column.Table, tenant}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[at]
	if m == nil {
		m = &member{place: at}
		m.item.member = m
		c.members[at] = m
		c.put(&m.item)
	} else {
		switch {
		case m.state.size == s.size:
			return m.state
		case m.state.size > s.size:
			return s
		}
		c.leave(m.state, s)
	}
	m.state = s
	m.item.recent.Store(true)
	bytes := memberBytes + slotBytes*int64(len(s.chunks)+1)
	c.used += bytes - m.item.bytes
	m.item.bytes = bytes
	c.shrink()
	return s
}

// leave evicts the chunks of a state that the next one does not share.
func (c *Cache) leave(old, next *state) {
	c.drop(&old.tail.item)
	if n := len(old.chunks); n == len(next.chunks) && n > 0 && &old.chunks[0] == &next.chunks[0] {
		return
	}
	for i, t := range old.chunks {
		if i >= len(next.chunks) || next.chunks[i] != t {
			c.drop(&t.item)
		}
	}
}

// add caches a chunk that was read into its slot.
func (c *Cache) add(t *slot, chunk *Chunk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.item.slot = t
	t.item.bytes = chunkBytes + int64(cap(chunk.Rows))
	if t.base != nil {
		t.item.bytes += chunkBytes + int64(cap(t.base.Rows))
	}
	t.item.recent.Store(true)
	c.put(&t.item)
	c.used += t.item.bytes
	c.shrink()
}

// put adds an item to the list.
func (c *Cache) put(x *item) {
	c.items = append(c.items, x)
	x.at = len(c.items)
}

// drop evicts an item, if it is cached.
func (c *Cache) drop(x *item) {
	if x.at == 0 {
		return
	}
	last := c.items[len(c.items)-1]
	c.items[x.at-1], last.at = last, x.at
	c.items[len(c.items)-1] = nil
	c.items = c.items[:len(c.items)-1]
	x.at = 0
	c.used -= x.bytes
	if x.slot != nil {
		x.slot.chunk.Store(nil)
		return
	}
	m := x.member
	delete(c.members, m.place)
	c.drop(&m.state.tail.item)
	for _, t := range m.state.chunks {
		c.drop(&t.item)
	}
}

// shrink evicts items until the rest fits.
func (c *Cache) shrink() {
	for c.used > c.limit && len(c.items) > 0 {
		c.chance ^= c.chance << 13
		c.chance ^= c.chance >> 7
		c.chance ^= c.chance << 17
		x := c.items[c.chance%uint64(len(c.items))]
		if !x.recent.Swap(false) {
			c.drop(x)
		}
	}
}
