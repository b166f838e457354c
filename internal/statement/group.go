package statement

// group reads what a team, a company or a household says of how it works.
func (c clause) group() (Statement, bool) {
	if s, ok := c.decided(); ok {
		return s, true
	}
	if houses()[c.at(1).low] {
		if s, ok := c.ways(); ok {
			return s, true
		}
	}
	if c.at(0).low == "our" {
		return c.own()
	}
	if c.at(0).low != "we" {
		return Statement{}, false
	}
	if s, ok := c.regrouped(); ok {
		return s, true
	}
	if s, ok := c.ways(); ok {
		return s, true
	}
	if rest, ok := c.cut("we settled on", "we have settled on", "we standardized on", "we standardised on", "we have standardized on", "we have standardised on", "we are going with", "we went with",
		"we chose", "we picked", "we have chosen", "we adopted"); ok {
		if rest.has(bygone()) {
			return Statement{}, false
		}
		return using("project", rest)
	}
	rest, _ := c.cut("we always", "we never", "we only", "we now", "we do not ever", "we do not", "we must never", "we must always", "we must not", "we currently", "we")
	if uses()[rest.at(0).low] {
		return using("project", rest.skip(1))
	}
	object := rest.skip(1)
	if (c.at(1).low == "never" || c.at(1).low == "always") && (object.has(yielding()) || object.has(data()) || object.has(amiss()) || object.concludes()) {
		return Statement{}, false
	}
	if !works()[rest.at(0).low] || len(object.words) == 0 || vague()[object.at(0).low] || object.at(0).low == "each" || object.isAtHand() || object.has(bygone()) {
		return Statement{}, false
	}
	return fact(key("project", rest.words))
}

// using reads what is used, and for what.
func using(who string, c clause) (Statement, bool) {
	first := c.at(0).low
	if len(c.words) == 0 || vague()[first] || counts()[first] && first != "a" && first != "an" || first == "the" && !c.at(1).capital && !c.at(2).capital || first == "my" || first == "our" && c.at(1).low != "own" || determiners()[first] && !indefinite()[first] && first != "the" || first == "to" || c.isAtHand() {
		return Statement{}, false
	}
	for i, w := range c.words {
		if i > 0 && w.low == "for" && i+1 < len(c.words) && !vague()[c.at(i+1).low] {
			return fact(key(who+"/uses/for", c.skip(i+1).head().words))
		}
	}
	object := c.head()
	one, other, ok := c.versus()
	if ok {
		object = one
	}
	s, found := fact(key(who+"/uses", object.words))
	if ok {
		s.Replaces = key(who+"/uses", other.words)
	}
	return s, found
}

// regrouped reads what a group no longer does, and to what it changed.
func (c clause) regrouped() (Statement, bool) {
	if rest, ok := c.cut("we switched", "we have switched", "we migrated", "we have migrated", "we moved", "we have moved", "we are switching", "we are migrating", "we changed", "we have changed"); ok {
		return rest.switched("project")
	}
	rest, ok := c.cut("we no longer", "we stopped", "we have stopped", "we dropped support for", "we got rid of", "we retired", "we deprecated")
	if !ok {
		if rest, ok = c.cut("we do not"); !ok || !c.has(anymore()) {
			return Statement{}, false
		}
	}
	verb := rest.at(0).low
	if base := gerund(verb, works()); base != "" {
		verb = base
	}
	var s Statement
	switch {
	case uses()[verb]:
		s, ok = fact(key("project/uses", trimAnymore(rest.skip(1).head().words)))
	case works()[verb] && len(rest.words) > 1:
		s, ok = fact(key("project", append([]word{{low: verb}}, rest.head().words[1:]...)))
	case c.at(1).low == "dropped" || c.at(1).low == "got" || c.at(1).low == "retired" || c.at(1).low == "deprecated":
		s, ok = fact(key("project/uses", rest.head().words))
	default:
		return Statement{}, false
	}
	s.Correction = true
	return s, ok && !vague()[rest.at(0).low] && !vague()[rest.at(1).low]
}

// switched reads "from X to Y" and "to Y".
func (c clause) switched(who string) (Statement, bool) {
	before := clause{}
	if c.at(0).low == "from" {
		for i, w := range c.words {
			if w.low == "to" {
				before, c = clause{c.words[1:i]}, c.skip(i)
				break
			}
		}
	}
	rest, ok := c.cut("to", "over to")
	if !ok || vague()[rest.at(0).low] || determiners()[rest.at(0).low] || rest.has(bygone()) || !technical(before) && !technical(rest.head()) {
		return Statement{}, false
	}
	s, ok := using(who, rest)
	s.Correction = true
	if len(before.words) > 0 {
		s.Replaces = key(who+"/uses", before.words)
	}
	return s, ok
}

// technical reports whether words can name a thing that one uses: a few of them,
// and no certain thing of someone.
func technical(c clause) bool {
	if len(c.words) == 0 || len(c.words) > 4 {
		return false
	}
	return !determiners()[c.at(0).low] && !vague()[c.at(0).low]
}

// house reads "this project uses X" and "my team deploys on Y".
func (c clause) house() (Statement, bool) {
	switch c.at(0).low {
	case "this", "the", "our", "my":
	default:
		return Statement{}, false
	}
	for i := 1; i < min(5, len(c.words)-2); i++ {
		if !houses()[c.words[i].low] || c.words[i].quoted || c.words[i].stop != 0 {
			continue
		}
		rest := c.skip(i + 1)
		switch verb := rest.at(0).low; {
		case verb == "uses":
			return using("project", rest.skip(1))
		case verb == "is" && (rest.at(1).low == "written" || rest.at(1).low == "deployed" || rest.at(1).low == "hosted" || rest.at(1).low == "built" || rest.at(1).low == "licensed"):
			return fact(key("project", append([]word{rest.words[1]}, c.words[i])))
		case verb == "targets" || verb == "requires" || verb == "follows" || verb == "supports" || verb == "deploys" || verb == "ships" || verb == "releases" || verb == "must" && rest.at(1).low == "not":
			if vague()[rest.at(1).low] || rest.isAtHand() {
				return Statement{}, false
			}
			return fact(key("project", rest.words))
		case verb == "runs" && (rest.at(1).low == "on" || rest.at(1).low == "in"):
			return fact("project/runs-on")
		}
		return Statement{}, false
	}
	return Statement{}, false
}
