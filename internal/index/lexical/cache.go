package lexical

import (
	"container/list"
	"sync"

	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/text"
)

// Cache caches the tails of tenants and the lists of recently used terms, and pools
// buffers for searches. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	limit int
	bytes int
	tails map[tailKey]*list.Element
	order *list.List // of *tail, most recently used first
	rooms sync.Pool  // of *room
	terms termCache
}

// defaultCache is the default size of a cache in bytes.
const defaultCache = 16 << 20

// NewCache returns a cache of about that many bytes for tails, and as many for lists.
// Zero means 16 MiB, the tails of some hundred tenants.
func NewCache(bytes int) *Cache {
	if bytes == 0 {
		bytes = defaultCache
	}
	return &Cache{limit: bytes, tails: make(map[tailKey]*list.Element), order: list.New(), terms: termCache{limit: bytes}}
}

// tailKey identifies a tail. The tail of a tenant with a given number of records is
// always the same.
type tailKey struct {
	tenant uint32
	size   uint64
}

// tail is the documents that are in no segment yet.
type tail struct {
	key   tailKey
	bytes int
	rows  []tailRow
}

// tailRow is a document of a tail.
type tailRow struct {
	marks  [marks / 64]uint64 // one bit per term; terms may share one
	offset uint32
	forward
}

const marks = 512

// mark returns the bit of a term.
func mark(t text.Term) (word int, bit uint64) {
	return int(t / 64 % (marks / 64)), 1 << (t % 64)
}

// postings appends the postings of a term in the tail.
func (t *tail) postings(term text.Term, p *postings) {
	word, bit := mark(term)
	for i := range t.rows {
		r := &t.rows[i]
		if r.marks[word]&bit == 0 {
			continue
		}
		if w := r.weight(term); w > 0 {
			p.add(r.offset, w, r.length)
		}
	}
}

// tailOf returns the tail of a tenant.
func (c *Cache) tailOf(r kv.Reader, key tailKey, from uint64) (*tail, error) {
	c.mu.Lock()
	if e := c.tails[key]; e != nil {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*tail), nil
	}
	c.mu.Unlock()
	t, err := loadTail(r, key, from)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.tails[key]; e != nil { // another goroutine was faster
		return e.Value.(*tail), nil
	}
	if t.bytes > c.limit {
		return t, nil
	}
	c.tails[key] = c.order.PushFront(t)
	c.bytes += t.bytes
	for c.bytes > c.limit {
		last := c.order.Remove(c.order.Back()).(*tail)
		c.bytes -= last.bytes
		delete(c.tails, last.key)
	}
	return t, nil
}

// tailOverhead is approximately the overhead of a tail, and rowOverhead that of a row.
const (
	tailOverhead = 256
	rowOverhead  = 192
)

// loadTail reads the forward rows from a position on.
func loadTail(r kv.Reader, key tailKey, from uint64) (*tail, error) {
	t := &tail{key: key, bytes: tailOverhead}
	if from == key.size {
		return t, nil
	}
	it, err := r.Iter(forwardKey(nil, key.tenant, from), forwardKey(nil, key.tenant, key.size))
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var kept []byte
	var ends []int
	var offsets []uint32
	for ok := it.First(); ok; ok = it.Next() {
		row, err := it.Value()
		if err != nil {
			return nil, err
		}
		f, err := readForward(row)
		if err != nil {
			return nil, err
		}
		// The tokens are not needed here.
		offsets = append(offsets, uint32(positionOf(it.Key())-from))
		kept = append(kept, row[:len(row)-len(f.rest)]...)
		ends = append(ends, len(kept))
	}
	t.rows = make([]tailRow, len(ends))
	begin := 0
	for i, end := range ends {
		r := &t.rows[i]
		if r.forward, err = readForward(kept[begin:end]); err != nil {
			return nil, err
		}
		r.offset, begin = offsets[i], end
		for k := range r.weights {
			word, bit := mark(r.term(k))
			r.marks[word] |= bit
		}
	}
	t.bytes += cap(kept) + rowOverhead*len(t.rows)
	return t, it.Close()
}

// room returns buffers for a search.
func (c *Cache) room() *room {
	if r, ok := c.rooms.Get().(*room); ok {
		return r
	}
	return new(room)
}
