package statement

import (
	"strings"

	"lukasa.dev/internal/english"
)

// readNote reads what users ask to be remembered. What is itself of a known form is
// read as that, and anything else that is a whole clause as a fact.
func readNote(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("remember that", "keep in mind that", "bear in mind that", "note that", "do not forget that", "be aware that", "remember", "keep in mind", "bear in mind", "note", "do not forget",
		"make a note that", "make a note", "take note that", "take note", "make note that", "for your information", "fyi", "know that", "please note that", "please note")
	if !ok {
		return Statement{}, false
	}
	that := c[len(c)-len(rest)-1].Low == "that"
	english.TakeLead(&rest)
	if len(rest) < 2 {
		return Statement{}, false
	}
	if first := rest.At(0).Low; first != "remember" && first != "note" {
		if s, ok := readState(rest); ok {
			return s, true
		}
	}
	if rest.At(0).Low == "you" {
		return Statement{}, false
	}
	mark := c[len(c)-len(rest)-1].Stop
	if c.At(0).Low == "note" || c.At(0).Low == "be" {
		if !that && mark == 0 {
			return Statement{}, false
		}
		return readNoted(rest)
	}
	that = that || mark == ':'
	return readRemembered(rest, that)
}

// readNoted is readRemembered for "note that", with which people mostly explain their task:
// it takes only statements about a person, or about what a group has.
func readNoted(c english.Clause) (Statement, bool) {
	about := false
	for i, w := range c[:min(7, len(c))] {
		about = about || i < 4 && (english.Project()[w.Low] || english.Houses()[w.Low] || english.Persons()[w.Low] || english.Surroundings()[w.Low])
		if english.Present()[w.Low] {
			next := c.At(i + 1).Low
			about = about && (!english.Unsettled()[next] || (next == "on" || next == "in" || next == "at") && beginsNames(c.Skip(i+2)))
			break
		}
	}
	if !about {
		return Statement{}, false
	}
	return readRemembered(c, true)
}

// readRemembered reads a clause that the user asks to remember: a subject, a verb in the
// present, and what is said of the subject.
func readRemembered(c english.Clause, that bool) (Statement, bool) {
	first := c.At(0)
	if c.Has(english.Comforts()) || english.Reasons()[first.Low] || english.Turns()[first.Low] || first.Low == "using" || first.Low == "despite" || english.Vague()[first.Low] && first.Low != "i" && first.Low != "we" && first.Low != "he" && first.Low != "she" || first.Low == "one" || first.Low == "time" {
		return Statement{}, false
	}
	if !that && !english.Determiners()[first.Low] && !first.Capital {
		return Statement{}, false
	}
	for i := 1; i < min(9, len(c)-1); i++ {
		switch c[i].Low {
		case "i", "we", "you", "they":
			return Statement{}, false
		}
		if !english.Present()[c[i].Low] && !(i > 0 && english.Third(c[i].Low) && english.Singular(c[:i])) {
			continue
		}
		if i+1 >= len(c) || english.Vague()[c.At(i+1).Low] && c.At(i+1).Low != "not" {
			return Statement{}, false
		}
		about := c[:i]
		if subject := english.Subject("note", about); (c[i].Low == "is" || c[i].Low == "are") && strings.Count(subject, "-") > 0 {
			return fact(subject)
		}
		return fact(english.Subject("note", c))
	}
	return Statement{}, false
}
