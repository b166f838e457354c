package graph

import (
	"encoding/binary"
	"errors"
	"math"

	"lukasa.dev/internal/index"
)

// The value of a document:
//
//	layout  1 byte, 1
//	form    1 byte, below
//
// then for mentions and an entity
//
//	entity  16 bytes, the digest of its id; of an entity only
//	number  uvarint, how many nodes follow
//	nodes   each: 20 bytes, its id; 1 byte, the place of its type among those of
//	        events, from 1, or 0 and the type as uvarint length and bytes; the name
//	        as it is written, uvarint length and bytes
//
// and for a relation
//
//	from, to   16 bytes each
//	weight     8 bytes, IEEE 754, big-endian
//	since, until  8 bytes each, big-endian; the smallest number for none
//	predicate  uvarint length and bytes
//
// Uvarints are minimal and nothing follows.
const layout = 1

// form is the role of a document in the graph.
type form byte

const (
	formMentions form = 'm'
	formEntity   form = 'e'
	formRelation form = 'r'
)

// always means an unlimited end of time.
const always = math.MinInt64

// errShort is the error for an unreadable value.
var errShort = errors.New("it is cut short, too long, or of another layout")

// docRow is the names in a document, or its relation.
type docRow struct {
	form     form
	nodes    []named
	from, to index.Digest // of an entity, itself; of a relation, its ends

	weight       float64
	since, until int64
	predicate    string
}

// named is a node as a document writes it.
type named struct {
	id   NodeID
	typ  string
	name string
}

func (d *docRow) clear() {
	clear(d.nodes)
	*d = docRow{nodes: d.nodes[:0]}
}

// add appends a node unless it is there.
func (d *docRow) add(typ, name string) {
	id := ID(typ, name)
	for i := range d.nodes {
		if d.nodes[i].id == id {
			return
		}
	}
	d.nodes = append(d.nodes, named{id, typ, name})
}

// encode appends the value of the document.
func (d *docRow) encode(dst []byte) []byte {
	dst = append(dst, layout, byte(d.form))
	if d.form == formRelation {
		dst = append(append(dst, d.from[:]...), d.to[:]...)
		return appendString(d.encodeEdge(dst), d.predicate)
	}
	if d.form == formEntity {
		dst = append(dst, d.from[:]...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.nodes)))
	for i := range d.nodes {
		n := &d.nodes[i]
		dst = append(dst, n.id[:]...)
		code := codeOf(n.typ)
		dst = append(dst, code)
		if code == 0 {
			dst = appendString(dst, n.typ)
		}
		dst = appendString(dst, n.name)
	}
	return dst
}

// encodeEdge appends the value of a relation's rows: weight, since and until.
func (d *docRow) encodeEdge(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(d.weight))
	dst = binary.BigEndian.AppendUint64(dst, uint64(d.since))
	return binary.BigEndian.AppendUint64(dst, uint64(d.until))
}

// edgeSize is the length of that value.
const edgeSize = 24

// decodeEdge reads the output of encodeEdge.
func (d *docRow) decodeEdge(v []byte) error {
	if len(v) != edgeSize {
		return errShort
	}
	d.weight = math.Float64frombits(binary.BigEndian.Uint64(v))
	d.since = int64(binary.BigEndian.Uint64(v[8:]))
	d.until = int64(binary.BigEndian.Uint64(v[16:]))
	if !(d.weight >= 0 && d.weight <= 1) {
		return errShort
	}
	return nil
}

// holds reports whether a relation is valid at a time; 0 is any time.
func (d *docRow) holds(now int64) bool {
	return now == 0 || (d.since == always || d.since <= now) && (d.until == always || now < d.until)
}

func codeOf(typ string) byte {
	for i := range typeCodes {
		if typeCodes[i].name == typ {
			return byte(i + 1)
		}
	}
	return 0
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// decode reads the output of encode, and refuses anything else. Its texts share one
// copy of v.
func (d *docRow) decode(v []byte) error {
	d.clear()
	r := reader{bytes: v}
	if r.byte() != layout {
		return errShort
	}
	d.form = form(r.byte())
	switch d.form {
	case formRelation:
		copy(d.from[:], r.take(16))
		copy(d.to[:], r.take(16))
		if err := d.decodeEdge(r.take(edgeSize)); err != nil {
			return err
		}
		d.predicate = string(r.take(r.length()))
		return r.end()
	case formEntity:
		copy(d.from[:], r.take(16))
	case formMentions:
	default:
		return errShort
	}
	n := r.uvarint()
	if n == 0 || n > uint64(len(r.bytes))/(uint64(len(NodeID{}))+2) {
		return errShort
	}
	text := string(r.bytes) // one copy for all names
	all := len(r.bytes)
	for range n {
		var one named
		copy(one.id[:], r.take(len(one.id)))
		switch code := r.byte(); {
		case int(code) > len(typeCodes):
			return errShort
		case code == 0:
			size := r.length()
			at := all - len(r.bytes)
			r.take(size)
			if r.bad {
				return errShort
			}
			if one.typ = text[at : at+size]; codeOf(one.typ) != 0 {
				return errShort
			}
		default:
			one.typ = typeCodes[code-1].name
		}
		size := r.length()
		at := all - len(r.bytes)
		r.take(size)
		if r.bad {
			return errShort
		}
		one.name = text[at : at+size]
		d.nodes = append(d.nodes, one)
	}
	return r.end()
}

// decodeCount reads a count, which is never zero.
func decodeCount(v []byte) (uint64, error) {
	r := reader{bytes: v}
	n := r.uvarint()
	if r.end() != nil || n == 0 {
		return 0, damaged("a count", errShort)
	}
	return n, nil
}

// reader reads a value from the front. Once data is missing it is bad, and returns
// zeros.
type reader struct {
	bytes []byte
	bad   bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.bytes) {
		r.bad, r.bytes = true, nil
		return nil
	}
	b := r.bytes[:n]
	r.bytes = r.bytes[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint reads a number in its shortest form.
func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.bytes)
	if n <= 0 || n > 1 && r.bytes[n-1] == 0 {
		r.bad, r.bytes = true, nil
		return 0
	}
	r.bytes = r.bytes[n:]
	return v
}

// length reads the length of what follows.
func (r *reader) length() int {
	v := r.uvarint()
	if v > uint64(len(r.bytes)) {
		r.bad, r.bytes = true, nil
		return 0
	}
	return int(v)
}

func (r *reader) end() error {
	if r.bad || len(r.bytes) > 0 {
		return errShort
	}
	return nil
}
