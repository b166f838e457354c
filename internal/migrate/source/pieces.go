package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"lukasa.dev/internal/migrate/foreign"
)

// Place is a place in a source.
type Place struct {
	Line  int // from 1
	Index int // among the elements of an array, from 0; -1 where there is none
}

// Piece is one JSON value that a reader takes as a unit.
type Piece struct {
	Place
	// In is the member of the outermost object whose list has the value. It is empty for
	// values outside of such lists.
	In   string
	Text []byte
	// Rest says that it is the object without the lists that were read one by one.
	Rest bool
}

// maxRest is how many bytes are held of an object without the lists that are read one by one.
const maxRest = 1 << 20

// Pieces passes the JSON values of a source to each: its lines if each is a value, or the
// elements of a list, or the elements of the lists of the outermost object that members
// names. It reports and skips values that are broken or too long.
func (r *Run) Pieces(ctx context.Context, members []string, each func(Piece) error) error {
	if r.Lined() {
		return r.Lines(ctx, func(l Line) error {
			p := l.Place()
			if members == nil {
				return each(Piece{Place: p, Text: l.Text})
			}
			if !json.Valid(l.Text) {
				r.Broken(p, l.Text, l.Last)
				return nil
			}
			s := &scanner{run: r, src: bufio.NewReaderSize(bytes.NewReader(l.Text), 4096), line: l.Number, fixed: true}
			return s.walk(ctx, members, each)
		})
	}
	return (&scanner{run: r, src: r.Text, line: 1}).walk(ctx, members, each)
}

// Lines passes the lines of a source to each.
func (r *Run) Lines(ctx context.Context, each func(Line) error) error {
	in := &lineReader{src: r.Text, max: MaxPiece}
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
			r.Leave(l.Place(), TooLarge, "the line is longer than "+mostRead)
			continue
		}
		r.garbled(l.Place(), l.Text)
		if err := each(l); err != nil {
			return err
		}
	}
}

// mostRead says how long a line or a value may be.
var mostRead = strconv.Itoa(MaxPiece>>20) + " MiB, which is the most that is read"

// garbled reports bytes that are not UTF-8 in a line that is taken anyway. A reader that is
// exact refuses them itself.
func (r *Run) garbled(p Place, text []byte) {
	if !r.exact && !utf8.Valid(text) {
		r.Leave(p, Garbled, "bytes that are no UTF-8 became U+FFFD")
	}
}

// Lined reports whether each line of the source is a value, by its first one.
func (r *Run) Lined() bool {
	head, _ := r.Text.Peek(PeekBytes) // the read that follows returns the error
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

// Broken reports a text that is not JSON. For the last line of a source that is still being
// written this is no problem.
func (r *Run) Broken(p Place, text []byte, last bool) {
	var v any
	detail := "this is not an object"
	if err := json.Unmarshal(text, &v); err != nil {
		detail = "this is not JSON: " + err.Error()
	}
	r.Refuse(p, text, last, detail)
}

// Refuse reports a text that the format does not allow, as [Run.Broken] does.
func (r *Run) Refuse(p Place, text []byte, last bool, why string) {
	if last && !balanced(text) {
		r.Leave(p, Unfinished, "the last line is not finished yet")
		return
	}
	r.Leave(p, Broken, why)
}

// Decode reads a piece into v, or reports why it cannot.
func (r *Run) Decode(p Piece, v any) bool {
	if foreign.Decode(p.Text, v) {
		return true
	}
	r.Broken(p.Place, p.Text, false)
	return false
}

// scanner splits a stream of JSON into values, without trusting it: it counts brackets and
// quotes, and the parser of the value judges what is between them. It holds one value at a
// time.
type scanner struct {
	run   *Run
	src   *bufio.Reader
	line  int
	fixed bool // the line does not change
	buf   []byte
}

// errCut says that a source ended within a value.
var errCut = io.ErrUnexpectedEOF

// walk passes on the values of the stream.
func (s *scanner) walk(ctx context.Context, members []string, each func(Piece) error) error {
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
			err = s.one(c, Piece{Place: Place{s.line, -1}}, each)
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
		s.run.Leave(Place{s.line, -1}, Unfinished, "the source ends within a value")
		return nil
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// stray skips text that is not a value, up to the end of its line.
func (s *scanner) stray() error {
	s.run.Leave(Place{s.line, -1}, Broken, "this is not a JSON object or list")
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
func (s *scanner) array(ctx context.Context, in string, each func(Piece) error) error {
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
		if err := s.one(c, Piece{Place: Place{s.line, index}, In: in}, each); err != nil {
			return err
		}
		index++
	}
}

// one passes on a value whose first byte was read.
func (s *scanner) one(c byte, p Piece, each func(Piece) error) error {
	text, over, err := s.value(c, MaxPiece)
	if err != nil {
		return err
	}
	if over {
		s.run.Leave(p.Place, TooLarge, "the value is longer than "+mostRead)
		return nil
	}
	if !s.fixed { // values of a line are checked with the line
		s.run.garbled(p.Place, text)
	}
	p.Text = text
	return each(p)
}

// object passes on the elements of the lists that members names, and at the end the rest of
// the object.
func (s *scanner) object(ctx context.Context, members []string, each func(Piece) error) error {
	at, opened := Place{s.line, -1}, false
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
			return each(Piece{Place: at, Text: append(rest, '}'), Rest: opened})
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
