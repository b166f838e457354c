package statement

import (
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// takesBack reads a sentence that ends a rule by recalling it, itself or in the sentence
// before: "I told you to never touch legacy, drop it", "I said no sudo. Cancel that."
func (r *reader) takesBack(s english.Sentence, words []english.Word) (Statement, bool) {
	if len(words) < 2 || s.Question || english.Subjoins()[words[0].Low] && words[0].Low != "that" || !english.Clean(r.text[s.From:s.To]) || !english.Earnest(r.text[s.From:s.To], words) {
		return Statement{}, false
	}
	for i, w := range words {
		if w.Quoted || i > 0 && words[i-1].Stop == 0 && !english.SpokenJoints()[words[i-1].Low] || !english.Determiners()[w.Low] {
			continue
		}
		if st, ok := readVoided(english.Clause(words[i:])); ok {
			return st, true
		}
	}
	for i := range words {
		if !english.RuleBegins(words, i) {
			continue
		}
		if st, ok := readFreed(afterLead(english.Clause(words[i:]))); ok {
			return st, true
		}
	}
	from, _, ok := takenBack().Find(words)
	if !ok {
		from, ok = regranted(words)
	}
	if !ok || words[from].Quoted {
		return Statement{}, false
	}
	deed, ok := recalled(words[:from])
	begin := from
	for begin > 0 && words[begin-1].Stop == 0 {
		begin--
	}
	if n := len(r.lines); !ok && n > 0 && from-begin < 4 && unnamed(english.Clause(words[begin:from])) {
		before := r.lines[n-1].words
		if deed, ok = recalled(before); !ok && english.Clause(before).Has(regretted()) {
			for i := range before {
				if topic, named := namedRule(english.Clause(before[i:])); named {
					return readRevoked(topic, "about-rule")
				}
			}
		}
	}
	if !ok {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: english.Subject("rule", deed), Retraction: true, Correction: true}, true
}

// readFreed reads that an object or act is allowed again: "the migrations folder is no longer
// off limits", "rebasing is okay again".
func readFreed(c english.Clause) (Statement, bool) {
	if st, ok := readAllowed(c); ok && st.Retraction && c.Has(english.Resumed()) {
		return st, true
	}
	for i := 1; i < min(10, len(c)-1); i++ {
		if w := c[i-1]; w.Stop != 0 || english.Subjoins()[w.Low] {
			break
		}
		if w := c[i].Low; w != "is" && w != "are" {
			continue
		}
		rest, ended := c.Skip(i+1).Cut("no longer", "not", "now no longer")
		if _, off := rest.CutOne(english.Untouched()); ended && off && !c.Has(english.Clients()) && (c.At(i+1).Low == "no" || c.Has(english.Anymore())) {
			return readRevoked(undetermined(c[:i]), "about-rule")
		}
		break
	}
	return Statement{}, false
}

// undetermined returns a clause without the determiner at its beginning.
func undetermined(c english.Clause) english.Clause {
	if english.Determiners()[c.At(0).Low] {
		return c.Skip(1)
	}
	return c
}

// regranted returns where words allow again what they only point at: "you can run them again".
func regranted(words []english.Word) (int, bool) {
	for i := range words {
		c := english.Clause(words[i:])
		rest, ok := c.Cut("you can", "you may", "feel free to")
		if ok && english.Actions()[rest.At(0).Low] && (rest.At(1).Low == "it" || rest.At(1).Low == "them" || rest.At(1).Low == "that") && (english.Clause(words).Has(english.Resumed()) || c.Has(english.Onwards())) {
			return i, true
		}
	}
	return 0, false
}

// unnamed reports whether a clause names nothing of its own: "that", "so please".
func unnamed(c english.Clause) bool {
	for _, w := range c {
		if !english.Vague()[w.Low] && !english.Fillers()[w.Low] && !english.Stress()[w.Low] && !english.Greetings()[w.Low] && w.Low != "can" && w.Low != "may" && w.Low != "now" && w.Low != "is" {
			return false
		}
	}
	return true
}

// recalled returns the deed of a rule that the user recalls: "touch legacy" of "the thing I
// told you about never touching legacy". A mere order is no rule.
func recalled(words []english.Word) (english.Clause, bool) {
	from, at, ok := recalling().Find(words)
	if _, _, joke := english.Unearnest().Find(words); !ok || joke {
		return english.Clause{}, false
	}
	_, _, ruled := bannedBy().Find(words[from:at])
	for i := at; i < len(words); i++ {
		w := words[i]
		if w.Quoted && !w.Code {
			return english.Clause{}, false
		}
		before := words[i-1].Low
		ruled = ruled || before == "never" || before == "not" || before == "always"
		if before == "no" && (!english.Actions()[w.Low] || programs.Spoken()[w.Low]) && !english.Vague()[w.Low] && !recallEnds()[w.Low] {
			return english.Clause(append([]english.Word{{Low: "use"}}, recollected(english.Clause(words[i:]))...)), true
		}
		if !ruled || !recallJoints()[before] || !english.Actions()[w.Low] && english.Gerund(w.Low, english.Actions()) == "" {
			continue
		}
		deed := english.Clause(recollected(english.Clause(words[i:]))).Based().Verbal()
		return deed, len(deed) > 1 && !deed.Skip(1).Unsaid(deed.At(0).Low) || english.Undirected()[deed.At(0).Low]
	}
	return english.Clause{}, false
}

// recollected returns the words up to where another thought begins.
func recollected(c english.Clause) []english.Word {
	for i, w := range c {
		if i > 0 && recallEnds()[w.Low] {
			return c[:i]
		}
		if w.Stop != 0 {
			return c[:i+1]
		}
	}
	return c
}

var (
	// recalling are phrases with which users refer to a rule that they gave.
	recalling = english.Phrases("i told you|i said|i asked you|i forbade you|i forbid you|i banned|i wanted you|i instructed you|thing about|ban on|ban against|prohibition on|prohibition against|rule about|rule against|rule that you|rule to|earlier instruction|earlier request|old instruction")

	// regretted are phrases with which users reconsider a rule.
	regretted = english.Phrases("too strict|too harsh|went too far|was wrong about|overdid")

	// bannedBy are those of them that imply a rule by themselves.
	bannedBy = english.Phrases("forbade|forbid|banned|ban|prohibition|rule|instruction|request")

	// recallJoints are words between those and the deed, and recallEnds are words behind it.
	recallJoints = english.List("to never not about on against always you ever should must directly from banned")
	recallEnds   = english.List("well uh um uhm okay ok so earlier before yesterday but you i we that which anymore again because since")

	// takenBack are phrases that end a recalled rule.
	takenBack = english.Phrases("drop it/that|cancel it/that|scrap it/that|forget it/that|ignore it/that|disregard it/that|scratch that|i take it/that back|take that back|is over|is off|does not hold anymore/any|does not apply anymore/any|does not count anymore/any|no longer holds/applies/counts/stands|is no longer true/valid/needed/necessary|" +
		"is not true/valid/needed/necessary anymore|is lifted|is gone|is history|is void|is dead|is obsolete|has been lifted|you do not need to anymore/ask|you do not have to anymore/ask|you no longer need/have")
)
