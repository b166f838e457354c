package memory

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
	Err   error  // the cause, if callers match it; see [ErrInvalidVerb]
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

// faults collects problems. A field gets one problem: the first is the cause of the others.
type faults struct {
	list    []Problem
	omitted int
}

func (f *faults) add(field, rule, fix string) { f.addErr(nil, field, rule, fix) }

func (f *faults) addErr(cause error, field, rule, fix string) {
	if f.blamed(field) {
		return
	}
	if len(f.list) == maxProblems {
		f.omitted++
		return
	}
	f.list = append(f.list, Problem{field, rule, fix, cause})
}

// blamed reports whether field, or what contains it, already has a problem.
func (f *faults) blamed(field string) bool {
	return slices.ContainsFunc(f.list, func(p Problem) bool {
		rest, ok := strings.CutPrefix(field, p.Field)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// err returns the collected problems as a fault, or nil.
func (f *faults) err(what string) error {
	if len(f.list) == 0 {
		return nil
	}
	e := &InvalidError{What: what, Problems: f.list, Omitted: f.omitted}
	return fault.New(fault.InvalidArgument, e.Error()).WithCause(e)
}

// shown is the most characters of a value that an error repeats.
const shown = 40

// show quotes s for an error: short, and without characters that could change how the line
// reads.
func show(s string) string {
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

// oneOf adds a problem if v is not in a closed list.
func oneOf[T ~string](f *faults, field string, v T, what string, all []T, cause error) {
	if slices.Contains(all, v) {
		return
	}
	if v == "" {
		f.addErr(cause, field, "is missing", "give "+what+", one of "+listing(all))
		return
	}
	f.addErr(cause, field, "is "+show(string(v))+", which is not "+what, "use one of "+listing(all))
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
