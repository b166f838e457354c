package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/typed"
)

// reader reads a message in two steps: what each sentence states by itself, and then,
// with all sentences known, which of the rules bind the agent.
type reader struct {
	text  string
	lines []line
	found []candidate
	ruled bool // the sentence before states a rule
	rules bool // a heading said that rules follow
	bound bool // it said that they are for the agent
}

// line is a sentence and its words.
type line struct {
	sentence
	words  []word
	stated bool // it is a statement, or belongs to one
}

// candidate is a statement that may be none in its message.
type candidate struct {
	Statement
	clause  clause // what was read, without the words before it
	general bool   // it is said beside the matter
	plain   bool   // it bans, without more, something of the project: a rule if the message orders nothing
	told    bool   // the agent is addressed: "you must not"
	opens   bool   // the sentence begins with it, so that it is nothing else
	bound   bool   // a heading says that it is a rule for the agent
	loose   bool   // other words stand before it, or behind it without a mark
}

// take reads one sentence, and reports whether the user's own words go on behind it.
func (r *reader) take(s sentence) bool {
	if s.to-s.from > MaxText {
		r.lines = append(r.lines, line{sentence: s})
		r.ruled = false
		return true
	}
	words := split(r.text, s)
	if announces(r.text, s, words) {
		return typed.Delimited(r.text[s.to:])
	}
	if r.widens(words) {
		return true
	}
	r.rules = r.rules || s.colon && heads(words)
	if n := len(r.lines); n > 0 && r.bound && strings.Contains(r.text[r.lines[n-1].to:s.from], "\n\n") {
		r.bound = false
	}
	r.bound = r.bound || s.colon && assigns(words)
	c, ok := r.besides(s, words, true)
	whole := false
	if !ok {
		c, ok = r.read(s, words)
		whole = ok
	}
	if !ok {
		c, ok = r.besides(s, words, false)
	}
	if !ok {
		c, ok = r.directed(s, words, false)
		whole = ok && c.opens
	}
	if !ok {
		if st, back := r.takesBack(s, words); back {
			st.Text, st.From, st.To = r.text[s.from:s.to], s.from, s.to
			c, ok = candidate{Statement: st, clause: clause{words}}, true
		}
	}
	if rules := ok && c.Type == memory.TypeConstraint && !c.Retraction && !c.Exception; !ok || rules {
		if g, governs := r.governed(s, words, false); governs && !ok {
			c, ok, whole = g, true, g.opens
		} else if governs && g.Strength == memory.StrengthHard {
			if g.loose && strings.HasPrefix(c.Subject, g.Subject+"-") {
				c.Subject = g.Subject // without the reason
			}
			c.Strength, c.general, c.told, c.bound = memory.StrengthHard, c.general || g.general, true, g.bound
		}
	}
	if !ok && insisting(words) {
		r.insist()
	}
	if ok {
		c.general = c.general || r.rules
		c.bound = c.bound || r.bound
		r.found = append(r.found, c)
		if c.Retraction {
			r.butStill(s, words)
		}
	}
	r.lines = append(r.lines, line{s, words, whole})
	r.ruled = ok && c.Type == memory.TypeConstraint
	return true
}

// butStill reads the rule that stays when another ends: "you may push again, but never force-push".
func (r *reader) butStill(s sentence, words []word) {
	for i := 2; i+2 < len(words); i++ {
		if words[i].quoted || words[i].low != "but" {
			continue
		}
		rest := clause{words[i+1:]}
		if _, ok := rest.cut("never", "no", "do not", "always", "you must", "you may not", "keep"); !ok {
			continue
		}
		for stress()[rest.at(0).low] {
			rest = rest.skip(1)
		}
		if n := len(rest.words) - 1; rest.at(n).low == "there" || rest.at(n).low == "here" {
			rest = clause{rest.words[:n]} // where the first half said
		}
		tail := s
		tail.from = rest.at(0).from
		c, ok := r.read(tail, rest.words)
		if !ok {
			c, ok = r.directed(tail, rest.words, true)
		}
		if last := &r.found[len(r.found)-1]; ok && c.Type == memory.TypeConstraint && !c.Retraction && last.From < words[i].from {
			last.To = words[i-1].to
			last.Text = r.text[last.From:last.To]
			r.found = append(r.found, c)
		}
		return
	}
}

// insist reads the sentence before as one that is meant for every time.
func (r *reader) insist() {
	n := len(r.lines)
	if n == 0 {
		return
	}
	if last := len(r.found) - 1; last >= 0 && r.found[last].To == r.lines[n-1].to {
		if c := &r.found[last]; c.Type == memory.TypeConstraint && !c.Retraction && !c.Exception {
			c.general = true
			if c.Strength == memory.StrengthFirm {
				c.Strength = memory.StrengthHard
			}
		}
		return
	}
	if before := r.lines[n-1]; len(before.words) > 0 {
		c, ok := r.directed(before.sentence, before.words, true)
		if !ok {
			c, ok = r.governed(before.sentence, before.words, true)
		}
		if ok {
			r.found = append(r.found, c)
		}
	}
}

// stated returns the statements that the message as a whole leaves standing.
func (r *reader) stated() []Statement {
	var out []Statement
	var m *matter
	for i := range r.found {
		c := &r.found[i]
		if c.Type == memory.TypeConstraint {
			if m == nil {
				m = matterOf(r.lines)
			}
			if !m.binds(c) {
				continue
			}
			switch {
			case c.Strength == memory.StrengthHard && m.doubtful(c):
				c.Strength = memory.StrengthFirm
			case c.plain && c.Strength == memory.StrengthFirm && !m.works:
				c.Strength = memory.StrengthHard
			}
		}
		if out = append(out, c.Statement); len(out) == MaxStatements {
			break
		}
	}
	return out
}

// besides returns the rule that stands behind an order in one sentence: "fix it, and never
// push to main", or behind how the work is done: "everything goes through a PR, never push
// to main". Behind anything else such words tell a story, and behind an order about what a
// program does they are part of it.
func (r *reader) besides(s sentence, whole []word, ordered bool) (candidate, bool) {
	c := clause{whole}
	c.lead()
	if request, ok := c.cut("can you", "could you", "would you", "will you"); ok {
		c = request
		for fillers()[c.at(0).low] {
			c = c.skip(1)
		}
	} else if s.question {
		return candidate{}, false
	}
	first := c.at(0)
	order := actions()[first.low] || tasks()[first.low]
	if order != ordered || first.quoted || first.stop == ':' || causes()[first.low] || !order && (narrators()[first.low] || c.has(bygone())) {
		return candidate{}, false
	}
	for i := 1; i+1 < len(c.words); i++ {
		w := c.at(i)
		if !w.quoted && (w.stop == ':' || embeds()[w.low] || wordy()[w.low] || !order && past()[w.low]) || fileName(w.low) && strings.HasSuffix(w.low, ".md") {
			return candidate{}, false
		}
		n := 0
		if order {
			n = c.skip(i).joint()
		}
		if n == 0 && (w.quoted || c.at(i-1).stop != ',' && c.at(i-1).stop != '-') {
			continue
		}
		rule := c.skip(i + n)
		if _, ok := rule.cut("always", "never", "do not ever"); !ok || rule.at(0).quoted {
			if _, ok := rule.cut("no", "do not", "you must not"); !ok || rule.at(0).quoted || !rule.opening().has(lasting()) {
				continue
			}
		}
		if verb, object := rule.ruled(); !processes()[verb] && !object.has(strong()) && !object.has(parties()) || !order && !(clause{c.words[:i]}).workshop() {
			return candidate{}, false
		}
		s.from, s.question = rule.at(0).from, false
		return r.read(s, split(r.text, s))
	}
	return candidate{}, false
}

// joint returns how many words a clause begins with that join it to the one before: "and",
// "but please", "and then".
func (c clause) joint() int {
	if first := c.at(0); first.quoted || first.low != "and" && first.low != "but" {
		return 0
	}
	n := 1
	for fillers()[c.at(n).low] {
		n++
	}
	return n
}

// read returns what a sentence states by itself.
func (r *reader) read(s sentence, whole []word) (candidate, bool) {
	if !clean(r.text[s.from:s.to]) {
		return candidate{}, false
	}
	words, everywhere := unscoped(whole)
	words, tagged := untagged(words)
	c := clause{words}
	if len(words) < 2 || words[0].quoted && !c.command() || s.question && !(tagged && !interrogative()[words[0].low]) && !c.polite() {
		return candidate{}, false
	}
	lead := c.lead()
	st, ok := c.state()
	if rest, cut := here(words); !ok && cut {
		c = clause{rest}
		lead = c.lead()
		st, ok = c.state()
	}
	if !ok {
		st, ok = c.otherwise(lead, len(r.lines) == 0 || r.ruled)
	}
	if !ok || !earnest(r.text[s.from:s.to], whole) || secret(whole) || !st.Retraction && !st.Exception && (clause{whole}).has(recalls()) {
		return candidate{}, false
	}
	st.Correction = st.Correction || lead.corrects || c.contrast()
	if st.Within = within(r.text, whole); st.Within == "" {
		s.from = max(s.from, lead.from)
	}
	st.Text, st.From, st.To = r.text[s.from:s.to], s.from, s.to
	st.Everywhere = everywhere
	if st.Type == memory.TypeConstraint {
		if hedged := (clause{whole}).has(hedges()); hedged && st.Strength == memory.StrengthHard {
			st.Strength = memory.StrengthFirm
		} else if hedged {
			st.Strength = memory.StrengthSoft
		} else if st.Strength == memory.StrengthFirm && !st.Retraction && !st.Exception && (c.insists() || (c.bans() || c.at(0).low == "only") && (clause{whole}).has(lasting())) {
			st.Strength = memory.StrengthHard
		}
		if !st.Retraction && !st.Exception {
			st.Topic = c.topic(r.text)
		}
	}
	return candidate{Statement: st, clause: c, general: lead.general, plain: c.bans() && c.lastingly(), told: c.at(0).low == "you"}, true
}

// otherwise reads what only an earlier sentence, or the words before, make a statement:
// what is to be remembered, what puts a value right, and what limits a rule.
func (c clause) otherwise(lead leading, near bool) (Statement, bool) {
	if len(c.words) == 0 || c.words[0].quoted {
		return Statement{}, false
	}
	if lead.memo {
		if s, ok := c.noted(); ok {
			return s, true
		}
	}
	if s, ok := c.corrected(lead.corrects); ok {
		return s, true
	}
	return c.fragment(near)
}

// insists reports whether a ban ends with words that make it absolute: "don't push to main,
// ever".
func (c clause) insists() bool {
	n := len(c.words)
	if n < 3 {
		return false
	}
	last := c.at(n - 1).low
	for i := 2; i < n && actions()[c.at(0).low]; i++ {
		w := c.at(i)
		if present()[w.low] || w.low == "be" {
			break // it tells how something is
		}
		if w.low == "always" && !w.quoted && w.stop == ',' {
			return true // "answer in French, always, ..."
		}
	}
	return last == "ever" || last == "always" && c.at(n-2).stop != 0 || last == "circumstances" && c.at(n-2).low == "any"
}

// lastingly reports whether a ban names something of the project that stays, and no time.
func (c clause) lastingly() bool {
	own := c.opening()
	rest := c.skip(len(own.words))
	if own.at(0).low == "stop" && own.at(2).low == "the" {
		return false // what is under way
	}
	for i, w := range own.words {
		if i > 1 && (w.low == "that" || w.low == "which") {
			own = clause{own.words[:i]}
			break
		}
	}
	return (own.concrete() || own.has(answering()) || own.has(belongings()) || slices.ContainsFunc(own.words, func(w word) bool { return w.low[0] == '.' && len(w.low) > 2 })) && !own.isAtHand() && !own.has(momentary()) && !rest.has(momentary())
}

// bans reports whether a clause begins as a ban does.
func (c clause) bans() bool {
	_, ok := c.cut("do not", "stop", "avoid", "i do not want you to", "you should not", "no more", "quit", "refrain from")
	return ok
}

// untagged returns the words of a sentence without the words at its end by which users ask
// to be obeyed: "never push to main, ok?"
func untagged(words []word) ([]word, bool) {
	for n := 1; n <= 3 && n+2 < len(words); n++ {
		at := len(words) - n
		if matchesOne(tags(), words[at:]) && (n > 1 || words[at-1].stop != 0 || shortTags()[words[at].low] && !present()[words[at-1].low] && !negative()[words[at-1].low]) && !words[at].quoted {
			return words[:at], true
		}
	}
	return words, false
}
