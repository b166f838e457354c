package statement

import (
	"slices"
	"strings"
	"unicode"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// lift reads what ends a rule by allowing again what it forbade, or by no longer asking
// for what it asked for: "you may push to main again", "no need to run the linter any
// more". What is allowed only here or there, or only now and then, is an exception.
func (c clause) lift() (Statement, bool) {
	if rest, ok := c.cut("you do not have to", "you do not need to", "you no longer have to", "you no longer need to", "no need to", "there is no need to", "not needed anymore to", "not needed any more to", "not necessary anymore to", "not necessary any more to", "it is no longer necessary to", "it is no longer needed to", "you need not", "we no longer need to", "we no longer have to",
		"there is no longer a need to", "no longer any need to"); ok {
		if !c.has(anymore()) && !c.has(lapses()) {
			return Statement{}, false
		}
		return rest.lifted()
	}
	if rest, ok := c.cut("you can go back to", "you may go back to", "feel free to go back to", "it is no longer forbidden to", "it is not forbidden anymore to", "it is not forbidden any more to"); ok {
		return rest.lifted()
	}
	if rest, ok := c.cut("you can stop", "you may stop", "you can quit", "feel free to stop"); ok {
		return rest.lifted()
	}
	if rest, ok := c.cut("you are allowed to", "you are permitted to", "you are free to", "you are again allowed to", "you are now allowed to", "it is allowed to", "it is permitted to", "it is again allowed to", "it is now allowed to", "it is now permitted to", "i allow you to",
		"i now allow you to", "you have my permission to", "you have permission to"); ok {
		if s, ok := rest.spared(); ok && !c.has(renewed()) {
			return s, true
		}
		return rest.lifted()
	}
	if rest, ok := c.cut("you may now", "you can now", "you may again", "you can again", "you may", "you can", "it is fine to", "it is fine for you to", "it is ok to", "it is okay to", "it is ok for you to",
		"it is okay for you to", "it is all right to", "it is alright to", "it is now fine to", "it is now ok to", "it is now okay to", "it is fine now to", "it is ok now to", "it is okay now to", "it is fine again to", "it is ok again to", "it is okay again to",
		"it is safe to", "feel free to", "i am fine with you", "i am ok with you", "i am okay with you"); ok {
		if c.has(renewed()) {
			return rest.lifted()
		}
		if s, ok := rest.spared(); ok {
			return s, true
		}
		return c.grant(false)
	}
	if s, ok := c.grant(false); ok {
		return s, true
	}
	return c.allowed()
}

// grant reads a permission without "again" or "now": "you may push to main", and, said for
// good, "go ahead and push to main from now on". What is allowed must be something of the
// project, since "you can start the next task" allows nothing that was forbidden.
func (c clause) grant(forGood bool) (Statement, bool) {
	rest, ok := c.cut("you may", "you can", "you are allowed to", "you are free to", "feel free to")
	if !ok && forGood {
		if s, ok := c.allowed(); ok {
			return s, true
		}
	}
	if !ok {
		if rest, ok = c.cut("go ahead and", "just"); !ok || !forGood && !c.has(onwards()) {
			return Statement{}, false
		}
	}
	if !rest.workshop() || !practises()[rest.based().at(0).low] || rest.has(refusals()) || rest.parted() {
		return Statement{}, false
	}
	return rest.lifted()
}

// lifted returns what ends the rule about a verb and what it acts on.
func (c clause) lifted() (Statement, bool) {
	c = c.based().verbal()
	if own := c.opening(); len(own.words) > 1 && !renewals()[c.at(len(own.words)).low] {
		c = own // what follows is another thought
	}
	if c.at(0).low == "ask" {
		// What need not be asked for is the rule to ask before it.
		if s, ok := (clause{unrenewed(c.words)}).consent(); ok {
			return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: s.Subject, Retraction: true, Correction: true}, true
		}
	}
	if (c.at(0).low == "ask" || c.at(0).low == "show" || c.at(0).low == "tell") && c.at(1).low == "me" && len(c.words) > 2 {
		c = clause{append([]word{c.words[0]}, c.words[2:]...)}
	}
	words := unrenewed(c.words)
	if len(words) == 0 || len(words) < 2 && !complete()[words[0].low] && !(undirected()[words[0].low] && c.has(resumed())) || !actions()[words[0].low] || words[0].low == "be" || words[0].quoted || len(words) > 1 && vague()[words[1].low] || (clause{words}).pointed() || (clause{words}).isAtHand() {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: key("rule", words), Retraction: true, Correction: true}, true
}

// spared returns an exception for a verb, what it acts on, and where or when that is
// allowed.
func (c clause) spared() (Statement, bool) {
	c = c.based()
	at := limited(c.words)
	if !actions()[c.at(0).low] || c.at(0).quoted || at < 1 || vague()[c.at(1).low] {
		return Statement{}, false
	}
	where := c.skip(at)
	if len(where.words) < 2 || !general(where) {
		return Statement{}, false
	}
	return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: key("rule", c.words), Exception: true, Correction: true}, true
}

// general reports whether a place or a condition is one that comes again, unlike "when
// you are done" and "in this file".
func general(where clause) bool {
	rest := where
	if where.at(1).low == "it" && where.at(2).low == "is" {
		rest = where.skip(3)
	}
	if rest.isAtHand() || rest.pointed() || rest.has(passing()) || determiners()[where.at(1).low] && !indefinite()[where.at(1).low] {
		return false
	}
	switch where.at(0).low {
	case "when", "if", "whenever", "unless":
		switch where.at(1).low {
		case "it", "there":
			return where.at(2).low == "is"
		case "i":
			return sayings()[where.at(2).low]
		}
		return where.at(0).low == "whenever" || indefinite()[where.at(1).low]
	}
	return true
}

// limited returns where in a clause stands where or when something is allowed, or 0.
func limited(words []word) int {
	for i := 1; i+1 < len(words); i++ {
		if w := words[i]; !w.quoted && limits()[w.low] {
			return i
		}
	}
	return 0
}

// allowed reads "pushing to main is allowed again", "... is fine on release branches",
// and "running the linter is no longer required".
func (c clause) allowed() (Statement, bool) {
	if c.has(clients()) {
		return Statement{}, false // it is about a program
	}
	if c.at(0).low == "direct" {
		c = c.skip(1)
	}
	if programs.Spoken()[c.at(0).low] && c.at(1).low == "is" {
		c = clause{append([]word{{low: "using"}}, c.words...)}
	}
	if c.at(0).low == "force" && c.at(1).low == "pushing" {
		c = clause{append([]word{{low: "force-pushing"}}, c.words[2:]...)}
	}
	if verb := deedNoun(c.at(1).low); verb != "" && (c.at(2).low == "are" || c.at(2).low == "is") && !determiners()[c.at(0).low] && gerund(c.at(0).low, actions()) == "" {
		c = clause{append([]word{{low: verb}, c.words[0]}, c.words[2:]...)} // "package upgrades"
	} else if verb := deeds[c.at(0).low]; verb != "" && (plural(c.at(0).low) || c.at(1).low == "is") {
		c = clause{append([]word{{low: verb}}, c.words[1:]...)}
	} else if gerund(c.at(0).low, actions()) == "" {
		return Statement{}, false
	}
	for i := 1; i < min(12, len(c.words)-1); i++ {
		if c.words[i].low != "is" && c.words[i].low != "are" {
			continue
		}
		deed, rest := clause{c.words[:i]}, c.skip(i+1)
		if i == 1 && c.has(resumed()) {
			deed = clause{append(slices.Clone(deed.words), word{low: "again"})} // all of it, as before
		}
		if _, ok := rest.cut("no longer required", "no longer necessary", "no longer needed", "not required anymore", "not necessary anymore", "not needed anymore"); ok {
			return deed.lifted()
		}
		if _, ok := rest.cut("no longer forbidden", "no longer prohibited", "no longer banned", "not forbidden anymore"); ok {
			return deed.lifted()
		}
		for rest.at(0).low == "now" || rest.at(0).low == "again" {
			rest = rest.skip(1)
		}
		where, ok := rest.cut("allowed", "permitted", "fine", "ok", "okay", "all right", "alright", "possible", "acceptable")
		if !ok {
			return Statement{}, false
		}
		if c.has(renewed()) || len(where.words) == 0 && (rest.at(0).low == "allowed" || rest.at(0).low == "permitted") {
			return deed.lifted()
		}
		if len(where.words) == 0 || !limits()[where.at(0).low] {
			return Statement{}, false
		}
		return clause{append(append([]word{}, deed.words...), where.words...)}.spared()
	}
	return Statement{}, false
}

// based returns a clause whose first verb is in its plain form.
func (c clause) based() clause {
	for len(c.words) > 1 && (stress()[c.at(0).low] || c.at(0).low == "again" || c.at(0).low == "now") {
		c = c.skip(1)
	}
	if base := gerund(c.at(0).low, actions()); base != "" && !actions()[c.at(0).low] {
		first := c.words[0]
		first.low = base
		return clause{append([]word{first}, c.words[1:]...)}
	}
	return c
}

// forget reads what users take back: by the statement itself, by what it was about, or
// by pointing at it.
func (c clause) forget() (Statement, bool) {
	if rest, ok := c.cut("you can", "you may", "i want you to", "i would like you to", "let us"); ok {
		c = rest
	}
	if rest, ok := c.cut("forget what i said about", "forget what i told you about", "forget everything i said about", "ignore what i said about", "ignore what i told you about", "disregard what i said about",
		"disregard what i told you about", "i take back what i said about", "scratch what i said about", "never mind what i said about", "forget what we said about", "forget about what i said about"); ok {
		return rest.revoked("about")
	}
	if s, ok := c.voided(); ok {
		return s, true
	}
	verb, ok := c.cut("forget about", "forget", "ignore", "disregard", "drop", "scrap", "lift", "revoke", "rescind", "cancel", "remove", "delete", "discard", "undo", "never mind", "scratch", "withdraw", "i withdraw", "i revoke", "i take back", "i lift", "i drop")
	if !ok {
		return Statement{}, false
	}
	if kind, rest, ok := verb.ruleNoun(); ok {
		if s, ok := rest.quotedRule(); ok {
			return s, true
		}
		return rest.pointedAt(kind)
	}
	if topic, ok := verb.namedRule(); ok && !removes()[c.at(0).low] {
		return topic.revoked("about-rule")
	}
	rest, ok := c.cut("forget that", "ignore that", "disregard that")
	if !ok || len(rest.words) < 3 {
		return Statement{}, false
	}
	rest.lead()
	s, ok := rest.state()
	s.Retraction, s.Correction, s.Replaces = true, true, ""
	s.Exception, s.Anaphoric = false, false
	return s, ok
}

// quotedRule reads the rule in quotes that is taken back, word for word: "forget the rule 'use
// pnpm'".
func (c clause) quotedRule() (Statement, bool) {
	if len(c.words) < 2 || !c.words[0].quoted {
		return Statement{}, false
	}
	var name strings.Builder
	for _, w := range c.words {
		if !w.quoted {
			break
		}
		name.WriteString(w.low)
	}
	return Statement{Type: memory.TypeConstraint, Subject: namedPrefix + squashed(name.String()), Retraction: true, Correction: true}, true
}

// namedPrefix begins the subject of what takes a rule back by its words.
const namedPrefix = "named/"

// named reports whether a statement takes back what is known, by its words. The end of a long
// one may be missing.
func (s *Statement) named(k *Known) bool {
	name, ok := strings.CutPrefix(s.Subject, namedPrefix)
	if !ok || name == "" {
		return false
	}
	var said strings.Builder
	for _, w := range split(k.Text, sentence{to: len(k.Text)}) {
		said.WriteString(w.low) // contractions are written out there, too
	}
	return strings.HasPrefix(squashed(said.String()), name)
}

// squashed returns the letters and digits of a text in lower case.
func squashed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// voided reads "that rule no longer applies" and "the rule about tabs is off".
func (c clause) voided() (Statement, bool) {
	kind, rest, ok := c.ruleNoun()
	if topic, named := c.namedRule(); !ok && named {
		for i := 2; i < min(7, len(c.words)); i++ {
			if c.skip(i).lapses() && (ruleNouns[c.words[i-1].low] != "" || c.words[i-1].low == "thing" || c.words[i-1].low == "limit" && slices.ContainsFunc(topic.words, func(w word) bool { return digit(w.low[0]) })) {
				return topic.revoked("about-rule")
			}
		}
	}
	if !ok {
		return Statement{}, false
	}
	for i := range rest.words {
		tail := rest.skip(i)
		if tail.lapses() {
			return clause{rest.words[:i]}.pointedAt(kind)
		}
		if where, ok := tail.cut("does not apply to", "does not apply on", "does not apply in", "does not apply for", "does not apply if", "does not apply when", "does not hold for", "does not hold on"); ok && i == 0 && len(where.words) > 0 && !vague()[where.at(0).low] {
			return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Subject: key("except", where.words), Exception: true, Anaphoric: true, Correction: true}, true
		}
	}
	return Statement{}, false
}

// lapses reports whether a clause begins with words by which a rule has ended, and no more is
// said of how it is: "is over", unlike "is over my head".
func (c clause) lapses() bool {
	rest, ok := c.cutOne(lapsed())
	if !ok {
		return false
	}
	next := rest.at(0).low
	return next == "" || c.at(len(c.words)-len(rest.words)-1).stop != 0 || fillers()[next] || renewals()[next] || turns()[next] || deciders()[next] || next == "for"
}

// ruleNoun takes off "that rule", "my earlier rule", "the ban" and their like, and
// returns of which type the statement is that they mean.
func (c clause) ruleNoun() (memory.Type, clause, bool) {
	if !determiners()[c.at(0).low] || indefinite()[c.at(0).low] && c.at(0).low != "my" && c.at(0).low != "our" {
		return "", c, false
	}
	for i := 1; i < min(4, len(c.words)); i++ {
		if kind := ruleNouns[c.words[i].low]; kind != "" {
			return kind, c.skip(i + 1), !c.words[i].quoted
		}
		if c.words[i].low == "request" && c.at(0).low == "my" {
			return memory.TypeConstraint, c.skip(i + 1), !c.words[i].quoted
		}
		if !earlier()[c.words[i].low] {
			break
		}
	}
	return "", c, false
}

// namedRule returns what the rule is about that a clause names: "emoji" of "the no-emoji rule".
func (c clause) namedRule() (clause, bool) {
	if !determiners()[c.at(0).low] || indefinite()[c.at(0).low] && c.at(0).low != "my" && c.at(0).low != "our" {
		return c, false
	}
	negated := func(w word) bool {
		return strings.HasPrefix(w.low, "no-") || strings.HasSuffix(w.low, "-only") || w.low == "no"
	}
	for i := 2; i < min(6, len(c.words)); i++ {
		if c.words[i-1].stop != 0 || c.words[i].quoted {
			break
		}
		if kind := ruleNouns[c.words[i].low]; kind != memory.TypeConstraint && c.words[i].low != "limit" && !(c.words[i].low == "thing" && slices.ContainsFunc(c.words[1:i], negated)) {
			continue
		}
		var topic []word
		for _, w := range c.words[1:i] {
			w.low = strings.TrimSuffix(strings.TrimPrefix(w.low, "no-"), "-only")
			if w.low != "no" && w.low != "only" && !earlier()[w.low] {
				topic = append(topic, w)
			}
		}
		return clause{topic}, len(topic) > 0
	}
	return c, false
}

// pointedAt returns what takes back a statement of a type: the one that a clause says
// more of, or else the last.
func (c clause) pointedAt(kind memory.Type) (Statement, bool) {
	for len(c.words) > 0 && (c.at(0).low == "please" || c.at(0).low == "now" || c.at(0).low == "again" || c.at(0).low == "i" && c.at(1).low == "gave") {
		c = c.skip(1)
	}
	if rest, ok := c.cut("that you must not", "that you must always", "that you must never", "that you must", "that you have to", "that you should not", "that you should", "that you may not", "that you never", "that you always", "about", "with", "on", "regarding", "concerning", "against", "for", "of", "that says", "not to", "never to", "to always", "to never", "to not", "to", "that i", "that"); ok && len(rest.words) > 0 {
		if kind == memory.TypeConstraint {
			return rest.revoked("about-rule")
		}
		return rest.revoked("about")
	}
	if n := len(c.words); n > 2 || n > 0 && !stress()[c.at(0).low] && c.at(0).low != "you" && c.at(0).low != "from" {
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

// revoked returns what takes back a statement by what it was about. What is done is a
// rule's, whatever it is called.
func (c clause) revoked(branch string) (Statement, bool) {
	if vague()[c.at(0).low] || c.has(places()) {
		return Statement{}, false
	}
	if gerund(c.at(0).low, actions()) != "" {
		branch = "about-rule"
	}
	for i, w := range c.words {
		if i > 0 && (w.low == "that" || w.low == "which") && c.at(i+1).low == "i" {
			c = clause{c.words[:i]} // when the user gave it
			break
		}
	}
	return Statement{Type: memory.TypeFact, Subject: key(branch, unrenewed(c.words)), Retraction: true, Correction: true}, true
}

// fragment reads an exception that stands as a sentence of its own, right behind a rule
// or alone: "Except on release branches." "But on release branches you may."
func (c clause) fragment(near bool) (Statement, bool) {
	s := Statement{Type: memory.TypeConstraint, Strength: memory.StrengthFirm, Exception: true, Anaphoric: true, Correction: true}
	if rest, ok := c.cut("except", "except for", "except on", "except in", "except if", "except when", "except that", "with the exception of", "unless", "other than", "apart from"); ok {
		if !near || len(rest.words) == 0 || c.parted() || !rest.bare(c.at(0).low == "unless") {
			return Statement{}, false
		}
		s.Subject = key("except", rest.words)
		return s, s.Subject != ""
	}
	// Where it is allowed comes first: "on release branches you may".
	if !limits()[c.at(0).low] && c.at(0).low != "during" {
		return Statement{}, false
	}
	for i := 2; i < min(9, len(c.words)); i++ {
		rest := c.skip(i)
		after, ok := rest.cut("you may", "you can", "you are allowed to", "it is fine", "it is ok", "it is okay", "it is allowed", "that is fine", "that is ok", "that is okay", "that is allowed")
		if !ok {
			continue
		}
		where := clause{c.words[:i]}
		if !general(where) {
			return Statement{}, false
		}
		if after.at(0).low == "to" {
			after = after.skip(1)
		}
		if len(after.words) > 1 && actions()[after.at(0).low] && !vague()[after.at(1).low] {
			s.Anaphoric = false
			s.Subject = key("rule", append(append([]word{}, after.words...), where.words...))
			return s, s.Subject != ""
		}
		for len(after.words) > 0 && (again()[after.at(0).low] || fillers()[after.at(0).low]) {
			after = after.skip(1)
		}
		if !near || len(after.words) > 0 {
			return Statement{}, false
		}
		s.Subject = key("except", where.skip(1).words)
		return s, s.Subject != ""
	}
	return Statement{}, false
}

// bare reports whether what follows "except" is no sentence of its own, and what follows
// "unless" is one and no more.
func (c clause) bare(unless bool) bool {
	verbs := 0
	for i, w := range c.words {
		switch w.low {
		case "this", "that", "these", "those", "everything", "nothing", "all":
			return false
		}
		if present()[w.low] || w.low == "passes" || w.low == "works" || w.low == "fails" || unless && i > 0 && sayings()[w.low] {
			verbs++
		}
	}
	if !unless {
		return verbs == 0
	}
	return verbs <= 1 && c.at(1).low != "am" && c.at(1).low != "want"
}

// parted reports whether behind a mark more follows than a courtesy.
func (c clause) parted() bool {
	for i, w := range c.words[:max(len(c.words)-1, 0)] {
		if w.stop != 0 && !fillers()[c.words[i+1].low] {
			return true
		}
	}
	return false
}

// excepted returns where a rule says what it does not hold for, or 0.
func excepted(words []word) int {
	for i := 2; i+1 < len(words); i++ {
		if w := words[i]; !w.quoted && (w.low == "except" || w.low == "unless" || w.low == "excepting") {
			return i
		}
	}
	return 0
}

// unrenewed returns words without what only says that they hold again.
func unrenewed(words []word) []word {
	words = trimAnymore(words)
	for len(words) > 1 {
		n := len(words)
		switch {
		case renewals()[words[n-1].low]:
			words = words[:n-1]
		case n > 3 && words[n-1].low == "on" && words[n-2].low == "now" && words[n-3].low == "from":
			words = words[:n-3]
		case n > 2 && (words[n-1].low == "all" && words[n-2].low == "after" || words[n-1].low == "more" && words[n-2].low == "once" || words[n-1].low == "forward" && words[n-2].low == "going"):
			words = words[:n-2]
		default:
			return words
		}
	}
	return words
}

// trimAnymore returns words without "anymore" at their end.
func trimAnymore(words []word) []word {
	n := len(words)
	switch {
	case n > 0 && words[n-1].low == "anymore":
		return words[:n-1]
	case n > 1 && words[n-1].low == "more" && words[n-2].low == "any":
		return words[:n-2]
	case n > 1 && words[n-1].low == "longer" && words[n-2].low == "any":
		return words[:n-2]
	}
	return words
}
