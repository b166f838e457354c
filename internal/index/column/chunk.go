package column

import (
	"encoding/binary"
	"math/bits"
)

// Live is a bitmap of the live documents of a chunk: bit i%64 of word i/64 is for
// the document at ChunkDocs*chunk + i.
type Live [ChunkDocs / 64]uint64

// Has reports whether a document is live.
func (l *Live) Has(offset int) bool { return l[offset/64]>>(offset%64)&1 != 0 }

// Count is the number of live documents.
func (l *Live) Count() int {
	n := 0
	for _, w := range l {
		n += bits.OnesCount64(w)
	}
	return n
}

func (l *Live) set(offset int)   { l[offset/64] |= 1 << (offset % 64) }
func (l *Live) unset(offset int) { l[offset/64] &^= 1 << (offset % 64) }

// Chunk is the rows of the live documents among ChunkDocs positions, in the order
// of their positions, without gaps: a scan of all rows reads no byte in vain, and
// most chunks have a row for every position anyway. [Chunk.Index] leads from a
// document to its row. A chunk is immutable.
type Chunk struct {
	Live Live
	// Rows are Len rows; of a column with planes, its planes one after the other.
	Rows []byte

	width  int
	planes []int
	count  int
	before [ChunkDocs / 64]uint16 // how many are live in the words before
}

// newChunk returns a chunk of the live documents, whose rows are given.
func (c Column) newChunk(live *Live, rows []byte) *Chunk {
	x := &Chunk{Live: *live, Rows: rows, width: c.Width, planes: c.Planes}
	for i, w := range live {
		x.before[i] = uint16(x.count)
		x.count += bits.OnesCount64(w)
	}
	if len(c.Planes) > 0 {
		x.Rows = make([]byte, len(rows))
		x.each(func(row, plane []byte) { copy(plane, row) }, rows)
	}
	return x
}

// each calls visit with every part of every row: its place among whole rows, and
// its place among the planes.
func (c *Chunk) each(visit func(row, plane []byte), rows []byte) {
	at := 0
	for _, w := range c.planes {
		plane := c.Rows[at*c.count:]
		for i := range c.count {
			visit(rows[i*c.width+at:i*c.width+at+w], plane[i*w:i*w+w])
		}
		at += w
	}
}

// wholeRows returns the rows in their stored form.
func (c *Chunk) wholeRows() []byte {
	if len(c.planes) == 0 {
		return c.Rows
	}
	rows := make([]byte, len(c.Rows))
	c.each(func(row, plane []byte) { copy(row, plane) }, rows)
	return rows
}

// Plane returns one part of every row, of a column with planes.
func (c *Chunk) Plane(plane int) []byte {
	at := 0
	for _, w := range c.planes[:plane] {
		at += w
	}
	return c.Rows[at*c.count : (at+c.planes[plane])*c.count]
}

// Len is how many rows there are.
func (c *Chunk) Len() int { return c.count }

// Index returns the row number of the document at an offset within the chunk, or -1
// if it is not live.
func (c *Chunk) Index(offset int) int {
	w := c.Live[offset/64]
	if w>>(offset%64)&1 == 0 {
		return -1
	}
	return int(c.before[offset/64]) + bits.OnesCount64(w&(1<<(offset%64)-1))
}

// Row returns row i. It must not be changed.
func (c *Chunk) Row(i int) []byte {
	if len(c.planes) == 0 {
		at := i * c.width
		return c.Rows[at : at+c.width : at+c.width]
	}
	row, at := make([]byte, 0, c.width), 0
	for _, w := range c.planes {
		from := at*c.count + i*w
		row = append(row, c.Rows[from:from+w]...)
		at += w
	}
	return row
}

// liveBytes is the length of the bitmap in a chunk's value.
const liveBytes = ChunkDocs / 8

// appendChunk appends the value of a chunk.
func appendChunk(dst []byte, live *Live, rows []byte) []byte {
	for _, w := range live {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return append(dst, rows...)
}

// parseChunk parses the value of a chunk. The rows share its memory.
func parseChunk(v []byte, width int) (live Live, rows []byte, ok bool) {
	if len(v) < liveBytes {
		return live, nil, false
	}
	for i := range live {
		live[i] = binary.LittleEndian.Uint64(v[8*i:])
	}
	n := live.Count()
	if rows = v[liveBytes:]; n == 0 || len(rows) != n*width {
		return live, nil, false
	}
	return live, rows, true
}

// stamp is the last record that removed a row of a chunk.
type stamp struct {
	chunk uint16 // within its volume
	by    uint64
}

// appendStamps appends the value of a volume's stamps, which are sorted.
func appendStamps(dst []byte, list []stamp) []byte {
	next := uint16(0)
	for _, s := range list {
		dst = binary.AppendUvarint(dst, uint64(s.chunk-next))
		dst = binary.AppendUvarint(dst, s.by)
		next = s.chunk + 1
	}
	return dst
}

// parseStamps appends the stamps of a volume.
func parseStamps(list []stamp, v []byte) (_ []stamp, ok bool) {
	next := uint64(0)
	for len(v) > 0 {
		skip, n := binary.Uvarint(v)
		if n <= 0 || skip >= ChunkDocs {
			return list, false
		}
		v = v[n:]
		by, n := binary.Uvarint(v)
		if n <= 0 || by == 0 || next+skip >= ChunkDocs {
			return list, false
		}
		v = v[n:]
		list = append(list, stamp{uint16(next + skip), by})
		next += skip + 1
	}
	return list, true
}
