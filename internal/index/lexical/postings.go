package lexical

import (
	"encoding/binary"
	"math"
)

// A list of postings is stored in blocks of 128, the last one shorter. If there is
// more than one block, a directory precedes them, with an entry for each:
//
//	last    uvarint: the offset of its last posting, less that of the block before
//	size    uvarint: how many bytes the block has
//	weight  a byte: the greatest in the block
//	length  uvarint: that of its shortest document
//
// A block is a byte that gives the widths of its numbers, then the offsets, each less
// its minimum, the weights, unless all are those of one occurrence in the text, and
// the lengths. Numbers are little-endian and as narrow as the largest of the block
// allows. The number of postings is stored elsewhere.
const blockSize = 128

const (
	widthMask   = 3 // of offsets in bits 0 and 1, of lengths in bits 2 and 3, less one
	lengthShift = 2
	flagPlain   = 1 << 4 // weights are left out
	flagsKnown  = 1<<5 - 1
)

// postings are parallel lists: the offset of a document within the segment, the
// weight of the term in it, and its length.
type postings struct {
	offsets []uint32
	weights []uint8
	lengths []uint32
}

func (p *postings) clear() {
	p.offsets, p.weights, p.lengths = p.offsets[:0], p.weights[:0], p.lengths[:0]
}

func (p *postings) add(offset uint32, weight uint8, length uint32) {
	p.offsets = append(p.offsets, offset)
	p.weights = append(p.weights, weight)
	p.lengths = append(p.lengths, length)
}

// part returns the postings in [from, to).
func (p *postings) part(from, to int) postings {
	return postings{p.offsets[from:to], p.weights[from:to], p.lengths[from:to]}
}

// bounds returns the greatest weight and the least length.
func (p *postings) bounds() (weight uint8, length uint32) {
	length = math.MaxUint32
	for i := range p.weights {
		weight, length = max(weight, p.weights[i]), min(length, p.lengths[i])
	}
	return weight, length
}

// appendList appends postings, whose offsets are all at least base. Room is a buffer
// for the blocks, and is returned for reuse.
func (p *postings) appendList(dst, room []byte, base uint32) (list, free []byte) {
	if len(p.offsets) <= blockSize {
		return p.appendBlock(dst, base), room
	}
	blocks := room[:0]
	before := base
	for from := 0; from < len(p.offsets); from += blockSize {
		b := p.part(from, min(from+blockSize, len(p.offsets)))
		start := len(blocks)
		blocks = b.appendBlock(blocks, before)
		last := b.offsets[len(b.offsets)-1]
		weight, length := b.bounds()
		dst = binary.AppendUvarint(dst, uint64(last+1-before))
		dst = binary.AppendUvarint(dst, uint64(len(blocks)-start))
		dst = append(dst, weight)
		dst = binary.AppendUvarint(dst, uint64(length))
		before = last + 1
	}
	return append(dst, blocks...), blocks
}

// appendBlock appends the postings of one block.
func (p *postings) appendBlock(dst []byte, base uint32) []byte {
	widest, longest, head := uint32(0), uint32(0), byte(flagPlain)
	next := base
	for i, offset := range p.offsets {
		widest = max(widest, offset-next)
		longest = max(longest, p.lengths[i])
		next = offset + 1
		if p.weights[i] != plain {
			head = 0
		}
	}
	w, l := widthOf(widest), widthOf(longest)
	dst = append(dst, head|byte(w-1)|byte(l-1)<<lengthShift)
	next = base
	for _, offset := range p.offsets {
		dst = appendNumber(dst, w, offset-next)
		next = offset + 1
	}
	if head == 0 {
		dst = append(dst, p.weights...)
	}
	for _, length := range p.lengths {
		dst = appendNumber(dst, l, length)
	}
	return dst
}

// widthOf is how many bytes a number takes.
func widthOf(v uint32) int {
	switch {
	case v < 1<<8:
		return 1
	case v < 1<<16:
		return 2
	case v < 1<<24:
		return 3
	}
	return 4
}

func appendNumber(dst []byte, width int, v uint32) []byte {
	switch width {
	case 1:
		return append(dst, byte(v))
	case 2:
		return append(dst, byte(v), byte(v>>8))
	case 3:
		return append(dst, byte(v), byte(v>>8), byte(v>>16))
	}
	return append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

// block is a decoded block. It also fits the postings of a tail.
type block struct {
	n       int
	offsets [slabSize]uint32
	weights [slabSize]uint8
	lengths [slabSize]uint32
}

// decode reads a block of n postings whose offsets are in [base, limit).
func (k *block) decode(b []byte, n int, base, limit uint32) bool {
	k.n = 0
	if len(b) == 0 || n <= 0 || n > blockSize || b[0] > flagsKnown {
		return false
	}
	head := b[0]
	w, l := int(head&widthMask)+1, int(head>>lengthShift&widthMask)+1
	weights := n
	if head&flagPlain != 0 {
		weights = 0
	}
	if b = b[1:]; len(b) != n*w+weights+n*l {
		return false
	}
	if !decodeOffsets(k.offsets[:n], b[:n*w], w, base, limit) {
		return false
	}
	b = b[n*w:]
	if weights > 0 {
		copy(k.weights[:n], b)
	} else {
		for i := range k.weights[:n] {
			k.weights[i] = plain
		}
	}
	decodeNumbers(k.lengths[:n], b[weights:], l)
	k.n = n
	return true
}

// decodeOffsets reverts the differences. It is false if an offset reaches limit.
func decodeOffsets(dst []uint32, b []byte, width int, base, limit uint32) bool {
	next := uint64(base)
	switch width {
	case 1:
		b = b[:len(dst)]
		for i := range dst {
			next += uint64(b[i])
			dst[i] = uint32(next)
			next++
		}
	case 2:
		for i := range dst {
			next += uint64(binary.LittleEndian.Uint16(b[2*i:]))
			dst[i] = uint32(next)
			next++
		}
	case 3:
		for i := range dst {
			next += uint64(b[3*i]) | uint64(b[3*i+1])<<8 | uint64(b[3*i+2])<<16
			dst[i] = uint32(next)
			next++
		}
	default:
		for i := range dst {
			next += uint64(binary.LittleEndian.Uint32(b[4*i:]))
			dst[i] = uint32(next)
			next++
		}
	}
	return next <= uint64(limit)
}

func decodeNumbers(dst []uint32, b []byte, width int) {
	switch width {
	case 1:
		b = b[:len(dst)]
		for i := range dst {
			dst[i] = uint32(b[i])
		}
	case 2:
		for i := range dst {
			dst[i] = uint32(binary.LittleEndian.Uint16(b[2*i:]))
		}
	case 3:
		for i := range dst {
			dst[i] = uint32(b[3*i]) | uint32(b[3*i+1])<<8 | uint32(b[3*i+2])<<16
		}
	default:
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
	}
}

// blockPlace is the place of a block, and what is known of it before it is decoded.
type blockPlace struct {
	base, last uint32 // offsets; last is that of an existing posting
	n          int
	weight     uint8
	length     uint32
	size       int
	bytes      []byte
	bound      float64 // the maximum that it can add to a score
}

// readDirectory appends the places of the blocks of a list of n postings with more
// than one block. Offsets are in [base, limit).
func readDirectory(dst []blockPlace, list []byte, n int, base, limit uint32) ([]blockPlace, bool) {
	first, blocks := len(dst), (n+blockSize-1)/blockSize
	if n <= blockSize || blocks > len(list)/4 {
		return dst, false
	}
	next, sizes := uint64(base), uint64(0)
	for i := range blocks {
		p := blockPlace{base: uint32(next), n: min(blockSize, n-i*blockSize)}
		step, rest, ok := uvarint(list)
		if !ok || step < uint64(p.n) || step > uint64(limit) || next+step > uint64(limit) {
			return dst, false
		}
		next += step
		p.last = uint32(next - 1)
		size, rest, ok := uvarint(rest)
		if !ok || len(rest) == 0 || size > uint64(len(rest)) {
			return dst, false
		}
		sizes += size
		p.weight = rest[0]
		length, rest, ok := uvarint(rest[1:])
		if !ok || length > math.MaxUint32 {
			return dst, false
		}
		p.length = uint32(length)
		p.size = int(size)
		dst, list = append(dst, p), rest
	}
	if sizes != uint64(len(list)) {
		return dst, false
	}
	for i := first; i < len(dst); i++ {
		size := dst[i].size
		dst[i].bytes, list = list[:size], list[size:]
	}
	return dst, true
}

// decodeList appends all postings of a list, with offsets moved by shift. Places is a
// buffer, returned for reuse.
func (p *postings) decodeList(list []byte, n int, base, limit, shift uint32, k *block, places []blockPlace) ([]blockPlace, bool) {
	if n <= blockSize {
		if !k.decode(list, n, base, limit) {
			return places, false
		}
		p.take(k, shift)
		return places, true
	}
	places, ok := readDirectory(places[:0], list, n, base, limit)
	if !ok {
		return places, false
	}
	for i := range places {
		b := &places[i]
		if !k.decode(b.bytes, b.n, b.base, limit) || k.offsets[k.n-1] != b.last {
			return places, false
		}
		p.take(k, shift)
	}
	return places, true
}

// take appends a decoded block.
func (p *postings) take(k *block, shift uint32) {
	for _, offset := range k.offsets[:k.n] {
		p.offsets = append(p.offsets, offset+shift)
	}
	p.weights = append(p.weights, k.weights[:k.n]...)
	p.lengths = append(p.lengths, k.lengths[:k.n]...)
}
