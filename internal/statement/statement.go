// Package statement reads what a user plainly states in a message: rules,
// preferences, facts, decisions and goals, and corrections of them.
//
// A sentence is taken when it begins, after greetings and the like, with one of
// the forms by which people state such a thing: "always", "never", "my X is",
// "I prefer", "we use", "we decided", "remember that" and their kin. Forms that end
// or limit a rule are read, too: "you may ... again", "forget that rule", "except on
// release branches". Closed lists of verbs and nouns, in the files whose names end in words, tell "never
// push to main" from "never mind" and "my timezone is CET" from "my bag is
// gone".
//
// # What is guaranteed
//
//   - A function of the message alone: no clock, no state, no randomness.
//   - The text of a statement is the sentence as it was written, a part of the
//     message from [Statement.From] to [Statement.To]. Nothing is rephrased.
//   - At most [MaxStatements] statements, each of at most [MaxText] bytes of
//     valid UTF-8 without control characters other than line breaks and tabs.
//     Work is linear in the length of the message.
//   - Not read: questions, what stands in quotes, behind quote marks or in code,
//     what follows a line that announces a quotation, tables, logs and markup,
//     what programs put around a prompt (piped input, context, stop reasons),
//     letters, chats, diffs and documents with headings, conditions on the world
//     ("if it rains, never ..."), guesses, jokes, and what others say.
//   - Not read either: how a program or a text is to be that the message orders
//     ("write a parser; never return nil"), and what is to be written somewhere
//     ("add a line to CONTRIBUTING: never ...").
//   - Nothing that names a secret, such as a password or the number of a card.
//
// # What is not
//
// Only English is understood; a message in another language gives nothing.
// When in doubt a sentence is passed over: a rule that nobody gave does more harm
// than one that has to be said again. A message of more than [MaxTyped] bytes of
// prose is taken for something pasted. Who said it, and how far that is
// trusted, is for the caller, who must give only what users wrote: text from
// tools and from outside never becomes a statement.
package statement

import "lukasa.dev/internal/memory"

// Version is raised whenever the same message may give other statements. What was
// read of sessions by another version is read again at the next compile, and memories
// that no longer follow from what was said are taken back.
const Version = 3

// Limits of what is read.
const (
	MaxStatements = 16      // of a message, the first ones
	MaxText       = 500     // bytes of a statement; a longer sentence is passed over
	MaxTyped      = 8 << 10 // bytes of prose that somebody writes by hand
)

// Statement is one thing that a user said and that is worth to be remembered.
type Statement struct {
	// Type is fact, preference, constraint or goal.
	Type memory.Type
	// Strength is that of a constraint or a preference. "Always", "never" and
	// "must" are hard, since only hard constraints are shown whatever is asked
	// for; other rules and tastes are firm, and what is said with "ideally",
	// "if possible" or "prefer" is soft.
	Strength memory.Strength
	// Polarity is that of a preference.
	Polarity memory.Polarity

	Text     string // the sentence, verbatim
	From, To int    // where it stands in the message, in bytes

	// Subject is what it is about, such as user/timezone. Of two statements with
	// the same subject only one can hold.
	Subject string
	// Replaces is a further subject whose statement this one puts aside, as in
	// "use pnpm, not npm". It may be empty.
	Replaces string
	// Correction says that it was said to put something right.
	Correction bool
	// Retraction says that what it is about no longer holds and that nothing
	// takes its place.
	Retraction bool
	// Exception says that it limits a rule instead of stating one: "except on
	// release branches". The rule stays, with this text behind its own.
	Exception bool
	// Anaphoric says that a retraction, an exception or a correction names no
	// subject of its own and means what was stated last: "forget that rule".
	Anaphoric bool
	// Everywhere says that it was said for all projects of the user.
	Everywhere bool
	// Topic is the trigger of a standing instruction as it is written, such as
	// "recipes" in "whenever I ask about recipes". It is empty if the instruction
	// always holds.
	Topic string
	// Within is by which words it is bound to a time or a task, such as "for this
	// task". It is empty if it holds in general.
	Within string
}

// Temporary reports whether it was said for a while only.
func (s *Statement) Temporary() bool { return s.Within != "" }

// Read returns what a message states, in the order in which it was said.
func Read(text string) []Statement {
	typed := 0
	prose(text, func(from, to int) bool {
		typed += to - from
		return typed <= MaxTyped
	})
	if typed > MaxTyped {
		return nil
	}
	r := reader{text: text}
	prose(text, func(from, to int) bool { return sentences(text, from, to, r.take) })
	return r.found
}

// reader is what the earlier sentences of a message say about the next one.
type reader struct {
	text  string
	found []Statement
	any   bool // there was a sentence before
	work  bool // a sentence before orders a piece of work, so that the next may tell how it is to be
	draft bool // a sentence before orders a text to be written
	ruled bool // the sentence before states a rule
}

// take reads one sentence, and reports whether the user's own words go on behind it.
func (r *reader) take(s sentence) bool {
	if announces(r.text, s) {
		return delimited(r.text[s.to:])
	}
	if s.to-s.from > MaxText {
		r.any, r.ruled = true, false
		return true
	}
	whole := split(r.text, s)
	if r.widens(whole) {
		return true
	}
	st, ok := r.read(s, whole)
	if !ok {
		st, ok = r.besides(s, whole)
	}
	if ok {
		r.found = append(r.found, st)
	}
	r.any, r.ruled = true, ok && st.Type == memory.TypeConstraint
	r.work = r.work || !ok && orders(whole)
	r.draft = r.draft || !ok && drafts(whole)
	return len(r.found) < MaxStatements
}

// besides returns the rule that stands behind an order in one sentence: "fix it, and never
// push to main". Behind anything but an order such words tell a story, and behind an order
// about what a program does they are part of it.
func (r *reader) besides(s sentence, whole []word) (Statement, bool) {
	if s.question {
		return Statement{}, false
	}
	c := clause{whole}
	c.lead()
	if first := c.at(0).low; !actions()[first] && !tasks()[first] || c.at(0).quoted || causes()[first] {
		return Statement{}, false
	}
	for i := 1; i+2 < len(c.words); i++ {
		w, next := c.at(i), c.at(i+1)
		if !w.quoted && embeds()[w.low] {
			return Statement{}, false
		}
		if !w.quoted && (w.low == "and" || w.low == "but") && (next.low == "always" || next.low == "never") {
			if !processes()[c.at(i+2).low] {
				return Statement{}, false
			}
			s.from = next.from
			return r.read(s, split(r.text, s))
		}
	}
	return Statement{}, false
}

// read returns what a sentence states.
func (r *reader) read(s sentence, whole []word) (Statement, bool) {
	if !clean(r.text[s.from:s.to]) {
		return Statement{}, false
	}
	words, everywhere := unscoped(whole)
	c := clause{words}
	if len(words) < 2 || words[0].quoted || s.question && !c.polite() {
		return Statement{}, false
	}
	lead := c.lead()
	st, ok := c.state()
	if rest, cut := here(words); !ok && cut {
		c = clause{rest}
		lead = c.lead()
		st, ok = c.state()
	}
	if !ok {
		st, ok = c.otherwise(lead, !r.any || r.ruled)
	}
	if !ok || !earnest(r.text[s.from:s.to], whole) || secret(whole) || r.specifies(&st, c, lead.general) {
		return Statement{}, false
	}
	st.Correction = st.Correction || lead.corrects || c.contrast()
	st.Text, st.From, st.To = r.text[s.from:s.to], s.from, s.to
	st.Within = within(r.text, whole)
	st.Everywhere = everywhere
	if st.Type == memory.TypeConstraint {
		if hedged := (clause{whole}).has(hedges()); hedged && st.Strength == memory.StrengthHard {
			st.Strength = memory.StrengthFirm
		} else if hedged {
			st.Strength = memory.StrengthSoft
		}
		if !st.Retraction && !st.Exception {
			st.Topic = c.topic(r.text)
		}
	}
	return st, true
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

// specifies reports whether a rule without a scope of its own tells how the program or the
// text is to be that the message orders: "Write a parser. Never return an error." Rules
// for how to work bind all the same, and so do those that are said to be general.
func (r *reader) specifies(st *Statement, c clause, general bool) bool {
	if st.Type != memory.TypeConstraint || st.Retraction || st.Exception {
		return false
	}
	verb, object := c.ruled()
	if frames()[c.at(0).low] || c.has(everytime()) || c.questioned() > 0 {
		return false
	}
	switch {
	case r.draft && !general:
		return !workflows()[verb]
	case object.has(products()):
		return false
	case r.work && !general:
		return !processes()[verb] || object.at(0).low == "as" || object.has(pointing())
	}
	return behaves()[verb] && !practises()[verb] && (object.identifies() || object.has(parts()))
}
