package hook

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"
)

// Limits of the part of an input that is kept.
const (
	maxText  = 512 << 10 // a text in it; the content of an event holds no more
	maxInput = 1 << 20   // a member of it, approximately, and everything before
	maxHeld  = 8 << 20   // the whole
	maxDepth = 512
)

// Input is the input from an agent.
type Input struct {
	Text []byte
	// Cut says that parts of it were removed.
	Cut bool
	// Rest is what follows the object, as far as it arrived with it, trimmed: it should be
	// empty.
	Rest []byte
}

// Read reads an input of any length and keeps at most a few MB of it. It cuts JSON strings that
// are too long, and closes lists and objects that are too large; later members at the top level
// are kept again. It passes other input on as it is, up to the limit. It stops at the end of
// the object, since an agent may leave the pipe open. With an error it returns what was read
// before.
func Read(r io.Reader) (in Input, err error) {
	s := &shortener{in: bufio.NewReaderSize(r, 64<<10)}
	for err == nil {
		err = s.step()
	}
	if err == io.EOF {
		err = nil
	}
	rest, _ := s.in.Peek(s.in.Buffered()) // it is buffered
	return Input{Text: s.out, Cut: s.cut, Rest: bytes.Clone(bytes.TrimSpace(rest))}, err
}

// shortener copies JSON and omits what is too long.
type shortener struct {
	in   *bufio.Reader
	out  []byte
	open []byte // closing brackets of the open arrays and objects
	cut  bool
	skip bool // the current member is omitted up to its end
	over bool // nothing more is copied
}

// step reads a character, or a string.
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

// measure checks the size between two elements: if it is too large, it closes everything except
// the outer object, or all of it.
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

// text copies a string up to its maximum length.
func (s *shortener) text() error {
	keep := func(b byte) {
		if !s.skip {
			s.out = append(s.out, b)
		}
	}
	keep('"')
	start, escaped := len(s.out), false
	full, hex := false, 0 // hex is the number of remaining digits of an escape
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

// whole removes an incomplete character at the cut: the next byte does not begin one.
func (s *shortener) whole(start int, next byte) {
	for !utf8.RuneStart(next) && len(s.out) > start {
		next = s.out[len(s.out)-1]
		s.out = s.out[:len(s.out)-1]
	}
}
