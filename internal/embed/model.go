package embed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// A model in bytes, all numbers little-endian:
//
//	0   "HSE1"
//	4   version, uint32, 1
//	8   V, how many pieces, uint32
//	12  D, dimensions, uint32
//	16  uint32, 0
//	20  B, length of the vocabulary, uint32
//	24  the vocabulary, UTF-8: V pieces separated by line feeds; a piece's number
//	    is its line's; ##x continues a word
//	…   zero bytes up to a multiple of 4
//	…   V scales, float32; a piece of scale 0 has no vector
//	…   V rows of D numbers, int8
//
// The vector of a piece is its scale times its row.
const (
	magic       = "HSE1"
	version     = 1
	headerBytes = 24
	continuing  = "##"
)

// Limits of a model, so that no file can cause an overflow of a sum, a length too small to
// divide by, or a slow lookup.
const (
	maxDimensions = 4096
	maxPieces     = 1 << 20
	minScale      = 1.0 / (1 << 40)
	maxScale      = 1 << 20
	maxProbes     = 64 // from the slot of a piece to its actual place
)

// Model is a static model: a table of word pieces. It is immutable.
type Model struct {
	name       string
	dimensions int
	rows       string // int8, in place
	scales     []float32
	vocabulary string // in place
	starts     []uint32
	slots      []slot
	shift      uint // of a hash, to an index in slots
	// lengths has a bit for each length of the pieces with the same beginning, at the start of
	// a word and within one; the highest bit is for all longer ones.
	lengths    [2][1 << beginBits]uint32
	longest    int // of all pieces, in bytes
	characters *characters
	recent     memory
}

// slot is a slot of the open-addressing table of pieces. It contains pieces of up to eight
// bytes whole.
type slot struct {
	head uint64 // the first eight bytes, the rest zero
	key  uint32 // length in bytes << 1, plus 1 if it continues a word; 0 is an empty slot
	id   int32  // with mute if the piece has no vector
}

// mute is set in the id of a piece without a vector.
const mute = 1 << 30

// Decode decodes a model. The model keeps data: it refers to rows and pieces in place.
func Decode(name, data string) (*Model, error) {
	if len(data) < headerBytes || data[:4] != magic {
		return nil, errors.New("not a model: it does not begin with " + magic)
	}
	if v := word32(data, 4); v != version {
		return nil, fmt.Errorf("version %d, only %d is known", v, version)
	}
	pieces, dimensions := uint64(word32(data, 8)), uint64(word32(data, 12))
	switch {
	case pieces == 0 || pieces > maxPieces:
		return nil, fmt.Errorf("%d pieces, must be 1 to %d", pieces, maxPieces)
	case dimensions == 0 || dimensions > maxDimensions || dimensions%8 != 0:
		return nil, fmt.Errorf("%d dimensions, must be a multiple of 8 up to %d", dimensions, maxDimensions)
	case word32(data, 16) != 0:
		return nil, errors.New("bytes 16 to 19 must be zero")
	}
	end := headerBytes + uint64(word32(data, 20))
	scales := (end + 3) &^ 3
	rows := scales + 4*pieces
	if want := rows + pieces*dimensions; uint64(len(data)) != want {
		return nil, fmt.Errorf("%d bytes, must be %d", len(data), want)
	}
	if strings.Trim(data[end:scales], "\x00") != "" {
		return nil, errors.New("the vocabulary must be followed by zero bytes")
	}
	m := &Model{
		name:       name,
		dimensions: int(dimensions),
		rows:       data[rows:],
		vocabulary: data[headerBytes:end],
		characters: unicodeCharacters(),
	}
	if err := m.readScales(data[scales:rows]); err != nil {
		return nil, err
	}
	if err := m.readVocabulary(int(pieces)); err != nil {
		return nil, err
	}
	return m, nil
}

// word32 returns the number at i.
func word32(s string, i int) uint32 {
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

func (m *Model) readScales(data string) error {
	m.scales = make([]float32, len(data)/4)
	for i := range m.scales {
		s := math.Float32frombits(word32(data, 4*i))
		if s != 0 && !(s >= minScale && s <= maxScale) {
			return fmt.Errorf("scale %d is %v, must be 0 or from %v to %v", i, s, minScale, maxScale)
		}
		m.scales[i] = s
	}
	return nil
}

func (m *Model) readVocabulary(pieces int) error {
	if !utf8.ValidString(m.vocabulary) {
		return errors.New("the vocabulary is not UTF-8")
	}
	if n := strings.Count(m.vocabulary, "\n") + 1; n != pieces {
		return fmt.Errorf("the vocabulary has %d pieces, must have %d", n, pieces)
	}
	power := uint(bits.Len(uint(2 * pieces))) // at least two slots per piece
	m.slots = make([]slot, 1<<power)
	m.shift = 64 - power
	m.recent = newMemory(max(power, recentLess) - recentLess)
	m.starts = make([]uint32, pieces)
	var word [wordRoom]byte
	start := 0
	for id := range pieces {
		end := len(m.vocabulary)
		if n := strings.IndexByte(m.vocabulary[start:], '\n'); n >= 0 {
			end = start + n
		}
		piece, continues := strings.CutPrefix(m.vocabulary[start:end], continuing)
		m.starts[id] = uint32(end - len(piece))
		start = end + 1
		if len(piece) == 0 || len(piece) > longestPiece {
			return fmt.Errorf("piece %d has %d bytes, must have 1 to %d", id, len(piece), longestPiece)
		}
		copy(word[:], piece)
		if err := m.insert(&word, len(piece), where(continues), int32(id)); err != nil {
			return err
		}
	}
	return nil
}

// The position of a piece in a word.
const (
	starting = 0
	within   = 1
)

func where(continues bool) uint32 {
	if continues {
		return within
	}
	return starting
}

// insert inserts the piece at the beginning of word into the table.
func (m *Model) insert(word *[wordRoom]byte, length int, where uint32, id int32) error {
	if m.find(word, 0, length, where) >= 0 {
		return fmt.Errorf("piece %d is there twice", id)
	}
	head, tail := ends(word, 0, length)
	key := uint32(length)<<1 | where
	i := m.place(head, tail, key)
	for n := 0; m.slots[i].key != 0; n++ {
		if n == maxProbes {
			return fmt.Errorf("piece %d is one of too many that look alike", id)
		}
		i = (i + 1) & (len(m.slots) - 1)
	}
	if m.scales[id] == 0 {
		id |= mute
	}
	m.slots[i] = slot{head, key, id}
	m.lengths[where][begin(word, 0, length)] |= 1 << min(length, manyBytes)
	m.longest = max(m.longest, length)
	return nil
}

const (
	beginBits = 13
	manyBytes = 31 // this many or more share one bit
)

// begin returns a number for the beginning of a piece: its first three bytes, or all of it and
// its length.
func begin(word *[wordRoom]byte, from, length int) uint32 {
	return beginOf(binary.LittleEndian.Uint32(word[from:from+4]), length)
}

// beginOf is begin for a piece whose first four bytes are known.
func beginOf(bytes uint32, length int) uint32 {
	n := min(length, 3)
	return (bytes<<(32-8*uint(n)) + uint32(n)) * 0x9e3779b1 >> (32 - beginBits)
}

// ends returns the first eight bytes of a piece, and the last eight if there are more, padded
// with zeros.
func ends(word *[wordRoom]byte, from, to int) (head, tail uint64) {
	head = binary.LittleEndian.Uint64(word[from : from+8])
	switch length := to - from; {
	case length < 8:
		head &= 1<<(8*uint(length)) - 1
	case length > 8:
		tail = binary.LittleEndian.Uint64(word[to-8 : to])
	}
	return head, tail
}

// place returns the slot of a piece.
func (m *Model) place(head, tail uint64, key uint32) int {
	const a, b = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	h := (head ^ bits.RotateLeft64(tail*b, 29) ^ uint64(key)<<56) * a
	return int((h ^ h>>29) * b >> m.shift)
}

// find returns the id of the piece word[from:to], with mute if it has no vector, or -1. Eight
// bytes must be readable from from on.
func (m *Model) find(word *[wordRoom]byte, from, to int, where uint32) int32 {
	head, tail := ends(word, from, to)
	key := uint32(to-from)<<1 | where
	for i := m.place(head, tail, key); ; i++ {
		s := &m.slots[i&(len(m.slots)-1)]
		if s.key == 0 {
			return -1
		}
		if s.head == head && s.key == key && (to-from <= 8 || m.same(s.id, word[from:to])) {
			return s.id
		}
	}
}

// same reports whether the piece is text, which is not longer than it.
func (m *Model) same(id int32, text []byte) bool {
	start := int(m.starts[id&^mute])
	return m.vocabulary[start:start+len(text)] == string(text)
}
