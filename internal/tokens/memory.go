package tokens

import "sync/atomic"

const (
	longestRecent = 15 // maximum bytes of a cached piece
	recentBits    = 17
)

// memory caches the token counts of recent pieces, each in one of the two cells that its bytes
// select. A cell matches only the exact piece, so the cache affects nothing but speed.
type memory [1 << recentBits]cells

// cells are two adjacent cells, which one memory access fetches together.
type cells [2]cell

// cell caches a piece: its bytes padded with zeros, and in the highest byte its length. Its
// state is odd during a write and different afterwards: a reader that finds the state changed
// discards what it read.
type cell struct{ state, head, tail, count atomic.Uint64 }

// spell returns the piece of s from i to end, of up to longestRecent bytes, in the form of a
// cell.
func spell(s string, i, end int) (head, tail uint64) {
	n := uint(end - i)
	if i+16 <= len(s) {
		head, tail = word64(s[i:]), word64(s[i+8:])
		if n <= 8 {
			return head & (1<<(8*n) - 1), uint64(n) << 56
		}
		return head, tail&(1<<(8*(n-8))-1) | uint64(n)<<56
	}
	for k := range n {
		if c := uint64(s[i+int(k)]); k < 8 {
			head |= c << (8 * k)
		} else {
			tail |= c << (8 * (k - 8))
		}
	}
	return head, tail | uint64(n)<<56
}

// at returns the cells of a piece.
func (m *memory) at(head, tail uint64) *cells {
	const a, b = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	h := (head ^ tail*b) * a
	return &m[(h^h>>32)*b>>(64-recentBits)]
}

// get returns the token count of a piece, if one of the two has it.
func (c *cells) get(head, tail uint64) (int, bool) {
	if count, ok := c[0].get(head, tail); ok {
		return count, true
	}
	return c[1].get(head, tail)
}

// set stores the token count of a piece in the cell that was written less often, so that they
// alternate.
func (c *cells) set(head, tail uint64, count int) {
	turn := 0
	if c[1].state.Load() < c[0].state.Load() {
		turn = 1
	}
	c[turn].set(head, tail, count)
}

// get returns the token count of a piece, if it is here.
func (c *cell) get(head, tail uint64) (int, bool) {
	state := c.state.Load()
	if c.head.Load() != head || c.tail.Load() != tail {
		return 0, false
	}
	count := int(c.count.Load())
	return count, state&1 == 0 && c.state.Load() == state
}

// set stores the token count of a piece, unless another goroutine is writing.
func (c *cell) set(head, tail uint64, count int) {
	state := c.state.Load()
	if state&1 != 0 || !c.state.CompareAndSwap(state, state+1) {
		return
	}
	c.head.Store(head)
	c.tail.Store(tail)
	c.count.Store(uint64(count))
	c.state.Store(state + 2)
}
