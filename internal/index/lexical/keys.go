package lexical

import (
	"encoding/binary"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/text"
)

const (
	tableForward    = 'd'
	tableBucket     = 'b'
	tableChunk      = 'c'
	tableStatistics = 's'
)

func forwardKey(room []byte, tenant uint32, position uint64) index.Key {
	return index.NewKey(room, Prefix, tableForward, tenant).Uint64(position)
}

// positionOf reads the position that ends the key of a forward row.
func positionOf(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }

// spanBytes is how many bytes of a span's number are in a key.
const spanBytes = 7

// bucketKey is where a bucket row is. Segments of the largest span stay for good, and
// their rows are together, where they were written. The rows of other segments are
// soon merged and taken away, and meanwhile those of one bucket are side by side, so
// that they are found at once.
func bucketKey(room []byte, tenant uint32, g segment, bucket uint16) index.Key {
	k := index.NewKey(room, Prefix, tableBucket, tenant).Byte(byte(g.level))
	if g.level == 0 {
		return binary.BigEndian.AppendUint16(appendSpan(k, g.span), bucket)
	}
	return appendSpan(binary.BigEndian.AppendUint16(k, bucket), g.span)
}

// Places within the key of a bucket row of another than the largest span.
const (
	keyLevel  = 6
	keyBucket = keyLevel + 1
	keySpan   = keyBucket + 2
	keyEnd    = keySpan + spanBytes
)

func appendSpan(k index.Key, span uint64) index.Key {
	return append(k, byte(span>>48), byte(span>>40), byte(span>>32), byte(span>>24), byte(span>>16), byte(span>>8), byte(span))
}

// spanAt reads what appendSpan wrote.
func spanAt(b []byte) uint64 {
	return uint64(b[0])<<48 | uint64(b[1])<<40 | uint64(b[2])<<32 | uint64(binary.BigEndian.Uint32(b[3:]))
}

func chunkKey(room []byte, tenant uint32, g segment, term text.Term, chunk int) index.Key {
	k := index.NewKey(room, Prefix, tableChunk, tenant).Byte(byte(g.level))
	return append(appendTerm(appendSpan(k, g.span), term), byte(chunk))
}

func statisticsKey(room []byte, tenant uint32) index.Key {
	return index.NewKey(room, Prefix, tableStatistics, tenant)
}

const termBits = 8 * text.TermBytes

// bucketOf returns the bucket of a term on a level: its leading bits, the others
// being zero.
func (s *shape) bucketOf(level int, term text.Term) uint16 {
	return uint16(term>>(termBits-16)) >> (16 - s.bits[level]) << (16 - s.bits[level])
}

func appendTerm(dst []byte, t text.Term) []byte {
	return append(dst, byte(t>>40), byte(t>>32), byte(t>>24), byte(t>>16), byte(t>>8), byte(t))
}

// termAt reads what appendTerm wrote.
func termAt(b []byte) text.Term {
	_ = b[5]
	return text.Term(binary.BigEndian.Uint16(b))<<32 | text.Term(binary.BigEndian.Uint32(b[2:]))
}

// damaged says that something in the index cannot be read.
func damaged(what string) error {
	return fault.Newf(fault.Damaged, "%s in the index of words cannot be read", what).
		WithFix("`lukasa rebuild` makes the index anew from the journal")
}

// uvarint takes a number off the front of b. It returns no rest when there is none.
func uvarint(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:], true
	}
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, false
	}
	return v, b[n:], true
}

// statistics are how many documents there are, and how long they are together.
type statistics struct {
	documents, length uint64
}

func (s statistics) encode(dst []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, s.documents), s.length)
}

func decodeStatistics(v []byte) (s statistics, err error) {
	var ok bool
	if s.documents, v, ok = uvarint(v); ok {
		s.length, v, ok = uvarint(v)
	}
	if !ok || len(v) > 0 || s.documents == 0 {
		return statistics{}, damaged("the statistics")
	}
	return s, nil
}
