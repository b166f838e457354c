package wire

import (
	"bytes"
	"io"
)

const bom = "\xEF\xBB\xBF"

// chunks splits a stream into pieces of lines, however the source splits it.
type chunks struct {
	src    io.Reader
	buf    []byte
	pos    int
	end    int
	base   int64 // stream offset of buf[0]
	lf, cr int   // position of the next of each in buf at or after pos, or end
	err    error // the final error of the source
}

// skipBOM skips one byte order mark at the very start. No block can be complete before there
// are three bytes, so waiting for them delays nothing.
func (c *chunks) skipBOM() {
	for c.end < len(bom) && c.err == nil {
		var n int
		n, c.err = fill(c.src, c.buf[c.end:])
		c.end += n
	}
	if c.end >= len(bom) && string(c.buf[:len(bom)]) == bom {
		c.pos = len(bom)
	}
	c.lf, c.cr = c.pos-1, c.pos-1
}

// next returns the bytes up to the next line end or to the end of the buffer, their offset, and
// the line end after them, which is '\n', '\r' or 0 for none. It skips the line end. The error
// is the final error of the source.
func (c *chunks) next() (piece []byte, at int64, end byte, err error) {
	if c.pos == c.end {
		if c.err != nil {
			return nil, 0, 0, c.err
		}
		c.base += int64(c.end)
		c.pos, c.lf, c.cr = 0, -1, -1
		if c.end, c.err = fill(c.src, c.buf); c.end == 0 {
			return nil, 0, 0, c.err
		}
	}
	// Each kind of line end is searched once, however many there are of the other.
	if c.lf < c.pos {
		c.lf = c.find('\n')
	}
	if c.cr < c.pos {
		c.cr = c.find('\r')
	}
	stop := min(c.lf, c.cr)
	piece, at = c.buf[c.pos:stop], c.base+int64(c.pos)
	c.pos = stop
	if stop < c.end {
		end = c.buf[stop]
		c.pos++
	}
	return piece, at, end, nil
}

func (c *chunks) find(b byte) int {
	if i := bytes.IndexByte(c.buf[c.pos:c.end], b); i >= 0 {
		return c.pos + i
	}
	return c.end
}

// line is the state of the current line.
type line struct {
	any   bool // it is not empty
	colon bool // the name has ended
	space bool // the one space after the colon has been skipped, or was absent
	name  [maxName + 1]byte
	len   int    // of name; above maxName it is unknown
	value []byte // of a field other than data
}

// maxName is the length of the longest known name.
const maxName = len("event")

func (l *line) empty() bool { return !l.any }

func (l *line) reset() {
	l.any, l.colon, l.space, l.len, l.value = false, false, false, 0, l.value[:0]
}

// field returns the name of the field, or "" for a comment and for an unknown field.
func (l *line) field() string {
	switch string(l.name[:l.len]) { // compiles to comparisons without a copy
	case "data":
		return "data"
	case "event":
		return "event"
	case "id":
		return "id"
	case "retry":
		return "retry"
	}
	return ""
}

// feed processes a piece of the line and returns what belongs to the value of a known field.
func (l *line) feed(piece []byte) []byte {
	l.any = true
	for !l.colon {
		if len(piece) == 0 || l.len > maxName {
			return nil
		}
		if piece[0] == ':' {
			l.colon = true
		} else {
			l.name[l.len] = piece[0]
			l.len++
		}
		piece = piece[1:]
	}
	if len(piece) > 0 && !l.space {
		l.space = true
		if piece[0] == ' ' {
			piece = piece[1:]
		}
	}
	if l.field() == "" {
		return nil
	}
	return piece
}
