package statement

import (
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// readBarred reads a ban that has no "never": "no direct pushes to main", "pushing to main is
// forbidden", "nobody pushes to main", "all commits must be signed".
func readBarred(c english.Clause) (Statement, bool) {
	switch first := c.At(0).Low; {
	case first == "no" && c.At(1).Low != "one":
		return readNone(c)
	case first == "nobody", first == "no" && c.At(1).Low == "one":
		if first == "no" {
			c = c.Skip(1)
		}
		if s, ok := readMine(c); ok {
			return s, true
		}
		if rest, ok := c.Skip(1).Cut("including you", "not even you"); ok {
			return readNobody(rest)
		}
		return readNobody(c.Skip(1))
	case first == "nothing":
		return readNothing(c.Skip(1))
	case first == "there":
		if rest, ok := c.Cut("there must be no", "there must never be", "there should never be", "there must not be", "there may never be", "there shall be"); ok {
			if english.Determiners()[rest.At(0).Low] {
				rest = rest.Skip(1)
			}
			return readNone(english.Clause(append([]english.Word{{Low: "no"}}, rest...)))
		}
		return Statement{}, false
	case first == "only":
		return readMine(c)
	case first == "all" || first == "every" || first == "each" || first == "any":
		return readEvery(c.Skip(1))
	case first == "is" && c.At(1).Low != "it" || first == "strictly" || first == "forbidden":
		rest, ok := c.Cut("is strictly forbidden to", "is forbidden to", "strictly forbidden to", "forbidden to", "is not allowed to", "is prohibited to")
		if !ok || !english.Practises()[rest.At(0).Low] {
			return Statement{}, false
		}
		return readAct(rest, memory.StrengthHard)
	case first == "it":
		if rest, ok := c.Cut("it is forbidden to", "it is prohibited to", "it is strictly forbidden to", "it is never ok to", "it is never okay to", "it is never fine to", "it is not ok to", "it is not okay to", "it is never acceptable to", "it is not allowed to", "it is not permitted to", "it is never allowed to", "it is forbidden that you", "it is strictly forbidden that you", "it is not allowed that you", "it is not allowed for you to", "it is forbidden for you to", "it is strictly prohibited to"); ok && (english.Practises()[rest.At(0).Low] || rest.Concrete()) {
			return readAct(rest, memory.StrengthHard)
		}
		return Statement{}, false
	}
	if s, ok := readAgented(c); ok {
		return s, true
	}
	if s, ok := readHandsOff(c); ok {
		return s, true
	}
	if s, ok := readUndone(c); ok {
		return s, true
	}
	if isCommand(c) {
		c = c.Verbal()
		if at := c.Forbidding(); at > 0 {
			return readAct(c[:at], memory.StrengthHard)
		}
		return Statement{}, false
	}
	if programs.Spoken()[c.At(0).Low] && (c.At(1).Low == "is" || c.At(1).Low == "are") {
		c = english.Clause(append([]english.Word{{Low: "using"}}, c...))
	}
	forced := c.At(0).Low == "force"
	if c.At(0).Low == "direct" || forced {
		c = c.Skip(1)
	}
	base := english.Gerund(c.At(0).Low, english.Practises())
	if _, ok := c.Skip(1).Cut("are my job", "are mine", "are my business", "is my job"); ok && english.DeedNouns[c.At(0).Low] != "" && c.Opening().Has(english.Lasting()) {
		return readAct(english.Clause([]english.Word{{Low: english.DeedNouns[c.At(0).Low]}}), memory.StrengthHard) // "commits are my job from now on"
	}
	if base == "" {
		base = english.DeedNouns[c.At(0).Low]
	}
	if base == "" {
		return Statement{}, false
	}
	if forced && base == "push" {
		base = "force-push"
	}
	for i := 1; i < min(12, len(c)-1); i++ {
		if c[i].Low != "is" && c[i].Low != "are" {
			continue
		}
		rest, ok := c.Skip(i + 1).Cut(english.Bans...)
		if n := len(c) - len(rest) - 1; ok && c[n].Stop != 0 {
			rest = english.Clause{} // another thought follows
		}
		if !ok || len(rest) > 0 && !english.Bounds()[rest.At(0).Low] || rest.At(0).Low == "for" && !english.Addressees()[rest.At(1).Low] {
			return Statement{}, false
		}
		words := append([]english.Word{{Low: base}}, c[1:i]...)
		return readAct(english.Clause(words), memory.StrengthHard)
	}
	return Statement{}, false
}

// readUndone reads a ban in the passive voice on what is done with something of the project.
func readUndone(c english.Clause) (Statement, bool) {
	verb, what, ok := c.Passive()
	if !ok || !what.Has(english.Strong()) && !what.Has(english.Products()) && !what.Particular() || what.AtHand() {
		return Statement{}, false
	}
	return readAct(english.Clause(append([]english.Word{{Low: verb}}, what...)), memory.StrengthHard)
}

// readAgented reads what agents must or must not do, in the third person: "agents must never
// push to main", "the bot never merges its own pull requests".
func readAgented(c english.Clause) (Statement, bool) {
	n := 0
	for n < english.MaxKinds && english.AgentKinds()[c.At(n).Low] {
		n++
	}
	if w := c.At(n); !english.Agents()[w.Low] || w.Stop != 0 || w.Quoted {
		return Statement{}, false
	}
	rest, ok := c.Skip(n+1).Cut("must never ever", "must never", "must not ever", "must not", "must always", "may never", "may not", "should never", "should always", "shall never", "shall not", "can never", "are never to", "are not to", "is never to", "is not to",
		"are never allowed to", "are not allowed to", "is never allowed to", "is not allowed to", "do not ever", "never ever", "never", "always")
	if !ok {
		if rest, ok := c.Skip(n+1).Cut("must", "should", "has to", "have to", "need to", "needs to"); ok {
			return readConsent(rest)
		}
		return Statement{}, false
	}
	if verb := rest.At(0).Low; english.Third(verb) {
		first := rest[0]
		if first.Low = verb[:len(verb)-1]; !english.Actions()[first.Low] {
			first.Low = verb[:len(verb)-2]
		}
		rest = english.Clause(append([]english.Word{first}, rest[1:]...))
	}
	if w := c.At(n).Low; !rest.Opening().Concrete() && (w == "bot" || w == "bots" || w == "model" || w == "models") {
		return Statement{}, false // one that the project makes
	}
	return readAct(rest, memory.StrengthHard)
}

// readHandsOff reads what is not to be touched: "hands off the migrations folder", "main is off
// limits".
func readHandsOff(c english.Clause) (Statement, bool) {
	what, ok := c.Cut("hands off of", "hands off", "keep your hands off of", "keep your hands off", "stay away from", "keep away from", "stay out of", "keep out of", "keep off")
	if !ok && c.At(0).Low == "leave" && c.Has(english.Alone()) {
		what, ok = c.Skip(1), true
	}
	if !ok {
		for i := 1; i < min(6, len(c)-1) && !ok; i++ {
			if c[i].Low != "is" && c[i].Low != "are" {
				continue
			}
			rest, off := c.Skip(i+1).Cut("off limits", "off-limits", "untouchable", "taboo", "a no-go zone")
			if off && (rest.At(0).Low == "always" || rest.At(0).Low == "ever") {
				rest = rest.Skip(1)
			}
			if !off || len(rest) > 0 && rest.At(0).Low != "for" || rest.At(0).Low == "for" && !english.Addressees()[rest.At(1).Low] && english.DeedNouns[rest.At(1).Low] == "" && rest.At(1).Low != "direct" {
				return Statement{}, false
			}
			what, ok = c[:i], true
		}
	}
	if what = english.Clause(what.DeedWords()); !ok || !what.Workshop() || what.AtHand() || what.Has(english.AloneForNow()) {
		return Statement{}, false
	}
	return readAct(english.Clause(append([]english.Word{{Low: "touch"}}, what...)), memory.StrengthHard)
}

// readNone reads what follows "no": a kind of act, by its noun or its verb.
func readNone(c english.Clause) (Statement, bool) {
	rest, direct := c.Skip(1), false
	for rest.At(0).Low == "direct" || rest.At(0).Low == "more" || rest.At(0).Low == "force" && english.DeedNouns[rest.At(1).Low] != "" {
		direct = direct || rest.At(0).Low != "more"
		if rest.At(0).Low == "force" {
			break
		}
		rest = rest.Skip(1)
	}
	var words []english.Word
	if rest.At(0).Low == "force" {
		words = append([]english.Word{{Low: "force-push"}}, rest[2:]...)
		rest = rest.Skip(1)
	} else if verb := english.DeedNouns[rest.At(0).Low]; verb != "" {
		words = append([]english.Word{{Low: verb}}, rest[1:]...)
	} else if verb := english.Gerund(rest.At(0).Low, english.Practises()); verb != "" {
		direct = true
		words = append([]english.Word{{Low: verb}}, rest[1:]...)
	} else if c.Has(english.Unasked()) && rest.Workshop() && !c.Has(english.Bygone()) && !c.Has(english.Counted()) {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", append([]english.Word{{Low: "add"}}, rest.DeedWords()...))}, true
	} else {
		return Statement{}, false
	}
	next := rest.At(1).Low
	if next != "" && !english.Bounds()[next] || next == "" && !direct || c.Has(english.Bygone()) || c.Unconditional().Has(english.Counted()) {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", words)}, true
}

// readNothing reads what follows "nothing": "goes to main without a review".
func readNothing(c english.Clause) (Statement, bool) {
	if !english.Arrives()[c.At(0).Low] || !c.Has(english.Unless()) || !c.Workshop() || c.Has(english.Bygone()) {
		return Statement{}, false
	}
	words := c
	if words[0].Low != "goes" && len(words) > 1 && english.Participle(words[1].Low) {
		words = words[1:]
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", words)}, true
}

// readMine reads what users keep for themselves: "only I merge to main", "nobody but me".
func readMine(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("only i", "nobody but me", "one but me", "nobody except me", "one except me")
	if !ok {
		return Statement{}, false
	}
	return readNobody(rest)
}

// readNobody reads what follows "nobody".
func readNobody(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("may", "should", "should ever", "is allowed to", "am allowed to", "can", "will", "must", "is to", "ever"); ok {
		c = rest
	}
	verb := c.At(0).Low
	if english.Third(verb) {
		verb = verb[:len(verb)-1]
		if !english.Actions()[verb] {
			verb = verb[:len(verb)-1]
		}
	}
	if !english.Practises()[verb] || verb == "use" || c.Has(english.Definite()) && !c.Has(english.Branches()) || c.Has(english.Anymore()) || c.Has(english.Counted()) {
		return Statement{}, false
	}
	return readAct(english.Clause(append([]english.Word{{Low: verb}}, c[min(1, len(c)):]...)), memory.StrengthHard)
}

// readEvery reads what must be so of each piece of work.
func readEvery(c english.Clause) (Statement, bool) {
	for i := 1; i < min(5, len(c)-2); i++ {
		m := c[i].Low
		if m != "must" && m != "have" && m != "has" && m != "needs" {
			continue
		}
		if !english.Pieces()[c[i-1].Low] || c.At(i+1).Low == "have" && c.At(i+2).Low == "been" || c.At(i+1).Low == "already" || (m == "has" || m == "have") && c.At(i+1).Low != "to" {
			return Statement{}, false
		}
		if c.At(i+1).Low == "be" && !english.Participle(c.At(i+2).Low) {
			return Statement{}, false // it must be slow: a guess
		}
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", c)}, true
	}
	return Statement{}, false
}
