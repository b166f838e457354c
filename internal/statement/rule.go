package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// rule reads what must or must not be done, said to whoever works for the user.
func (c clause) rule() (Statement, bool) {
	if rest, ok := c.cut("remember never to", "remember to never"); ok {
		return rest.act(memory.StrengthHard)
	}
	if rest, ok := c.cut("make sure to", "make sure that you", "make sure you", "be sure to", "remember to", "please remember to"); ok {
		if s, ok := rest.absolute(); ok {
			return s, true
		}
		return rest.standing()
	}
	if s, ok := c.absolute(); ok {
		return s, true
	}
	if s, ok := c.consent(); ok {
		return s, true
	}
	if s, ok := c.told(); ok {
		return s, true
	}
	if s, ok := c.instead(); ok {
		return s, true
	}
	return c.standing()
}

// absolute reads "always", "never", "under no circumstances" and the like.
func (c clause) absolute() (Statement, bool) {
	rest, ok := c.cut("always", "never ever", "never under any circumstances", "do not under any circumstances", "do not you ever", "do not you dare", "never to", "never", "under no circumstances should you", "under no circumstances are you to", "under no circumstances may you", "under no circumstances", "in no case", "do not ever",
		"must always", "must never", "must not", "at all times")
	if !ok {
		return Statement{}, false
	}
	return rest.stressed().act(memory.StrengthHard)
}

// stressed returns a clause without the words behind "never" or "always" that only stress it.
func (c clause) stressed() clause {
	for {
		switch c.at(0).low {
		case "please", "ever", "to", "always", "never":
			c = c.skip(1)
		default:
			rest, ok := c.cut("under any circumstances", "in any case", "at any time", "and i mean never", "and i mean it", "i mean never")
			if !ok {
				return c
			}
			c = rest
		}
	}
}

// told reads what is said in the second person, and what is forbidden.
func (c clause) told() (Statement, bool) {
	if rest, ok := c.cut("you must always", "you must never", "you should always", "you should never", "you must not", "you may not", "you may never", "you are never to", "you are not allowed to",
		"you are not to", "you shall not", "you shall never", "you need to always", "you have to always", "you can never", "you are never allowed to", "you should not ever", "you do not have permission to", "you have no permission to", "you do not have my permission to", "you are forbidden to", "you are strictly forbidden to", "you are prohibited to", "you are not supposed to ever", "you are never supposed to", "i forbid you to", "i never allow you to"); ok {
		return rest.stressed().act(memory.StrengthHard)
	}
	if rest, ok := c.cut("you are forbidden from", "you are strictly forbidden from", "you are prohibited from", "refrain from ever", "i forbid you from"); ok {
		return rest.based().act(memory.StrengthHard)
	}
	if rest, ok := c.cut("you must", "you have to", "you need to", "you are required to"); ok {
		if !actions()[rest.at(0).low] || !rest.has(everytime()) && !(practises()[rest.at(0).low] && rest.has(regularly())) {
			return Statement{}, false
		}
		if c.at(1).low == "must" {
			return rest.act(memory.StrengthHard)
		}
		return rest.act(memory.StrengthFirm)
	}
	if rest, ok := c.cut("you can not"); ok && c.insists() {
		return rest.act(memory.StrengthHard)
	}
	if rest, ok := c.cut("you should not", "do not"); ok {
		if s, ok := rest.forbidden(); ok {
			return s, true
		}
		return rest.standing()
	}
	if rest, ok := c.cut("stop", "quit", "avoid", "refrain from"); ok {
		if base := gerund(rest.at(0).low, actions()); base != "" {
			rest.words = append([]word{{low: base}}, rest.words[1:]...)
			return rest.forbidden()
		}
		if c.at(0).low == "avoid" && plural(rest.at(0).low) {
			rest.words = append([]word{{low: "use"}}, rest.words...)
			return rest.forbidden()
		}
		return Statement{}, false
	}
	if rest, ok := c.cut("only ever", "only"); ok {
		return rest.forbidden()
	}
	return Statement{}, false
}

// consent reads that the user wants to be asked before something is done: "ask before
// pushing to main". Its subject is that of "never push to main without asking".
func (c clause) consent() (Statement, bool) {
	if rest, ok := c.cut("always", "please always", "you must always", "you must", "you should always", "you need to", "you have to"); ok {
		c = rest
	}
	if rest, ok := c.cut("need my permission before", "need my approval before", "need my ok before", "you need my permission before", "you need my approval before", "you need my explicit approval before", "you need my ok before"); ok {
		if determiners()[rest.at(0).low] {
			rest = rest.skip(1)
		}
		rest = clause{append([]word{{low: "do"}}, rest.words...)}.verbal().based()
		s, ok := rest.acts(memory.StrengthHard)
		s.Subject = key("rule", append(rest.deedWords(), word{low: "without"}, word{low: "asking"}))
		return s, ok
	}
	rest, ok := c.cut("ask me", "ask us", "ask for my approval", "ask for my permission", "ask for permission", "ask for approval", "ask", "check with me", "confirm with me", "check back with me", "talk to me", "get my approval", "get my permission",
		"get my ok", "get my okay", "wait for my approval", "wait for my ok", "wait for my okay", "let me know", "tell me", "consult me", "come back to me")
	if !ok {
		return Statement{}, false
	}
	if rest.at(0).low == "first" {
		rest = rest.skip(1)
	}
	if rest.at(0).low != "before" || rest.at(0).quoted {
		return Statement{}, false
	}
	deed := rest.skip(1)
	if determiners()[deed.at(0).low] {
		deed = clause{append([]word{{low: "do"}}, deed.skip(1).words...)}.verbal()
	} else if deed.at(0).low == "you" {
		deed = deed.skip(1)
		for often()[deed.at(0).low] || deed.at(0).low == "ever" {
			deed = deed.skip(1)
		}
	} else if gerund(deed.at(0).low, actions()) == "" && !programs.Spoken()[deed.at(0).low] {
		return Statement{}, false
	}
	deed = deed.based().verbal()
	if deed.isAtHand() {
		return Statement{}, false // it is for now
	}
	s, ok := deed.acts(memory.StrengthHard)
	if !ok {
		return Statement{}, false
	}
	s.Subject = key("rule", append(deed.deedWords(), word{low: "without"}, word{low: "asking"}))
	return s, true
}

// asked reads "I want you to ...".
func (c clause) asked() (Statement, bool) {
	if rest, ok := c.cut("i want you to", "i need you to", "i would like you to", "i expect you to", "i ask you to", "i am asking you to", "i would appreciate it if you"); ok {
		if s, ok := rest.note(); ok {
			return s, true
		}
		if rest.at(0).low == "not" {
			return rest.skip(1).forbidden()
		}
		if s, ok := rest.absolute(); ok {
			return s, true
		}
		return rest.standing()
	}
	if rest, ok := c.cut("i never want to see", "i do not ever want to see", "i never ever want to see"); ok && !rest.unsaid("see") && len(rest.words) > 0 && !determiners()[rest.at(0).low] {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", rest.words)}, true
	}
	if rest, ok := c.cut("i do not want to see any more", "i do not want to see any", "i do not want any more", "i do not want any new", "i do not want any"); ok && len(rest.words) > 1 && (rest.has(toAgent()) || rest.has(houseRule()) || rest.opening().has(lasting())) {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", append([]word{{low: "use"}}, rest.deedWords()...))}, true
	}
	if rest, ok := c.cut("i never want you to", "i always want you to", "i never ever want you to", "i do not ever want you to"); ok {
		return rest.act(memory.StrengthHard)
	}
	if rest, ok := c.cut("i do not want you to", "i would rather you did not", "i would rather you do not", "i would prefer you did not", "i would prefer you not", "i prefer that you do not",
		"i would prefer that you do not", "i would prefer that you did not"); ok {
		return rest.forbidden()
	}
	return Statement{}, false
}

// onward reads what holds from now on: an order, or how a group works.
func (c clause) onward() (Statement, bool) {
	rest, ok := c.cut("from now on", "from here on out", "from here on", "from this point on", "going forward", "moving forward", "in the future", "in future", "henceforth", "starting now", "starting today", "starting tomorrow", "from today on", "from today", "as of today", "as of now")
	if !ok {
		return Statement{}, false
	}
	for fillers()[rest.at(0).low] {
		rest = rest.skip(1)
	}
	if s, ok := rest.rule(); ok {
		return s, true
	}
	if s, ok := rest.grant(true); ok {
		return s, true
	}
	if s, ok := rest.barred(); ok {
		return s, true
	}
	if s, ok := rest.order(); ok {
		return s, true
	}
	if order, ok := rest.cut("i want you to", "i would like you to", "i need you to", "you should", "you must", "you will", "do not"); ok {
		return order.order()
	}
	switch rest.at(0).low {
	case "we", "our":
		s, ok := rest.group()
		s.Correction = true
		return s, ok
	case "call":
		return rest.self()
	}
	if _, ok := rest.cut("i prefer", "i would prefer", "my"); ok {
		return rest.state()
	}
	return Statement{}, false
}

// act reads a verb and what it acts on as a rule. What a verb acts on must be
// said: "never do that" is of no use later.
func (c clause) act(strength memory.Strength) (Statement, bool) {
	for len(c.words) > 1 && strings.HasSuffix(c.at(0).low, "ly") && !actions()[c.at(0).low] {
		c = c.skip(1) // an adverb
	}
	if n := len(c.words); n > 1 && c.at(n-1).low == "yourself" {
		c = clause{c.words[:n-1]}
	}
	c = c.verbal()
	if c.skip(1).unsaid(c.at(0).low) {
		return Statement{}, false
	}
	return c.acts(strength)
}

// verbal returns a clause whose deed begins with its verb where it is written as a command
// or with a noun: "`git push` to main" and "do a push to main" are to push to main, and
// "`rm -rf` the cache" is to run it.
func (c clause) verbal() clause {
	first := c.at(0)
	if first.low == "do" || first.low == "make" || first.low == "perform" {
		n := 1
		if determiners()[c.at(n).low] {
			n++
		}
		if c.at(n).low == "git" {
			n++
		}
		if verb := deeds[c.at(n).low]; verb != "" {
			return clause{append([]word{{low: verb, stop: c.at(n).stop}}, c.words[n+1:]...)}
		}
		return c
	}
	if first.quoted && !first.code || !programs.Spoken()[first.low] {
		return c
	}
	if next := c.at(1); first.low == "git" && actions()[next.low] && next.code == first.code {
		if len(c.words) == 2 || next.stop != 0 {
			return clause{append([]word{{low: "run"}}, c.words...)} // all of it
		}
		next.quoted = false
		return clause{append([]word{next}, c.words[2:]...)}
	}
	if first.code || !actions()[first.low] {
		return clause{append([]word{{low: "run"}}, c.words...)}
	}
	return c
}

// unsaid reports whether what a verb acts on is only pointed at.
func (c clause) unsaid(verb string) bool {
	if len(c.words) == 1 && strings.HasSuffix(c.at(0).low, "ly") {
		return true
	}
	switch first := c.at(0).low; first {
	case "me", "us", "anything", "everything", "anyone":
		return len(c.words) < 2 || c.at(0).stop != 0
	case "that":
		return !thatVerbs()[verb]
	case "what", "why", "how", "which":
		return !talking()[verb] && verb != "show" && verb != "describe" && verb != "document" || len(c.words) < 3
	default:
		return vague()[first] && !c.has(strong()) || vague()[c.at(1).low] && turns()[first] && !(conditional()[first] && deciders()[c.at(1).low]) || c.said().pointed()
	}
}

// isAtHand reports whether a clause points at what is at hand: by words that point, or by one of
// what people deal with once, as "my flight".
func (c clause) isAtHand() bool {
	if c.has(atHand()) {
		return true
	}
	for i, w := range c.words {
		if (w.low == "my" || w.low == "the") && dealings()[c.at(i+1).low] && c.at(i+2).low != "of" {
			return true
		}
	}
	return false
}

// pointed reports whether a clause points at a thing: "this airline", "with that".
func (c clause) pointed() bool {
	for i, w := range c.words {
		switch w.low {
		case "these", "those":
			return true
		case "this":
			if !houses()[c.at(i+1).low] && !houses()[c.at(i+2).low] && !hosts()[c.at(i+1).low] && c.at(i+1).low != "task" {
				return true
			}
		case "that":
			if i > 0 && prepositions()[c.words[i-1].low] {
				return true
			}
		}
	}
	return false
}

// acts is act for what may be about something that the sentence itself has named.
func (c clause) acts(strength memory.Strength) (Statement, bool) {
	if c.has(sayingsOfOld()) && !c.concrete() {
		return Statement{}, false
	}
	return c.acting(strength)
}

// acting is acts for what can be no proverb.
func (c clause) acting(strength memory.Strength) (Statement, bool) {
	verb := c.at(0)
	if !actions()[verb.low] || verb.quoted || !complete()[verb.low] && !(strength == memory.StrengthHard && undirected()[verb.low]) && (len(c.words) < 2 || verb.stop != 0 && verb.stop != '(') {
		return Statement{}, false
	}
	if verb.low == "be" && !manners()[c.at(1).low] {
		return Statement{}, false
	}
	s := Statement{Type: memory.TypeConstraint, Strength: strength}
	words := c.words
	if at := excepted(words); at > 0 {
		// It takes the place of the same rule without an exception.
		words, s.Correction = words[:at], true
	}
	words = clause{words}.deedWords()
	s.Subject = key("rule", words)
	if at := (clause{words}).questioned(); at > 0 {
		s.Subject = key(key("rule", words[:at]), clause{words[at:]}.triggers(false))
	}
	return s, s.Subject != ""
}

// deedWords returns the words that say what is done, without the reason and without what to do
// instead: "push to main" of "push to main, open a pull request" and of "push to main because
// CI deploys from it".
func (c clause) deedWords() []word {
	for i, w := range c.words {
		if i < 1 || w.quoted {
			continue
		}
		if w.low == "because" || w.low == "since" && c.words[i-1].stop != 0 {
			return c.words[:i]
		}
		if c.words[i-1].stop != 0 && (deciders()[w.low] || w.low == "never" || w.low == "not" || w.low == "ever" || actions()[w.low] && !strings.HasSuffix(w.low, "ing") || w.low == "always" || w.low == "instead" || w.low == "just") {
			return c.words[:i]
		}
	}
	return c.words
}

// forbidden is act for what is said without "always" or "never". That is often
// meant for the moment, so only verbs of habit count, and nothing that is at hand.
func (c clause) forbidden() (Statement, bool) {
	if c.at(0).low == "ever" {
		return c.skip(1).act(memory.StrengthHard)
	}
	if !habits()[c.at(0).low] || c.said().isAtHand() || handy()[c.at(1).low] {
		return Statement{}, false
	}
	return c.act(memory.StrengthFirm)
}

// standing reads an order that says itself that it is meant for every time.
func (c clause) standing() (Statement, bool) {
	if !c.has(everytime()) && c.questioned() == 0 || c.skip(1).unsaid(c.at(0).low) {
		return Statement{}, false
	}
	if c.questioned() > 0 {
		return c.ordered()
	}
	return c.order()
}

// order reads an order.
func (c clause) order() (Statement, bool) {
	if rest, ok := c.cut("do not", "not"); ok {
		c = rest
	}
	return c.acts(memory.StrengthFirm)
}

// ordered is order for what can be no proverb.
func (c clause) ordered() (Statement, bool) {
	if rest, ok := c.cut("do not", "not", "please", "always"); ok {
		c = rest
	}
	return c.acting(memory.StrengthFirm)
}

// instead reads "use X, not Y" and "prefer X over Y".
func (c clause) instead() (Statement, bool) {
	strength := memory.StrengthFirm
	rest, ok := c.cut("use", "write", "call it", "i want you to use", "please use")
	if !ok && programs.Spoken()[c.at(0).low] && c.at(1).low == "only" {
		rest, ok = clause{append([]word{{low: c.at(0).low, stop: ','}}, c.words[2:]...)}, true
	} else if !ok && programs.Spoken()[c.at(0).low] && c.at(1).low == "never" && programs.Spoken()[c.at(2).low] {
		rest, ok = c, true
	}
	if !ok {
		if rest, ok = c.cut("prefer"); !ok {
			return Statement{}, false
		}
		strength = memory.StrengthSoft
	}
	one, other, ok := rest.versus()
	if ok && (clause{rest.words[:len(one.words)+1]}).at(len(one.words)).low == "never" {
		strength = memory.StrengthHard
	}
	if !ok || one.at(0).low == "to" || determiners()[one.at(0).low] || vague()[one.at(0).low] || determiners()[other.at(0).low] || len(one.words) > 6 || one.isAtHand() {
		return Statement{}, false
	}
	return Statement{
		Type: memory.TypeConstraint, Strength: strength,
		Subject: key("rule", append([]word{{low: "use"}}, one.words...)), Replaces: key("rule", append([]word{{low: "use"}}, other.words...)),
	}, true
}

// versus splits what is wanted from what is not.
func (c clause) versus() (one, other clause, ok bool) {
	for i := 1; i < len(c.words); i++ {
		n := 0
		switch w := c.words[i]; {
		case w.quoted:
		case (w.low == "not" || w.low == "never") && c.words[i-1].stop != 0, w.low == "over", w.low == "and" && c.at(i+1).low == "not":
			n = 1
			if w.low == "and" {
				n = 2
			}
		case w.low == "instead" && c.at(i+1).low == "of", w.low == "rather" && c.at(i+1).low == "than":
			n = 2
		}
		if n > 0 && i+n < len(c.words) {
			return clause{c.words[:i]}, c.skip(i + n).head(), true
		}
	}
	return c, clause{}, false
}

// head returns the words up to the first mark, or what begins another thought.
func (c clause) head() clause {
	for i, w := range c.words {
		if i > 0 && turns()[w.low] {
			return clause{c.words[:i]}
		}
		if w.stop != 0 {
			return clause{c.words[:i+1]}
		}
	}
	return c
}

// thought returns the words up to the first mark, or to a reason or a condition.
func (c clause) thought() clause {
	for i, w := range c.words {
		if i > 0 && reasons()[w.low] {
			return clause{c.words[:i]}
		}
		if w.stop != 0 {
			return clause{c.words[:i+1]}
		}
	}
	return c
}

// gerund returns the verb of which a word is the form in -ing, if it is one of
// those known.
func gerund(low string, known wordSet) string {
	stem, ok := strings.CutSuffix(low, "ing")
	if !ok || len(stem) < 2 {
		return ""
	}
	for _, base := range []string{stem, stem + "e"} {
		if known[base] {
			return base
		}
	}
	if n := len(stem); stem[n-1] == stem[n-2] && known[stem[:n-1]] {
		return stem[:n-1]
	}
	return ""
}

func plural(low string) bool {
	return len(low) > 3 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && !vague()[low]
}
