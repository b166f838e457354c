package statement

import (
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
)

// attributeKind says what can be stated of something that a person has.
type attributeKind uint8

const (
	noAttribute attributeKind = iota
	valueOf                   // it has a value that lasts: a name, a timezone
	thingOf                   // an object: what it is lasts, its condition does not
	personOf                  // a person: who it is lasts
)

// attribute returns the kind of what words name.
func attribute(words []english.Word) attributeKind {
	if len(words) == 0 || len(words) > 5 {
		return noAttribute
	}
	for _, w := range words {
		if w.Quoted || w.Stop != 0 || english.PassingThings()[w.Low] || english.Dealings()[w.Low] {
			return noAttribute
		}
	}
	last := words[len(words)-1].Low
	switch {
	case english.PassingNames()[last]:
		return noAttribute
	case english.Favoured()[words[0].Low] && len(words) > 1, english.Values()[last]:
		return valueOf
	case english.Possessions()[last]:
		return thingOf
	case english.Persons()[last]:
		return personOf
	}
	return noAttribute
}

// readOwn reads "my X is Y" and "our X is Y".
func readOwn(c english.Clause) (Statement, bool) {
	who := "user"
	switch c.At(0).Low {
	case "my":
	case "our":
		who = "project"
	default:
		return Statement{}, false
	}
	if s, ok := readAims(c, who); ok {
		return s, true
	}
	for i := 2; i < min(7, len(c)); i++ {
		verb := c[i].Low
		if verb != "is" && verb != "are" {
			if verb == "uses" || verb == "runs" || verb == "deploys" {
				return readHouse(c)
			}
			continue
		}
		name, value := c[1:i], c.Skip(i+1)
		kind := attribute(name)
		if kind != valueOf && who == "project" && english.Project()[name[len(name)-1].Low] {
			kind = valueOf
		}
		if !fits(value, kind, name[0].Low, name[len(name)-1].Low) {
			return Statement{}, false
		}
		s, ok := fact(english.Subject(who, name))
		_, _, contrasted := value.Versus()
		s.Correction = contrasted || name[0].Low == "new" || value.At(0).Low == "not" || value.At(0).Low == "now"
		if name[0].Low == "new" {
			s.Subject = english.Subject(who, name[1:])
		}
		return s, ok
	}
	return Statement{}, false
}

// fits reports whether a value is what can be said of an attribute of a kind.
func fits(c english.Clause, kind attributeKind, first, last string) bool {
	if c.At(0).Low == "not" {
		if _, _, ok := reversal(c.Skip(1)); !ok {
			return false
		}
		c = c.Skip(1)
	}
	for c.At(0).Low == "now" || c.At(0).Low == "actually" {
		c = c.Skip(1)
	}
	value := c.At(0)
	if value.Low == "" || english.Vague()[value.Low] {
		return false
	}
	switch kind {
	case valueOf:
		return valued(c, first, last)
	case thingOf:
		return (value.Low == "a" || value.Low == "an" || value.Low == "named" || value.Low == "called" || value.Capital) && !english.Unsettled()[c.At(1).Low] && c.At(1).Low != "bit" && c.At(1).Low != "little"
	case personOf:
		return value.Low == "named" || value.Low == "called" || value.Capital && value.Low != "i" && (len(c) == 1 || value.Stop != 0 || c.At(1).Capital || english.Turns()[c.At(1).Low])
	}
	return false
}

// valued reports whether the text about an attribute is a value, rather than its current
// condition. A name, a number or an address is a value; a plain word is one only if
// nothing else can be meant.
func valued(c english.Clause, first, last string) bool {
	value := c.At(0)
	where := value.Low == "in" || value.Low == "on" || value.Low == "at"
	if english.Unsettled()[value.Low] && !where {
		return false
	}
	for i, w := range c[:min(3, len(c))] {
		if (w.Capital && w.Low != "i" || strings.ContainsAny(w.Low, "0123456789@_.") || w.Low == "called" || w.Low == "named") && !(where && english.Calendar()[w.Low]) {
			return true
		}
		if w.Stop != 0 || i > 0 && english.Turns()[w.Low] {
			break
		}
	}
	if where || !english.Favoured()[first] && !english.Loose()[last] {
		return false
	}
	return english.Favoured()[first] || english.Active()[last] || len(value.Low) < 6 || !strings.HasSuffix(value.Low, "ing") && !strings.HasSuffix(value.Low, "ed")
}

// reversal splits "not X but Y" and "not X, it is Y".
func reversal(c english.Clause) (one, other english.Clause, ok bool) {
	for i := 1; i < len(c); i++ {
		if c[i].Low == "but" || c[i-1].Stop != 0 && (c[i].Low == "it" || c[i].Low == "they") {
			return c[:i], c.Skip(i + 1), true
		}
	}
	return c, english.Clause{}, false
}

// readAims reads a goal that is called one.
func readAims(c english.Clause, who string) (Statement, bool) {
	for i := 1; i < min(4, len(c)); i++ {
		if !english.Goals()[c[i].Low] {
			continue
		}
		verb := c.At(i + 1).Low
		if verb != "is" && verb != "for" {
			return Statement{}, false
		}
		rest := c.Skip(i + 2)
		if verb == "for" {
			n := 0
			for n < len(rest) && rest[n].Low != "is" {
				n++
			}
			rest = rest.Skip(n + 1)
		}
		if rest.At(0).Low != "to" || len(rest) < 3 || english.Vague()[rest.At(2).Low] || english.Errands()[rest.At(1).Low] || rest.AtHand() {
			return Statement{}, false
		}
		return Statement{Type: memory.TypeGoal, Subject: english.Subject(who+"/goal", rest)}, true
	}
	return Statement{}, false
}
