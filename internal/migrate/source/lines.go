package source

import (
	"bufio"
	"bytes"
	"io"
)

// Line is one line of a source.
type Line struct {
	Number int    // from 1, blank lines included
	Text   []byte // without its end; valid until the next one is read
	long   bool   // it is longer than is read, and not held
	Last   bool   // the source ended before the line did
}

// Place is where the line is in the source.
func (l Line) Place() Place { return Place{l.Number, -1} }

// lineReader reads lines, of which it holds one at a time.
type lineReader struct {
	src *bufio.Reader
	max int
	n   int
	buf []byte
}

// next returns the next line that is not blank, and io.EOF behind the last one.
func (r *lineReader) next() (Line, error) {
	for {
		r.buf = r.buf[:0]
		if cap(r.buf) > 4<<20 {
			r.buf = nil // release the memory of one long line
		}
		l := Line{}
		for {
			part, err := r.src.ReadSlice('\n')
			if len(r.buf)+len(part) > r.max+1 {
				l.long = true
				r.buf = r.buf[:0]
			} else if !l.long {
				r.buf = append(r.buf, part...)
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			if err == io.EOF {
				if len(r.buf) == 0 && !l.long {
					return Line{}, io.EOF
				}
				l.Last = true
			} else if err != nil {
				return Line{}, err
			}
			break
		}
		r.n++
		l.Number = r.n
		l.Text = bytes.TrimSpace(r.buf)
		if len(l.Text) > 0 || l.long {
			return l, nil
		}
	}
}
