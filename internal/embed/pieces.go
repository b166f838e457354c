package embed

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxCharacters = 100                           // of a word that has pieces
	longestPiece  = 255                           // in bytes
	wordRoom      = maxCharacters*utf8.UTFMax + 8 // and what a read of eight bytes may see beyond
	batchRoom     = 256                           // pieces that wait until the sum takes them
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
// Characters are decomposed one by one. NFD also puts marks in order, but the marks
// that it moves are dropped, save for a few that are in no vocabulary, so that order
// changes nothing.
type reader struct {
	model      *Model
	sum        []float32 // gets the rows of the pieces, unless it is nil
	ids        []int32   // gets the pieces if sum is nil
	total      int       // pieces so far
	waiting    int       // pieces of them that are still in batch
	length     int       // of the word so far, in bytes
	characters int       // of the word so far, even those for which there is no room
	word       [wordRoom]byte
	batch      [batchRoom]int32
}

// read takes the whole text.
func (r *reader) read(text string) {
	lower := &r.model.characters.lower
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			i += r.decompose(text[i:])
			continue
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
	r.drain()
}

// decompose takes the characters of which the first of text is made, and returns its
// length. A byte that is not UTF-8 is U+FFFD.
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

// take takes one character.
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

// add makes the word longer.
func (r *reader) add(c rune) {
	if r.characters < maxCharacters {
		r.length += utf8.EncodeRune(r.word[r.length:], c)
	}
	r.characters++
}

// endWord finds the pieces of the word and begins another.
func (r *reader) endWord() {
	length, characters := r.length, r.characters
	r.length, r.characters = 0, 0
	if length == 0 || characters > maxCharacters {
		return
	}
	if r.waiting > batchRoom-maxCharacters { // a word has no more pieces than characters
		r.drain()
	}
	if id := r.model.find(&r.word, 0, length, starting); id >= 0 {
		r.emit(id)
	} else {
		r.split(length)
	}
}

// split finds the pieces of a word that is not one.
func (r *reader) split(length int) {
	waiting, total := r.waiting, r.total
	for from, where := 0, uint32(starting); from < length; where = within {
		to := min(length, from+int(r.model.longest[where][r.word[from]]))
		id := int32(-1)
		for ; to > from; to-- {
			if id = r.model.find(&r.word, from, to, where); id >= 0 {
				break
			}
		}
		if id < 0 {
			r.waiting, r.total = waiting, total
			return
		}
		r.emit(id)
		from = to
	}
}

// emit keeps a piece that has a vector.
func (r *reader) emit(id int32) {
	if r.model.scales[id] != 0 {
		r.batch[r.waiting] = id
		r.waiting++
		r.total++
	}
}

// drain hands on the pieces that wait.
func (r *reader) drain() {
	if r.sum != nil {
		r.model.addRows(r.sum, r.batch[:r.waiting])
	} else {
		r.ids = append(r.ids, r.batch[:r.waiting]...)
	}
	r.waiting = 0
}
