package hmx

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// Problem is one place where a document breaks a rule.
type Problem struct {
	Pointer string `json:"pointer"` // JSON Pointer (RFC 6901); empty means the document itself
	Rule    string `json:"rule"`    // stable code, such as HMX-E/6.5; see Rules
	Found   string `json:"found"`   // what is there
	Allowed string `json:"allowed"` // what is allowed there
	Offset  int    `json:"offset"`  // byte offset into the text
	Warning bool   `json:"warning"` // worth knowing, but the document is valid
}

// String returns the problem in one line of graphic characters, whatever the names in the
// document are.
func (p Problem) String() string {
	at := p.Pointer
	switch {
	case at == "":
		at = "document"
	case strings.ContainsFunc(at, func(r rune) bool { return !unicode.IsGraphic(r) }):
		at = strconv.QuoteToGraphic(at)
	}
	return at + ": found " + p.Found + "; allowed: " + p.Allowed + " (" + p.Rule + ")"
}

// InvalidError is all problems of one document.
type InvalidError struct {
	Kind     Kind
	Problems []Problem // in the order of the text; warnings included
	Omitted  int       // further problems, not listed
}

func (e *InvalidError) Error() string {
	var first Problem
	n := e.Omitted
	for _, p := range e.Problems {
		if p.Warning {
			continue
		}
		if n++; first.Rule == "" {
			first = p
		}
	}
	var b strings.Builder
	b.WriteString("invalid HMX " + string(e.Kind) + ": " + first.String())
	if n--; n > 0 {
		b.WriteString(" and " + strconv.Itoa(n) + " more")
	}
	return b.String()
}

// jsonRule is the rule code of a flaw in the JSON itself.
func jsonRule(c canon.FlawCode) string { return shape.JSONRules + string(c) }

// verdict turns the findings of the checker and the parser into warnings and an error.
func verdict(k Kind, flaws []canon.Flaw, found []shape.Problem, omitted, lead int) ([]Problem, error) {
	if len(flaws) == 0 && len(found) == 0 {
		return nil, nil
	}
	all := make([]Problem, 0, len(flaws)+len(found))
	for _, f := range flaws {
		all = append(all, Problem{Pointer: f.Pointer, Rule: jsonRule(f.Code), Found: f.Found, Allowed: f.Allowed, Offset: f.Offset + lead})
	}
	for _, p := range found {
		p.Offset += lead
		all = append(all, Problem(p))
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return a.Offset - b.Offset })
	for _, p := range all {
		if !p.Warning {
			return nil, &InvalidError{Kind: k, Problems: all, Omitted: omitted}
		}
	}
	return all, nil
}
