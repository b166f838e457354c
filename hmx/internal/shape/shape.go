// Package shape describes JSON documents as data. It checks a parsed document against the
// description, reporting every problem at once, and prints the description as a JSON Schema
// (2020-12).
//
// So one table serves the hot path and the published schema, and a rule cannot be in one and
// not in the other. What a JSON Schema cannot express (sizes in bytes, sums, hashes) is checked
// by package hmx; the one exception is MaxBytes, which the schema mentions in a comment.
//
// A check allocates only for the problems it finds. Shapes are built once, at
// package initialisation, and are read-only afterwards.
package shape

import (
	"math"

	"lukasa.dev/internal/canon"
)

// Type is the kind of JSON value that a Shape accepts.
type Type uint8

// The types. Integer accepts numbers without a fraction, including 1.0 and 1e3.
const (
	Any Type = iota
	Text
	Num
	Integer
	Bool
	List
	Record
)

// Shape describes one value. The zero value accepts anything.
type Shape struct {
	Type     Type
	Nullable bool // null is accepted as well
	Doc      string

	// Text
	NonEmpty bool
	Enum     []string
	Format   Format

	// Num and Integer. Bounds are integers and inclusive.
	Bounded bool
	Min     int64
	Max     int64
	NoMax   bool // Bounded from below only

	// List
	Items    *Shape
	MinItems int
	MaxItems int // 0 means no limit

	// Record
	Fields   []Field
	Closed   bool     // members not in Fields are problems
	Values   *Shape   // shape of members not in Fields
	Names    []string // the only allowed names of members not in Fields
	Unknown  string   // rule broken by an unknown member
	Switches []Switch
	Implies  []Implication

	// MaxBytes limits the value's text. Not expressible in JSON Schema.
	MaxBytes  int
	BytesRule string

	table    []uint8 // open addressing over Fields, by canon.HashKey
	required uint32  // a bit per required field
	quick    quick
}

// quick decides most values without parsing their text: values of a kind in accept whose text
// has a length from least to most match, without further checks. It makes a check cheap.
type quick struct {
	accept      uint16 // a bit per canon.Kind
	least, most int
}

func (q *quick) fits(k canon.Kind, size int) bool {
	return q.accept>>k&1 != 0 && size >= q.least && size <= q.most
}

// newQuick computes what s can decide without parsing a value.
func newQuick(s *Shape) quick {
	q := quick{accept: 1 << canon.Broken, most: math.MaxInt}
	if s.MaxBytes > 0 {
		q.most = s.MaxBytes
	}
	kinds := func(ks ...canon.Kind) {
		for _, k := range ks {
			q.accept |= 1 << k
		}
	}
	switch {
	case s.Type == Any:
		kinds(canon.Null, canon.False, canon.True, canon.Number, canon.String, canon.Array, canon.Object)
	case s.Type == Bool:
		kinds(canon.False, canon.True)
	case s.Type == Num && !s.Bounded:
		kinds(canon.Number)
	case s.Type == Text && s.Enum == nil && s.Format.Match == nil:
		kinds(canon.String)
		if s.NonEmpty {
			q.least = len(`"x"`)
		}
	case s.Type == Record && s.Fields == nil && !s.Closed && s.Values == nil && s.Names == nil:
		kinds(canon.Object)
	}
	return q
}

// Field is one named member of a Record.
type Field struct {
	Name    string
	Rule    string // rule broken by a value of the wrong shape
	Missing string // rule broken by its absence; empty if it is optional
	Shape   *Shape
}

// Switch selects the shape of one member by the text of another.
type Switch struct {
	On, Target string
	Cases      []Case

	on, target int
}

// Case is one value of a Switch.
type Case struct {
	When  string
	Rule  string // rule broken by a target of the wrong shape
	Shape *Shape
}

// Implication says that if a member is present, another must have a shape.
type Implication struct {
	If, Then string
	Rule     string
	Shape    *Shape

	when, then int
}

// Format is a rule on a string that needs code: the check, and its form in the schema.
type Format struct {
	Match   func([]byte) bool // gets the unescaped text
	Format  string            // JSON Schema "format"
	Pattern string            // JSON Schema "pattern"
	Allowed string            // for people
}

// Problem is one place where a document does not match its shape.
type Problem struct {
	Pointer string
	Rule    string
	Found   string
	Allowed string
	Offset  int
	Warning bool
}

// JSONRules is the prefix of the rule codes of flaws in the JSON itself.
const JSONRules = "HMX-JSON/"

// maxFields is the maximum number of fields of a record.
const maxFields = 32

// Compile prepares s and everything below it for checking, and returns s.
func (s *Shape) Compile() *Shape {
	if s == nil || s.table != nil {
		return s
	}
	if len(s.Fields) > maxFields {
		panic("shape: a record with more fields than a Checker has places for")
	}
	size := 8
	for size < 4*len(s.Fields) {
		size *= 2
	}
	s.table, s.quick = make([]uint8, size), newQuick(s)
	for i, f := range s.Fields {
		at := int(canon.HashKey([]byte(f.Name))) & (size - 1)
		for s.table[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		s.table[at] = uint8(i + 1)
		if f.Missing != "" {
			s.required |= 1 << i
		}
		f.Shape.Compile()
	}
	s.Items.Compile()
	s.Values.Compile()
	for i := range s.Switches {
		w := &s.Switches[i]
		w.on, w.target = s.Index(w.On), s.Index(w.Target)
		for _, c := range w.Cases {
			c.Shape.Compile()
		}
	}
	for i := range s.Implies {
		p := &s.Implies[i]
		p.when, p.then = s.Index(p.If), s.Index(p.Then)
		p.Shape.Compile()
	}
	return s
}

// Index returns the position of the field called name, or -1.
func (s *Shape) Index(name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Required returns a bit for each required field.
func (s *Shape) Required() uint32 { return s.required }

// find returns the position of the field with this name, or -1.
func (s *Shape) find(key []byte, hash uint32) int {
	mask := len(s.table) - 1
	for at := int(hash) & mask; ; at = (at + 1) & mask {
		i := int(s.table[at]) - 1
		if i < 0 || s.Fields[i].Name == string(key) {
			return i
		}
	}
}
