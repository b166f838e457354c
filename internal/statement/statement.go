// Package statement reads what a user plainly states in a message: rules,
// preferences, facts, decisions and goals, and corrections of them.
//
// A sentence is taken when it begins, after greetings and the like, with one of
// the forms by which people state such a thing: "always", "never", "my X is",
// "I prefer", "we use", "we decided", "remember that" and their kin. Closed
// lists of verbs and nouns, in the files whose names end in words, tell "never
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
//     conditions ("if ..., never ..."), guesses and jokes.
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

// Version is raised whenever the same message may give other statements.
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
	var found []Statement
	prose(text, func(from, to int) bool {
		return sentences(text, from, to, func(s sentence) bool {
			if announces(text, s) {
				return false
			}
			st, ok := read(text, s)
			if !ok {
				st, ok = besides(text, s)
			}
			if ok {
				found = append(found, st)
			}
			return len(found) < MaxStatements
		})
	})
	return found
}

// besides returns the rule that stands behind an order in one sentence: "fix it, and never
// push to main". Behind anything but an order such words tell a story.
func besides(text string, s sentence) (Statement, bool) {
	if s.to-s.from > MaxText || s.question {
		return Statement{}, false
	}
	whole := split(text, s)
	c := clause{whole}
	c.lead()
	if len(c.words) > 0 && c.at(0).low == "please" {
		c = c.skip(1)
	}
	if !actions()[c.at(0).low] || c.at(0).quoted {
		return Statement{}, false
	}
	for i := 1; i+2 < len(c.words); i++ {
		if w, next := c.at(i), c.at(i+1); !w.quoted && (w.low == "and" || w.low == "but") && (next.low == "always" || next.low == "never") {
			s.from = next.from
			return read(text, s)
		}
	}
	return Statement{}, false
}

// read returns what a sentence states.
func read(text string, s sentence) (Statement, bool) {
	if s.to-s.from > MaxText || !clean(text[s.from:s.to]) {
		return Statement{}, false
	}
	whole := split(text, s)
	c := clause{whole}
	if len(whole) < 2 || whole[0].quoted || s.question && !c.polite() {
		return Statement{}, false
	}
	corrects := c.lead()
	st, ok := c.state()
	if !ok || !earnest(text[s.from:s.to], whole) || secret(whole) {
		return Statement{}, false
	}
	st.Correction = st.Correction || corrects || c.contrast()
	st.Text, st.From, st.To = text[s.from:s.to], s.from, s.to
	st.Within = within(text, whole)
	if st.Type == memory.TypeConstraint && st.Strength == memory.StrengthFirm && (clause{whole}).has(hedges()) {
		st.Strength = memory.StrengthSoft
	}
	return st, true
}
