package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
)

// attributeKind says what can be stated of something that somebody has.
type attributeKind uint8

const (
	noAttribute attributeKind = iota
	valueOf                   // it has a value that lasts: a name, a timezone
	thingOf                   // a thing: what it is lasts, how it is does not
	personOf                  // somebody: who it is lasts
)

// attribute returns the kind of what words name.
func attribute(words []word) attributeKind {
	if len(words) == 0 || len(words) > 5 {
		return noAttribute
	}
	for _, w := range words {
		if w.quoted || w.stop != 0 || passingThings()[w.low] || dealings()[w.low] {
			return noAttribute
		}
	}
	last := words[len(words)-1].low
	switch {
	case passingNames()[last]:
		return noAttribute
	case favoured()[words[0].low] && len(words) > 1, values()[last]:
		return valueOf
	case things()[last]:
		return thingOf
	case persons()[last]:
		return personOf
	}
	return noAttribute
}

// own reads "my X is Y" and "our X is Y".
func (c clause) own() (Statement, bool) {
	who := "user"
	switch c.at(0).low {
	case "my":
	case "our":
		who = "project"
	default:
		return Statement{}, false
	}
	if s, ok := c.aims(who); ok {
		return s, true
	}
	for i := 2; i < min(7, len(c.words)); i++ {
		verb := c.words[i].low
		if verb != "is" && verb != "are" {
			if verb == "uses" || verb == "runs" || verb == "deploys" {
				return c.house()
			}
			continue
		}
		name, value := c.words[1:i], c.skip(i+1)
		kind := attribute(name)
		if kind != valueOf && who == "project" && project()[name[len(name)-1].low] {
			kind = valueOf
		}
		if !value.fits(kind, name[0].low, name[len(name)-1].low) {
			return Statement{}, false
		}
		s, ok := fact(key(who, name))
		_, _, contrasted := value.versus()
		s.Correction = contrasted || name[0].low == "new" || value.at(0).low == "not" || value.at(0).low == "now"
		if name[0].low == "new" {
			s.Subject = key(who, name[1:])
		}
		return s, ok
	}
	return Statement{}, false
}

// fits reports whether a value is what can be said of an attribute of a kind.
func (c clause) fits(kind attributeKind, first, last string) bool {
	if c.at(0).low == "not" {
		if _, _, ok := c.skip(1).reversal(); !ok {
			return false
		}
		c = c.skip(1)
	}
	for c.at(0).low == "now" || c.at(0).low == "actually" {
		c = c.skip(1)
	}
	value := c.at(0)
	if value.low == "" || vague()[value.low] {
		return false
	}
	switch kind {
	case valueOf:
		return c.valued(first, last)
	case thingOf:
		return (value.low == "a" || value.low == "an" || value.low == "named" || value.low == "called" || value.capital) && !unsettled()[c.at(1).low] && c.at(1).low != "bit" && c.at(1).low != "little"
	case personOf:
		return value.low == "named" || value.low == "called" || value.capital && value.low != "i" && (len(c.words) == 1 || value.stop != 0 || c.at(1).capital || turns()[c.at(1).low])
	}
	return false
}

// valued reports whether what is said of an attribute is a value, not how it is
// just now. A name, a number or an address is one; a plain word is where nothing
// else can be meant.
func (c clause) valued(first, last string) bool {
	value := c.at(0)
	where := value.low == "in" || value.low == "on" || value.low == "at"
	if unsettled()[value.low] && !where {
		return false
	}
	for i, w := range c.words[:min(3, len(c.words))] {
		if (w.capital && w.low != "i" || strings.ContainsAny(w.low, "0123456789@_.") || w.low == "called" || w.low == "named") && !(where && calendar()[w.low]) {
			return true
		}
		if w.stop != 0 || i > 0 && turns()[w.low] {
			break
		}
	}
	if where || !favoured()[first] && !loose()[last] {
		return false
	}
	return favoured()[first] || active()[last] || len(value.low) < 6 || !strings.HasSuffix(value.low, "ing") && !strings.HasSuffix(value.low, "ed")
}

// reversal splits "not X but Y" and "not X, it is Y".
func (c clause) reversal() (one, other clause, ok bool) {
	for i := 1; i < len(c.words); i++ {
		if c.words[i].low == "but" || c.words[i-1].stop != 0 && (c.words[i].low == "it" || c.words[i].low == "they") {
			return clause{c.words[:i]}, c.skip(i + 1), true
		}
	}
	return c, clause{}, false
}

// aims reads a goal that is called one.
func (c clause) aims(who string) (Statement, bool) {
	for i := 1; i < min(4, len(c.words)); i++ {
		if !goals()[c.words[i].low] {
			continue
		}
		verb := c.at(i + 1).low
		if verb != "is" && verb != "for" {
			return Statement{}, false
		}
		rest := c.skip(i + 2)
		if verb == "for" {
			n := 0
			for n < len(rest.words) && rest.words[n].low != "is" {
				n++
			}
			rest = rest.skip(n + 1)
		}
		if rest.at(0).low != "to" || len(rest.words) < 3 || vague()[rest.at(2).low] || errands()[rest.at(1).low] || rest.isAtHand() {
			return Statement{}, false
		}
		return Statement{Type: memory.TypeGoal, Subject: key(who+"/goal", rest.words)}, true
	}
	return Statement{}, false
}
