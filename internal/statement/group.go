package statement

import "lukasa.dev/internal/english"

// readGroup reads what a team, a company or a household says of how it works.
func readGroup(c english.Clause) (Statement, bool) {
	if s, ok := readDecided(c); ok {
		return s, true
	}
	if english.Houses()[c.At(1).Low] {
		if s, ok := readWays(c); ok {
			return s, true
		}
	}
	if c.At(0).Low == "our" {
		return readOwn(c)
	}
	if c.At(0).Low != "we" {
		return Statement{}, false
	}
	if s, ok := readRegrouped(c); ok {
		return s, true
	}
	if s, ok := readWays(c); ok {
		return s, true
	}
	if rest, ok := c.Cut("we settled on", "we have settled on", "we standardized on", "we standardised on", "we have standardized on", "we have standardised on", "we are going with", "we went with",
		"we chose", "we picked", "we have chosen", "we adopted"); ok {
		if rest.Has(english.Bygone()) {
			return Statement{}, false
		}
		return using("project", rest)
	}
	rest, _ := c.Cut("we always", "we never", "we only", "we now", "we do not ever", "we do not", "we must never", "we must always", "we must not", "we currently", "we")
	if english.Uses()[rest.At(0).Low] {
		return using("project", rest.Skip(1))
	}
	object := rest.Skip(1)
	if (c.At(1).Low == "never" || c.At(1).Low == "always") && (object.Has(english.Yielding()) || object.Has(english.Data()) || object.Has(english.Amiss()) || concludes(object)) {
		return Statement{}, false
	}
	if !english.Works()[rest.At(0).Low] || len(object) == 0 || english.Vague()[object.At(0).Low] || object.At(0).Low == "each" || object.AtHand() || object.Has(english.Bygone()) {
		return Statement{}, false
	}
	return fact(english.Subject("project", rest))
}

// using reads what is used, and for what.
func using(who string, c english.Clause) (Statement, bool) {
	first := c.At(0).Low
	if len(c) == 0 || english.Vague()[first] || english.Counts()[first] && first != "a" && first != "an" || first == "the" && !c.At(1).Capital && !c.At(2).Capital || first == "my" || first == "our" && c.At(1).Low != "own" || english.Determiners()[first] && !english.Indefinite()[first] && first != "the" || first == "to" || c.AtHand() {
		return Statement{}, false
	}
	for i, w := range c {
		if i > 0 && w.Low == "for" && i+1 < len(c) && !english.Vague()[c.At(i+1).Low] {
			return fact(english.Subject(who+"/uses/for", c.Skip(i+1).Head()))
		}
	}
	object := c.Head()
	one, other, ok := c.Versus()
	if ok {
		object = one
	}
	s, found := fact(english.Subject(who+"/uses", object))
	if ok {
		s.Replaces = english.Subject(who+"/uses", other)
	}
	return s, found
}

// readRegrouped reads what a group no longer does, and to what it changed.
func readRegrouped(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("we switched", "we have switched", "we migrated", "we have migrated", "we moved", "we have moved", "we are switching", "we are migrating", "we changed", "we have changed"); ok {
		return readSwitched(rest, "project")
	}
	rest, ok := c.Cut("we no longer", "we stopped", "we have stopped", "we dropped support for", "we got rid of", "we retired", "we deprecated")
	if !ok {
		if rest, ok = c.Cut("we do not"); !ok || !c.Has(english.Anymore()) {
			return Statement{}, false
		}
	}
	verb := rest.At(0).Low
	if base := english.Gerund(verb, english.Works()); base != "" {
		verb = base
	}
	var s Statement
	switch {
	case english.Uses()[verb]:
		s, ok = fact(english.Subject("project/uses", english.TrimAnymore(rest.Skip(1).Head())))
	case english.Works()[verb] && len(rest) > 1:
		s, ok = fact(english.Subject("project", append([]english.Word{{Low: verb}}, rest.Head()[1:]...)))
	case c.At(1).Low == "dropped" || c.At(1).Low == "got" || c.At(1).Low == "retired" || c.At(1).Low == "deprecated":
		s, ok = fact(english.Subject("project/uses", rest.Head()))
	default:
		return Statement{}, false
	}
	s.Correction = true
	return s, ok && !english.Vague()[rest.At(0).Low] && !english.Vague()[rest.At(1).Low]
}

// readSwitched reads "from X to Y" and "to Y".
func readSwitched(c english.Clause, who string) (Statement, bool) {
	before := english.Clause{}
	if c.At(0).Low == "from" {
		for i, w := range c {
			if w.Low == "to" {
				before, c = c[1:i], c.Skip(i)
				break
			}
		}
	}
	rest, ok := c.Cut("to", "over to")
	if !ok || english.Vague()[rest.At(0).Low] || english.Determiners()[rest.At(0).Low] || rest.Has(english.Bygone()) || !technical(before) && !technical(rest.Head()) {
		return Statement{}, false
	}
	s, ok := using(who, rest)
	s.Correction = true
	if len(before) > 0 {
		s.Replaces = english.Subject(who+"/uses", before)
	}
	return s, ok
}

// technical reports whether words can name a tool that a group uses: a few words, and no
// certain object of a person.
func technical(c english.Clause) bool {
	if len(c) == 0 || len(c) > 4 {
		return false
	}
	return !english.Determiners()[c.At(0).Low] && !english.Vague()[c.At(0).Low]
}

// readHouse reads "this project uses X" and "my team deploys on Y".
func readHouse(c english.Clause) (Statement, bool) {
	switch c.At(0).Low {
	case "this", "the", "our", "my":
	default:
		return Statement{}, false
	}
	for i := 1; i < min(5, len(c)-2); i++ {
		if !english.Houses()[c[i].Low] || c[i].Quoted || c[i].Stop != 0 {
			continue
		}
		rest := c.Skip(i + 1)
		switch verb := rest.At(0).Low; {
		case verb == "uses":
			return using("project", rest.Skip(1))
		case verb == "is" && (rest.At(1).Low == "written" || rest.At(1).Low == "deployed" || rest.At(1).Low == "hosted" || rest.At(1).Low == "built" || rest.At(1).Low == "licensed"):
			return fact(english.Subject("project", append([]english.Word{rest[1]}, c[i])))
		case verb == "targets" || verb == "requires" || verb == "follows" || verb == "supports" || verb == "deploys" || verb == "ships" || verb == "releases" || verb == "must" && rest.At(1).Low == "not":
			if english.Vague()[rest.At(1).Low] || rest.AtHand() {
				return Statement{}, false
			}
			return fact(english.Subject("project", rest))
		case verb == "runs" && (rest.At(1).Low == "on" || rest.At(1).Low == "in"):
			return fact("project/runs-on")
		}
		return Statement{}, false
	}
	return Statement{}, false
}
