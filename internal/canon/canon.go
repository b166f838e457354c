// Package canon parses JSON strictly and writes it canonically (RFC 8785, JCS).
//
// The two belong together: RFC 8785 is defined only for I-JSON (RFC 7493), so what may be
// hashed is exactly what the parser accepts.
//
// # What is guaranteed
//
//   - A text that [Doc.Parse] accepts without a [Flaw] is one RFC 8259 value in
//     valid UTF-8, with no byte order mark, nothing after it, no duplicate name in
//     one object at any depth (names are compared after unescaping, with case), no
//     lone surrogate, no number beyond an IEEE 754 double, and no nesting deeper
//     than [MaxDepth].
//   - Flaws that leave the structure readable (a duplicate name, bad UTF-8, a lone
//     surrogate, NaN, a number out of range, a byte order mark, trailing data) are
//     all reported in one pass, each with a JSON Pointer and a byte offset (bad
//     UTF-8 once per string), up to [MaxFlaws]; broken structure stops the parser
//     at the first fault. The text of a Flaw is valid UTF-8 itself.
//   - Time and memory are linear in the input (n log n in the number of names of
//     one object), for any input. A reused Doc allocates nothing except for flaws
//     and for numbers too long to be judged by their length.
//   - Canonical output is a fixed point: canonicalising it again gives the same
//     bytes.
//
// # What is not
//
// Integers above 2^53 keep their digits in the text of the Doc, but RFC 8785 writes every
// number as a double, so their canonical form is rounded. Use a string for such an integer if
// it is hashed.
//
// # Layout
//
// A Doc is a flat tape: one 28-byte entry per value in document order, each with the byte range
// of the value, the byte range of its name if it is a member, and the index of the entry after
// its last descendant. Children of entry n start at n+1; the next sibling of c is at c's
// "after" index. No tree of pointers is built, and no string is copied until it is requested.
package canon

// MaxDepth is the maximum nesting of arrays and objects; the outermost counts as one.
const MaxDepth = 64

// MaxFlaws is how many flaws one Parse reports before it stops.
const MaxFlaws = 100

// MaxBytes is the longest text a Doc can hold: offsets are 32 bits wide.
const MaxBytes = 1<<31 - 1

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. Broken marks a value whose flaw is already reported, so that a checker does not
// report it again.
const (
	Broken Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"broken value", "null", "boolean", "boolean", "number", "string", "array", "object"}

// String returns the JSON Schema name of the kind.
func (k Kind) String() string { return kindNames[k] }

// FlawCode says which rule of strict JSON a text breaks.
type FlawCode string

// The rules. The text of each is stable: it is part of reported rule codes.
const (
	FlawEmpty     FlawCode = "empty"         // no value at all
	FlawSyntax    FlawCode = "syntax"        // not RFC 8259
	FlawDepth     FlawCode = "depth"         // nested deeper than MaxDepth
	FlawTrailing  FlawCode = "trailing-data" // something after the value
	FlawBOM       FlawCode = "bom"           // starts with a byte order mark
	FlawUTF8      FlawCode = "utf8"          // a string that is not valid UTF-8
	FlawSurrogate FlawCode = "surrogate"     // \ud800 without its other half
	FlawDuplicate FlawCode = "duplicate-key" // a name twice in one object
	FlawNumber    FlawCode = "number"        // NaN, Infinity or beyond a double
	FlawTooMany   FlawCode = "too-many"      // gave up after MaxFlaws
	FlawSize      FlawCode = "size"          // longer than MaxBytes
)

// Flaw is one place where a text is not strict JSON.
type Flaw struct {
	Code    FlawCode
	Offset  int    // byte offset into the text
	Pointer string // JSON Pointer (RFC 6901) of the value or member at fault
	Found   string // what is there
	Allowed string // what is allowed there
}

// Fatal reports whether the parser stopped at this flaw, so that the text after it was not
// read.
func (f Flaw) Fatal() bool {
	switch f.Code {
	case FlawEmpty, FlawSyntax, FlawDepth, FlawTooMany, FlawSize:
		return true
	}
	return false
}

// Error is returned by the functions that need input without flaws.
type Error struct{ Flaws []Flaw }

func (e *Error) Error() string {
	f := e.Flaws[0]
	s := "not strict JSON: " + string(f.Code) + ": found " + f.Found + ", allowed: " + f.Allowed
	if f.Pointer != "" {
		s += " (at " + f.Pointer + ")"
	}
	return s
}
