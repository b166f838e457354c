package hook

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"
)

// Limits of what is held of an input.
const (
	maxText  = 512 << 10 // of a text in it; the content of an event holds no more
	maxInput = 1 << 20   // of a member of it, more or less, and of all before
	maxHeld  = 8 << 20   // of all of it
	maxDepth = 512
)

// Input is what an agent handed over.
type Input struct {
	Text []byte
	// Cut says that parts of it were left away.
	Cut bool
	// Rest is what was there behind the object that the input is, as far as it came with it,
	// without white space around it: there should be nothing.
	Rest []byte
}

// Read reads an input of any length and holds at most a few MB of it. In its JSON, texts that
// are too long are cut, and lists and objects ended where it became too much; what follows
// them at the top is there again. What is no JSON is passed on as it is, as far as it is held.
// It ends with the object that the input is: an agent may leave it open. With an error comes
// what was read before.
func Read(r io.Reader) (in Input, err error) {
	s := &shortener{in: bufio.NewReaderSize(r, 64<<10)}
	for err == nil {
		err = s.step()
	}
	if err == io.EOF {
		err = nil
	}
	rest, _ := s.in.Peek(s.in.Buffered()) // it is there
	return Input{Text: s.out, Cut: s.cut, Rest: bytes.Clone(bytes.TrimSpace(rest))}, err
}

// shortener copies JSON and leaves away what is too long.
type shortener struct {
	in   *bufio.Reader
	out  []byte
	open []byte // what ends the arrays and objects that are open
	cut  bool
	skip bool // what is inside of a member is left away until its end
	over bool // nothing more is copied
}

// step reads a character, or a text.
func (s *shortener) step() error {
	b, err := s.in.ReadByte()
	if err != nil {
		return err
	}
	if s.over {
		return nil
	}
	switch b {
	case '"':
		return s.text()
	case '{', '[':
		s.open = append(s.open, b+2)
	case '}', ']':
		if n := len(s.open); n > 0 {
			s.open = s.open[:n-1]
			if n == 1 && b == '}' {
				s.out = append(s.out, b)
				return io.EOF
			}
		}
		if s.skip {
			s.skip = len(s.open) > 1
			return nil // its end was written before
		}
	case ',':
		s.measure()
	}
	if !s.skip && !s.over {
		s.out = append(s.out, b)
	}
	return nil
}

// measure looks between two elements whether it is too much: then what is open but for the
// input itself is ended, or all of it.
func (s *shortener) measure() {
	upTo := 0
	switch {
	case s.skip:
		return
	case len(s.out) >= maxHeld || len(s.open) > maxDepth:
		s.over = true
	case len(s.out) >= maxInput && len(s.open) > 1:
		s.skip, upTo = true, 1
	default:
		return
	}
	s.cut = true
	for i := len(s.open) - 1; i >= upTo; i-- {
		s.out = append(s.out, s.open[i])
	}
}

// text copies a text, as far as it is not too long.
func (s *shortener) text() error {
	keep := func(b byte) {
		if !s.skip {
			s.out = append(s.out, b)
		}
	}
	keep('"')
	start, escaped := len(s.out), false
	full, hex := false, 0 // hex is how many digits of an escape are to come
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return err // it has no end
		}
		if !full && !escaped && hex == 0 && len(s.out)-start >= maxText {
			full, s.cut = true, true
			s.whole(start, b)
		}
		if !full {
			keep(b)
		}
		switch {
		case escaped:
			escaped = false
			if b == 'u' {
				hex = 4
			}
		case b == '\\':
			escaped = true
		case b == '"':
			if full {
				keep('"')
			}
			return nil
		case hex > 0:
			hex--
		}
	}
}

// whole takes the beginning of a character away whose end would be cut off: what follows is
// not the first byte of one.
func (s *shortener) whole(start int, next byte) {
	for !utf8.RuneStart(next) && len(s.out) > start {
		next = s.out[len(s.out)-1]
		s.out = s.out[:len(s.out)-1]
	}
}
