package packer

import (
	"sync"
	"sync/atomic"
)

// counts keeps how many tokens events have, by the counter that is usual: what is quoted
// once is quoted again. It saves counting and changes no answer: of a position there is one
// event for ever, and its lines in a pack depend on nothing else. It is safe for concurrent
// use.
type counts struct {
	mu     sync.RWMutex
	chunks map[countChunk]*[countsTogether]count
}

// countChunk is some positions next to each other.
type countChunk struct {
	tenant uint32
	number uint64
}

// How many positions are kept together, and how many chunks of them at most: of four
// million events.
const (
	countsTogether = 1 << 10
	maxCountChunks = 1 << 12
)

// count is what was counted of an event, in 16 bits each; 0 for what was not.
type count struct{ both atomic.Uint32 }

// What is counted of an event, its text and its lines in a pack: where its bits are.
const (
	countText  = 0
	countLines = 16
	mostCount  = 1<<16 - 1
)

func newCounts() *counts { return &counts{chunks: make(map[countChunk]*[countsTogether]count)} }

// of returns what is kept of an event.
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

// get returns what was counted, 0 if nothing was.
func (k *count) get(what int) int {
	if k == nil {
		return 0
	}
	return int(k.both.Load() >> what & mostCount)
}

// put keeps what was counted, unless that is too much. Whoever counts it finds the same.
func (k *count) put(what, tokens int) {
	if k != nil && tokens <= mostCount {
		k.both.Or(uint32(tokens) << what)
	}
}
