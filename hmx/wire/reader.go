package wire

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"lukasa.dev/hmx"
)

// Line is one line of newline-delimited JSON.
type Line struct {
	Number int    // counted from 1, including blank lines
	Offset int64  // of its first byte in the stream
	Text   []byte // without the newline; valid until the next call of Next
}

// Reader reads newline-delimited JSON line by line.
//
// A line ends at LF, the last one also at the end of the stream. Lines with only JSON white
// space are counted and skipped. A carriage return before the LF is JSON white space: it stays
// in the text, and is counted. A byte order mark stays in the text of the first line, for the
// decoder to refuse.
type Reader struct {
	src     io.Reader
	max     int
	chunk   int
	buf     []byte
	start   int   // of the current line in buf
	scanned int   // length of its prefix without a newline
	end     int   // of what was read into buf
	base    int64 // stream offset of buf[0]
	err     error // the final error of the source
	failed  error // the result of every further call
	counts  LineCounts
}

// LineCounts is what a Reader has read. It is final once Next has returned io.EOF.
type LineCounts struct {
	Bytes   int64 // read from the source; 0 at the end means that it was empty
	Lines   int   // all lines, good and bad
	Blank   int   // lines among them with only white space
	CRLF    int   // lines among them that ended in CR LF
	TooLong int   // lines among them that were skipped
}

// Problem returns the problem of the stream as a whole: that some of its lines end in CR LF
// where HMX-E section 8 requires LF. Their events are read all the same, since a carriage
// return is JSON white space.
func (c LineCounts) Problem() (p hmx.Problem, ok bool) {
	if c.CRLF == 0 {
		return hmx.Problem{}, false
	}
	return hmx.Problem{
		Rule:    "HMX-E/8",
		Found:   fmt.Sprintf("CR LF at the end of %d of %d lines", c.CRLF, c.Lines),
		Allowed: "LF alone",
	}, true
}

// NewReader returns a reader of src, which it reads in large pieces.
func NewReader(src io.Reader, o Options) *Reader {
	o = o.withDefaults()
	return &Reader{src: src, max: o.MaxBytes, chunk: o.ChunkBytes}
}

// Next returns the next line that is not blank. The error is io.EOF at the end of
// the stream, a *LineError for a line that is too long, after which Next can be
// called again, or a *ReadError if the source failed.
func (r *Reader) Next() (Line, error) {
	for r.failed == nil {
		i := bytes.IndexByte(r.buf[r.start+r.scanned:r.end], '\n')
		if i >= 0 {
			text := r.buf[r.start : r.start+r.scanned+i]
			line := r.count(len(text) > 0 && text[len(text)-1] == '\r')
			r.start += len(text) + 1
			r.scanned = 0
			if len(text) > r.max {
				return line, r.tooLong(line, int64(len(text)))
			}
			if r.blank(text) {
				continue
			}
			line.Text = text
			return line, nil
		}
		r.scanned = r.end - r.start
		if r.scanned > r.max {
			return r.skip()
		}
		if r.more() {
			continue
		}
		if r.err == io.EOF && r.scanned > 0 {
			text := r.buf[r.start:r.end]
			line := r.count(false)
			r.start, r.scanned = r.end, 0
			if r.blank(text) {
				continue
			}
			line.Text = text
			return line, nil
		}
		r.fail()
	}
	return Line{}, r.failed
}

// Counts returns what the reader has read so far.
func (r *Reader) Counts() LineCounts { return r.counts }

// Events decodes the remaining lines. A line that is not an event gives a *LineError, and the
// others follow; a *ReadError is the last item. The loop may be left and another started: it
// continues with the next line.
func (r *Reader) Events() iter.Seq2[Item, error] {
	return events(func() ([]byte, Item, error) {
		line, err := r.Next()
		return line.Text, Item{Line: line.Number, Offset: line.Offset}, err
	})
}

// count counts one more line, which begins at r.start.
func (r *Reader) count(crlf bool) Line {
	line := Line{Number: r.counts.Lines + 1, Offset: r.base + int64(r.start)}
	r.counts.Lines++
	if crlf {
		r.counts.CRLF++
	}
	return line
}

// blank reports whether text has only JSON white space, and counts it.
func (r *Reader) blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	r.counts.Blank++
	return true
}

func (r *Reader) tooLong(line Line, size int64) error {
	r.counts.TooLong++
	return &LineError{line.Number, line.Offset, &TooLongError{size, r.max}}
}

// more reads more data, and reports whether there is any.
func (r *Reader) more() bool {
	if r.err != nil {
		return false
	}
	if r.start > 0 {
		r.base += int64(r.start)
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		// At most one byte above the limit is needed to know that a line is too long.
		size := max(r.chunk, min(2*len(r.buf), r.max+1))
		r.buf = append(make([]byte, 0, size), r.buf[:r.end]...)[:size]
	}
	return r.read()
}

// read fills the rest of buf, and reports whether anything was read.
func (r *Reader) read() bool {
	var n int
	n, r.err = fill(r.src, r.buf[r.end:])
	r.end += n
	r.counts.Bytes += int64(n)
	return n > 0
}

// skip skips the rest of a line that is too long, without storing it.
func (r *Reader) skip() (Line, error) {
	at := r.base + int64(r.start)
	for {
		last := r.buf[r.end-1]
		r.base += int64(r.end)
		r.start, r.end, r.scanned = 0, 0, 0
		if r.err != nil || !r.read() {
			if r.err != io.EOF {
				r.fail()
				return Line{}, r.failed
			}
			line := r.count(false)
			line.Offset = at
			return line, r.tooLong(line, r.base-at)
		}
		if i := bytes.IndexByte(r.buf[:r.end], '\n'); i >= 0 {
			if i > 0 {
				last = r.buf[i-1]
			}
			line := r.count(last == '\r')
			line.Offset = at
			r.start = i + 1
			return line, r.tooLong(line, r.base+int64(i)-at)
		}
	}
}

// fail ends reading, with io.EOF or a *ReadError.
func (r *Reader) fail() {
	if r.failed = r.err; r.err != io.EOF {
		r.failed = &ReadError{r.counts.Lines + 1, r.counts.Bytes, r.err}
	}
}
