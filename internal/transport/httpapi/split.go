package httpapi

import (
	"bytes"

	"lukasa.dev/internal/fault"
)

// maxElements is the most events of an array. Streams of lines have no such limit.
const maxElements = 10_000

// splitArray makes lines of the elements of a JSON array without parsing them: that is done
// line by line, so that a bad element does not affect good ones. The array itself must be
// complete.
func splitArray(text []byte) ([]byte, error) {
	s := &splitter{text: text, at: 1}
	if s.space(); s.peek() == ']' {
		s.at++
		return nil, s.end()
	}
	for n := 1; ; n++ {
		if n > maxElements {
			return nil, fault.Newf(fault.TooLarge, "body: the array has more than %d elements", maxElements).WithFix("send lines of events as application/x-ndjson, which may be of any number")
		}
		if err := s.element(); err != nil {
			return nil, err
		}
		s.out = append(s.out, '\n')
		s.space()
		switch s.peek() {
		case ',':
			s.at++
		case ']':
			s.at++
			return s.out, s.end()
		default:
			return nil, s.broken("there is no , or ] after an element")
		}
		s.space()
	}
}

// splitter scans an array.
type splitter struct {
	text []byte
	at   int
	out  []byte
}

// peek returns the current byte, and 0 at the end.
func (s *splitter) peek() byte {
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// space skips white space.
func (s *splitter) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// end refuses text after the array.
func (s *splitter) end() error {
	if s.space(); s.at < len(s.text) {
		return s.broken("there is something after the array")
	}
	return nil
}

// element copies an element, with spaces for the line breaks between its tokens. It considers
// only quotes and brackets.
func (s *splitter) element() error {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			if err := s.quoted(); err != nil {
				return err
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return s.taken(start)
			}
			depth--
		case ',':
			if depth == 0 {
				return s.taken(start)
			}
		case '\n', '\r':
			s.out = append(s.out, ' ')
			s.at++
			continue
		}
		s.out = append(s.out, s.text[s.at])
		s.at++
	}
	return s.broken("it ends within an element")
}

// taken refuses an empty element.
func (s *splitter) taken(start int) error {
	if len(bytes.TrimLeft(s.text[start:s.at], " \t\r\n")) == 0 {
		return s.broken("an element is missing")
	}
	return nil
}

// quoted copies a string with its quotes. A line break in it, which JSON does not allow, would
// become two lines; so it is refused.
func (s *splitter) quoted() error {
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
			if s.peek() == '\n' {
				return s.broken("a text has a line break in it")
			}
		case '\n':
			return s.broken("a text has a line break in it")
		case '"':
			s.at++
			s.out = append(s.out, s.text[start:s.at]...)
			return nil
		}
	}
	return s.broken("it ends within a text")
}

// broken is the error for an invalid array.
func (s *splitter) broken(why string) error {
	return fault.Newf(fault.InvalidDocument, "body: at byte %d of the array, %s", s.at, why).WithFix("send well-formed JSON")
}
