package statement

import (
	"strings"
)

// note reads what users ask to be remembered. What is itself of a known form is
// read as that, and anything else that is a whole clause as a fact.
func (c clause) note() (Statement, bool) {
	rest, ok := c.cut("remember that", "keep in mind that", "bear in mind that", "note that", "do not forget that", "be aware that", "remember", "keep in mind", "bear in mind", "note", "do not forget",
		"make a note that", "make a note", "take note that", "take note", "make note that", "for your information", "fyi", "know that", "please note that", "please note")
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
	if rest.at(0).low == "you" {
		return Statement{}, false
	}
	mark := c.words[len(c.words)-len(rest.words)-1].stop
	if c.at(0).low == "note" || c.at(0).low == "be" {
		if !that && mark == 0 {
			return Statement{}, false
		}
		return rest.noted()
	}
	that = that || mark == ':'
	return rest.remembered(that)
}

// noted is remembered for "note that", by which people mostly explain what they
// are at: only what is said of somebody, or of what a group has, is taken.
func (c clause) noted() (Statement, bool) {
	about := false
	for i, w := range c.words[:min(7, len(c.words))] {
		about = about || i < 4 && (project()[w.low] || houses()[w.low] || persons()[w.low] || surroundings()[w.low])
		if present()[w.low] {
			next := c.at(i + 1).low
			about = about && (!unsettled()[next] || (next == "on" || next == "in" || next == "at") && c.skip(i+2).names())
			break
		}
	}
	if !about {
		return Statement{}, false
	}
	return c.remembered(true)
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
