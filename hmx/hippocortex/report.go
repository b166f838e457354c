package hippocortex

import (
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// report collects the problems of one document.
type report struct {
	problems []hmx.Problem
	omitted  int
}

func (p *report) add(problem hmx.Problem) {
	if len(p.problems) < shape.MaxProblems {
		p.problems = append(p.problems, problem)
	} else {
		p.omitted++
	}
}

// invalid returns all problems, in the order of the text.
func (p *report) invalid(k hmx.Kind) *hmx.InvalidError {
	slices.SortStableFunc(p.problems, func(a, b hmx.Problem) int { return a.Offset - b.Offset })
	return &hmx.InvalidError{Kind: k, Problems: p.problems, Omitted: p.omitted}
}

// full reports whether one more problem would not be listed, and then counts it. Callers that
// may find many call it first, as pointers are costly to make.
func (p *report) full() bool {
	if len(p.problems) < shape.MaxProblems {
		return false
	}
	p.omitted++
	return true
}

// wrong records that n breaks the mapping's own rule.
func (r *reader) wrong(n canon.Node, found, allowed string) {
	if !r.full() {
		start, _ := r.doc.Span(n)
		r.add(hmx.Problem{Pointer: r.doc.Pointer(n), Rule: r.rule, Found: found, Allowed: allowed, Offset: start})
	}
}

// missing records that the value at pointer is missing.
func (r *reader) missing(pointer, allowed string) {
	if !r.full() {
		r.add(hmx.Problem{Pointer: pointer, Rule: r.rule, Found: "nothing", Allowed: allowed, Offset: r.offset(pointer)})
	}
}

// merge adds the problems that HMX found in the result. It leaves out consequences of known
// problems: a copied flaw, and anything at or below a place where the mapping's own rule is
// broken.
func (r *reader) merge(invalid *hmx.InvalidError) {
	known := slices.Clone(r.problems)
	flawed := len(r.doc.Flaws()) > 0
	r.omitted += invalid.Omitted
	for _, p := range invalid.Problems {
		if flawed && strings.HasPrefix(p.Rule, shape.JSONRules) {
			continue
		}
		p = r.moved(p)
		if !slices.ContainsFunc(known, func(k hmx.Problem) bool {
			return k.Rule == r.rule && (p.Pointer == k.Pointer || strings.HasPrefix(p.Pointer, k.Pointer+"/"))
		}) {
			r.add(p)
		}
	}
}

// moved returns p with its pointer and offset in the older document.
func (r *reader) moved(p hmx.Problem) hmx.Problem {
	p.Pointer = r.older(p.Pointer)
	p.Offset = r.offset(p.Pointer)
	return p
}

// offset returns where the value at pointer begins, or, if there is none, the innermost value
// around its place.
func (r *reader) offset(pointer string) int {
	at := r.doc.Root()
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		next := canon.None
		switch r.doc.Kind(at) {
		case canon.Object:
			next = r.doc.Member(at, unescape.Replace(token))
		case canon.Array:
			if i, err := strconv.Atoi(token); err == nil {
				for next = r.doc.First(at); next != canon.None && i > 0; i-- {
					next = r.doc.Next(at, next)
				}
			}
		}
		if next == canon.None {
			break
		}
		at = next
	}
	start, _ := r.doc.Span(at)
	return start
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")
