package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// directive is an order that a clause gives the agent: its operators, in whatever order they
// are said, and the deed.
type directive struct {
	you      bool // the agent is addressed
	modal    bool // it must, may, shall or is allowed to
	duty     bool // it must or has to
	negative bool
	absolute bool // never, always, ever, only, under no circumstances
	only     bool
	deed     clause // from the verb on
}

// directive reads the operators at the beginning of a clause. Those of one directive come in
// many orders: "you must never", "never must you", "please don't you ever".
func (c clause) directive() (d directive, ok bool) {
	switch rest, found := c.cut("i do not ever want you to", "i never ever want you to", "i never want you to", "i do not want you to ever"); {
	case found:
		d.you, d.negative, d.absolute, c = true, true, true, rest
	default:
		if rest, found := c.cut("i do not want you to", "i would rather you did not", "i would rather you do not", "i would prefer you did not", "i would prefer if you did not"); found {
			d.you, d.negative, c = true, true, rest
		} else if rest, found := c.cut("i want you to", "i need you to", "i expect you to", "i would like you to", "make sure you", "make sure that you", "i would appreciate it if you would"); found {
			d.you, c = true, rest
		}
	}
	if rest, found := c.cut("under no circumstances", "under no circumstance", "in no case", "on no account", "at no time", "at no point"); found {
		d.you, d.negative, d.absolute, c = true, true, true, rest
	}
	if rest, found := c.cut("i do not want you", "i never want you"); found && gerund(rest.at(0).low, actions()) != "" {
		d.you, d.negative, c = true, true, rest.based()
	}
	if rest, found := c.cut("make it a habit to", "make it your habit to", "get in the habit to"); found {
		d.you, d.absolute, c = true, true, rest
	}
	light := false // a verb that says nothing was passed over: "you make never a commit"
	for len(c.words) > 0 {
		w := c.at(0)
		if w.quoted {
			break
		}
		if rest, found := c.cut("have to", "need to", "are to"); found {
			if d.negative && w.low != "are" {
				return d, false // it is not needed
			}
			d.modal, d.duty, c = true, true, rest
			continue
		}
		switch {
		case w.low == "you":
			d.you = true
		case w.low == "must" || w.low == "shall":
			d.modal, d.duty = true, true
		case w.low == "may" || w.low == "should" || w.low == "can" || w.low == "will" && (c.at(1).low == "not" || c.at(1).low == "never"):
			d.modal = true
		case w.low == "are" && (c.at(1).low == "not" || c.at(1).low == "never"):
			// "you are not allowed to": the phrase follows.
		case (w.low == "do" || d.you && w.low == "make") && (c.at(1).low == "not" || c.at(1).low == "never"):
			d.you, light = true, true // an imperative addresses the one who reads it
		case w.low == "to" && !d.you && (c.at(1).low == "never" || c.at(1).low == "not" || c.at(1).low == "always"):
			d.you = true // "I ask you to never": the sentence said whom
		case w.low == "not":
			d.negative = true
		case w.low == "allowed" || w.low == "permitted" || w.low == "supposed":
			d.modal = true
		case w.low == "never":
			d.negative, d.absolute = true, true
		case w.low == "ever" && d.negative, w.low == "always":
			d.absolute = true
		case w.low == "only":
			d.only, d.absolute = true, true
		case w.low == "to" && (d.absolute || d.modal):
		case stress()[w.low] || fillers()[w.low] && w.stop == 0 || w.low == "ever":
		default:
			if light && determiners()[w.low] {
				c = clause{append([]word{{low: "make"}}, c.words...)}
			}
			d.deed = c
			return d, d.absolute || d.negative || d.modal
		}
		if w.stop != 0 && w.low != "please" && !(d.absolute && w.stop == ',') {
			return d, false
		}
		c = c.skip(1)
	}
	return d, false
}

// verb reports whether a word can be the verb of a deed: closed lists of verbs are too short
// behind words that can only have a verb behind them.
func (w word) verb() bool {
	low := w.low
	if actions()[low] || programs.Spoken()[low] {
		return !w.quoted || w.code
	}
	if w.quoted || len(low) < 2 || vague()[low] || determiners()[low] || prepositions()[low] || reasons()[low] || unverbs()[low] || counts()[low] || past()[low] || plural(low) && !strings.HasSuffix(low, "ss") {
		return false
	}
	for _, r := range low {
		if (r < 'a' || r > 'z') && r != '-' {
			return false
		}
	}
	return !strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "ing") && !strings.HasSuffix(low, "ly")
}

// begins returns where in a sentence a directive may begin: at its beginning, behind a mark,
// and where words that address the agent follow words that join clauses. Behind words that
// report, ask or suppose none begins.
func begins(words []word, i int) bool {
	if words[i].quoted {
		return false
	}
	if i == 0 {
		return true
	}
	switch words[i-1].stop {
	case ',', '-', ':':
		return words[i].low != "to" || (clause{words[:i]}).has(beseeching())
	}
	prev := words[i-1].low
	if subjoins()[prev] || tellingWords()[prev] {
		if prev != "that" || i < 3 {
			return false
		}
		switch words[i-2].low {
		case "is", "stays", "remains":
			return wanted()[words[i-3].low] || words[0].low == "what" && words[1].low == "i"
		}
		return false
	}
	switch low := words[i].low; low {
	case "you":
		return true
	case "to":
		return (clause{words[:i]}).has(beseeching())
	case "i":
		return i+3 < len(words) && words[i+1].low == "do" && words[i+2].low == "not" && words[i+3].low == "want"
	case "under", "do", "never", "always":
		return fillers()[prev] || prelude()[prev] || spokenJoints()[prev]
	}
	return false
}

// recounts reports whether the words before a colon say that what follows are the words of
// others, or words to write.
func recounts(words []word) bool {
	for i, w := range words {
		if w.quoted || tellingWords()[w.low] || w.low == "tell" || utterances()[w.low] || documents()[w.low] || sources()[w.low] || rewords()[w.low] || i == 0 && (tasks()[w.low] || actions()[w.low] && w.low != "remember") {
			return true
		}
	}
	return false
}

// directed reads an order to the agent wherever it stands in a sentence. Insisted says that
// the words behind the sentence make it one for every time.
func (r *reader) directed(s sentence, whole []word, insisted bool) (candidate, bool) {
	if !clean(r.text[s.from:s.to]) {
		return candidate{}, false
	}
	full, everywhere := unscoped(whole)
	words, tagged := untagged(full)
	if len(words) < 2 || s.question && !tagged || !earnest(r.text[s.from:s.to], whole) || secret(whole) || (clause{whole}).has(recalls()) || (clause{whole}).has(bygone()) && !(clause{whole}).has(lasting()) {
		return candidate{}, false
	}
	if w := words[0]; w.low != "do" && interrogative()[w.low] && w.low != "when" && !(clause{words}).has(wanting()) || w.low == "in" && !placed(words) {
		return candidate{}, false
	}
	lasts := insisted || (clause{words}).has(lasting()) || (clause{words}).insists()
	for i := range words {
		if i > 0 && words[i-1].stop == ':' && recounts(words[:i]) {
			return candidate{}, false
		}
		if !begins(words, i) {
			continue
		}
		c := clause{words[i:]}
		if i == 0 {
			c.lead()
		}
		if c.at(0).low == "no" {
			c = clause{full[len(words)-len(c.words):]} // "please" makes it a ban
		}
		if i > 0 {
			for fillers()[c.at(0).low] {
				c = c.skip(1)
			}
			if st, ok := c.lift(); ok && st.Retraction && c.has(resumed()) && (clause{c.words}).workshop() {
				st.Text, st.From, st.To, st.Everywhere = r.text[s.from:s.to], s.from, s.to, everywhere
				return candidate{Statement: st, clause: c, general: true}, true
			}
		}
		first := i == 0 || preludes(words[:i]) || (words[i-1].stop == ':' || words[i-1].stop == ',') && announcing(words[:i]) || situates(words[:i])
		st, read, ok := c.ordains(lasts, first)
		if !ok && first && i > 0 && words[i-1].stop == ':' {
			if st, ok = c.state(); ok && st.Type == memory.TypeConstraint && !st.Retraction && !st.Exception {
				read, whole, lasts = c, words[i:], true
			} else {
				ok = false
			}
		}
		if !ok {
			continue
		}
		_, _, made := c.produces()
		if _, ok := c.confined(); ok {
			made = true
		}
		if i > 0 && !frames()[words[0].low] && words[i-1].stop != ':' {
			s.from = words[i].from
		}
		if st.Within = within(r.text, whole); st.Within != "" && !lasts {
			return candidate{}, false
		}
		st.Within = ""
		if st.Strength == memory.StrengthHard && (clause{whole}).has(hedges()) {
			st.Strength = memory.StrengthFirm
		}
		st.Text, st.From, st.To, st.Everywhere = r.text[s.from:s.to], s.from, s.to, everywhere
		return candidate{Statement: st, clause: read, general: lasts || made, plain: st.Strength == memory.StrengthFirm && c.bans() && c.lastingly(), told: lasts || c.at(0).low == "you", opens: first}, true
	}
	return candidate{}, false
}

// preludes reports whether words only lead to what is said behind them: "okay so um first thing".
func preludes(words []word) bool {
	for _, w := range words {
		if w.quoted || !prelude()[w.low] && !fillers()[w.low] && !spokenJoints()[w.low] && !greetings()[w.low] && !agents()[w.low] {
			return false
		}
	}
	return true
}

// situates reports whether words are only a place of the project at hand: "in this codebase".
func situates(words []word) bool {
	from, to, ok := thisProject().find(words)
	return ok && from == 0 && to == len(words)
}

// announcing reports whether the words before a colon say that a rule for the agent follows:
// "quick ground rule since we have customers", "for all your testing, today and later".
func announcing(words []word) bool {
	for len(words) > 0 && fillers()[words[0].low] && !sizes()[words[0].low] {
		words = words[1:]
	}
	if len(words) == 0 || recounts(words) {
		return false
	}
	if (clause{words}).has(lasting()) && !narrators()[words[0].low] {
		return true
	}
	for i, w := range words[:min(4, len(words))] {
		if headed()[w.low] && !plural(w.low) {
			next := clause{words[i+1:]}
			return !prepositions()[next.at(0).low] || next.at(0).low == "for" || houses()[next.at(1).low] || houses()[next.at(2).low]
		}
		if !sizes()[w.low] && !counts()[w.low] && w.low != "new" && (i > 0 || !determiners()[w.low]) {
			break
		}
	}
	return false
}

// placed reports whether words begin with a place of the project at hand, or are meant for
// every time.
func placed(words []word) bool {
	from, _, ok := thisProject().find(words)
	return ok && from == 0 || (clause{words}).has(lasting())
}

// ordains reads a clause as an order, and returns it in its plain form, too: "never push to
// main" of "I don't want you to push to main ever again". Lasts says that it is meant for
// every time.
func (c clause) ordains(lasts, first bool) (Statement, clause, bool) {
	if first {
		if s, read, ok := c.bars(lasts); ok {
			return s, read, ok
		}
	}
	if verb := c.at(0); first && lasts && actions()[verb.low] && !verb.quoted && c.insists() {
		return Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", clause{c.words[:len(c.words)-1]}.deedWords())}, clause{append([]word{{low: "always"}}, c.words...)}, !c.skip(1).unsaid(verb.low)
	}
	d, ok := c.directive()
	if !ok || !d.you && !(first && d.negative && d.absolute) {
		return Statement{}, clause{}, false
	}
	for len(d.deed.words) > 1 && strings.HasSuffix(d.deed.at(0).low, "ly") && !actions()[d.deed.at(0).low] {
		d.deed = d.deed.skip(1)
	}
	deed := d.deed.verbal()
	verb := deed.at(0)
	object := clause{deed.deedWords()}.skip(1)
	if !verb.verb() || verb.stop != 0 && !undirected()[verb.low] || object.unsaid(verb.low) || object.has(yielding()) || !d.absolute && deed.said().isAtHand() {
		return Statement{}, clause{}, false
	}
	strength := memory.StrengthHard
	switch {
	case d.negative && c.at(0).low == "you" && (c.at(1).low == "will" && (foretold()[verb.low] || prepositions()[object.at(0).low] || object.at(0).low == "out") || c.at(1).low == "can" && !d.absolute && !lasts && (deed.has(because()) || object.at(0).low == "a" || object.at(0).low == "an")):
		return Statement{}, clause{}, false // it is foretold, or explained
	case d.you && d.absolute && !d.modal && !d.only && d.deed.complains(d.negative):
		return Statement{}, clause{}, false
	case !d.you && !deed.concrete() && !deed.tabooed(d):
		return Statement{}, clause{}, false
	case d.absolute && (d.negative || d.duty || !d.modal), d.negative && lasts, d.duty && lasts:
	case d.negative && d.modal && first && c.at(0).low == "you":
	case d.negative && c.at(0).low == "you" && (practises()[verb.low] || crafts()[verb.low]) && !deed.has(amiss()) && !virtues()[verb.low]:
	case d.negative && deed.workshop() && c.at(0).low == "i", d.negative && first && c.bans() && c.lastingly():
		strength = memory.StrengthFirm
	default:
		return Statement{}, clause{}, false
	}
	if !deed.concrete() && !deed.has(products()) && !deed.has(belongings()) && !deed.tabooed(d) && !practises()[verb.low] && !crafts()[verb.low] && !talking()[verb.low] && !object.code() {
		strength = memory.StrengthFirm
	}
	operator := "always"
	if d.negative {
		operator = "never"
	}
	s := Statement{Type: memory.TypeConstraint, Strength: strength, Subject: key("rule", deed.deedWords())}
	return s, clause{append([]word{{low: operator}}, deed.words...)}, s.Subject != ""
}

// commands reports whether a clause begins with an order.
func (c clause) commands() bool {
	_, ok := c.cut("do not", "never", "you")
	return ok || actions()[c.at(0).low]
}

// particular reports whether a clause names something of the project by its own name.
func (c clause) particular() bool {
	return c.has(strong()) || slices.ContainsFunc(c.words, func(w word) bool { return w.code || path(w.low) || fileName(w.low) || programs.Spoken()[w.low] })
}

// tabooed reports whether a ban is on words that the agent says to the user: "never say 'you are
// right' to me".
func (c clause) tabooed(d directive) bool {
	return d.negative && d.absolute && c.has(parties()) && slices.ContainsFunc(c.words, func(w word) bool { return w.quoted && !w.code })
}

// said returns a clause up to its first mark, a reason, or another rule that is spoken on
// without a mark.
func (c clause) said() clause {
	c = c.thought()
	for i, w := range c.words {
		if i > 1 && (w.low == "always" || w.low == "never") {
			return clause{c.words[:i]}
		}
	}
	return c
}

// opening returns a clause up to its first mark.
func (c clause) opening() clause {
	for i, w := range c.words {
		if w.stop != 0 {
			return clause{c.words[:i+1]}
		}
	}
	return c
}

// code reports whether a clause has words between backquotes.
func (c clause) code() bool {
	for _, w := range c.words {
		if w.code {
			return true
		}
	}
	return false
}

// complains reports whether "you never" or "you always" finds fault with what was done: a
// good deed that is never done, a bad one that always is.
func (c clause) complains(never bool) bool {
	verb := c.at(0).low
	if faults()[verb] || c.has(amiss()) {
		return true
	}
	if never {
		return virtues()[verb] && !c.has(unasked()) || verb == "run" && c.has(checks())
	}
	return false
}

// bars reads a ban that names what is not to be: "no X", "X is off limits for you".
func (c clause) bars(lasts bool) (Statement, clause, bool) {
	hard := func(verb string, what clause) (Statement, clause, bool) {
		what = clause{what.deedWords()}
		words := append([]word{{low: verb}}, what.words...)
		s := Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", words)}
		return s, clause{append([]word{{low: "never"}}, words...)}, s.Subject != "" && len(what.words) > 0 && !what.handed() && !what.has(yielding())
	}
	for stress()[c.at(0).low] {
		c = c.skip(1)
	}
	if verb, what, ok := c.denied(lasts); ok {
		return hard(verb, what)
	}
	if s, read, ok := c.produces(); ok {
		return s, read, ok
	}
	for i := 0; i < min(5, len(c.words)-1); i++ {
		if c.words[i].stop == ':' && c.words[i+1].low == "never" && programs.Spoken()[c.at(0).low] && (len(c.words) == i+2 || c.words[i+1].stop != 0) {
			return hard("run", clause{c.words[:i+1]}) // "terraform apply: never"
		}
	}
	if what, ok := c.confined(); ok {
		s, read, ok := hard("use", what)
		read.words[0].low = "always"
		return s, read, ok
	}
	if rest, ok := c.cut("treat", "consider", "regard"); ok {
		for i := 1; i < min(10, len(rest.words)-1); i++ {
			at := i
			if rest.words[i].low == "as" {
				at++
			}
			if _, off := rest.skip(at).cutOne(untouched()); off && (clause{rest.words[:i]}).particular() && !rest.skip(i).has(refusals()) {
				return hard("touch", clause{rest.words[:i]})
			}
		}
	}
	for i := 1; i < min(10, len(c.words)-1); i++ {
		if w := c.words[i]; w.low != "is" && w.low != "are" || w.quoted {
			if w.stop != 0 || subjoins()[w.low] {
				break
			}
			continue
		}
		what := clause{c.words[:i]}
		if subjoins()[c.at(0).low] || strings.HasSuffix(c.at(0).low, "ing") {
			break
		}
		rest, ok := c.skip(i + 1).cutOne(untouched())
		if !ok || len(rest.words) > 0 && c.words[len(c.words)-len(rest.words)-1].stop == 0 && rest.at(0).low != "for" {
			break
		}
		if rest.at(0).low == "for" && rest.at(1).low != "you" {
			break
		}
		if rest.at(0).low != "for" && !lasts && !c.skip(i).has(parties()) && (!what.concrete() || determiners()[what.at(0).low] && !what.particular()) && !(len(what.words) == 1 && !plural(what.at(0).low) && rest.commands()) {
			break
		}
		verb := "touch"
		if low := c.at(i + 1).low; low == "forbidden" || low == "banned" || low == "verboten" {
			verb = "use"
		}
		return hard(verb, what)
	}
	return Statement{}, clause{}, false
}

// denied returns what a clause with "no" forbids: "no emojis please", "no more rm -rf from
// you", "no `git push`, no `dbt run`". A count of what there is forbids nothing.
func (c clause) denied(lasts bool) (verb string, what clause, ok bool) {
	if c.at(0).low != "no" || c.at(0).stop != 0 || c.at(0).quoted || vague()[c.at(1).low] {
		return "", clause{}, false
	}
	rest := c.skip(1)
	ends := rest.at(0).low == "more" && rest.at(1).low != "than"
	if ends {
		rest = rest.skip(1)
	}
	own := rest.opening()
	more := rest.skip(len(own.words))
	pleads := pleas()[more.at(0).low]
	if n := len(own.words) - 1; n > 0 && pleas()[own.words[n].low] {
		own, pleads = clause{own.words[:n]}, true
	}
	n := len(own.words)
	if n == 0 || nothings()[own.at(0).low] && !own.has(toAgent()) && !own.has(unasked()) || own.has(counted()) && !own.has(unasked()) {
		return "", clause{}, false
	}
	last := own.words[n-1].low
	repeats := more.at(0).low == "no" || more.at(0).low == "not" || more.at(0).low == "nor"
	said := lasts || ends && (own.at(0).code || programs.Spoken()[own.at(0).low]) || own.has(toAgent()) || own.has(unasked()) || c.has(houseRule())
	kind := own.concrete() || own.code() || own.has(traces()) || last == "ever" || sqlWords()[own.at(0).low]
	for i, w := range own.words {
		if prepositions()[w.low] && i > 0 {
			break
		}
		if v := deedNoun(w.low); v != "" {
			if object := slices.Concat(own.words[:i], own.words[i+1:]); len(object) > 0 {
				return v, clause{object}, said || pleads || repeats
			}
			kind = true
		}
	}
	switch {
	case said:
	case pleads && n < 6 && !c.has(momentary()):
	case repeats && (kind || c.code() || c.has(toAgent())) && !c.has(counted()) && !slices.ContainsFunc(more.words, func(w word) bool { return strings.HasSuffix(w.low, "ed") }), last == "ever" && own.concrete():
	case len(c.words) <= 4 && (own.at(0).code || programs.Spoken()[own.at(0).low]):
	default:
		return "", clause{}, false
	}
	return "use", own, true
}

// deedNoun returns the verb of a noun in the plural that names what agents do: "upgrades".
func deedNoun(low string) string {
	if v := deeds[low]; v != "" && plural(low) {
		return v
	}
	if v := stem(low); plural(low) && (crafts()[v] || nominal()[v]) {
		return v
	}
	return ""
}

// confined reads the only place, tool or way that is left to the agent: "the only host you
// may send requests to is api.example.com".
func (c clause) confined() (clause, bool) {
	if _, ok := c.cut("the only"); !ok {
		return clause{}, false
	}
	you := false
	for i := 2; i < min(14, len(c.words)-1); i++ {
		w := c.words[i]
		if w.quoted || w.stop != 0 || subjoins()[w.low] && w.low != "that" {
			break
		}
		you = you || w.low == "you" && (c.words[i+1].verb() || c.words[i+1].low == "may" || c.words[i+1].low == "can" || c.words[i+1].low == "are")
		if you && (w.low == "is" || w.low == "are") && i+1 < len(c.words) && c.words[i+1].low != "allowed" && !past()[c.at(i+1).low] {
			what := c.skip(i + 1)
			return clause{append([]word{{low: "only"}}, what.words...)}, what.concrete() || what.at(0).code || what.identifies()
		}
	}
	return clause{}, false
}

// produces reads what everything that the agent makes must be: "every file you create must
// carry a header", "functions you write must not be longer than 40 lines".
func (c clause) produces() (Statement, clause, bool) {
	made := 0
	for i := 1; i < min(16, len(c.words)-2); i++ {
		w := c.words[i]
		if w.quoted {
			continue
		}
		if made == 0 {
			if subjoins()[w.low] && w.low != "that" || w.stop != 0 && w.stop != ':' {
				break
			}
			if w.low == "you" && w.stop == 0 && c.words[i+1].verb() && !subjoins()[c.words[i-1].low] {
				made = i + 1
			} else if w.low == "you" && c.words[i-1].low == "that" && c.words[i+1].verb() {
				made = i + 1
			}
			continue
		}
		if c.words[i-1].stop != 0 && c.words[i-1].stop != ':' {
			break
		}
		rest, ok := c.skip(i).cut("must not", "must never", "must always", "must", "has to", "have to", "needs to", "need to", "needs", "need", "may not", "may never", "should never", "should always", "shall not", "are never", "is never", "is always", "are always")
		if w := c.words[i].low; !ok && standsFor()[w] && i > made && agentDeeds()[c.words[made].low] {
			rest, ok = c.skip(i), true // "functions you write get a docstring"
		}
		if !ok || len(rest.words) == 0 || i == made || deciders()[c.words[i-1].low] {
			continue
		}
		what := append(append([]word{}, c.words[:made-1]...), rest.words...)
		s := Statement{Type: memory.TypeConstraint, Strength: memory.StrengthHard, Subject: key("rule", clause{what}.deedWords())}
		return s, clause{append([]word{{low: "always"}, c.words[made]}, what...)}, s.Subject != "" && !(clause{c.words[:made]}).isAtHand()
	}
	return Statement{}, clause{}, false
}

// insisting reports whether a sentence only says of the one before that it is meant for every
// time: "Ever.", "no exceptions", "that's a general rule for you".
func insisting(words []word) bool {
	c := clause{words}
	c.lead()
	for len(c.words) > 0 && fillers()[c.at(len(c.words)-1).low] {
		c = clause{c.words[:len(c.words)-1]}
	}
	if len(c.words) == 0 || len(c.words) > 14 {
		return false
	}
	if core, _ := c.settled(); matchesOne(emphatic(), c.words) || len(core.words) > 0 && matchesOne(emphatic(), core.words) {
		return true
	}
	switch c.at(0).low {
	case "not":
		return c.at(1).low == "even" || prepositions()[c.at(1).low] && len(c.words) > 2
	case "this", "that", "it", "these", "applies", "counts", "goes":
	case "do":
		_, ok := c.cut("do it like that", "do it that way", "do it this way", "do that")
		return ok && c.has(lasting())
	case "keep", "remember":
		return c.has(inMind())
	default:
		return false
	}
	return c.has(ruling()) || c.has(holds()) && (c.has(lasting()) || c.has(wholes()))
}
