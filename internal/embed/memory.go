package embed

import "sync/atomic"

const (
	longestRecent = 16 // maximum bytes of a cached word
	mostRecent    = 10 // maximum pieces with vectors
	recentLess    = 1  // log2 of the ratio of slots to cached words
)

// memory caches the pieces of words that were split recently, each in the one cell that its
// bytes select. A cell matches only the exact word, so the cache affects nothing but speed.
type memory struct {
	cells []cell
	shift uint
}

// cell caches one word, in a cache line of the processor. Its state is odd during a write and
// different afterwards: a reader that finds the state changed discards what it read. A word has
// no zero byte, so it is identified by its bytes padded with zeros.
type cell struct {
	state, head, tail atomic.Uint64
	pieces            [mostRecent / 2]atomic.Uint64 // two ids each, plus one
}

func newMemory(power uint) memory {
	return memory{make([]cell, 1<<power), 64 - power}
}

// cell returns the cell of a word.
func (m *memory) cell(head, tail uint64) *cell {
	const a, b = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	h := (head ^ tail*b) * a
	return &m.cells[(h^h>>32)*b>>m.shift&uint64(len(m.cells)-1)]
}

// get returns the ids of the pieces of a word, plus one, padded with zeros, if the word is
// here.
func (c *cell) get(head, tail uint64) (ids [mostRecent]int32, ok bool) {
	state := c.state.Load()
	if c.head.Load() != head || c.tail.Load() != tail {
		return ids, false
	}
	for i := range c.pieces {
		two := c.pieces[i].Load()
		ids[2*i], ids[2*i+1] = int32(two), int32(two>>32)
	}
	return ids, state&1 == 0 && c.state.Load() == state
}

// set stores the pieces of a word, as many as fit, unless another goroutine is writing.
func (c *cell) set(head, tail uint64, ids []int32) {
	state := c.state.Load()
	if state&1 != 0 || !c.state.CompareAndSwap(state, state+1) {
		return
	}
	c.head.Store(head)
	c.tail.Store(tail)
	var all [mostRecent]int32
	for i, id := range ids {
		all[i] = id + 1
	}
	for i := range c.pieces {
		c.pieces[i].Store(uint64(uint32(all[2*i])) | uint64(all[2*i+1])<<32)
	}
	c.state.Store(state + 2)
}

// first returns the first bytes of sixteen, padded with zeros.
func first(head, tail uint64, length int) (uint64, uint64) {
	if length <= 8 {
		return head & (1<<(8*uint(length)) - 1), 0
	}
	return head, tail & (1<<(8*uint(length-8)) - 1)
}

// word64 returns the eight bytes at i.
func word64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
