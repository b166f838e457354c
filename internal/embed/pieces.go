package embed

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxCharacters = 100                           // of a word with pieces
	longestPiece  = 255                           // in bytes
	wordRoom      = maxCharacters*utf8.UTFMax + 8 // plus what a read of eight bytes may touch
	batchRoom     = 256                           // pieces buffered before they are added to the sum
)

// reader splits a text into pieces:
//
//   - Characters are decomposed (NFD). Combining marks, controls other than tab and
//     line ends, formats, private use and surrogates are dropped. What is left is
//     lower-cased.
//   - White space separates words. Each punctuation character and each CJK ideograph
//     is a word of its own.
//   - A word is its longest piece at the start, then the longest that continues it,
//     and so on. A word of more than 100 characters, or one that pieces do not cover
//     to its end, has no pieces.
//
// Characters are decomposed one by one. NFD also reorders marks, but the marks that it moves
// are dropped, except for a few that are in no vocabulary, so order does not matter.
type reader struct {
	model      *Model
	sum        []float32 // receives the rows of the pieces, unless it is nil
	ids        []int32   // receives the pieces if sum is nil
	total      int       // pieces so far
	waiting    int       // pieces still in batch
	length     int       // of the word so far, in bytes
	characters int       // of the word so far, even those that do not fit
	queued     int       // words in queue
	word       [wordRoom]byte
	batch      [batchRoom]int32
	queue      [queueRoom]queued
}

// queueRoom is how many words are queued before they are looked up.
const queueRoom = 32

// queued is a queued word.
type queued struct {
	head, tail uint64 // its bytes, padded with zeros
	length     int
	slot       slot // the content of its slot in the table
}

// read processes a text, which ends its last word.
func (r *reader) read(text string) {
	lower, ends := &r.model.characters.lower, &r.model.characters.ends
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			i += r.decompose(text[i:])
			continue
		}
		if r.characters == 0 {
			if c == ' ' {
				i++
				continue
			}
			if n := plainWord(text[i:], lower); n > 0 && (i+n == len(text) || ends[text[i+n]]) {
				r.plain(text, i, n)
				i += n
				continue
			}
		}
		i++
		if l := lower[c]; l != 0 {
			if r.characters < maxCharacters {
				r.word[r.length] = l
				r.length++
			}
			r.characters++
			continue
		}
		r.take(rune(c))
	}
	r.endWord()
}

// plainWord returns the number of ASCII letters and digits at the beginning of a text, or 0 if
// they are too many for a queued word.
func plainWord(text string, lower *[256]byte) int {
	n := 0
	for n < len(text) && lower[text[n]] != 0 {
		if n++; n > longestRecent {
			return 0
		}
	}
	return n
}

// plain processes a word of ASCII letters and digits, n bytes at i.
func (r *reader) plain(text string, i, n int) {
	const small = 0x2020202020202020 // makes letters lower case, and does not change digits
	var head, tail uint64
	if i+longestRecent <= len(text) {
		head, tail = word64(text, i)|small, word64(text, i+8)|small
	} else {
		var room [longestRecent]byte
		copy(room[:], text[i:])
		head, tail = binary.LittleEndian.Uint64(room[:])|small, binary.LittleEndian.Uint64(room[8:])|small
	}
	head, tail = first(head, tail, n)
	r.wait(head, tail, n)
}

// decompose processes the decomposition of the first character of text, and returns its length.
// An invalid byte is U+FFFD.
func (r *reader) decompose(text string) int {
	c, size := utf8.DecodeRuneInString(text)
	if c == utf8.RuneError {
		r.take(c)
		return size
	}
	if letters, ok := hangul(c); ok {
		for _, l := range letters {
			if l != 0 {
				r.take(l)
			}
		}
		return size
	}
	parts := norm.NFD.PropertiesString(text).Decomposition()
	if parts == nil {
		r.take(c)
		return size
	}
	for len(parts) > 0 {
		part, n := utf8.DecodeRune(parts)
		r.take(part)
		parts = parts[n:]
	}
	return size
}

// take processes one character.
func (r *reader) take(c rune) {
	switch r.model.characters.of(c) {
	case dropped:
	case space:
		r.endWord()
	case alone:
		r.endWord()
		r.add(c)
		r.endWord()
	case capital:
		r.add(unicode.ToLower(c))
	default:
		r.add(c)
	}
}

// add appends a character to the word.
func (r *reader) add(c rune) {
	if r.characters < maxCharacters {
		r.length += utf8.EncodeRune(r.word[r.length:], c)
	}
	r.characters++
}

// endWord ends the word and begins another.
func (r *reader) endWord() {
	length, characters := r.length, r.characters
	r.length, r.characters = 0, 0
	if length == 0 || characters > maxCharacters {
		return
	}
	if length <= longestRecent {
		head, tail := first(binary.LittleEndian.Uint64(r.word[:]), binary.LittleEndian.Uint64(r.word[8:]), length)
		r.wait(head, tail, length)
		return
	}
	long := r.word
	r.resolve()
	r.word = long
	r.makeRoom()
	if id := r.model.find(&r.word, 0, length, starting); id >= 0 {
		r.emit(id)
	} else {
		r.split(length)
	}
}

// makeRoom makes room for the pieces of a word, which are no more than its characters.
func (r *reader) makeRoom() {
	if r.waiting > batchRoom-maxCharacters {
		r.drain()
	}
}

// wait queues a word of up to longestRecent bytes until it is looked up with others, so that
// the processor need not wait for the slot of each of them.
func (r *reader) wait(head, tail uint64, length int) {
	if r.queued == queueRoom {
		r.resolve()
	}
	last := uint64(0)
	if length > 8 {
		last = head>>(8*uint(length-8)) | tail<<(8*uint(16-length))
	}
	at := r.model.place(head, last, uint32(length)<<1|starting)
	r.queue[r.queued] = queued{head, tail, length, r.model.slots[at]}
	r.queued++
}

// resolve finds the pieces of the queued words. It uses the buffer of the word.
func (r *reader) resolve() {
	m := r.model
	for i := range r.queue[:r.queued] {
		w := &r.queue[i]
		r.makeRoom()
		if w.slot.head == w.head && w.slot.key == uint32(w.length)<<1|starting && w.length <= 8 {
			r.emit(w.slot.id)
			continue
		}
		binary.LittleEndian.PutUint64(r.word[:], w.head)
		binary.LittleEndian.PutUint64(r.word[8:], w.tail)
		if w.slot.key != 0 {
			if id := m.find(&r.word, 0, w.length, starting); id >= 0 {
				r.emit(id)
				continue
			}
		}
		cell := m.recent.cell(w.head, w.tail)
		if ids, ok := cell.get(w.head, w.tail); ok {
			for _, id := range ids {
				if id == 0 {
					break
				}
				r.emit(id - 1)
			}
			continue
		}
		waiting := r.waiting
		r.split(w.length)
		if r.waiting-waiting <= mostRecent {
			cell.set(w.head, w.tail, r.batch[waiting:r.waiting])
		}
	}
	r.queued = 0
}

// split finds the pieces of a word that is not one piece.
func (r *reader) split(length int) {
	waiting, total := r.waiting, r.total
	for from, where := 0, uint32(starting); from < length; where = within {
		id, size := r.model.longestAt(&r.word, from, length, where)
		if id < 0 {
			r.waiting, r.total = waiting, total
			return
		}
		r.emit(id)
		from += size
	}
}

// longestAt returns the longest piece at a position of a word and its length in bytes, or -1.
// It tries only lengths of pieces that begin like the rest.
func (m *Model) longestAt(word *[wordRoom]byte, from, length int, where uint32) (id int32, size int) {
	rest := length - from
	lengths := &m.lengths[where]
	first := binary.LittleEndian.Uint32(word[from : from+4])
	some := lengths[beginOf(first, 3)] &^ (1<<3 - 1)
	if some>>manyBytes != 0 {
		for size = min(rest, m.longest); size >= manyBytes; size-- {
			if id = m.find(word, from, from+size, where); id >= 0 {
				return id, size
			}
		}
	}
	some |= lengths[beginOf(first, 2)]&(1<<2) | lengths[beginOf(first, 1)]&(1<<1)
	for some &= 1<<min(rest+1, manyBytes) - 1; some != 0; some &^= 1 << size {
		size = bits.Len32(some) - 1
		if id = m.find(word, from, from+size, where); id >= 0 {
			return id, size
		}
	}
	return -1, 0
}

// emit stores a piece with a vector.
func (r *reader) emit(id int32) {
	if id&mute == 0 {
		r.batch[r.waiting] = id
		r.waiting++
		r.total++
	}
}

// finish processes everything that is queued.
func (r *reader) finish() {
	r.resolve()
	r.drain()
}

// drain adds the buffered pieces.
func (r *reader) drain() {
	if r.sum != nil {
		r.model.addRows(r.sum, r.batch[:r.waiting])
	} else {
		r.ids = append(r.ids, r.batch[:r.waiting]...)
	}
	r.waiting = 0
}
