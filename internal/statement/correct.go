package statement

import (
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
)

// readCorrected reads what puts a value right: "actually, the staging DB is called lyra",
// "no, it's lyra, not orion".
func readCorrected(c english.Clause, corrects bool) (Statement, bool) {
	if rest, ok := c.Cut("it is called", "it is named", "it is now called", "it is now", "it is", "that is", "they are"); ok {
		return readContrasted(rest)
	}
	if !corrects {
		return Statement{}, false
	}
	if s, ok := readContrasted(c); ok {
		return s, true
	}
	switch c.At(0).Low {
	case "the", "our", "my":
	default:
		return Statement{}, false
	}
	for i := 2; i < min(7, len(c)-1); i++ {
		if c[i-1].Stop != 0 || c[i-1].Quoted {
			return Statement{}, false
		}
		if c[i].Low != "is" && c[i].Low != "are" {
			continue
		}
		value := c.Skip(i + 1)
		_, _, versus := value.Versus()
		if !beginsNames(value) && !versus && !isTitle(value) {
			return Statement{}, false
		}
		return fact(english.Subject("note", c[:i]))
	}
	return Statement{}, false
}

// readContrasted reads "lyra, not orion": of two short values the one that holds.
func readContrasted(c english.Clause) (Statement, bool) {
	one, other, ok := c.Versus()
	if !ok || len(one) > 3 || len(other) > 3 || !value(one) || !value(other) {
		return Statement{}, false
	}
	s := Statement{Type: memory.TypeFact, Subject: english.Subject("value", one), Replaces: english.Subject("value", other), Correction: true, Anaphoric: true}
	return s, s.Subject != "" && s.Replaces != ""
}

// value reports whether words can name a value.
func value(c english.Clause) bool {
	for i, w := range c {
		if english.Unsettled()[w.Low] || english.Vague()[w.Low] || i == 0 && (english.Determiners()[w.Low] || english.Turns()[w.Low] || english.Actions()[w.Low]) {
			return false
		}
	}
	return len(c) > 0
}

// readCalled reads what something of a project is called: "the staging DB is called orion".
func readCalled(c english.Clause) (Statement, bool) {
	if c.At(0).Low != "the" {
		return Statement{}, false
	}
	about := false
	for i := 1; i < min(6, len(c)-2); i++ {
		w := c[i]
		if (w.Low == "is" || w.Low == "are") && (c.At(i+1).Low == "called" || c.At(i+1).Low == "named") {
			if !about || !isTitle(c.Skip(i+2)) {
				return Statement{}, false
			}
			return fact(english.Subject("note", c[:i]))
		}
		if w.Stop != 0 || w.Quoted {
			return Statement{}, false
		}
		about = about || english.Project()[w.Low] || english.Surroundings()[w.Low] || english.Houses()[w.Low]
	}
	return Statement{}, false
}

// title reports whether a clause is a name, up to its end or a mark.
func isTitle(c english.Clause) bool {
	for c.At(0).Low == "called" || c.At(0).Low == "named" || c.At(0).Low == "now" {
		c = c.Skip(1)
	}
	first := c.At(0)
	if first.Low == "" || english.Vague()[first.Low] || english.Turns()[first.Low] || often()[first.Low] || english.Unsettled()[first.Low] || strings.HasSuffix(first.Low, "ly") || english.Determiners()[first.Low] {
		return false
	}
	for i, w := range c {
		if w.Stop != 0 || i == len(c)-1 {
			return i < 3
		}
		if english.Turns()[c.At(i+1).Low] {
			return i < 3
		}
	}
	return false
}

// names reports whether a clause has a value in it that is no plain word: between
// quotes or backticks, with digits or underscores, or the name of a file.
func beginsNames(c english.Clause) bool {
	for _, w := range c {
		if w.Quoted || strings.ContainsAny(w.Low, "0123456789_@") || english.FileName(w.Low) {
			return true
		}
	}
	return false
}

// often are how many times a function is called.
var often = english.List("once twice thrice again every each multiple many several repeatedly first last immediately")
