package ruletext

import (
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/programs"
)

// adviceIn returns what a sentence says to do, or "" if it gives no advice.
func adviceIn(s []token) string {
	for len(s) > 0 && (s[0].Low == "but" || s[0].Low == "and" || s[0].Low == "please" || s[0].Low == "instead") {
		s = s[1:]
	}
	if len(s) == 0 {
		return ""
	}
	switch s[0].Low {
	case "use", "open", "create", "always", "prefer", "go", "run", "ask", "make", "do":
		return Join(s)
	}
	return ""
}

// readWish reads a sentence that forbids nothing by itself: a program to use, or a step
// that must come before another.
func readWish(s []token) (list []Clause, rest []token, ok bool) {
	began := s
	for len(s) > 0 && leadIns()[s[0].Low] {
		s = s[1:]
	}
	if len(s) == 0 {
		return nil, nil, false
	}
	for i, t := range s {
		over := t.Low == "instead" && at(s, i+1, []string{"of"}) || t.Low == "rather" && at(s, i+1, []string{"than"})
		n := 2
		if t.Low == "over" && s[0].Low == "prefer" || t.Low == "not" && i > 0 && s[i-1].Mark == ',' {
			over, n = true, 1
		}
		if over && i > 1 && i+n < len(s) && (s[0].Low == "use" || s[0].Low == "prefer") {
			b := &clauseBuilder{}
			b.c.Use, b.any, b.verb = true, true, true
			rest = b.core(s[i+n:])
			for k := range b.c.Groups {
				b.c.Groups[k].Place = false
			}
			b.c.Instead = "use " + Join(s[1:i])
			return b.list(), rest, b.good()
		}
	}
	if c, ok := before(s); ok {
		return []Clause{c}, nil, true
	}
	forced := len(began) > len(s) && (began[len(began)-len(s)-1].Low == "always" || began[len(began)-len(s)-1].Low == "must") || s[0].Low == "only"
	if s[0].Low == "only" {
		s = s[1:]
	}
	if forced && len(s) >= 2 && s[0].Low == "use" && programs.Family(s[1].Low) > 0 {
		return []Clause{{Only: s[1].Low, Instead: Join(s[:2])}}, nil, true
	}
	return nil, nil, false
}

// before reads "run the tests before pushing", "before you push, run the tests" and
// "push only after the tests pass".
func before(s []token) (Clause, bool) {
	needs, trigger := inTurn(s)
	if len(needs) == 0 || len(trigger) == 0 {
		return Clause{}, false
	}
	b := &clauseBuilder{}
	b.core(trigger)
	if !b.good() || b.c.Unless != "" || b.c.Needs != nil || !b.verb && !english.Deeds()[b.c.Groups[0].Words[0].Folded] {
		return Clause{}, false
	}
	c := b.list()[0]
	if c.Needs = needed(needs); c.Needs == nil {
		c.Unless = Join(needs)
	}
	return c, true
}

// inTurn returns the required step, and the act that is forbidden before it.
func inTurn(s []token) (needs, trigger []token) {
	if s[0].Low == "before" {
		for k := range s {
			if s[k].Mark == ',' && k+1 < len(s) {
				return s[k+1:], s[1 : k+1]
			}
		}
		return nil, nil
	}
	for i, t := range s {
		switch {
		case t.Low == "before":
			return s[:i], s[i+1:]
		case t.Low == "only" && i > 0 && i+1 < len(s) && Tails[s[i+1].Low] != 0:
			return s[i+2:], s[:i]
		}
	}
	return nil, nil
}
