package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
)

// Problem is a broken rule of one field.
type Problem struct {
	Field string // as in the JSON, such as frames[2].ref; empty means the document itself
	Rule  string // the rule, and what was found instead
	Fix   string // how to fix it
	Err   error  // the cause, if callers match it
}

// String returns the problem in one line.
func (p Problem) String() string {
	field := p.Field
	if field == "" {
		field = "document"
	}
	return field + " " + p.Rule + ": " + p.Fix
}

// InvalidError is all problems of one value. It is the cause of a fault with the code
// invalid_argument.
type InvalidError struct {
	What     string // what kind of value it was, such as memory
	Problems []Problem
	Omitted  int // further problems, not listed
}

// maxProblems is how many problems an InvalidError lists.
const maxProblems = 32

func (e *InvalidError) Error() string {
	var b strings.Builder
	b.WriteString(e.What)
	b.WriteString(": ")
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	if e.Omitted > 0 {
		b.WriteString("; and " + strconv.Itoa(e.Omitted) + " more")
	}
	return b.String()
}

// Unwrap returns the causes of the problems that have one.
func (e *InvalidError) Unwrap() []error {
	var causes []error
	for _, p := range e.Problems {
		if p.Err != nil {
			causes = append(causes, p.Err)
		}
	}
	return causes
}

// Problems collects problems. A field gets one problem: the first is the cause of the others.
type Problems struct {
	list    []Problem
	omitted int
}

// Add adds a problem, unless the field has one.
func (p *Problems) Add(field, rule, fix string) { p.AddErr(nil, field, rule, fix) }

// AddErr is Add for a problem whose cause callers match.
func (p *Problems) AddErr(cause error, field, rule, fix string) {
	if p.Blamed(field) {
		return
	}
	if len(p.list) == maxProblems {
		p.omitted++
		return
	}
	p.list = append(p.list, Problem{field, rule, fix, cause})
}

// Blamed reports whether field, or what contains it, already has a problem.
func (p *Problems) Blamed(field string) bool {
	return slices.ContainsFunc(p.list, func(x Problem) bool {
		rest, ok := strings.CutPrefix(field, x.Field)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Err returns the collected problems as a fault, or nil.
func (p *Problems) Err(what string) error {
	if len(p.list) == 0 {
		return nil
	}
	e := &InvalidError{What: what, Problems: p.list, Omitted: p.omitted}
	return fault.New(fault.InvalidArgument, e.Error()).WithCause(e)
}

// shown is the most characters of a value that an error repeats.
const shown = 40

// Show quotes s for an error: short, and without characters that could change how the line
// reads.
func Show(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, n := 0, 0; i < len(s); n++ {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case n == shown:
			fmt.Fprintf(&b, "…\" (%d bytes)", len(s))
			return b.String()
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<byte 0x%02X>", s[i])
		case !unicode.IsGraphic(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// OneOf adds a problem if v is not in a closed list.
func OneOf[T ~string](p *Problems, field string, v T, what string, all []T, cause error) {
	if slices.Contains(all, v) {
		return
	}
	if v == "" {
		p.AddErr(cause, field, "is missing", "give "+what+", one of "+listing(all))
		return
	}
	p.AddErr(cause, field, "is "+Show(string(v))+", which is not "+what, "use one of "+listing(all))
}

// listing joins names for an error.
func listing[T ~string](all []T) string {
	var b strings.Builder
	for i, v := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}
