package packer

import (
	"sync"
	"sync/atomic"
)

// counts caches how many tokens events have, by the default counter: what is quoted once is
// quoted again. It saves counting and changes no answer: the event at a position never
// changes, and its lines in a pack depend on nothing else. It is safe for concurrent use.
type counts struct {
	mu     sync.RWMutex
	chunks map[countChunk]*[countsTogether]count
}

// countChunk is the counts of adjacent positions.
type countChunk struct {
	tenant uint32
	number uint64
}

// The number of positions in a chunk, and the maximum number of chunks: four million
// events.
const (
	countsTogether = 1 << 10
	maxCountChunks = 1 << 12
)

// count is the token counts of an event, 16 bits each; 0 means not counted.
type count struct{ both atomic.Uint32 }

// The two counts of an event, of its text and of its lines in a pack: the offsets of their
// bits.
const (
	countText  = 0
	countLines = 16
	mostCount  = 1<<16 - 1
)

func newCounts() *counts { return &counts{chunks: make(map[countChunk]*[countsTogether]count)} }

// of returns the counts of an event.
func (c *counts) of(tenant uint32, position uint64) *count {
	at := countChunk{tenant, position / countsTogether}
	c.mu.RLock()
	chunk := c.chunks[at]
	c.mu.RUnlock()
	if chunk == nil {
		c.mu.Lock()
		if chunk = c.chunks[at]; chunk == nil {
			if len(c.chunks) >= maxCountChunks {
				clear(c.chunks)
			}
			chunk = new([countsTogether]count)
			c.chunks[at] = chunk
		}
		c.mu.Unlock()
	}
	return &chunk[position%countsTogether]
}

// get returns a count, 0 if it is unknown.
func (k *count) get(what int) int {
	if k == nil {
		return 0
	}
	return int(k.both.Load() >> what & mostCount)
}

// put stores a count, unless it is too large. Concurrent callers store the same.
func (k *count) put(what, tokens int) {
	if k != nil && tokens <= mostCount {
		k.both.Or(uint32(tokens) << what)
	}
}
