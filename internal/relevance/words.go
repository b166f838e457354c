package relevance

import (
	"unicode"
	"unicode/utf8"
)

// maxWord is how many bytes of a word are kept. Longer words are compared by their beginning.
const maxWord = 64

// splitter splits texts into words. Its buffers are reused.
//
// A word is a run of letters, digits, marks and underscores. A word made of parts, such as an
// identifier, gives itself and each of its parts: round_refund and roundRefund give round and
// refund, HTTPServer gives http and server, utf8 gives utf and 8. Paths and addresses are split
// at their punctuation. In scripts without spaces, every two neighbours are a word.
type splitter struct {
	whole []byte // the current word, lower-case
	part  []byte // its last part so far
	tail  int    // start of the last letter or digit of the part
	parts int    // how many parts ended before that one
}

// class is the class of a rune for a splitter.
type class byte

const (
	other class = iota // ends a word
	lower              // a letter that is not upper-case
	upper
	digit
	mark  // belongs to the letter before it
	join  // an underscore: ends a part, and is in no word itself
	dense // a letter of a script without spaces
)

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'Z':
		return upper
	case r >= '0' && r <= '9':
		return digit
	case r == '_':
		return join
	case r < utf8.RuneSelf:
		return other
	case r == 'ー' || r == 'ｰ' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return dense
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r):
		return mark
	}
	return other
}

// each calls visit with every word of a text, valid during the call.
func (s *splitter) each(text string, visit func(word []byte)) {
	var last class // of the previous rune, without marks
	var before rune
	for i, r := range text {
		c := classOf(r)
		switch c {
		case mark:
			if last == lower || last == upper {
				s.append(r)
			}
			continue
		case dense:
			s.end(visit)
			if last == dense {
				s.pair(before, r, visit)
			} else if next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):]); classOf(next) != dense {
				s.pair(r, 0, visit)
			}
			before = r
		case lower:
			// The last of several capitals begins the next part: HTTPServer.
			if last == upper {
				s.turn(visit)
			} else if last == digit {
				s.cut(visit)
			}
			s.add(r)
		case upper:
			if last == lower || last == digit {
				s.cut(visit)
			}
			s.add(unicode.ToLower(r))
		case digit:
			if last == lower || last == upper {
				s.cut(visit)
			}
			s.add(r)
		case join:
			s.cut(visit)
		default:
			s.end(visit)
		}
		last = c
	}
	s.end(visit)
}

// add appends a letter or a digit to the current word.
func (s *splitter) add(r rune) {
	s.tail = len(s.part)
	s.append(r)
}

// append appends a rune to the current word.
func (s *splitter) append(r rune) {
	if len(s.whole) < maxWord {
		s.whole = utf8.AppendRune(s.whole, r)
	}
	if len(s.part) < maxWord {
		s.part = utf8.AppendRune(s.part, r)
	}
}

// cut ends a part.
func (s *splitter) cut(visit func([]byte)) {
	if len(s.part) > 0 {
		visit(s.part)
		s.part = s.part[:0]
		s.parts++
	}
}

// turn ends a part before its last letter, if there is anything before that.
func (s *splitter) turn(visit func([]byte)) {
	if s.tail > 0 && s.tail < len(s.part) {
		visit(s.part[:s.tail])
		s.part = append(s.part[:0], s.part[s.tail:]...)
		s.tail = 0
		s.parts++
	}
}

// end ends a word.
func (s *splitter) end(visit func([]byte)) {
	if len(s.part) > 0 {
		visit(s.part)
		s.parts++
	}
	if s.parts > 1 {
		visit(s.whole)
	}
	s.whole, s.part, s.parts = s.whole[:0], s.part[:0], 0
}

// pair visits two neighbours of a script without spaces, or a single one.
func (s *splitter) pair(a, b rune, visit func([]byte)) {
	s.part = utf8.AppendRune(s.part[:0], a)
	if b != 0 {
		s.part = utf8.AppendRune(s.part, b)
	}
	visit(s.part)
	s.part = s.part[:0]
}
