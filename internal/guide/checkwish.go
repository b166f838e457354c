package guide

import "lukasa.dev/internal/programs"

// adviceIn returns what a sentence says to do, empty if it says none.
func adviceIn(s []token) string {
	for len(s) > 0 && (s[0].low == "but" || s[0].low == "and" || s[0].low == "please" || s[0].low == "instead") {
		s = s[1:]
	}
	if len(s) == 0 {
		return ""
	}
	switch s[0].low {
	case "use", "open", "create", "always", "prefer", "go", "run", "ask", "make", "do":
		return words(s)
	}
	return ""
}

// readWish reads a sentence that forbids nothing by itself: what is to be used, and
// what is to be done before another thing.
func readWish(s []token) (list []clause, rest []token, ok bool) {
	began := s
	for len(s) > 0 && leadIns()[s[0].low] {
		s = s[1:]
	}
	if len(s) == 0 {
		return nil, nil, false
	}
	for i, t := range s {
		over := t.low == "instead" && at(s, i+1, []string{"of"}) || t.low == "rather" && at(s, i+1, []string{"than"})
		n := 2
		if t.low == "over" && s[0].low == "prefer" || t.low == "not" && i > 0 && s[i-1].mark == ',' {
			over, n = true, 1
		}
		if over && i > 1 && i+n < len(s) && (s[0].low == "use" || s[0].low == "prefer") {
			b := &clauseBuilder{}
			b.c.use, b.any, b.verb = true, true, true
			rest = b.core(s[i+n:])
			for k := range b.c.groups {
				b.c.groups[k].place = false
			}
			b.c.instead = "use " + words(s[1:i])
			return b.list(), rest, b.good()
		}
	}
	if c, ok := before(s); ok {
		return []clause{c}, nil, true
	}
	forced := len(began) > len(s) && (began[len(began)-len(s)-1].low == "always" || began[len(began)-len(s)-1].low == "must") || s[0].low == "only"
	if s[0].low == "only" {
		s = s[1:]
	}
	if forced && len(s) >= 2 && s[0].low == "use" && programs.Family(s[1].low) > 0 {
		return []clause{{only: s[1].low, instead: words(s[:2])}}, nil, true
	}
	return nil, nil, false
}

// before reads "run the tests before pushing", "before you push, run the tests" and
// "push only after the tests pass".
func before(s []token) (clause, bool) {
	needs, trigger := inTurn(s)
	if len(needs) == 0 || len(trigger) == 0 {
		return clause{}, false
	}
	b := &clauseBuilder{}
	b.core(trigger)
	if !b.good() || b.c.unless != "" || b.c.needs != nil || !b.verb && !verbs()[b.c.groups[0].words[0].folded] {
		return clause{}, false
	}
	c := b.list()[0]
	if c.needs = needed(needs); c.needs == nil {
		c.unless = words(needs)
	}
	return c, true
}

// inTurn returns what is to be done first, and what before that must not be done.
func inTurn(s []token) (needs, trigger []token) {
	if s[0].low == "before" {
		for k := range s {
			if s[k].mark == ',' && k+1 < len(s) {
				return s[k+1:], s[1 : k+1]
			}
		}
		return nil, nil
	}
	for i, t := range s {
		switch {
		case t.low == "before":
			return s[:i], s[i+1:]
		case t.low == "only" && i > 0 && i+1 < len(s) && tails[s[i+1].low] != 0:
			return s[i+2:], s[:i]
		}
	}
	return nil, nil
}
