package migrate

import (
	"bufio"
	"bytes"
	"io"
)

// line is one line of a source.
type line struct {
	number int    // from 1, blank lines included
	text   []byte // without its end; valid until the next one is read
	long   bool   // it is longer than is read, and not held
	last   bool   // the source ended before the line did
}

// lineReader reads lines, of which it holds one at a time.
type lineReader struct {
	src *bufio.Reader
	max int
	n   int
	buf []byte
}

// next returns the next line that is not blank, and io.EOF behind the last one.
func (r *lineReader) next() (line, error) {
	for {
		r.buf = r.buf[:0]
		if cap(r.buf) > 4<<20 {
			r.buf = nil // release the memory of one long line
		}
		l := line{}
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
					return line{}, io.EOF
				}
				l.last = true
			} else if err != nil {
				return line{}, err
			}
			break
		}
		r.n++
		l.number = r.n
		l.text = bytes.TrimSpace(r.buf)
		if len(l.text) > 0 || l.long {
			return l, nil
		}
	}
}
