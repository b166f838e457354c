package canon

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// Node is the index of a value on a Doc's tape. The root is 0.
type Node int32

// None is no node: the result of a lookup that finds nothing.
const None Node = -1

type entry struct {
	start, end       uint32 // the value's bytes, including quotes and brackets
	keyStart, keyEnd uint32 // the member's name without quotes, in the text or the arena
	after            uint32 // index of the entry after the last descendant
	keyHash          uint32
	kind             Kind
	flags            uint8
}

type name struct {
	start, end, hash uint32
	flags            uint8 // flagMember and flagKeyArena
}

const (
	flagEscaped  uint8 = 1 << iota // a string that contains escapes
	flagKeyArena                   // the name was unescaped into the arena
	flagMember                     // has a name
	flagFraction                   // a number with a fraction or exponent
)

// Doc is one parsed JSON text. The zero value is ready; a Doc can be reused with Parse, and is
// not safe for concurrent use.
type Doc struct {
	data  []byte
	tape  []entry
	arena []byte // unescaped names
	flaws []Flaw
	name  name                 // of the member whose value comes next
	open  [MaxDepth + 1]uint32 // containers being read, outermost first
	order []Node               // scratch for sorting names
}

// Flaws returns what Parse found. The slice is valid until the next Parse.
func (d *Doc) Flaws() []Flaw { return d.flaws }

// Complete reports whether the whole structure was read, so that the tape is usable even with
// flaws.
func (d *Doc) Complete() bool {
	if len(d.flaws) == 0 {
		return len(d.tape) > 0 // a new Doc has read nothing
	}
	return !d.flaws[len(d.flaws)-1].Fatal()
}

// Footprint returns how many bytes of memory the Doc keeps for reuse.
func (d *Doc) Footprint() int {
	return cap(d.tape)*28 + cap(d.arena) + cap(d.order)*4
}

// Reset releases the parsed text; the Doc keeps its memory for the next Parse.
func (d *Doc) Reset() {
	d.data, d.tape, d.arena, d.flaws, d.name = nil, d.tape[:0], d.arena[:0], nil, name{}
}

// Root returns the outermost value.
func (d *Doc) Root() Node { return 0 }

// Kind returns the kind of n.
func (d *Doc) Kind(n Node) Kind { return d.tape[n].kind }

// Span returns the byte range of n in the parsed text.
func (d *Doc) Span(n Node) (start, end int) {
	e := &d.tape[n]
	return int(e.start), int(e.end)
}

// Raw returns the bytes of n. They belong to the parsed text.
func (d *Doc) Raw(n Node) []byte {
	e := &d.tape[n]
	return d.data[e.start:e.end]
}

// First returns the first child of n, or None.
func (d *Doc) First(n Node) Node {
	if c := n + 1; uint32(c) < d.tape[n].after {
		return c
	}
	return None
}

// Next returns the sibling after c within parent, or None.
func (d *Doc) Next(parent, c Node) Node {
	if s := d.tape[c].after; s < d.tape[parent].after {
		return Node(s)
	}
	return None
}

// Children returns the range of the descendants of n on the tape: walk the children themselves
// with for c := first; c < end; c = d.After(c).
func (d *Doc) Children(n Node) (first, end Node) { return n + 1, Node(d.tape[n].after) }

// After returns the index after the last descendant of n, where its next sibling is, if it has
// one.
func (d *Doc) After(n Node) Node { return Node(d.tape[n].after) }

// Measure returns the kind of n and the length of its text.
func (d *Doc) Measure(n Node) (Kind, int) {
	e := &d.tape[n]
	return e.kind, int(e.end - e.start)
}

// Len counts the children of n.
func (d *Doc) Len(n Node) int {
	count := 0
	for c := d.First(n); c != None; c = d.Next(n, c) {
		count++
	}
	return count
}

// Key returns the name of member n after unescaping. The bytes are valid until
// the next Parse.
func (d *Doc) Key(n Node) []byte {
	e := &d.tape[n]
	if e.flags&flagKeyArena != 0 {
		return d.arena[e.keyStart:e.keyEnd]
	}
	return d.data[e.keyStart:e.keyEnd]
}

// KeyHash returns HashKey(d.Key(n)), computed while parsing.
func (d *Doc) KeyHash(n Node) uint32 { return d.tape[n].keyHash }

// Member returns the value named key in object n, or None.
func (d *Doc) Member(n Node, key string) Node {
	if d.Kind(n) != Object {
		return None
	}
	for c := d.First(n); c != None; c = d.Next(n, c) {
		if string(d.Key(c)) == key {
			return c
		}
	}
	return None
}

// HashKey is the hash of a name: cheap, not collision resistant, for small lookup tables whose
// hits are compared in full.
func HashKey(k []byte) uint32 {
	n := len(k)
	var a, z uint64
	switch {
	case n >= 8:
		a, z = binary.LittleEndian.Uint64(k), binary.LittleEndian.Uint64(k[n-8:])
	case n >= 4:
		a, z = uint64(binary.LittleEndian.Uint32(k)), uint64(binary.LittleEndian.Uint32(k[n-4:]))
	case n > 0:
		a = uint64(k[0]) | uint64(k[n/2])<<8 | uint64(k[n-1])<<16
	}
	h := (a ^ bits.RotateLeft64(z, 29) ^ uint64(n)<<56) * 0x9E3779B97F4A7C15
	return uint32(h >> 32)
}

// Escaped reports whether string n contains escape sequences, so that its bytes differ from its
// value.
func (d *Doc) Escaped(n Node) bool { return d.tape[n].flags&flagEscaped != 0 }

// AppendString appends the unescaped value of string n.
func (d *Doc) AppendString(dst []byte, n Node) []byte {
	e := &d.tape[n]
	s := d.data[e.start+1 : e.end-1]
	if e.flags&flagEscaped == 0 {
		return append(dst, s...)
	}
	return appendUnescaped(dst, s)
}

// StringOf returns the value of string n. If text is the parsed text as a string, an unescaped
// value is a substring of it without a copy.
func (d *Doc) StringOf(text string, n Node) string {
	e := &d.tape[n]
	if e.flags&flagEscaped == 0 {
		return text[e.start+1 : e.end-1]
	}
	return string(appendUnescaped(make([]byte, 0, e.end-e.start), d.data[e.start+1:e.end-1]))
}

// Text returns the value of string n as a new string.
func (d *Doc) Text(n Node) string { return string(d.AppendString(nil, n)) }

// Float returns the value of number n.
func (d *Doc) Float(n Node) float64 {
	f, err := strconv.ParseFloat(string(d.Raw(n)), 64)
	if err != nil {
		return math.NaN() // unreachable: Parse marks such numbers Broken
	}
	return f
}

// Int returns number n as an integer. ok is false when its value is not an
// integer or does not fit. 1.0 and 1e3 are integers, as in JSON Schema.
func (d *Doc) Int(n Node) (v int64, ok bool) {
	e := &d.tape[n]
	if e.flags&flagFraction == 0 {
		v, err := strconv.ParseInt(string(d.data[e.start:e.end]), 10, 64)
		return v, err == nil
	}
	return exactInt(d.data[e.start:e.end])
}

// Integral reports whether the value of number n is an integer of any size.
func (d *Doc) Integral(n Node) bool {
	e := &d.tape[n]
	return e.flags&flagFraction == 0 || integral(d.data[e.start:e.end])
}

// Pointer returns the JSON Pointer of n.
func (d *Doc) Pointer(n Node) string {
	var p []byte
	for at := d.Root(); at != n; {
		child, index := d.ancestor(at, n)
		if child == None {
			break // not below the root
		}
		p = d.appendToken(p, at, child, index)
		at = child
	}
	return string(p)
}

// ancestor returns the child of parent that is n or contains it, and its index.
func (d *Doc) ancestor(parent, n Node) (child Node, index int) {
	first, end := d.Children(parent)
	for c := first; c < end; c = d.After(c) {
		if n >= c && n < d.After(c) {
			return c, index
		}
		index++
	}
	return None, 0
}

func (d *Doc) appendToken(p []byte, parent, child Node, index int) []byte {
	p = append(p, '/')
	if d.tape[parent].kind != Object {
		return strconv.AppendInt(p, int64(index), 10)
	}
	return AppendPointerToken(p, d.Key(child))
}

// AppendPointerToken appends name as one reference token, escaped as RFC 6901 requires (~ and
// /). Names longer than 128 bytes are cut: a pointer is for reading. Invalid UTF-8 becomes
// U+FFFD, so that a pointer can always be printed.
func AppendPointerToken(p, name []byte) []byte {
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRune(name[i:])
		if i += n; i > 128 {
			return append(p, "…"...)
		}
		switch r {
		case '~':
			p = append(p, "~0"...)
		case '/':
			p = append(p, "~1"...)
		default:
			p = utf8.AppendRune(p, r)
		}
	}
	return p
}
