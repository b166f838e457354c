package tokens

import (
	_ "embed" // of the table
	"math/bits"
	"slices"
	"sync"
)

// vocabulary is o200k_base, prepared for lookups: every entry's text, its rank by text, and the
// classes that texts are split by. It is read-only, except for its cache.
type vocabulary struct {
	recent  memory
	classes classes
	slots   string // a hash table with open addressing, of words of 8 bytes
	pairs   string // the rank of each pair of bytes, or none, in 4 bytes
	text    string // of all entries, separated by a byte
}

// A slot is 0 or holds, from the top, 17 bits of the entry's hash, its rank plus one, its
// offset in the text, and its length.
const (
	tagBits   = 17
	rankBits  = 18
	startBits = 21
	sizeBits  = 8
	slotBits  = 19 // log2 of the number of slots: 2.6 per entry
)

// none is more than any rank.
const none int32 = 1<<31 - 1

// table is the prepared vocabulary: slots, pairs and text, one after the other, least
// significant byte first. A command that counts a few texts reads a few pages of it. Its test
// makes it from the library's vocabulary.
//
//go:embed o200k.table
var table string

// Where the parts of the table begin.
const (
	pairsAt = 8 << slotBits
	textAt  = pairsAt + 4<<16
)

// load returns the one copy of the vocabulary.
var load = sync.OnceValue(read)

func read() *vocabulary {
	v := &vocabulary{slots: table[:pairsAt], pairs: table[pairsAt:textAt], text: table[textAt:]}
	v.classes.fill()
	return v
}

// slot returns the content of a slot.
func (v *vocabulary) slot(at uint64) uint64 { return word64(v.slots[8*at:]) }

// pairRank returns the rank of two bytes, or none.
func (v *vocabulary) pairRank(a, b byte) int32 {
	return int32(word32(v.pairs[4*(uint(a)<<8|uint(b)):]))
}

// hash mixes the bytes of s, which is not empty. It need not resist attacks: the content of the
// table is fixed.
func hash(s string) uint64 {
	const odd, more = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	n := len(s)
	var a, b uint64
	switch {
	case n >= 8:
		for i := 0; i+8 < n; i += 8 {
			a = bits.RotateLeft64((a^word64(s[i:]))*odd, 29)
		}
		b = word64(s[n-8:])
	case n >= 4:
		a, b = word32(s), word32(s[n-4:])
	default:
		a, b = uint64(s[0]), uint64(s[n/2])<<8|uint64(s[n-1])
	}
	high, low := bits.Mul64(a^odd^uint64(n), b^more)
	return (high ^ low) * odd
}

func word64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func word32(s string) uint64 {
	_ = s[3]
	return uint64(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// rank returns the rank of s, or none.
func (v *vocabulary) rank(s string) int32 {
	h := hash(s)
	for at := h >> 16 % (1 << slotBits); ; at = (at + 1) % (1 << slotBits) {
		x := v.slot(at)
		if x == 0 {
			return none
		}
		if (x^h)>>(64-tagBits) != 0 || x%(1<<sizeBits) != uint64(len(s)) {
			continue
		}
		if start := x >> sizeBits % (1 << startBits); v.text[start:start+uint64(len(s))] == s {
			return int32(x>>(startBits+sizeBits)%(1<<rankBits)) - 1
		}
	}
}

// count returns the number of tokens in s.
func (v *vocabulary) count(s string) int {
	n := 0
	for i := 0; i < len(s); {
		end := v.classes.split(s, i)
		if end-i > longestRecent {
			n += v.tokens(s[i:end])
			i = end
			continue
		}
		head, tail := spell(s, i, end)
		cells := v.recent.at(head, tail)
		some, ok := cells.get(head, tail)
		if !ok {
			some = v.tokens(s[i:end])
			cells.set(head, tail, some)
		}
		n += some
		i = end
	}
	return n
}

// tokens returns the number of tokens in a piece.
func (v *vocabulary) tokens(piece string) int {
	if v.rank(piece) != none {
		return 1
	}
	return v.merge(piece, nil)
}

// reach returns where the first limit tokens of s end: its length if and only if there are no
// more.
func (v *vocabulary) reach(s string, limit int) int {
	var ends []int
	for i := 0; i < len(s); {
		if limit <= 0 {
			return i
		}
		end := v.classes.split(s, i)
		piece := s[i:end]
		limit--
		if v.rank(piece) == none {
			limit -= v.merge(piece, nil) - 1
		}
		if limit < 0 {
			ends = ends[:0]
			n := v.merge(piece, &ends)
			return i + ends[n+limit-1]
		}
		i = end
	}
	return len(s)
}

// brief is the length up to which a piece is merged by repeated scans, which is faster for
// short ones.
const brief = 32

// merge returns the number of tokens that byte pair encoding makes of a piece: repeatedly, the
// two neighbours that together are the entry of the lowest rank become one, the leftmost first,
// until no two are an entry. If ends is not nil, it receives the end of each token.
func (v *vocabulary) merge(piece string, ends *[]int) int {
	if len(piece) > brief {
		return v.mergeLong(piece, ends)
	}
	var starts [brief + 1]uint8
	var with [brief + 1]int32 // the rank of the token at starts[i] joined with the next
	n := len(piece)
	for i := range n {
		starts[i], with[i] = uint8(i), none
		if i+1 < n {
			with[i] = v.pairRank(piece[i], piece[i+1])
		}
	}
	starts[n] = uint8(n)
	for {
		best, at := none, 0
		for i, r := range with[:n] {
			if r < best {
				best, at = r, i
			}
		}
		if best == none {
			break
		}
		copy(starts[at+1:n], starts[at+2:n+1])
		copy(with[at+1:n-1], with[at+2:n])
		n--
		with[at] = none
		if at+1 < n {
			with[at] = v.rank(piece[starts[at]:starts[at+2]])
		}
		if at > 0 {
			with[at-1] = v.rank(piece[starts[at-1]:starts[at+1]])
		}
	}
	if ends != nil {
		for _, e := range starts[1 : n+1] {
			*ends = append(*ends, int(e))
		}
	}
	return n
}

// token is a token during merging, at the index of its first byte.
type token struct {
	prev, next int32 // starts of its neighbours; the last one's next is the piece's length
	with       int32 // the rank of it joined with the next one, or none; also for a token that was merged into another
}

// bench is the working memory of merging a long piece, kept for reuse.
type bench struct {
	tokens []token
	queue  []uint64 // a heap of merges to try: rank and, below it, where
}

// keep is the longest piece whose bench is kept.
const keep = 1 << 14

var benches = sync.Pool{New: func() any { return new(bench) }}

// mergeLong is merge with a heap, in O(n log n) time.
func (v *vocabulary) mergeLong(piece string, ends *[]int) int {
	b := benches.Get().(*bench)
	if len(piece) <= keep {
		defer benches.Put(b)
	}
	size := int32(len(piece))
	b.tokens = slices.Grow(b.tokens[:0], len(piece))[:size]
	b.queue = slices.Grow(b.queue[:0], 2*len(piece))
	for i := range size {
		with := none
		if i+1 < size {
			with = v.pairRank(piece[i], piece[i+1])
		}
		b.tokens[i] = token{prev: i - 1, next: i + 1, with: with}
		if with != none {
			b.queue = append(b.queue, uint64(with)<<32|uint64(i))
		}
	}
	for i := len(b.queue)/2 - 1; i >= 0; i-- {
		b.sink(i, b.queue[i])
	}
	n := int(size)
	for len(b.queue) > 0 {
		x := b.pop()
		at := int32(x & (1<<32 - 1))
		t := &b.tokens[at]
		if t.with != int32(x>>32) {
			continue // another merge came before
		}
		gone := &b.tokens[t.next]
		t.next, gone.with = gone.next, none
		if t.next < size {
			b.tokens[t.next].prev = at
		}
		n--
		v.pair(piece, b, at)
		if t.prev >= 0 {
			v.pair(piece, b, t.prev)
		}
	}
	if ends != nil {
		for at := int32(0); at < size; at = b.tokens[at].next {
			*ends = append(*ends, int(b.tokens[at].next))
		}
	}
	return n
}

// pair checks whether the token at a position can be merged with the next one.
func (v *vocabulary) pair(piece string, b *bench, at int32) {
	t := &b.tokens[at]
	t.with = none
	if t.next == int32(len(piece)) {
		return
	}
	if end := b.tokens[t.next].next; end-at <= longest {
		t.with = v.rank(piece[at:end])
	}
	if t.with != none {
		b.push(uint64(t.with)<<32 | uint64(at))
	}
}

func (b *bench) push(x uint64) {
	b.queue = append(b.queue, x)
	q := b.queue
	i := len(q) - 1
	for i > 0 && q[(i-1)/2] > x {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = x
}

func (b *bench) pop() uint64 {
	end := len(b.queue) - 1
	top, x := b.queue[0], b.queue[end]
	b.queue = b.queue[:end]
	if end > 0 {
		b.sink(0, x)
	}
	return top
}

// sink puts x in the place of the item at i, or below it.
func (b *bench) sink(i int, x uint64) {
	q := b.queue
	for child := 2*i + 1; child < len(q); child = 2*i + 1 {
		if child+1 < len(q) && q[child+1] < q[child] {
			child++
		}
		if q[child] >= x {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = x
}
