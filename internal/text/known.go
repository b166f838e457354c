package text

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

const (
	// longestSpelt is the longest word with a byte for each letter.
	longestSpelt = 16
	// longestKnown is the longest word that is cached.
	longestKnown = 24
	knownBits    = 16
)

// meaning is what is known of a word of the letters a to z: its term, and above it whether it
// is a stop word.
type meaning uint64

const stopMeaning meaning = 1 << 63

func (m meaning) term() Term { return Term(m & termMask) }
func (m meaning) stop() bool { return m&stopMeaning != 0 }

// spelling is a word of the letters a to z. A word of up to longestSpelt letters has a byte for
// each, from the lowest on, padded with zeros. A longer one has five bits for each, and packed
// set.
type spelling struct{ head, tail uint64 }

// known is a cache of stemmed words. A word can be in two cells, which are in one cache line of
// the processor. A cell matches only the exact word, so the cache affects nothing but speed. It
// is allocated, so that it is aligned to a cache line, with the first analyzer: a process that
// analyses no text does without.
var (
	known     *[1 << knownBits]pair
	makeKnown = sync.OnceFunc(func() { known = new([1 << knownBits]pair) })
)

// pair is the two cells of a word.
type pair struct{ first, second cell }

// cell caches one word. Its state is odd during a write and different afterwards: a reader that
// finds the state changed discards what it read.
type cell struct{ state, head, tail, meaning atomic.Uint64 }

// get returns the meaning of a word, if this cell has it.
func (c *cell) get(s spelling) (meaning, bool) {
	state := c.state.Load()
	if c.head.Load() != s.head || c.tail.Load() != s.tail {
		return 0, false
	}
	m := meaning(c.meaning.Load())
	return m, state&1 == 0 && c.state.Load() == state
}

// set stores a word, unless another goroutine is writing.
func (c *cell) set(s spelling, m meaning) {
	state := c.state.Load()
	if state&1 != 0 || !c.state.CompareAndSwap(state, state+1) {
		return
	}
	c.head.Store(s.head)
	c.tail.Store(s.tail)
	c.meaning.Store(uint64(m))
	c.state.Store(state + 2)
}

// hash mixes the letters of a word.
func (s spelling) hash() uint64 {
	const a, b = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	h := (s.head ^ s.tail*b) * a
	return (h ^ h>>32) * b
}

// pair returns the cells of a word.
func (s spelling) pair() *pair { return &known[s.hash()>>(64-knownBits)] }

// find returns the cached meaning of a word.
func (s spelling) find() (meaning, bool) { return s.pair().find(s) }

func (p *pair) find(s spelling) (meaning, bool) {
	if m, ok := p.first.get(s); ok {
		return m, true
	}
	return p.second.get(s)
}

// keep stores a word in place of another, which its hash selects.
func (s spelling) keep(m meaning) {
	h := s.hash()
	p := &known[h>>(64-knownBits)]
	if p.first.state.Load() == 0 || p.second.state.Load() != 0 && h&1 == 0 {
		p.first.set(s, m)
	} else {
		p.second.set(s, m)
	}
}

// packed is set in the tail of a spelling with five bits for each letter. A spelling with eight
// bits never has it.
const packed = 1 << 63

// spell returns the spelling of a word of up to longestKnown of the letters a to z.
func spell(word []byte) (s spelling) {
	if len(word) <= longestSpelt {
		var room [longestSpelt]byte
		copy(room[:], word)
		return spelling{binary.LittleEndian.Uint64(room[:]), binary.LittleEndian.Uint64(room[8:])}
	}
	for _, c := range word[:longestKnown/2] {
		s.head = s.head<<5 | uint64(c&31)
	}
	for _, c := range word[longestKnown/2:] {
		s.tail = s.tail<<5 | uint64(c&31)
	}
	s.tail |= packed
	return s
}

// spellAt returns the spelling of the word from lo to hi, which has up to longestSpelt ASCII
// letters of any case.
func spellAt(t string, lo, hi int) spelling {
	const small = 0x2020202020202020 // makes letters lower case
	n := uint(hi - lo)
	if lo+longestSpelt > len(t) {
		var room [longestSpelt]byte
		for i := range n {
			room[i] = t[lo+int(i)] | ('a' - 'A')
		}
		return spelling{binary.LittleEndian.Uint64(room[:]), binary.LittleEndian.Uint64(room[8:])}
	}
	if n <= 8 {
		return spelling{(eight(t, lo) | small) & (1<<(8*n) - 1), 0}
	}
	return spelling{eight(t, lo) | small, (eight(t, lo+8) | small) & (1<<(8*(n-8)) - 1)}
}

// eight returns the eight bytes at i.
func eight(t string, i int) uint64 {
	b := t[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
