package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/stated"
)

// readLift reads a sentence that ends a rule by allowing what it forbade, or by no longer
// requiring what it required: "you may push to main again", "no need to run the linter any
// more". A permission that is limited to places or times is an exception.
func readLift(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("you do not have to", "you do not need to", "you no longer have to", "you no longer need to", "no need to", "there is no need to", "not needed anymore to", "not needed any more to", "not necessary anymore to", "not necessary any more to", "it is no longer necessary to", "it is no longer needed to", "you need not", "we no longer need to", "we no longer have to",
		"there is no longer a need to", "no longer any need to"); ok {
		if !c.Has(english.Anymore()) && !c.Has(english.Lapses()) {
			return Statement{}, false
		}
		return readLifted(rest)
	}
	if rest, ok := c.Cut("you can go back to", "you may go back to", "feel free to go back to", "it is no longer forbidden to", "it is not forbidden anymore to", "it is not forbidden any more to"); ok {
		return readLifted(rest)
	}
	if rest, ok := c.Cut("you can stop", "you may stop", "you can quit", "feel free to stop"); ok {
		return readLifted(rest)
	}
	if rest, ok := c.Cut("you are allowed to", "you are permitted to", "you are free to", "you are again allowed to", "you are now allowed to", "it is allowed to", "it is permitted to", "it is again allowed to", "it is now allowed to", "it is now permitted to", "i allow you to",
		"i now allow you to", "you have my permission to", "you have permission to"); ok {
		if s, ok := readSpared(rest); ok && !c.Has(english.Renewed()) {
			return s, true
		}
		return readLifted(rest)
	}
	if rest, ok := c.Cut("you may now", "you can now", "you may again", "you can again", "you may", "you can", "it is fine to", "it is fine for you to", "it is ok to", "it is okay to", "it is ok for you to",
		"it is okay for you to", "it is all right to", "it is alright to", "it is now fine to", "it is now ok to", "it is now okay to", "it is fine now to", "it is ok now to", "it is okay now to", "it is fine again to", "it is ok again to", "it is okay again to",
		"it is safe to", "feel free to", "i am fine with you", "i am ok with you", "i am okay with you"); ok {
		if c.Has(english.Renewed()) {
			return readLifted(rest)
		}
		if s, ok := readSpared(rest); ok {
			return s, true
		}
		return readGrant(c, false)
	}
	if s, ok := readGrant(c, false); ok {
		return s, true
	}
	return readAllowed(c)
}

// readGrant reads a permission without "again" or "now": "you may push to main", and a permanent
// one: "go ahead and push to main from now on". Its object must belong to the project, since "you
// can start the next task" allows nothing that was forbidden.
func readGrant(c english.Clause, forGood bool) (Statement, bool) {
	rest, ok := c.Cut("you may", "you can", "you are allowed to", "you are free to", "feel free to")
	if !ok && forGood {
		if s, ok := readAllowed(c); ok {
			return s, true
		}
	}
	if !ok {
		if rest, ok = c.Cut("go ahead and", "just"); !ok || !forGood && !c.Has(english.Onwards()) {
			return Statement{}, false
		}
	}
	if !rest.Workshop() || !english.Practises()[rest.Based().At(0).Low] || rest.Has(english.Refusals()) || rest.Parted() {
		return Statement{}, false
	}
	return readLifted(rest)
}

// readLifted returns the statement that ends the rule about a verb and its object.
func readLifted(c english.Clause) (Statement, bool) {
	c = c.Based().Verbal()
	if own := c.Opening(); len(own) > 1 && !english.Renewals()[c.At(len(own)).Low] {
		c = own // another thought follows
	}
	if c.At(0).Low == "ask" {
		// "No need to ask" ends the rule to ask before the deed.
		if s, ok := readConsent(english.Clause(unrenewed(c))); ok {
			return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: s.Subject, Retraction: true, Correction: true}, true
		}
	}
	if (c.At(0).Low == "ask" || c.At(0).Low == "show" || c.At(0).Low == "tell") && c.At(1).Low == "me" && len(c) > 2 {
		c = english.Clause(append([]english.Word{c[0]}, c[2:]...))
	}
	words := unrenewed(c)
	if len(words) == 0 || len(words) < 2 && !english.Complete()[words[0].Low] && !(english.Undirected()[words[0].Low] && c.Has(english.Resumed())) || !english.Actions()[words[0].Low] || words[0].Low == "be" || words[0].Quoted || len(words) > 1 && english.Vague()[words[1].Low] || english.Clause(words).Pointed() || english.Clause(words).AtHand() {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: english.Subject("rule", words), Retraction: true, Correction: true}, true
}

// readSpared returns an exception for a verb and its object, with the place or time at which it
// is allowed.
func readSpared(c english.Clause) (Statement, bool) {
	c = c.Based()
	at := limited(c)
	if !english.Actions()[c.At(0).Low] || c.At(0).Quoted || at < 1 || english.Vague()[c.At(1).Low] {
		return Statement{}, false
	}
	where := c.Skip(at)
	if len(where) < 2 || !general(where) {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: english.Subject("rule", c), Exception: true, Correction: true}, true
}

// general reports whether a place or a condition can recur, unlike "when you are done" and "in
// this file".
func general(where english.Clause) bool {
	rest := where
	if where.At(1).Low == "it" && where.At(2).Low == "is" {
		rest = where.Skip(3)
	}
	if rest.AtHand() || rest.Pointed() || rest.Has(english.Passing()) || english.Determiners()[where.At(1).Low] && !english.Indefinite()[where.At(1).Low] {
		return false
	}
	switch where.At(0).Low {
	case "when", "if", "whenever", "unless":
		switch where.At(1).Low {
		case "it", "there":
			return where.At(2).Low == "is"
		case "i":
			return english.Sayings()[where.At(2).Low]
		}
		return where.At(0).Low == "whenever" || english.Indefinite()[where.At(1).Low]
	}
	return true
}

// limited returns the index of the place or time in a permission, or 0.
func limited(words []english.Word) int {
	for i := 1; i+1 < len(words); i++ {
		if w := words[i]; !w.Quoted && english.Limits()[w.Low] {
			return i
		}
	}
	return 0
}

// readAllowed reads "pushing to main is allowed again", "... is fine on release branches",
// and "running the linter is no longer required".
func readAllowed(c english.Clause) (Statement, bool) {
	if c.Has(english.Clients()) {
		return Statement{}, false // it is about a program
	}
	if c.At(0).Low == "direct" {
		c = c.Skip(1)
	}
	if programs.Spoken()[c.At(0).Low] && c.At(1).Low == "is" {
		c = english.Clause(append([]english.Word{{Low: "using"}}, c...))
	}
	if c.At(0).Low == "force" && c.At(1).Low == "pushing" {
		c = english.Clause(append([]english.Word{{Low: "force-pushing"}}, c[2:]...))
	}
	if verb := english.DeedNoun(c.At(1).Low); verb != "" && (c.At(2).Low == "are" || c.At(2).Low == "is") && !english.Determiners()[c.At(0).Low] && english.Gerund(c.At(0).Low, english.Actions()) == "" {
		c = english.Clause(append([]english.Word{{Low: verb}, c[0]}, c[2:]...)) // "package upgrades"
	} else if verb := english.DeedNouns[c.At(0).Low]; verb != "" && (english.Plural(c.At(0).Low) || c.At(1).Low == "is") {
		c = english.Clause(append([]english.Word{{Low: verb}}, c[1:]...))
	} else if english.Gerund(c.At(0).Low, english.Actions()) == "" {
		return Statement{}, false
	}
	for i := 1; i < min(12, len(c)-1); i++ {
		if c[i].Low != "is" && c[i].Low != "are" {
			continue
		}
		deed, rest := c[:i], c.Skip(i+1)
		if i == 1 && c.Has(english.Resumed()) {
			deed = append(slices.Clone(deed), english.Word{Low: "again"}) // all of it, as before
		}
		if _, ok := rest.Cut("no longer required", "no longer necessary", "no longer needed", "not required anymore", "not necessary anymore", "not needed anymore"); ok {
			return readLifted(deed)
		}
		if _, ok := rest.Cut("no longer forbidden", "no longer prohibited", "no longer banned", "not forbidden anymore"); ok {
			return readLifted(deed)
		}
		for rest.At(0).Low == "now" || rest.At(0).Low == "again" {
			rest = rest.Skip(1)
		}
		where, ok := rest.Cut("allowed", "permitted", "fine", "ok", "okay", "all right", "alright", "possible", "acceptable")
		if !ok {
			return Statement{}, false
		}
		if c.Has(english.Renewed()) || len(where) == 0 && (rest.At(0).Low == "allowed" || rest.At(0).Low == "permitted") {
			return readLifted(deed)
		}
		if len(where) == 0 || !english.Limits()[where.At(0).Low] {
			return Statement{}, false
		}
		return readSpared(english.Clause(append(append([]english.Word{}, deed...), where...)))
	}
	return Statement{}, false
}

// readForget reads what users take back: by the statement itself, by its topic, or by a
// reference to it.
func readForget(c english.Clause) (Statement, bool) {
	if rest, ok := c.Cut("you can", "you may", "i want you to", "i would like you to", "let us"); ok {
		c = rest
	}
	if rest, ok := c.Cut("forget what i said about", "forget what i told you about", "forget everything i said about", "ignore what i said about", "ignore what i told you about", "disregard what i said about",
		"disregard what i told you about", "i take back what i said about", "scratch what i said about", "never mind what i said about", "forget what we said about", "forget about what i said about"); ok {
		return readRevoked(rest, "about")
	}
	if s, ok := readVoided(c); ok {
		return s, true
	}
	verb, ok := c.Cut("forget about", "forget", "ignore", "disregard", "drop", "scrap", "lift", "revoke", "rescind", "cancel", "remove", "delete", "discard", "undo", "never mind", "scratch", "withdraw", "i withdraw", "i revoke", "i take back", "i lift", "i drop")
	if !ok {
		return Statement{}, false
	}
	if kind, rest, ok := english.RuleNoun(verb); ok {
		if s, ok := readQuotedRule(rest); ok {
			return s, true
		}
		return readPointedAt(rest, kind)
	}
	if topic, ok := namedRule(verb); ok && !english.Removes()[c.At(0).Low] {
		return readRevoked(topic, "about-rule")
	}
	rest, ok := c.Cut("forget that", "ignore that", "disregard that")
	if !ok || len(rest) < 3 {
		return Statement{}, false
	}
	english.TakeLead(&rest)
	s, ok := readState(rest)
	s.Retraction, s.Correction, s.Replaces = true, true, ""
	s.Exception, s.Anaphoric = false, false
	return s, ok
}

// readQuotedRule reads the rule in quotes that is taken back, word for word: "forget the rule 'use
// pnpm'".
func readQuotedRule(c english.Clause) (Statement, bool) {
	if len(c) < 2 || !c[0].Quoted {
		return Statement{}, false
	}
	var name strings.Builder
	for _, w := range c {
		if !w.Quoted {
			break
		}
		name.WriteString(w.Low)
	}
	return Statement{Type: memory.TypeConstraint, Subject: stated.NamedPrefix + stated.Squashed(name.String()), Retraction: true, Correction: true}, true
}

// readVoided reads "that rule no longer applies" and "the rule about tabs is off".
func readVoided(c english.Clause) (Statement, bool) {
	kind, rest, ok := english.RuleNoun(c)
	if topic, named := namedRule(c); !ok && named {
		for i := 2; i < min(7, len(c)); i++ {
			if lapses(c.Skip(i)) && (english.RuleNouns[c[i-1].Low] != "" || c[i-1].Low == "thing" || c[i-1].Low == "limit" && slices.ContainsFunc(topic, func(w english.Word) bool { return english.Digit(w.Low[0]) })) {
				return readRevoked(topic, "about-rule")
			}
		}
	}
	if !ok {
		return Statement{}, false
	}
	for i := range rest {
		tail := rest.Skip(i)
		if lapses(tail) {
			return readPointedAt(rest[:i], kind)
		}
		if where, ok := tail.Cut("does not apply to", "does not apply on", "does not apply in", "does not apply for", "does not apply if", "does not apply when", "does not hold for", "does not hold on"); ok && i == 0 && len(where) > 0 && !english.Vague()[where.At(0).Low] {
			return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: english.Subject("except", where), Exception: true, Anaphoric: true, Correction: true}, true
		}
	}
	return Statement{}, false
}

// lapses reports whether a clause begins with words that end a rule, and does not continue: "is
// over", unlike "is over my head".
func lapses(c english.Clause) bool {
	rest, ok := c.CutOne(english.Lapsed())
	if !ok {
		return false
	}
	next := rest.At(0).Low
	return next == "" || c.At(len(c)-len(rest)-1).Stop != 0 || english.Fillers()[next] || english.Renewals()[next] || english.Turns()[next] || english.Deciders()[next] || next == "for"
}

// namedRule returns the topic of the rule that a clause names: "emoji" of "the no-emoji rule".
func namedRule(c english.Clause) (english.Clause, bool) {
	if !english.Determiners()[c.At(0).Low] || english.Indefinite()[c.At(0).Low] && c.At(0).Low != "my" && c.At(0).Low != "our" {
		return c, false
	}
	negated := func(w english.Word) bool {
		return strings.HasPrefix(w.Low, "no-") || strings.HasSuffix(w.Low, "-only") || w.Low == "no"
	}
	for i := 2; i < min(6, len(c)); i++ {
		if c[i-1].Stop != 0 || c[i].Quoted {
			break
		}
		if kind := english.RuleNouns[c[i].Low]; kind != memory.TypeConstraint && c[i].Low != "limit" && !(c[i].Low == "thing" && slices.ContainsFunc(c[1:i], negated)) {
			continue
		}
		var topic []english.Word
		for _, w := range c[1:i] {
			w.Low = strings.TrimSuffix(strings.TrimPrefix(w.Low, "no-"), "-only")
			if w.Low != "no" && w.Low != "only" && !english.Earlier()[w.Low] {
				topic = append(topic, w)
			}
		}
		return english.Clause(topic), len(topic) > 0
	}
	return c, false
}

// readPointedAt returns the retraction of a statement of a type: the one that the clause
// describes, or else the last.
func readPointedAt(c english.Clause, kind memory.Type) (Statement, bool) {
	for len(c) > 0 && (c.At(0).Low == "please" || c.At(0).Low == "now" || c.At(0).Low == "again" || c.At(0).Low == "i" && c.At(1).Low == "gave") {
		c = c.Skip(1)
	}
	if rest, ok := c.Cut("that you must not", "that you must always", "that you must never", "that you must", "that you have to", "that you should not", "that you should", "that you may not", "that you never", "that you always", "about", "with", "on", "regarding", "concerning", "against", "for", "of", "that says", "not to", "never to", "to always", "to never", "to not", "to", "that i", "that"); ok && len(rest) > 0 {
		if kind == memory.TypeConstraint {
			return readRevoked(rest, "about-rule")
		}
		return readRevoked(rest, "about")
	}
	if n := len(c); n > 2 || n > 0 && !english.Stress()[c.At(0).Low] && c.At(0).Low != "you" && c.At(0).Low != "from" {
		return Statement{}, false
	}
	s := Statement{Type: kind, Subject: "last/" + string(kind), Retraction: true, Anaphoric: true, Correction: true}
	switch kind {
	case memory.TypeConstraint:
		s.Strength = memory.StrengthFirm
	case memory.TypePreference:
		s.Strength, s.Polarity = memory.StrengthFirm, memory.PolarityLike
	}
	return s, true
}

// readRevoked returns the retraction of a statement by its topic. A topic that is a deed means
// a rule, whatever the user calls it.
func readRevoked(c english.Clause, branch string) (Statement, bool) {
	if english.Vague()[c.At(0).Low] || c.Has(english.Places()) {
		return Statement{}, false
	}
	if english.Gerund(c.At(0).Low, english.Actions()) != "" {
		branch = "about-rule"
	}
	for i, w := range c {
		if i > 0 && (w.Low == "that" || w.Low == "which") && c.At(i+1).Low == "i" {
			c = c[:i] // when the user gave it
			break
		}
	}
	return Statement{Type: memory.TypeFact, Subject: english.Subject(branch, unrenewed(c)), Retraction: true, Correction: true}, true
}

// readFragment reads an exception in a sentence of its own, right after a rule or alone:
// "Except on release branches." "But on release branches you may."
func readFragment(c english.Clause, near bool) (Statement, bool) {
	s := Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Exception: true, Anaphoric: true, Correction: true}
	if rest, ok := c.Cut("except", "except for", "except on", "except in", "except if", "except when", "except that", "with the exception of", "unless", "other than", "apart from"); ok {
		if !near || len(rest) == 0 || c.Parted() || !isBare(rest, c.At(0).Low == "unless") {
			return Statement{}, false
		}
		s.Subject = english.Subject("except", rest)
		return s, s.Subject != ""
	}
	// The place comes first: "on release branches you may".
	if !english.Limits()[c.At(0).Low] && c.At(0).Low != "during" {
		return Statement{}, false
	}
	for i := 2; i < min(9, len(c)); i++ {
		rest := c.Skip(i)
		after, ok := rest.Cut("you may", "you can", "you are allowed to", "it is fine", "it is ok", "it is okay", "it is allowed", "that is fine", "that is ok", "that is okay", "that is allowed")
		if !ok {
			continue
		}
		where := c[:i]
		if !general(where) {
			return Statement{}, false
		}
		if after.At(0).Low == "to" {
			after = after.Skip(1)
		}
		if len(after) > 1 && english.Actions()[after.At(0).Low] && !english.Vague()[after.At(1).Low] {
			s.Anaphoric = false
			s.Subject = english.Subject("rule", append(append([]english.Word{}, after...), where...))
			return s, s.Subject != ""
		}
		for len(after) > 0 && (english.Again()[after.At(0).Low] || english.Fillers()[after.At(0).Low]) {
			after = after.Skip(1)
		}
		if !near || len(after) > 0 {
			return Statement{}, false
		}
		s.Subject = english.Subject("except", where.Skip(1))
		return s, s.Subject != ""
	}
	return Statement{}, false
}

// bare reports whether the text after "except" is not a sentence, and the text after "unless"
// is exactly one.
func isBare(c english.Clause, unless bool) bool {
	verbs := 0
	for i, w := range c {
		switch w.Low {
		case "this", "that", "these", "those", "everything", "nothing", "all":
			return false
		}
		if english.Present()[w.Low] || w.Low == "passes" || w.Low == "works" || w.Low == "fails" || unless && i > 0 && english.Sayings()[w.Low] {
			verbs++
		}
	}
	if !unless {
		return verbs == 0
	}
	return verbs <= 1 && c.At(1).Low != "am" && c.At(1).Low != "want"
}

// excepted returns the index of the exception in a rule, or 0.
func excepted(words []english.Word) int {
	for i := 2; i+1 < len(words); i++ {
		if w := words[i]; !w.Quoted && (w.Low == "except" || w.Low == "unless" || w.Low == "excepting") {
			return i
		}
	}
	return 0
}

// unrenewed returns words without those that only say "again".
func unrenewed(words []english.Word) []english.Word {
	words = english.TrimAnymore(words)
	for len(words) > 1 {
		n := len(words)
		switch {
		case english.Renewals()[words[n-1].Low]:
			words = words[:n-1]
		case n > 3 && words[n-1].Low == "on" && words[n-2].Low == "now" && words[n-3].Low == "from":
			words = words[:n-3]
		case n > 2 && (words[n-1].Low == "all" && words[n-2].Low == "after" || words[n-1].Low == "more" && words[n-2].Low == "once" || words[n-1].Low == "forward" && words[n-2].Low == "going"):
			words = words[:n-2]
		default:
			return words
		}
	}
	return words
}
