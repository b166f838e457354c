package migrate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// place is a place in a source.
type place struct {
	line  int // from 1
	index int // among the elements of an array, from 0; -1 where there is none
}

// piece is one JSON value that a reader takes as a unit.
type piece struct {
	place
	// in is the member of the outermost object whose list has the value. It is empty for
	// values outside of such lists.
	in   string
	text []byte
	// rest says that it is the object without the lists that were read one by one.
	rest bool
}

// maxRest is how many bytes are held of an object without the lists that are read one by one.
const maxRest = 1 << 20

// pieces passes the JSON values of a source to each: its lines if each is a value, or the
// elements of a list, or the elements of the lists of the outermost object that members
// names. It reports and skips values that are broken or too long.
func (r *run) pieces(ctx context.Context, src *text, members []string, each func(piece) error) error {
	if lined(src.Reader) {
		return r.lines(ctx, src, func(l line) error {
			p := place{l.number, -1}
			if members == nil {
				return each(piece{place: p, text: l.text})
			}
			if !json.Valid(l.text) {
				r.broken(p, l.text, l.last)
				return nil
			}
			s := &scanner{run: r, src: bufio.NewReaderSize(bytes.NewReader(l.text), 4096), line: l.number, fixed: true}
			return s.walk(ctx, members, each)
		})
	}
	return (&scanner{run: r, src: src.Reader, line: 1}).walk(ctx, members, each)
}

// lines passes the lines of a source to each.
func (r *run) lines(ctx context.Context, src *text, each func(line) error) error {
	in := &lineReader{src: src.Reader, max: MaxPiece}
	for {
		l, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.long {
			r.leave(place{l.number, -1}, TooLarge, "the line is longer than "+mostRead)
			continue
		}
		r.garbled(place{l.number, -1}, l.text)
		if err := each(l); err != nil {
			return err
		}
	}
}

// mostRead says how long a line or a value may be.
var mostRead = strconv.Itoa(MaxPiece>>20) + " MiB, which is the most that is read"

// garbled reports bytes that are not UTF-8 in a line that is taken anyway. Events of HMX with
// such bytes are refused.
func (r *run) garbled(p place, text []byte) {
	if r.format != HMX && !utf8.Valid(text) {
		r.leave(p, Garbled, "bytes that are no UTF-8 became U+FFFD")
	}
}

// lined reports whether each line of a source is a value, by its first one.
func lined(src *bufio.Reader) bool {
	head, _ := src.Peek(peekBytes) // the read that follows returns the error
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	first, _, whole := bytes.Cut(head, []byte("\n"))
	return whole && balanced(first)
}

// balanced reports whether every bracket of a text is closed, whatever else is wrong
// with it.
func balanced(text []byte) bool {
	depth, quoted, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return depth <= 0 && !quoted
}

// broken reports a text that is not JSON. For the last line of a source that is still being
// written this is no problem.
func (r *run) broken(p place, text []byte, last bool) {
	var v any
	err := json.Unmarshal(text, &v)
	if last && !balanced(text) {
		r.leave(p, Unfinished, "the last line is not finished yet")
		return
	}
	detail := "this is not an object"
	if err != nil {
		detail = "this is not JSON: " + err.Error()
	}
	r.leave(p, Broken, detail)
}

// decode reads a piece into v, or reports why it cannot.
func (r *run) decode(p piece, v any) bool {
	if loosely(p.text, v) {
		return true
	}
	r.broken(p.place, p.text, false)
	return false
}

// loosely reads an object into v. It skips members of another shape.
func loosely(text []byte, v any) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	err := json.Unmarshal(text, v)
	if err == nil {
		return true
	}
	_, shape := errors.AsType[*json.UnmarshalTypeError](err)
	return shape
}

// scanner splits a stream of JSON into values, without trusting it: it counts brackets and
// quotes, and the parser of the value judges what is between them. It holds one value at a
// time.
type scanner struct {
	run   *run
	src   *bufio.Reader
	line  int
	fixed bool // the line does not change
	buf   []byte
}

// errCut says that a source ended within a value.
var errCut = io.ErrUnexpectedEOF

// walk passes on the values of the stream.
func (s *scanner) walk(ctx context.Context, members []string, each func(piece) error) error {
	for {
		c, err := s.skip()
		if err != nil {
			return s.end(err)
		}
		switch {
		case c == '[':
			err = s.array(ctx, "", each)
		case c == '{' && members != nil:
			err = s.object(ctx, members, each)
		case c == '{':
			err = s.one(c, piece{place: place{s.line, -1}}, each)
		default:
			err = s.stray()
		}
		if err != nil {
			return s.end(err)
		}
	}
}

// end reports a source that ended too early.
func (s *scanner) end(err error) error {
	if err == errCut {
		s.run.leave(place{s.line, -1}, Unfinished, "the source ends within a value")
		return nil
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// stray skips text that is not a value, up to the end of its line.
func (s *scanner) stray() error {
	s.run.leave(place{s.line, -1}, Broken, "this is not a JSON object or list")
	for {
		c, err := s.src.ReadByte()
		if err != nil {
			return err
		}
		if c == '\n' {
			s.newline()
			return nil
		}
	}
}

func (s *scanner) newline() {
	if !s.fixed {
		s.line++
	}
}

// skip returns the next byte that is no white space.
func (s *scanner) skip() (byte, error) {
	for {
		c, err := s.src.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			s.newline()
		case ' ', '\t', '\r':
		default:
			return c, nil
		}
	}
}

// array passes on the elements of a list whose bracket was read.
func (s *scanner) array(ctx context.Context, in string, each func(piece) error) error {
	for index := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := s.skip()
		switch {
		case err == io.EOF:
			return errCut
		case err != nil:
			return err
		case c == ']':
			return nil
		case c == ',':
			continue
		}
		if err := s.one(c, piece{place: place{s.line, index}, in: in}, each); err != nil {
			return err
		}
		index++
	}
}

// one passes on a value whose first byte was read.
func (s *scanner) one(c byte, p piece, each func(piece) error) error {
	text, over, err := s.value(c, MaxPiece)
	if err != nil {
		return err
	}
	if over {
		s.run.leave(p.place, TooLarge, "the value is longer than "+mostRead)
		return nil
	}
	if !s.fixed { // values of a line are checked with the line
		s.run.garbled(p.place, text)
	}
	p.text = text
	return each(p)
}

// object passes on the elements of the lists that members names, and at the end the rest of
// the object.
func (s *scanner) object(ctx context.Context, members []string, each func(piece) error) error {
	at, opened := place{s.line, -1}, false
	rest := []byte{'{'}
	for {
		c, err := s.skip()
		switch {
		case err == io.EOF:
			return errCut
		case err != nil:
			return err
		case c == ',':
			continue
		case c == '}':
			return each(piece{place: at, text: append(rest, '}'), rest: opened})
		case c != '"':
			return s.stray()
		}
		quoted, _, err := s.value(c, maxRest)
		if err != nil {
			return err
		}
		name := string(quoted)
		if c, err = s.skip(); err == nil && c == ':' {
			c, err = s.skip()
		} else if err == nil {
			return s.stray()
		}
		if err == io.EOF {
			return errCut
		}
		if err != nil {
			return err
		}
		var plain string
		if json.Unmarshal([]byte(name), &plain) == nil && c == '[' && slices.Contains(members, plain) {
			opened = true
			if err := s.array(ctx, plain, each); err != nil {
				return err
			}
			continue
		}
		value, over, err := s.value(c, maxRest)
		if err != nil {
			return err
		}
		if !over && len(rest)+len(name)+len(value) < maxRest && json.Valid(value) {
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest = append(append(append(rest, name...), ':'), value...)
		}
	}
}

// value reads a value whose first byte is c. It skips one that is longer than most, without
// holding it. A line never ends within a string of JSON, so an unclosed string affects only
// its line.
func (s *scanner) value(c byte, most int) (text []byte, over bool, err error) {
	if cap(s.buf) > 4<<20 {
		s.buf = nil // release the memory of one long value
	}
	s.buf = append(s.buf[:0], c)
	depth, quoted, escaped := 0, c == '"', false
	bare := c != '{' && c != '[' && c != '"'
	if !bare && !quoted {
		depth = 1
	}
	for {
		c, err := s.src.ReadByte()
		if err == io.EOF && bare {
			return s.buf, over, nil
		}
		if err == io.EOF {
			return nil, over, errCut
		}
		if err != nil {
			return nil, over, err
		}
		if bare && bytes.IndexByte([]byte(",]}: \t\r\n"), c) >= 0 {
			return s.buf, over, s.src.UnreadByte()
		}
		if c == '\n' {
			s.newline()
		}
		if len(s.buf) < most {
			s.buf = append(s.buf, c)
		} else {
			over = true
		}
		switch {
		case bare:
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"', quoted && c == '\n':
			if quoted = !quoted && c == '"'; !quoted && depth == 0 {
				return s.buf, over, nil
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return s.buf, over, nil
			}
		}
	}
}
