package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// barred reads a ban that has no "never": "no direct pushes to main", "pushing to main is
// forbidden", "nobody pushes to main", "all commits must be signed".
func (c clause) barred() (Statement, bool) {
	switch first := c.at(0).low; {
	case first == "no" && c.at(1).low != "one":
		return c.none()
	case first == "nobody", first == "no" && c.at(1).low == "one":
		if first == "no" {
			c = c.skip(1)
		}
		if s, ok := c.mine(); ok {
			return s, true
		}
		if rest, ok := c.skip(1).cut("including you", "not even you"); ok {
			return rest.nobody()
		}
		return c.skip(1).nobody()
	case first == "nothing":
		return c.skip(1).nothing()
	case first == "there":
		if rest, ok := c.cut("there must be no", "there must never be", "there should never be", "there must not be", "there may never be", "there shall be"); ok {
			if determiners()[rest.at(0).low] {
				rest = rest.skip(1)
			}
			return clause{append([]word{{low: "no"}}, rest.words...)}.none()
		}
		return Statement{}, false
	case first == "only":
		return c.mine()
	case first == "all" || first == "every" || first == "each" || first == "any":
		return c.skip(1).every()
	case first == "is" && c.at(1).low != "it" || first == "strictly" || first == "forbidden":
		rest, ok := c.cut("is strictly forbidden to", "is forbidden to", "strictly forbidden to", "forbidden to", "is not allowed to", "is prohibited to")
		if !ok || !practises()[rest.at(0).low] {
			return Statement{}, false
		}
		return rest.act(memory.StrengthHard)
	case first == "it":
		if rest, ok := c.cut("it is forbidden to", "it is prohibited to", "it is strictly forbidden to", "it is never ok to", "it is never okay to", "it is never fine to", "it is not ok to", "it is not okay to", "it is never acceptable to", "it is not allowed to", "it is not permitted to", "it is never allowed to", "it is forbidden that you", "it is strictly forbidden that you", "it is not allowed that you", "it is not allowed for you to", "it is forbidden for you to", "it is strictly prohibited to"); ok && (practises()[rest.at(0).low] || rest.concrete()) {
			return rest.act(memory.StrengthHard)
		}
		return Statement{}, false
	}
	if s, ok := c.agented(); ok {
		return s, true
	}
	if s, ok := c.handsOff(); ok {
		return s, true
	}
	if s, ok := c.undone(); ok {
		return s, true
	}
	if c.command() {
		c = c.verbal()
		if at := (clause{c.words}).forbidding(); at > 0 {
			return clause{c.words[:at]}.act(memory.StrengthHard)
		}
		return Statement{}, false
	}
	if programs.Spoken()[c.at(0).low] && (c.at(1).low == "is" || c.at(1).low == "are") {
		c = clause{append([]word{{low: "using"}}, c.words...)}
	}
	forced := c.at(0).low == "force"
	if c.at(0).low == "direct" || forced {
		c = c.skip(1)
	}
	base := gerund(c.at(0).low, practises())
	if _, ok := c.skip(1).cut("are my job", "are mine", "are my business", "is my job"); ok && deeds[c.at(0).low] != "" && c.opening().has(lasting()) {
		return clause{[]word{{low: deeds[c.at(0).low]}}}.act(memory.StrengthHard) // "commits are my job from now on"
	}
	if base == "" {
		base = deeds[c.at(0).low]
	}
	if base == "" {
		return Statement{}, false
	}
	if forced && base == "push" {
		base = "force-push"
	}
	for i := 1; i < min(12, len(c.words)-1); i++ {
		if c.words[i].low != "is" && c.words[i].low != "are" {
			continue
		}
		rest, ok := c.skip(i + 1).cut(bans...)
		if n := len(c.words) - len(rest.words) - 1; ok && c.words[n].stop != 0 {
			rest = clause{} // what follows is another thought
		}
		if !ok || len(rest.words) > 0 && !bounds()[rest.at(0).low] || rest.at(0).low == "for" && !addressees()[rest.at(1).low] {
			return Statement{}, false
		}
		words := append([]word{{low: base}}, c.words[1:i]...)
		return clause{words}.act(memory.StrengthHard)
	}
	return Statement{}, false
}

// maxKinds is how many words stand at most before what the agent is called.
const maxKinds = 4

// forbidding returns where a clause says that what stands before is forbidden, or 0.
func (c clause) forbidding() int {
	for i := 1; i < min(12, len(c.words)-1); i++ {
		if c.words[i].low == "is" || c.words[i].low == "are" {
			if rest, ok := c.skip(i + 1).cut(bans...); ok && (len(rest.words) == 0 || bounds()[rest.at(0).low]) {
				return i
			}
			return 0
		}
	}
	return 0
}

// passive returns what must not be done, and to what: "tests must never be skipped".
func (c clause) passive() (verb string, what clause, ok bool) {
	for i := 1; i < min(6, len(c.words)-2); i++ {
		if w := c.words[i-1]; w.stop != 0 || w.quoted && !w.code || subordinate()[w.low] || vague()[w.low] {
			return "", clause{}, false
		}
		rest, ok := c.skip(i).cut("must never be", "must not be", "should never be", "may never be", "may not be", "shall never be", "can never be", "must never ever be", "is never to be", "are never to be", "is not to be", "are not to be")
		if !ok {
			continue
		}
		verb := unparticiple(rest.at(0).low)
		return verb, clause{append(append([]word{}, c.words[:i]...), rest.words[1:]...)}, practises()[verb] || crafts()[verb]
	}
	return "", clause{}, false
}

// undone reads a ban in the passive voice on what is done with something of the project.
func (c clause) undone() (Statement, bool) {
	verb, what, ok := c.passive()
	if !ok || !what.has(strong()) && !what.has(products()) && !what.particular() || what.isAtHand() {
		return Statement{}, false
	}
	return clause{append([]word{{low: verb}}, what.words...)}.act(memory.StrengthHard)
}

// unparticiple returns the verb of a participle in -ed, or "".
func unparticiple(low string) string {
	stem, ok := strings.CutSuffix(low, "ed")
	if !ok || len(stem) < 2 {
		return ""
	}
	for _, base := range []string{stem, stem + "e"} {
		if actions()[base] {
			return base
		}
	}
	if n := len(stem); stem[n-1] == stem[n-2] && actions()[stem[:n-1]] {
		return stem[:n-1]
	}
	return ""
}

// agented reads what agents must or must not do, in the third person: "agents must never
// push to main", "the bot never merges its own pull requests".
func (c clause) agented() (Statement, bool) {
	n := 0
	for n < maxKinds && agentKinds()[c.at(n).low] {
		n++
	}
	if w := c.at(n); !agents()[w.low] || w.stop != 0 || w.quoted {
		return Statement{}, false
	}
	rest, ok := c.skip(n+1).cut("must never ever", "must never", "must not ever", "must not", "must always", "may never", "may not", "should never", "should always", "shall never", "shall not", "can never", "are never to", "are not to", "is never to", "is not to",
		"are never allowed to", "are not allowed to", "is never allowed to", "is not allowed to", "do not ever", "never ever", "never", "always")
	if !ok {
		if rest, ok := c.skip(n+1).cut("must", "should", "has to", "have to", "need to", "needs to"); ok {
			return rest.consent()
		}
		return Statement{}, false
	}
	if verb := rest.at(0).low; third(verb) {
		first := rest.words[0]
		if first.low = verb[:len(verb)-1]; !actions()[first.low] {
			first.low = verb[:len(verb)-2]
		}
		rest = clause{append([]word{first}, rest.words[1:]...)}
	}
	if w := c.at(n).low; !rest.opening().concrete() && (w == "bot" || w == "bots" || w == "model" || w == "models") {
		return Statement{}, false // one that the project makes
	}
	return rest.act(memory.StrengthHard)
}

// handsOff reads what is not to be touched: "hands off the migrations folder", "main is off
// limits".
func (c clause) handsOff() (Statement, bool) {
	what, ok := c.cut("hands off of", "hands off", "keep your hands off of", "keep your hands off", "stay away from", "keep away from", "stay out of", "keep out of", "keep off")
	if !ok && c.at(0).low == "leave" && c.has(alone()) {
		what, ok = c.skip(1), true
	}
	if !ok {
		for i := 1; i < min(6, len(c.words)-1) && !ok; i++ {
			if c.words[i].low != "is" && c.words[i].low != "are" {
				continue
			}
			rest, off := c.skip(i+1).cut("off limits", "off-limits", "untouchable", "taboo", "a no-go zone")
			if off && (rest.at(0).low == "always" || rest.at(0).low == "ever") {
				rest = rest.skip(1)
			}
			if !off || len(rest.words) > 0 && rest.at(0).low != "for" || rest.at(0).low == "for" && !addressees()[rest.at(1).low] && deeds[rest.at(1).low] == "" && rest.at(1).low != "direct" {
				return Statement{}, false
			}
			what, ok = clause{c.words[:i]}, true
		}
	}
	if what = (clause{what.deedWords()}); !ok || !what.workshop() || what.isAtHand() || what.has(aloneForNow()) {
		return Statement{}, false
	}
	return clause{append([]word{{low: "touch"}}, what.words...)}.act(memory.StrengthHard)
}

// none reads what follows "no": a kind of act, by its noun or its verb.
func (c clause) none() (Statement, bool) {
	rest, direct := c.skip(1), false
	for rest.at(0).low == "direct" || rest.at(0).low == "more" || rest.at(0).low == "force" && deeds[rest.at(1).low] != "" {
		direct = direct || rest.at(0).low != "more"
		if rest.at(0).low == "force" {
			break
		}
		rest = rest.skip(1)
	}
	var words []word
	if rest.at(0).low == "force" {
		words = append([]word{{low: "force-push"}}, rest.words[2:]...)
		rest = rest.skip(1)
	} else if verb := deeds[rest.at(0).low]; verb != "" {
		words = append([]word{{low: verb}}, rest.words[1:]...)
	} else if verb := gerund(rest.at(0).low, practises()); verb != "" {
		direct = true
		words = append([]word{{low: verb}}, rest.words[1:]...)
	} else if c.has(unasked()) && rest.workshop() && !c.has(bygone()) && !c.has(counted()) {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", append([]word{{low: "add"}}, rest.deedWords()...))}, true
	} else {
		return Statement{}, false
	}
	next := rest.at(1).low
	if next != "" && !bounds()[next] || next == "" && !direct || c.has(bygone()) || c.unconditional().has(counted()) {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", words)}, true
}

// unconditional returns a clause up to the condition under which it holds.
func (c clause) unconditional() clause {
	for i, w := range c.words {
		if i > 1 && (w.low == "while" || w.low == "when" || w.low == "until" || w.low == "unless" || w.low == "if") {
			return clause{c.words[:i]}
		}
	}
	return c
}

// nothing reads what follows "nothing": "goes to main without a review".
func (c clause) nothing() (Statement, bool) {
	if !arrives()[c.at(0).low] || !c.has(unless()) || !c.workshop() || c.has(bygone()) {
		return Statement{}, false
	}
	words := c.words
	if words[0].low != "goes" && len(words) > 1 && participle(words[1].low) {
		words = words[1:]
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", words)}, true
}

// mine reads what users keep for themselves: "only I merge to main", "nobody but me".
func (c clause) mine() (Statement, bool) {
	rest, ok := c.cut("only i", "nobody but me", "one but me", "nobody except me", "one except me")
	if !ok {
		return Statement{}, false
	}
	return rest.nobody()
}

// nobody reads what follows "nobody".
func (c clause) nobody() (Statement, bool) {
	if rest, ok := c.cut("may", "should", "should ever", "is allowed to", "am allowed to", "can", "will", "must", "is to", "ever"); ok {
		c = rest
	}
	verb := c.at(0).low
	if third(verb) {
		verb = verb[:len(verb)-1]
		if !actions()[verb] {
			verb = verb[:len(verb)-1]
		}
	}
	if !practises()[verb] || verb == "use" || c.has(definite()) && !c.has(branches()) || c.has(anymore()) || c.has(counted()) {
		return Statement{}, false
	}
	return clause{append([]word{{low: verb}}, c.words[min(1, len(c.words)):]...)}.act(memory.StrengthHard)
}

// every reads what must be so of each piece of work.
func (c clause) every() (Statement, bool) {
	for i := 1; i < min(5, len(c.words)-2); i++ {
		m := c.words[i].low
		if m != "must" && m != "have" && m != "has" && m != "needs" {
			continue
		}
		if !pieces()[c.words[i-1].low] || c.at(i+1).low == "have" && c.at(i+2).low == "been" || c.at(i+1).low == "already" || (m == "has" || m == "have") && c.at(i+1).low != "to" {
			return Statement{}, false
		}
		if c.at(i+1).low == "be" && !participle(c.at(i+2).low) {
			return Statement{}, false // it must be slow: a guess
		}
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", c.words)}, true
	}
	return Statement{}, false
}

// participle reports whether a word can be what is done to something.
func participle(low string) bool {
	return strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ible") || strings.HasSuffix(low, "able") || strings.HasSuffix(low, "en") || low == "done" || low == "built" || low == "green" || low == "kept" || low == "run" || low == "made"
}
