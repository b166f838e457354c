package vector

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"
)

// live is a bitmap of the positions of a chunk that have a row.
type live [chunkRows / 64]uint64

func (l *live) has(offset int) bool { return l[offset/64]>>(offset%64)&1 != 0 }
func (l *live) set(offset int)      { l[offset/64] |= 1 << (offset % 64) }

// count is how many there are.
func (l *live) count() int {
	n := 0
	for _, w := range l {
		n += bits.OnesCount64(w)
	}
	return n
}

// codes are the codes of a chunk, by position.
type codes struct {
	words   int // of a code
	offsets []uint16
	list    []uint64 // words for each offset
}

// add adds a code and returns memory for it.
func (c *codes) add(offset int) []uint64 {
	c.offsets = append(c.offsets, uint16(offset))
	at := len(c.list)
	c.list = slices.Grow(c.list, c.words)[:at+c.words]
	return c.list[at:]
}

// encode appends the value of a chunk: a bitmap of the positions with a code (128
// bytes, the first position is the lowest bit of the first), and the codes, by
// position. Words are little-endian.
func (c *codes) encode(dst []byte) []byte {
	order := make([]int, len(c.offsets))
	var l live
	for i, o := range c.offsets {
		order[i] = i
		l.set(int(o))
	}
	slices.SortFunc(order, func(a, b int) int { return int(c.offsets[a]) - int(c.offsets[b]) })
	for _, w := range l {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	for _, i := range order {
		for _, w := range c.list[i*c.words : (i+1)*c.words] {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	return dst
}

// decodeCodes reads the output of encode.
func decodeCodes(v []byte) (*codes, error) {
	var l live
	if len(v) < 8*len(l) {
		return nil, damaged("a chunk", errLength)
	}
	for i := range l {
		l[i] = binary.LittleEndian.Uint64(v[8*i:])
	}
	v = v[8*len(l):]
	n := l.count()
	if n == 0 || len(v) == 0 || len(v)%(8*n) != 0 {
		return nil, damaged("a chunk", errContent)
	}
	c := &codes{words: len(v) / (8 * n), offsets: make([]uint16, 0, n), list: make([]uint64, len(v)/8)}
	for i, w := range l {
		for ; w != 0; w &= w - 1 {
			c.offsets = append(c.offsets, uint16(64*i+bits.TrailingZeros64(w)))
		}
	}
	for i := range c.list {
		c.list[i] = binary.LittleEndian.Uint64(v[8*i:])
	}
	return c, nil
}

// entry is a chunk's entry in a directory.
type entry struct {
	chunk  uint16 // the lower part of its number
	rows   uint16
	digest [8]byte // the first bytes of the SHA-256 of the chunk's value
}

const entryBytes = 2 + 2 + 8

// partOf returns the part of a directory that has a chunk, and the chunk's number
// there.
func partOf(chunk uint64) (part uint32, low uint16) {
	return uint32(chunk / chunkRows), uint16(chunk % chunkRows)
}

// entryOf returns the entry of a chunk.
func entryOf(low uint16, rows int, value []byte) entry {
	sum := sha256.Sum256(value)
	return entry{low, uint16(rows), [8]byte(sum[:8])}
}

// appendEntries appends the value of a part of a directory: for each chunk in order
// the lower part of its number, its rows (2 bytes each, big-endian) and its digest.
func appendEntries(dst []byte, list []entry) []byte {
	for _, e := range list {
		dst = binary.BigEndian.AppendUint16(dst, e.chunk)
		dst = binary.BigEndian.AppendUint16(dst, e.rows)
		dst = append(dst, e.digest[:]...)
	}
	return dst
}

// decodeEntries appends the entries of a part.
func decodeEntries(dst []entry, v []byte) ([]entry, error) {
	if len(v)%entryBytes != 0 {
		return dst, damaged("a directory", errLength)
	}
	before := -1
	for ; len(v) > 0; v = v[entryBytes:] {
		e := entry{binary.BigEndian.Uint16(v), binary.BigEndian.Uint16(v[2:]), [8]byte(v[4:])}
		if int(e.chunk) <= before || e.chunk >= chunkRows || e.rows == 0 || e.rows > chunkRows {
			return dst, damaged("a directory", errContent)
		}
		before = int(e.chunk)
		dst = append(dst, e)
	}
	return dst, nil
}

// setEntry sets the entry of a chunk in a sorted list, or removes it if it has no
// rows.
func setEntry(list []entry, e entry) []entry {
	i, there := slices.BinarySearchFunc(list, e.chunk, func(x entry, low uint16) int { return int(x.chunk) - int(low) })
	switch {
	case there && e.rows == 0:
		return slices.Delete(list, i, i+1)
	case there:
		list[i] = e
	case e.rows > 0:
		return slices.Insert(list, i, e)
	}
	return list
}

// matches reports whether the entry is of this value.
func (e *entry) matches(value []byte) bool {
	sum := sha256.Sum256(value)
	return bytes.Equal(sum[:8], e.digest[:])
}
