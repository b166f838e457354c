// Package statement reads what a user plainly states in a message: rules,
// preferences, facts, decisions and goals, and corrections of them.
//
// A sentence is taken when it begins, after greetings and the like, with one of
// the forms by which people state such a thing: "always", "never", "my X is",
// "I prefer", "we use", "we decided", "remember that" and their kin. Forms that end
// or limit a rule are read, too: "you may ... again", "forget that rule", "I told you to never
// ..., drop it", "except on release branches". Closed lists of verbs and nouns, in the files whose names end in words, tell "never
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
//     letters, chats, tickets, diffs, documents with headings and paragraphs that an
//     editor wrapped, conditions on the world
//     ("if it rains, never ..."), guesses, jokes, and what others say.
//   - Not read either: how a program or a text is to be that the message orders, before it
//     or behind it ("write a parser; never return nil", "never merge two carts; implement
//     mergeCarts"), what is to be written somewhere ("add a line to CONTRIBUTING: never
//     ..."), and rules that the message asks about ("... Do these rules make sense?").
//   - Bans that address nobody ("deleting invoices is forbidden") are read only if they are
//     about the work on a project, its branches, files, tools and environments.
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

import (
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/typed"
)

// Version is raised whenever the same message may give other statements. What was
// read of sessions by another version is read again at the next compile, and memories
// that no longer follow from what was said are taken back.
const Version = 7

// Limits of what is read.
const (
	MaxStatements = 16      // of a message, the first ones
	MaxText       = 500     // bytes of a statement; a longer sentence is passed over
	MaxTyped      = 8 << 10 // bytes of prose that someone writes by hand
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
	size := 0
	typed.Prose(text, func(from, to int) bool {
		size += to - from
		return size <= MaxTyped
	})
	if size > MaxTyped {
		return nil
	}
	r := reader{text: text}
	typed.Prose(text, func(from, to int) bool { return sentences(text, from, to, r.take) })
	return r.stated()
}
