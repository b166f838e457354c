package journal

import (
	"fmt"
	"sort"
	"strings"

	"lukasa.dev/internal/disk"
)

// segment is one file of the log. It does not change once it is published. The
// segment being written is published again when it is sealed.
type segment struct {
	base   LSN
	name   string
	size   int64 // of the file; of the one being written, when it was opened
	end    int64 // offset behind the last frame; ditto
	frames uint64
	index  uint32 // length of the index in bytes
	check  uint32 // of the index
	sealed bool
	lost   bool // not of this log: nothing in it can be read
}

// next is where the next segment begins.
func (s *segment) next() LSN { return s.base + LSN(s.size) }

const (
	segmentSuffix = ".seg"
	segmentDigits = 20
	endName       = "END"
)

func segmentName(base LSN) string {
	return fmt.Sprintf("%0*d%s", segmentDigits, uint64(base), segmentSuffix)
}

// parseName returns the base that a file's name gives.
func parseName(name string) (LSN, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(digits) != segmentDigits {
		return 0, false
	}
	var base LSN
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' || base > (1<<63)/10 {
			return 0, false
		}
		base = base*10 + LSN(c-'0')
	}
	return base, base%align == 0
}

// find returns the index of the segment that holds lsn, or -1.
func find(segs []*segment, lsn LSN) int {
	return sort.Search(len(segs), func(i int) bool { return segs[i].base > lsn }) - 1
}

// window reads a file from front to back through one buffer.
type window struct {
	file  disk.File
	limit int64 // nothing behind it is read
	at    int64 // offset of buf
	buf   []byte
	chunk int // bytes per read
}

func newWindow(f disk.File, limit int64, chunk int) *window {
	return &window{file: f, limit: limit, chunk: chunk}
}

// bytes returns the n bytes at off, or fewer if the limit or the end of the
// file comes first. They belong to the window until the next call.
func (w *window) bytes(off int64, n int) ([]byte, error) {
	if int64(n) > w.limit-off {
		n = int(max(0, w.limit-off))
	}
	if n == 0 {
		return nil, nil
	}
	if off >= w.at && off+int64(n) <= w.at+int64(len(w.buf)) {
		return w.buf[off-w.at:][:n], nil
	}
	want := int(min(int64(max(n, w.chunk)), w.limit-off))
	if cap(w.buf) < want {
		w.buf = make([]byte, want)
	}
	w.buf = w.buf[:want]
	got, err := readAt(w.file, w.buf, off)
	w.at, w.buf = off, w.buf[:got]
	if err != nil {
		return nil, err
	}
	return w.buf[:min(n, got)], nil
}

// forget drops the buffered bytes, so that they are read again.
func (w *window) forget() { w.buf = w.buf[:0] }

// flaw is the reason why a frame cannot be read.
type flaw uint8

const (
	flawNone flaw = iota
	flawHead      // no frame can be recognized
	flawBody      // the head is intact, the body is neither data nor erased
)

// frame reads the frame at off. The bytes are whole when there is no flaw, and
// the head is valid unless the flaw is in it.
func (w *window) frame(c *checker, base LSN, off int64) (raw []byte, h head, state bodyState, bad flaw, err error) {
	lsn := base + LSN(off)
	b, err := w.bytes(off, fixedSize)
	if err != nil {
		return nil, h, 0, 0, err
	}
	h, ok := peek(b, lsn, w.limit-off)
	if !ok {
		return nil, h, 0, flawHead, nil
	}
	if b, err = w.bytes(off, fixedSize+h.header); err != nil {
		return nil, h, 0, 0, err
	}
	if !c.headOK(b, lsn, h) {
		return nil, h, 0, flawHead, nil
	}
	size := int(h.size())
	if b, err = w.bytes(off, size); err != nil {
		return nil, h, 0, 0, err
	}
	if len(b) < size {
		return nil, h, 0, flawHead, nil // the file was truncated since the limit was taken
	}
	if state = c.bodyState(b, lsn, h); state == bodyDamaged {
		return b, h, state, flawBody, nil
	}
	return b, h, state, flawNone, nil
}

// resync returns the offset of the first frame behind off whose head is valid,
// or -1.
func (w *window) resync(c *checker, base LSN, off int64) (int64, error) {
	for off += align; off+minFrame <= w.limit; off += align {
		b, err := w.bytes(off, fixedSize)
		if err != nil {
			return -1, err
		}
		lsn := base + LSN(off)
		h, ok := peek(b, lsn, w.limit-off)
		if !ok {
			continue
		}
		if b, err = w.bytes(off, fixedSize+h.header); err != nil {
			return -1, err
		}
		if c.headOK(b, lsn, h) {
			return off, nil
		}
	}
	return -1, nil
}
