package lexical

import (
	"sync"

	"lukasa.dev/internal/text"
)

// termKey identifies the lists of a term at a state. Those of a tenant with a given
// number of records are always the same.
type termKey struct {
	tenant uint32
	size   uint64
	term   text.Term
}

// termCache caches the lists of recently used terms: successive questions often share
// words. It has two generations. When the younger one is full it becomes the older,
// and what was not used since then is evicted. It is safe for concurrent use.
type termCache struct {
	mu         sync.Mutex
	limit      int
	bytes      int // of the younger generation
	young, old map[termKey]*termLists
}

// get returns the lists of a term, or nil.
func (c *termCache) get(key termKey) *termLists {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.young[key]; l != nil {
		return l
	}
	l := c.old[key]
	if l != nil {
		c.add(key, l)
	}
	return l
}

// put caches the lists of a term, which must not change from then on.
func (c *termCache) put(key termKey, l *termLists) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, l)
}

// add is put for a caller that holds the lock.
func (c *termCache) add(key termKey, l *termLists) {
	size := l.bytes()
	if size > c.limit/4 {
		return
	}
	if c.young == nil || c.bytes+size > c.limit/2 {
		c.old, c.young, c.bytes = c.young, make(map[termKey]*termLists), 0
	}
	c.young[key] = l
	c.bytes += size
}

// listOverhead is approximately the overhead of a term's lists.
const listOverhead = 256

// bytes is approximately the memory of a term's lists.
func (l *termLists) bytes() int {
	n := listOverhead + 24*len(l.bodies) + 16*len(l.tail.offsets)
	for _, b := range l.bodies {
		n += cap(b)
	}
	return n
}
