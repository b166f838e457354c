package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/typed"
)

// reader reads a message in two steps: first the statement of each sentence by itself, and
// then, with all sentences known, which of the rules bind the agent.
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
	english.Sentence
	words  []english.Word
	stated bool // it is a statement, or belongs to one
}

// candidate is a statement that the message as a whole may reject.
type candidate struct {
	Statement
	clause  english.Clause // what was read, without the words before it
	general bool           // it is unrelated to the rest of the message
	plain   bool           // it bans, without more, something of the project: a rule if the message orders nothing
	told    bool           // the agent is addressed: "you must not"
	opens   bool           // the sentence begins with it
	bound   bool           // a heading says that it is a rule for the agent
	loose   bool           // other words precede it, or follow it without a mark
}

// take reads one sentence, and reports whether the user's own words continue after it.
func (r *reader) take(s english.Sentence) bool {
	if s.To-s.From > MaxText {
		r.lines = append(r.lines, line{Sentence: s})
		r.ruled = false
		return true
	}
	words := english.Split(r.text, s)
	if announces(r.text, s, words) {
		return typed.Delimited(r.text[s.To:])
	}
	if r.widens(words) {
		return true
	}
	r.rules = r.rules || s.Colon && english.HeadsRules(words)
	if n := len(r.lines); n > 0 && r.bound && strings.Contains(r.text[r.lines[n-1].To:s.From], "\n\n") {
		r.bound = false
	}
	r.bound = r.bound || s.Colon && assigns(words)
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
			st.Text, st.From, st.To = r.text[s.From:s.To], s.From, s.To
			c, ok = candidate{Statement: st, clause: english.Clause(words)}, true
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
func (r *reader) butStill(s english.Sentence, words []english.Word) {
	for i := 2; i+2 < len(words); i++ {
		if words[i].Quoted || words[i].Low != "but" {
			continue
		}
		rest := english.Clause(words[i+1:])
		if _, ok := rest.Cut("never", "no", "do not", "always", "you must", "you may not", "keep"); !ok {
			continue
		}
		for english.Stress()[rest.At(0).Low] {
			rest = rest.Skip(1)
		}
		if n := len(rest) - 1; rest.At(n).Low == "there" || rest.At(n).Low == "here" {
			rest = rest[:n] // where the first half said
		}
		tail := s
		tail.From = rest.At(0).From
		c, ok := r.read(tail, rest)
		if !ok {
			c, ok = r.directed(tail, rest, true)
		}
		if last := &r.found[len(r.found)-1]; ok && c.Type == memory.TypeConstraint && !c.Retraction && last.From < words[i].From {
			last.To = words[i-1].To
			last.Text = r.text[last.From:last.To]
			r.found = append(r.found, c)
		}
		return
	}
}

// insist reads the sentence before as a permanent rule.
func (r *reader) insist() {
	n := len(r.lines)
	if n == 0 {
		return
	}
	if last := len(r.found) - 1; last >= 0 && r.found[last].To == r.lines[n-1].To {
		if c := &r.found[last]; c.Type == memory.TypeConstraint && !c.Retraction && !c.Exception {
			c.general = true
			if c.Strength == memory.StrengthFirm {
				c.Strength = memory.StrengthHard
			}
		}
		return
	}
	if before := r.lines[n-1]; len(before.words) > 0 {
		c, ok := r.directed(before.Sentence, before.words, true)
		if !ok {
			c, ok = r.governed(before.Sentence, before.words, true)
		}
		if ok {
			r.found = append(r.found, c)
		}
	}
}

// stated returns the statements that the message as a whole does not reject.
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

// besides returns the rule that follows an order in one sentence: "fix it, and never push to
// main", or a practice: "everything goes through a PR, never push to main". After any other
// text such words are part of a story, and after an order about the behaviour of a program
// they are part of that order.
func (r *reader) besides(s english.Sentence, whole []english.Word, ordered bool) (candidate, bool) {
	c := english.Clause(whole)
	english.TakeLead(&c)
	if request, ok := c.Cut("can you", "could you", "would you", "will you"); ok {
		c = request
		for english.Fillers()[c.At(0).Low] {
			c = c.Skip(1)
		}
	} else if s.Question {
		return candidate{}, false
	}
	first := c.At(0)
	order := english.Actions()[first.Low] || english.Tasks()[first.Low]
	if order != ordered || first.Quoted || first.Stop == ':' || english.Causes()[first.Low] || !order && (english.Narrators()[first.Low] || c.Has(english.Bygone())) {
		return candidate{}, false
	}
	for i := 1; i+1 < len(c); i++ {
		w := c.At(i)
		if !w.Quoted && (w.Stop == ':' || english.Embeds()[w.Low] || english.Wordy()[w.Low] || !order && english.Past()[w.Low]) || english.FileName(w.Low) && strings.HasSuffix(w.Low, ".md") {
			return candidate{}, false
		}
		n := 0
		if order {
			n = joint(c.Skip(i))
		}
		if n == 0 && (w.Quoted || c.At(i-1).Stop != ',' && c.At(i-1).Stop != '-') {
			continue
		}
		rule := c.Skip(i + n)
		if _, ok := rule.Cut("always", "never", "do not ever"); !ok || rule.At(0).Quoted {
			if _, ok := rule.Cut("no", "do not", "you must not"); !ok || rule.At(0).Quoted || !rule.Opening().Has(english.Lasting()) {
				continue
			}
		}
		if verb, object := ruled(rule); !english.Processes()[verb] && !object.Has(english.Strong()) && !object.Has(english.Parties()) || !order && !c[:i].Workshop() {
			return candidate{}, false
		}
		s.From, s.Question = rule.At(0).From, false
		return r.read(s, english.Split(r.text, s))
	}
	return candidate{}, false
}

// joint returns how many words a clause begins with that join it to the one before: "and",
// "but please", "and then".
func joint(c english.Clause) int {
	if first := c.At(0); first.Quoted || first.Low != "and" && first.Low != "but" {
		return 0
	}
	n := 1
	for english.Fillers()[c.At(n).Low] {
		n++
	}
	return n
}

// read returns what a sentence states by itself.
func (r *reader) read(s english.Sentence, whole []english.Word) (candidate, bool) {
	if !english.Clean(r.text[s.From:s.To]) {
		return candidate{}, false
	}
	words, everywhere := english.WithoutScope(whole)
	words, tagged := english.WithoutTags(words)
	c := english.Clause(words)
	if len(words) < 2 || words[0].Quoted && !isCommand(c) || s.Question && !(tagged && !english.Interrogative()[words[0].Low]) && !takePolite(&c) {
		return candidate{}, false
	}
	lead := english.TakeLead(&c)
	st, ok := readState(c)
	if rest, cut := english.WithoutPlace(words); !ok && cut {
		c = english.Clause(rest)
		lead = english.TakeLead(&c)
		st, ok = readState(c)
	}
	if !ok {
		st, ok = readOtherwise(c, lead, len(r.lines) == 0 || r.ruled)
	}
	if !ok || !english.Earnest(r.text[s.From:s.To], whole) || english.GivesSecret(whole) || !st.Retraction && !st.Exception && english.Clause(whole).Has(english.Recalls()) {
		return candidate{}, false
	}
	st.Correction = st.Correction || lead.Corrects || english.SaysChange(c)
	if st.Within = english.BoundTo(r.text, whole); st.Within == "" {
		s.From = max(s.From, lead.From)
	}
	st.Text, st.From, st.To = r.text[s.From:s.To], s.From, s.To
	st.Everywhere = everywhere
	if st.Type == memory.TypeConstraint {
		if hedged := english.Clause(whole).Has(english.Hedges()); hedged && st.Strength == memory.StrengthHard {
			st.Strength = memory.StrengthFirm
		} else if hedged {
			st.Strength = memory.StrengthSoft
		} else if st.Strength == memory.StrengthFirm && !st.Retraction && !st.Exception && (insists(c) || (bans(c) || c.At(0).Low == "only") && english.Clause(whole).Has(english.Lasting())) {
			st.Strength = memory.StrengthHard
		}
		if !st.Retraction && !st.Exception {
			st.Topic = c.Topic(r.text)
		}
	}
	return candidate{Statement: st, clause: c, general: lead.General, plain: bans(c) && lastingly(c), told: c.At(0).Low == "you"}, true
}

// readOtherwise reads a sentence that is a statement only because of an earlier sentence or of
// the words before it: a request to remember, a correction of a value, a limit of a rule.
func readOtherwise(c english.Clause, lead english.Lead, near bool) (Statement, bool) {
	if len(c) == 0 || c[0].Quoted {
		return Statement{}, false
	}
	if lead.Memo {
		if s, ok := readNoted(c); ok {
			return s, true
		}
	}
	if s, ok := readCorrected(c, lead.Corrects); ok {
		return s, true
	}
	return readFragment(c, near)
}

// insists reports whether a ban ends with words that make it absolute: "don't push to main,
// ever".
func insists(c english.Clause) bool {
	n := len(c)
	if n < 3 {
		return false
	}
	last := c.At(n - 1).Low
	for i := 2; i < n && english.Actions()[c.At(0).Low]; i++ {
		w := c.At(i)
		if english.Present()[w.Low] || w.Low == "be" {
			break // it is a description
		}
		if w.Low == "always" && !w.Quoted && w.Stop == ',' {
			return true // "answer in French, always, ..."
		}
	}
	return last == "ever" || last == "always" && c.At(n-2).Stop != 0 || last == "circumstances" && c.At(n-2).Low == "any"
}

// lastingly reports whether a ban names something of the project that stays, and no time.
func lastingly(c english.Clause) bool {
	own := c.Opening()
	rest := c.Skip(len(own))
	if own.At(0).Low == "stop" && own.At(2).Low == "the" {
		return false // work in progress
	}
	for i, w := range own {
		if i > 1 && (w.Low == "that" || w.Low == "which") {
			own = own[:i]
			break
		}
	}
	return (own.Concrete() || own.Has(english.Answering()) || own.Has(english.Belongings()) || slices.ContainsFunc(own, func(w english.Word) bool { return w.Low[0] == '.' && len(w.Low) > 2 })) && !own.AtHand() && !own.Has(english.Momentary()) && !rest.Has(english.Momentary())
}

// bans reports whether a clause begins as a ban does.
func bans(c english.Clause) bool {
	_, ok := c.Cut("do not", "stop", "avoid", "i do not want you to", "you should not", "no more", "quit", "refrain from")
	return ok
}

// widens reports whether a sentence extends the statement before it to all projects, and
// records that in the statement.
func (r *reader) widens(words []english.Word) bool {
	if len(r.found) == 0 || len(words) < 3 {
		return false
	}
	many := false
	switch words[0].Low {
	case "these", "those", "they":
		many = true
	case "this", "that", "it", "same", "the":
	default:
		return false
	}
	c := english.Clause(words)
	_, everywhere := english.WithoutScope(words)
	if !c.Has(english.Holds()) || !everywhere && !c.Has(english.Wide()) {
		return false
	}
	for i := len(r.found) - 1; i >= 0; i-- {
		r.found[i].Everywhere = true
		if !many {
			break
		}
	}
	return true
}
