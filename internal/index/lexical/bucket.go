package lexical

import (
	"encoding/binary"
	"math"

	"lukasa.dev/internal/text"
)

// A bucket row has the terms of a segment with the same leading bits:
//
//	number  uvarint
//	terms   the last 5 bytes of each, big-endian, ascending
//	sizes   uvarint each: how many bytes its body has
//	bodies
//
// A body begins with a uvarint: the number of postings, doubled, and one more if they
// are in chunks. Then comes the list itself, or for each chunk of the span how many
// postings are in it, uvarint, and if there are any their greatest weight, a byte, and
// the length of the shortest document, uvarint. How many chunks there are follows from
// the number of postings; the row of a chunk is the list alone.
const suffixBytes = 5

// suffixOf is the part of a term in a bucket row.
func suffixOf(t text.Term) uint64 { return uint64(t) & (1<<(8*suffixBytes) - 1) }

// suffixAt reads the suffix that begins at b.
func suffixAt(b []byte) uint64 {
	_ = b[4]
	return uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:]))
}

// bucketWriter collects the terms of one bucket.
type bucketWriter struct {
	suffixes []byte
	sizes    []byte
	bodies   []byte
	number   int
	row      []byte
}

// add adds a body, which was appended to b.bodies from the given offset on.
func (b *bucketWriter) add(t text.Term, from int) {
	s := suffixOf(t)
	b.suffixes = append(b.suffixes, byte(s>>32), byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
	b.sizes = binary.AppendUvarint(b.sizes, uint64(len(b.bodies)-from))
	b.number++
}

// flush returns the row and starts a new one. The row is valid until then.
func (b *bucketWriter) flush() []byte {
	row := binary.AppendUvarint(b.row[:0], uint64(b.number))
	row = append(row, b.suffixes...)
	row = append(row, b.sizes...)
	row = append(row, b.bodies...)
	b.row = row
	b.suffixes, b.sizes, b.bodies, b.number = b.suffixes[:0], b.sizes[:0], b.bodies[:0], 0
	return row
}

// bucketReader iterates over the terms of a row.
type bucketReader struct {
	suffixes []byte
	sizes    []byte
	bodies   []byte
	suffix   uint64
	body     []byte
}

// open starts with a row. The sizes are not decoded before they are needed, but the
// start of the bodies must be known.
func (b *bucketReader) open(row []byte) bool {
	number, rest, ok := uvarint(row)
	if !ok || number == 0 || number > uint64(len(rest))/(suffixBytes+1) {
		return false
	}
	n := int(number)
	b.suffixes, b.sizes = rest[:n*suffixBytes], rest[n*suffixBytes:]
	rest = b.sizes
	for range n {
		i := 0
		for i < len(rest) && i < binary.MaxVarintLen32 && rest[i] >= 0x80 {
			i++
		}
		if i == len(rest) {
			return false
		}
		rest = rest[i+1:]
	}
	b.bodies = rest
	return true
}

// next moves to the next term. It is false at the end and on an error; done
// distinguishes these.
func (b *bucketReader) next() bool {
	if len(b.suffixes) == 0 {
		return false
	}
	s := suffixAt(b.suffixes)
	size, rest, ok := uvarint(b.sizes)
	if !ok || size > uint64(len(b.bodies)) {
		return false
	}
	b.suffixes, b.sizes = b.suffixes[suffixBytes:], rest
	b.body, b.bodies = b.bodies[:size], b.bodies[size:]
	b.suffix = s
	return true
}

// done reports whether a reader at its end has read the whole row.
func (b *bucketReader) done() bool { return len(b.suffixes) == 0 && len(b.bodies) == 0 }

// findBody returns the body of a term in a row, or nil if it is missing.
func findBody(row []byte, t text.Term) (body []byte, ok bool) {
	var b bucketReader
	if !b.open(row) {
		return nil, false
	}
	suffix := suffixOf(t)
	low, high := 0, len(b.suffixes)/suffixBytes
	n := high
	for low < high {
		if m := int(uint(low+high) >> 1); suffixAt(b.suffixes[m*suffixBytes:]) < suffix {
			low = m + 1
		} else {
			high = m
		}
	}
	if low == n || suffixAt(b.suffixes[low*suffixBytes:]) != suffix {
		return nil, true
	}
	sizes, bodies := b.sizes, b.bodies
	for range low {
		size, rest, _ := uvarint(sizes)
		if size > uint64(len(bodies)) {
			return nil, false
		}
		sizes, bodies = rest, bodies[size:]
	}
	size, _, _ := uvarint(sizes)
	if size == 0 || size > uint64(len(bodies)) {
		return nil, false
	}
	return bodies[:size], true
}

// readBody reads the number of postings from the front of a body: from one to the
// width of the span.
func readBody(body []byte, width uint64) (n int, chunked bool, rest []byte, ok bool) {
	head, rest, ok := uvarint(body)
	if !ok || head>>1 == 0 || head>>1 > width {
		return 0, false, nil, false
	}
	return int(head >> 1), head&1 != 0, rest, true
}

// chunkPlace is what a body says about a chunk.
type chunkPlace struct {
	begin, end uint32 // offsets
	n          int
	weight     uint8
	length     uint32
	bound      float64
}

// readChunks appends the chunks of a body of n postings.
func (s *shape) readChunks(dst []chunkPlace, rest []byte, n int, width uint64) ([]chunkPlace, bool) {
	chunks := s.chunks(n)
	if chunks == 1 || uint64(chunks) > width {
		return dst, false
	}
	each, sum := uint32(width)/uint32(chunks), 0
	for i := range uint32(chunks) {
		c := chunkPlace{begin: i * each, end: (i + 1) * each}
		count, r, ok := uvarint(rest)
		if !ok || count > uint64(each) {
			return dst, false
		}
		if rest = r; count > 0 {
			if len(rest) == 0 {
				return dst, false
			}
			c.n, c.weight = int(count), rest[0]
			length, r, ok := uvarint(rest[1:])
			if !ok || length > math.MaxUint32 {
				return dst, false
			}
			rest, c.length = r, uint32(length)
			sum += c.n
		}
		dst = append(dst, c)
	}
	return dst, len(rest) == 0 && sum == n
}

// appendChunks appends what a body says about its chunks.
func appendChunks(dst []byte, chunks []chunkPlace) []byte {
	for i := range chunks {
		c := &chunks[i]
		dst = binary.AppendUvarint(dst, uint64(c.n))
		if c.n > 0 {
			dst = binary.AppendUvarint(append(dst, c.weight), uint64(c.length))
		}
	}
	return dst
}

// appendHead appends the beginning of a body.
func appendHead(dst []byte, postings int, chunked bool) []byte {
	head := uint64(postings) << 1
	if chunked {
		head |= 1
	}
	return binary.AppendUvarint(dst, head)
}
