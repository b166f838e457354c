package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
)

// note reads what users ask to be remembered. What is itself of a known form is
// read as that, and anything else that is a whole clause as a fact.
func (c clause) note() (Statement, bool) {
	rest, ok := c.cut("remember that", "keep in mind that", "bear in mind that", "note that", "do not forget that", "be aware that", "remember", "keep in mind", "bear in mind", "note", "do not forget",
		"make a note that", "make a note", "take note that", "make note that", "for your information", "fyi", "know that")
	if !ok {
		return Statement{}, false
	}
	that := c.words[len(c.words)-len(rest.words)-1].low == "that"
	rest.lead()
	if len(rest.words) < 2 {
		return Statement{}, false
	}
	if first := rest.at(0).low; first != "remember" && first != "note" {
		if s, ok := rest.state(); ok {
			return s, true
		}
	}
	if rest.at(0).low == "you" || !that && c.at(0).low == "note" {
		return Statement{}, false
	}
	if c.at(0).low == "note" || c.at(0).low == "be" {
		return rest.noted()
	}
	return rest.remembered(that)
}

// noted is remembered for "note that", by which people mostly explain what they
// are at: only what is said of somebody, or of what a group has, is taken.
func (c clause) noted() (Statement, bool) {
	for _, w := range c.words[:min(4, len(c.words))] {
		if project()[w.low] || houses()[w.low] || persons()[w.low] || surroundings()[w.low] {
			return c.remembered(true)
		}
		if present()[w.low] {
			break
		}
	}
	return Statement{}, false
}

// remembered reads a clause that was asked to be remembered: somebody or
// something, a verb in the present, and what is said of it.
func (c clause) remembered(that bool) (Statement, bool) {
	first := c.at(0)
	if c.has(comforts()) || reasons()[first.low] || turns()[first.low] || first.low == "using" || first.low == "despite" || vague()[first.low] && first.low != "i" && first.low != "we" && first.low != "he" && first.low != "she" || first.low == "one" || first.low == "time" {
		return Statement{}, false
	}
	if !that && !determiners()[first.low] && !first.capital {
		return Statement{}, false
	}
	for i := 1; i < min(9, len(c.words)-1); i++ {
		switch c.words[i].low {
		case "i", "we", "you", "they":
			return Statement{}, false
		}
		if !present()[c.words[i].low] && !(i > 0 && third(c.words[i].low) && singular(c.words[:i])) {
			continue
		}
		if i+1 >= len(c.words) || vague()[c.at(i+1).low] && c.at(i+1).low != "not" {
			return Statement{}, false
		}
		about := clause{c.words[:i]}
		if subject := key("note", about.words); (c.words[i].low == "is" || c.words[i].low == "are") && strings.Count(subject, "-") > 0 {
			return fact(subject)
		}
		return fact(key("note", c.words))
	}
	return Statement{}, false
}

// third reports whether a word may be a verb in the third person.
func third(low string) bool {
	return len(low) > 3 && strings.HasSuffix(low, "s") && actions()[strings.TrimSuffix(low, "s")] || strings.HasSuffix(low, "es") && actions()[strings.TrimSuffix(low, "es")]
}

// singular reports whether words are one thing.
func singular(words []word) bool {
	return !strings.HasSuffix(words[len(words)-1].low, "s")
}

// forget reads what users take back: by the statement itself, or by what it was
// about.
func (c clause) forget() (Statement, bool) {
	if rest, ok := c.cut("you do not have to", "you do not need to", "you no longer have to", "you no longer need to", "no need to"); ok {
		if !actions()[rest.at(0).low] || vague()[rest.at(1).low] || len(rest.words) < 2 || c.at(1).low != "no" && !c.has(anymore()) {
			return Statement{}, false
		}
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: key("rule", clause{trimAnymore(rest.words)}.words), Retraction: true, Correction: true}, true
	}
	if rest, ok := c.cut("forget what i said about", "forget what i told you about", "forget the rule about", "forget my rule about", "forget about the rule about", "ignore what i said about",
		"ignore my earlier rule about", "ignore what i told you about", "disregard what i said about", "i take back what i said about", "forget my preference for", "forget the preference for"); ok {
		s := Statement{Type: memory.TypeFact, Subject: key("about", rest.words), Retraction: true, Correction: true}
		return s, !vague()[rest.at(0).low]
	}
	rest, ok := c.cut("forget that", "please forget that", "you can forget that", "ignore that")
	if !ok || len(rest.words) < 3 {
		return Statement{}, false
	}
	rest.lead()
	s, ok := rest.state()
	s.Retraction, s.Correction, s.Replaces = true, true, ""
	return s, ok
}

// trimAnymore returns words without "anymore" at their end.
func trimAnymore(words []word) []word {
	n := len(words)
	switch {
	case n > 0 && words[n-1].low == "anymore":
		return words[:n-1]
	case n > 1 && words[n-1].low == "more" && words[n-2].low == "any":
		return words[:n-2]
	}
	return words
}
