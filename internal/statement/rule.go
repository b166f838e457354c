package statement

import (
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// readRule reads what must or must not be done, addressed to an agent of the user.
func readRule(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("remember never to", "remember to never"); ok {
		return readAct(rest, memory.StrengthHard)
	}
	if rest, ok := c.Cut("make sure to", "make sure that you", "make sure you", "be sure to", "remember to", "please remember to"); ok {
		if s, ok := readAbsolute(rest); ok {
			return s, true
		}
		return readStanding(rest)
	}
	if s, ok := readAbsolute(c); ok {
		return s, true
	}
	if s, ok := readConsent(c); ok {
		return s, true
	}
	if s, ok := readTold(c); ok {
		return s, true
	}
	if s, ok := readInstead(c); ok {
		return s, true
	}
	return readStanding(c)
}

// readAbsolute reads "always", "never", "under no circumstances" and the like.
func readAbsolute(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("always", "never ever", "never under any circumstances", "do not under any circumstances", "do not you ever", "do not you dare", "never to", "never", "under no circumstances should you", "under no circumstances are you to", "under no circumstances may you", "under no circumstances", "in no case", "do not ever",
		"must always", "must never", "must not", "at all times")
	if !ok {
		return Statement{}, false
	}
	return readAct(rest.Stressed(), memory.StrengthHard)
}

// readTold reads rules in the second person, and bans.
func readTold(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("you must always", "you must never", "you should always", "you should never", "you must not", "you may not", "you may never", "you are never to", "you are not allowed to",
		"you are not to", "you shall not", "you shall never", "you need to always", "you have to always", "you can never", "you are never allowed to", "you should not ever", "you do not have permission to", "you have no permission to", "you do not have my permission to", "you are forbidden to", "you are strictly forbidden to", "you are prohibited to", "you are not supposed to ever", "you are never supposed to", "i forbid you to", "i never allow you to"); ok {
		return readAct(rest.Stressed(), memory.StrengthHard)
	}
	if rest, ok := c.Cut("you are forbidden from", "you are strictly forbidden from", "you are prohibited from", "refrain from ever", "i forbid you from"); ok {
		return readAct(rest.Based(), memory.StrengthHard)
	}
	if rest, ok := c.Cut("you must", "you have to", "you need to", "you are required to"); ok {
		if !english.Actions()[rest.At(0).Low] || !rest.Has(english.Everytime()) && !(english.Practises()[rest.At(0).Low] && rest.Has(english.Regularly())) {
			return Statement{}, false
		}
		if c.At(1).Low == "must" {
			return readAct(rest, memory.StrengthHard)
		}
		return readAct(rest, memory.StrengthFirm)
	}
	if rest, ok := c.Cut("you can not"); ok && insists(c) {
		return readAct(rest, memory.StrengthHard)
	}
	if rest, ok := c.Cut("you should not", "do not"); ok {
		if s, ok := readForbidden(rest); ok {
			return s, true
		}
		return readStanding(rest)
	}
	if rest, ok := c.Cut("stop", "quit", "avoid", "refrain from"); ok {
		if base := english.Gerund(rest.At(0).Low, english.Actions()); base != "" {
			rest = append([]english.Word{{Low: base}}, rest[1:]...)
			return readForbidden(rest)
		}
		if c.At(0).Low == "avoid" && english.Plural(rest.At(0).Low) {
			rest = append([]english.Word{{Low: "use"}}, rest...)
			return readForbidden(rest)
		}
		return Statement{}, false
	}
	if rest, ok := c.Cut("only ever", "only"); ok {
		return readForbidden(rest)
	}
	return Statement{}, false
}

// readConsent reads a request to be asked before an act: "ask before pushing to main". Its
// subject is that of "never push to main without asking".
func readConsent(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("always", "please always", "you must always", "you must", "you should always", "you need to", "you have to"); ok {
		c = rest
	}
	if rest, ok := c.Cut("need my permission before", "need my approval before", "need my ok before", "you need my permission before", "you need my approval before", "you need my explicit approval before", "you need my ok before"); ok {
		if english.Determiners()[rest.At(0).Low] {
			rest = rest.Skip(1)
		}
		rest = english.Clause(append([]english.Word{{Low: "do"}}, rest...)).Verbal().Based()
		s, ok := readActs(rest, memory.StrengthHard)
		s.Subject = english.Subject("rule", append(rest.DeedWords(), english.Word{Low: "without"}, english.Word{Low: "asking"}))
		return s, ok
	}
	rest, ok := c.Cut("ask me", "ask us", "ask for my approval", "ask for my permission", "ask for permission", "ask for approval", "ask", "check with me", "confirm with me", "check back with me", "talk to me", "get my approval", "get my permission",
		"get my ok", "get my okay", "wait for my approval", "wait for my ok", "wait for my okay", "let me know", "tell me", "consult me", "come back to me")
	if !ok {
		return Statement{}, false
	}
	if rest.At(0).Low == "first" {
		rest = rest.Skip(1)
	}
	if rest.At(0).Low != "before" || rest.At(0).Quoted {
		return Statement{}, false
	}
	deed := rest.Skip(1)
	if english.Determiners()[deed.At(0).Low] {
		deed = english.Clause(append([]english.Word{{Low: "do"}}, deed.Skip(1)...)).Verbal()
	} else if deed.At(0).Low == "you" {
		deed = deed.Skip(1)
		for often()[deed.At(0).Low] || deed.At(0).Low == "ever" {
			deed = deed.Skip(1)
		}
	} else if english.Gerund(deed.At(0).Low, english.Actions()) == "" && !programs.Spoken()[deed.At(0).Low] {
		return Statement{}, false
	}
	deed = deed.Based().Verbal()
	if deed.AtHand() {
		return Statement{}, false // it is for now
	}
	s, ok := readActs(deed, memory.StrengthHard)
	if !ok {
		return Statement{}, false
	}
	s.Subject = english.Subject("rule", append(deed.DeedWords(), english.Word{Low: "without"}, english.Word{Low: "asking"}))
	return s, true
}

// readAsked reads "I want you to ...".
func readAsked(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("i want you to", "i need you to", "i would like you to", "i expect you to", "i ask you to", "i am asking you to", "i would appreciate it if you"); ok {
		if s, ok := readNote(rest); ok {
			return s, true
		}
		if rest.At(0).Low == "not" {
			return readForbidden(rest.Skip(1))
		}
		if s, ok := readAbsolute(rest); ok {
			return s, true
		}
		return readStanding(rest)
	}
	if rest, ok := c.Cut("i never want to see", "i do not ever want to see", "i never ever want to see"); ok && !rest.Unsaid("see") && len(rest) > 0 && !english.Determiners()[rest.At(0).Low] {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", rest)}, true
	}
	if rest, ok := c.Cut("i do not want to see any more", "i do not want to see any", "i do not want any more", "i do not want any new", "i do not want any"); ok && len(rest) > 1 && (rest.Has(english.ToAgent()) || rest.Has(english.HouseRule()) || rest.Opening().Has(english.Lasting())) {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: english.Subject("rule", append([]english.Word{{Low: "use"}}, rest.DeedWords()...))}, true
	}
	if rest, ok := c.Cut("i never want you to", "i always want you to", "i never ever want you to", "i do not ever want you to"); ok {
		return readAct(rest, memory.StrengthHard)
	}
	if rest, ok := c.Cut("i do not want you to", "i would rather you did not", "i would rather you do not", "i would prefer you did not", "i would prefer you not", "i prefer that you do not",
		"i would prefer that you do not", "i would prefer that you did not"); ok {
		return readForbidden(rest)
	}
	return Statement{}, false
}

// readOnward reads what holds from now on: an order, or a practice of a group.
func readOnward(c english.Clause) (Statement, bool) {
	rest, ok := c.Cut("from now on", "from here on out", "from here on", "from this point on", "going forward", "moving forward", "in the future", "in future", "henceforth", "starting now", "starting today", "starting tomorrow", "from today on", "from today", "as of today", "as of now")
	if !ok {
		return Statement{}, false
	}
	for english.Fillers()[rest.At(0).Low] {
		rest = rest.Skip(1)
	}
	if s, ok := readRule(rest); ok {
		return s, true
	}
	if s, ok := readGrant(rest, true); ok {
		return s, true
	}
	if s, ok := readBarred(rest); ok {
		return s, true
	}
	if s, ok := readOrder(rest); ok {
		return s, true
	}
	if order, ok := rest.Cut("i want you to", "i would like you to", "i need you to", "you should", "you must", "you will", "do not"); ok {
		return readOrder(order)
	}
	switch rest.At(0).Low {
	case "we", "our":
		s, ok := readGroup(rest)
		s.Correction = true
		return s, ok
	case "call":
		return readSelf(rest)
	}
	if _, ok := rest.Cut("i prefer", "i would prefer", "my"); ok {
		return readState(rest)
	}
	return Statement{}, false
}

// readAct reads a verb and its object as a rule. The object is required: "never do
// that" is useless later.
func readAct(c english.Clause, strength memory.Strength) (Statement, bool) {
	for len(c) > 1 && strings.HasSuffix(c.At(0).Low, "ly") && !english.Actions()[c.At(0).Low] {
		c = c.Skip(1) // an adverb
	}
	if n := len(c); n > 1 && c.At(n-1).Low == "yourself" {
		c = c[:n-1]
	}
	c = c.Verbal()
	if c.Skip(1).Unsaid(c.At(0).Low) {
		return Statement{}, false
	}
	return readActs(c, strength)
}

// readActs is readAct for a clause whose object the sentence may have named before.
func readActs(c english.Clause, strength memory.Strength) (Statement, bool) {
	if c.Has(english.Proverbs()) && !c.Concrete() {
		return Statement{}, false
	}
	return readActing(c, strength)
}

// readActing is readActs for a clause that cannot be a proverb.
func readActing(c english.Clause, strength memory.Strength) (Statement, bool) {
	verb := c.At(0)
	if !english.Actions()[verb.Low] || verb.Quoted || !english.Complete()[verb.Low] && !(strength == memory.StrengthHard && english.Undirected()[verb.Low]) && (len(c) < 2 || verb.Stop != 0 && verb.Stop != '(') {
		return Statement{}, false
	}
	if verb.Low == "be" && !english.Manners()[c.At(1).Low] {
		return Statement{}, false
	}
	s := Statement{Type: memory.TypeConstraint, Strength: strength}
	words := c
	if at := excepted(words); at > 0 {
		// It replaces the same rule without an exception.
		words, s.Correction = words[:at], true
	}
	words = words.DeedWords()
	s.Subject = english.Subject("rule", words)
	if at := words.Questioned(); at > 0 {
		s.Subject = english.Subject(english.Subject("rule", words[:at]), words[at:].Triggers(false))
	}
	return s, s.Subject != ""
}

// readForbidden is readAct for a ban without "always" or "never". Such a ban is often
// temporary, so only verbs of habit count, and no objects of the current task.
func readForbidden(c english.Clause) (Statement, bool) {
	if c.At(0).Low == "ever" {
		return readAct(c.Skip(1), memory.StrengthHard)
	}
	if !english.Habits()[c.At(0).Low] || c.Said().AtHand() || english.Handy()[c.At(1).Low] {
		return Statement{}, false
	}
	return readAct(c, memory.StrengthFirm)
}

// readStanding reads an order that is explicitly permanent.
func readStanding(c english.Clause) (Statement, bool) {
	if !c.Has(english.Everytime()) && c.Questioned() == 0 || c.Skip(1).Unsaid(c.At(0).Low) {
		return Statement{}, false
	}
	if c.Questioned() > 0 {
		return readOrdered(c)
	}
	return readOrder(c)
}

// readOrder reads an order.
func readOrder(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("do not", "not"); ok {
		c = rest
	}
	return readActs(c, memory.StrengthFirm)
}

// readOrdered is readOrder for a clause that cannot be a proverb.
func readOrdered(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("do not", "not", "please", "always"); ok {
		c = rest
	}
	return readActing(c, memory.StrengthFirm)
}

// readInstead reads what to use instead of something else.
func readInstead(c english.Clause) (Statement, bool) {
	one, other, strength, ok := english.Instead(c)
	if !ok {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: strength, Subject: used(one), Replaces: used(other)}, true
}

// used returns the subject of a rule to use something.
func used(what english.Clause) string {
	return english.Subject("rule", append([]english.Word{{Low: "use"}}, what...))
}
