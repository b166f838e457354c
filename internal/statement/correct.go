package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
)

// corrected reads what puts a value right: "actually, the staging DB is called lyra",
// "no, it's lyra, not orion".
func (c clause) corrected(corrects bool) (Statement, bool) {
	if rest, ok := c.cut("it is called", "it is named", "it is now called", "it is now", "it is", "that is", "they are"); ok {
		return rest.contrasted()
	}
	if !corrects {
		return Statement{}, false
	}
	if s, ok := c.contrasted(); ok {
		return s, true
	}
	switch c.at(0).low {
	case "the", "our", "my":
	default:
		return Statement{}, false
	}
	for i := 2; i < min(7, len(c.words)-1); i++ {
		if c.words[i-1].stop != 0 || c.words[i-1].quoted {
			return Statement{}, false
		}
		if c.words[i].low != "is" && c.words[i].low != "are" {
			continue
		}
		value := c.skip(i + 1)
		_, _, versus := value.versus()
		if !value.names() && !versus && !value.title() {
			return Statement{}, false
		}
		return fact(key("note", c.words[:i]))
	}
	return Statement{}, false
}

// contrasted reads "lyra, not orion": of two short values the one that holds.
func (c clause) contrasted() (Statement, bool) {
	one, other, ok := c.versus()
	if !ok || len(one.words) > 3 || len(other.words) > 3 || !value(one) || !value(other) {
		return Statement{}, false
	}
	s := Statement{Type: memory.TypeFact, Subject: key("value", one.words), Replaces: key("value", other.words), Correction: true, Anaphoric: true}
	return s, s.Subject != "" && s.Replaces != ""
}

// value reports whether words can name a value.
func value(c clause) bool {
	for i, w := range c.words {
		if unsettled()[w.low] || vague()[w.low] || i == 0 && (determiners()[w.low] || turns()[w.low] || actions()[w.low]) {
			return false
		}
	}
	return len(c.words) > 0
}

// called reads what something of a project is called: "the staging DB is called orion".
func (c clause) called() (Statement, bool) {
	if c.at(0).low != "the" {
		return Statement{}, false
	}
	about := false
	for i := 1; i < min(6, len(c.words)-2); i++ {
		w := c.words[i]
		if (w.low == "is" || w.low == "are") && (c.at(i+1).low == "called" || c.at(i+1).low == "named") {
			if !about || !c.skip(i+2).title() {
				return Statement{}, false
			}
			return fact(key("note", c.words[:i]))
		}
		if w.stop != 0 || w.quoted {
			return Statement{}, false
		}
		about = about || project()[w.low] || surroundings()[w.low] || houses()[w.low]
	}
	return Statement{}, false
}

// title reports whether a clause is a name, up to its end or a mark.
func (c clause) title() bool {
	for c.at(0).low == "called" || c.at(0).low == "named" || c.at(0).low == "now" {
		c = c.skip(1)
	}
	first := c.at(0)
	if first.low == "" || vague()[first.low] || turns()[first.low] || often()[first.low] || unsettled()[first.low] || strings.HasSuffix(first.low, "ly") || determiners()[first.low] {
		return false
	}
	for i, w := range c.words {
		if w.stop != 0 || i == len(c.words)-1 {
			return i < 3
		}
		if turns()[c.at(i+1).low] {
			return i < 3
		}
	}
	return false
}

// names reports whether a clause has a value in it that is no plain word: between
// quotes or backticks, with digits or underscores, or the name of a file.
func (c clause) names() bool {
	for _, w := range c.words {
		if w.quoted || strings.ContainsAny(w.low, "0123456789_@") || fileName(w.low) {
			return true
		}
	}
	return false
}

// identifies reports whether a clause names a certain piece of code.
func (c clause) identifies() bool {
	for _, w := range c.words {
		if w.quoted || strings.Contains(w.low, "_") || fileName(w.low) {
			return true
		}
	}
	return false
}

// often are how many times a function is called.
var often = set("once twice thrice again every each multiple many several repeatedly first last immediately")
