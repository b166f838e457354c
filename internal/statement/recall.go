package statement

import (
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// takesBack reads a sentence that ends a rule by recalling it, there or in the sentence
// before: "I told you to never touch legacy, drop it", "I said no sudo. Cancel that."
func (r *reader) takesBack(s sentence, words []word) (Statement, bool) {
	if len(words) < 2 || s.question || subjoins()[words[0].low] && words[0].low != "that" || !clean(r.text[s.from:s.to]) || !earnest(r.text[s.from:s.to], words) {
		return Statement{}, false
	}
	for i, w := range words {
		if w.quoted || i > 0 && words[i-1].stop == 0 && !spokenJoints()[words[i-1].low] || !determiners()[w.low] {
			continue
		}
		if st, ok := (clause{words[i:]}).voided(); ok {
			return st, true
		}
	}
	for i := range words {
		if !startsRule(words, i) {
			continue
		}
		if st, ok := (clause{words[i:]}).led().freed(); ok {
			return st, true
		}
	}
	from, _, ok := takenBack().find(words)
	if !ok {
		from, ok = regranted(words)
	}
	if !ok || words[from].quoted {
		return Statement{}, false
	}
	deed, ok := recalled(words[:from])
	begin := from
	for begin > 0 && words[begin-1].stop == 0 {
		begin--
	}
	if n := len(r.lines); !ok && n > 0 && from-begin < 4 && (clause{words[begin:from]}).unnamed() {
		before := r.lines[n-1].words
		if deed, ok = recalled(before); !ok && (clause{before}).has(regretted()) {
			for i := range before {
				if topic, named := (clause{before[i:]}).namedRule(); named {
					return topic.revoked("about-rule")
				}
			}
		}
	}
	if !ok {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: key("rule", deed.words), Retraction: true, Correction: true}, true
}

// freed reads that what was out of bounds no longer is: "the migrations folder is no longer
// off limits", "rebasing is okay again".
func (c clause) freed() (Statement, bool) {
	if st, ok := c.allowed(); ok && st.Retraction && c.has(resumed()) {
		return st, true
	}
	for i := 1; i < min(10, len(c.words)-1); i++ {
		if w := c.words[i-1]; w.stop != 0 || subjoins()[w.low] {
			break
		}
		if w := c.words[i].low; w != "is" && w != "are" {
			continue
		}
		rest, ended := c.skip(i+1).cut("no longer", "not", "now no longer")
		if _, off := rest.cutOne(untouched()); ended && off && !c.has(clients()) && (c.at(i+1).low == "no" || c.has(anymore())) {
			return clause{c.words[:i]}.undetermined().revoked("about-rule")
		}
		break
	}
	return Statement{}, false
}

// undetermined returns a clause without the determiner at its beginning.
func (c clause) undetermined() clause {
	if determiners()[c.at(0).low] {
		return c.skip(1)
	}
	return c
}

// regranted returns where words allow again what they only point at: "you can run them again".
func regranted(words []word) (int, bool) {
	for i := range words {
		c := clause{words[i:]}
		rest, ok := c.cut("you can", "you may", "feel free to")
		if ok && actions()[rest.at(0).low] && (rest.at(1).low == "it" || rest.at(1).low == "them" || rest.at(1).low == "that") && ((clause{words}).has(resumed()) || c.has(onwards())) {
			return i, true
		}
	}
	return 0, false
}

// unnamed reports whether a clause names nothing of its own: "that", "so please".
func (c clause) unnamed() bool {
	for _, w := range c.words {
		if !vague()[w.low] && !fillers()[w.low] && !stress()[w.low] && !greetings()[w.low] && w.low != "can" && w.low != "may" && w.low != "now" && w.low != "is" {
			return false
		}
	}
	return true
}

// recalled returns what a rule is about of which the user speaks: "touch legacy" of "the
// thing I told you about never touching legacy". What was only ordered is no rule.
func recalled(words []word) (clause, bool) {
	from, at, ok := recalling().find(words)
	if _, _, joke := unearnest().find(words); !ok || joke {
		return clause{}, false
	}
	_, _, ruled := bannedBy().find(words[from:at])
	for i := at; i < len(words); i++ {
		w := words[i]
		if w.quoted && !w.code {
			return clause{}, false
		}
		before := words[i-1].low
		ruled = ruled || before == "never" || before == "not" || before == "always"
		if before == "no" && (!actions()[w.low] || programs.Spoken()[w.low]) && !vague()[w.low] && !recallEnds()[w.low] {
			return clause{append([]word{{low: "use"}}, clause{words[i:]}.recollected()...)}, true
		}
		if !ruled || !recallJoints()[before] || !actions()[w.low] && gerund(w.low, actions()) == "" {
			continue
		}
		deed := clause{clause{words[i:]}.recollected()}.based().verbal()
		return deed, len(deed.words) > 1 && !deed.skip(1).unsaid(deed.at(0).low) || undirected()[deed.at(0).low]
	}
	return clause{}, false
}

// recollected returns the words up to where another thought begins.
func (c clause) recollected() []word {
	for i, w := range c.words {
		if i > 0 && recallEnds()[w.low] {
			return c.words[:i]
		}
		if w.stop != 0 {
			return c.words[:i+1]
		}
	}
	return c.words
}

var (
	// recalling are phrases by which users speak of a rule that they gave.
	recalling = phrases("i told you|i said|i asked you|i forbade you|i forbid you|i banned|i wanted you|i instructed you|thing about|ban on|ban against|prohibition on|prohibition against|rule about|rule against|rule that you|rule to|earlier instruction|earlier request|old instruction")

	// regretted are phrases by which users think better of a rule.
	regretted = phrases("too strict|too harsh|went too far|was wrong about|overdid")

	// bannedBy are those of them that tell of a rule by themselves.
	bannedBy = phrases("forbade|forbid|banned|ban|prohibition|rule|instruction|request")

	// recallJoints are words between those and the deed, and recallEnds are words behind it.
	recallJoints = set("to never not about on against always you ever should must directly from banned")
	recallEnds   = set("well uh um uhm okay ok so earlier before yesterday but you i we that which anymore again because since")

	// takenBack are phrases by which a rule that was recalled ends.
	takenBack = phrases("drop it/that|cancel it/that|scrap it/that|forget it/that|ignore it/that|disregard it/that|scratch that|i take it/that back|take that back|is over|is off|does not hold anymore/any|does not apply anymore/any|does not count anymore/any|no longer holds/applies/counts/stands|is no longer true/valid/needed/necessary|" +
		"is not true/valid/needed/necessary anymore|is lifted|is gone|is history|is void|is dead|is obsolete|has been lifted|you do not need to anymore/ask|you do not have to anymore/ask|you no longer need/have")
)
