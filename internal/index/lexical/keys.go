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

// bucketKey is the key of a bucket row. Segments of the largest span are permanent,
// and their rows are stored together. The rows of other segments are soon merged and
// deleted; until then those of one bucket are adjacent, so that one seek finds them.
func bucketKey(room []byte, tenant uint32, g segment, bucket uint16) index.Key {
	k := index.NewKey(room, Prefix, tableBucket, tenant).Byte(byte(g.level))
	if g.level == 0 {
		return binary.BigEndian.AppendUint16(appendSpan(k, g.span), bucket)
	}
	return appendSpan(binary.BigEndian.AppendUint16(k, bucket), g.span)
}

// Offsets within the key of a bucket row of a smaller span.
const (
	keyLevel  = 6
	keyBucket = keyLevel + 1
	keySpan   = keyBucket + 2
	keyEnd    = keySpan + spanBytes
)

func appendSpan(k index.Key, span uint64) index.Key {
	return append(k, byte(span>>48), byte(span>>40), byte(span>>32), byte(span>>24), byte(span>>16), byte(span>>8), byte(span))
}

// spanAt reads the output of appendSpan.
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

// bucketOf returns the bucket of a term on a level: its leading bits, with the others
// zero.
func (s *shape) bucketOf(level int, term text.Term) uint16 {
	return uint16(term>>(termBits-16)) >> (16 - s.bits[level]) << (16 - s.bits[level])
}

func appendTerm(dst []byte, t text.Term) []byte {
	return append(dst, byte(t>>40), byte(t>>32), byte(t>>24), byte(t>>16), byte(t>>8), byte(t))
}

// termAt reads the output of appendTerm.
func termAt(b []byte) text.Term {
	_ = b[5]
	return text.Term(binary.BigEndian.Uint16(b))<<32 | text.Term(binary.BigEndian.Uint32(b[2:]))
}

// damaged says that a value of the index is unreadable.
func damaged(what string) error {
	return fault.Newf(fault.Damaged, "%s in the index of words cannot be read", what).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}

// uvarint reads a number from the front of b.
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

// statistics are the number of documents, and their total length.
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
