// Package statement reads what a user plainly states in a message: rules,
// preferences, facts, decisions and goals, and corrections of them.
//
// A sentence is taken when it begins, after greetings and the like, with one of
// the forms of such statements: "always", "never", "my X is", "I prefer", "we use",
// "we decided", "remember that" and the like. Forms that end or limit a rule are read,
// too: "you may ... again", "forget that rule", "I told you to never ..., drop it",
// "except on release branches". The closed lists of verbs and nouns of internal/english
// distinguish "never push to main" from "never mind" and "my timezone is CET" from "my
// bag is gone".
//
// # What is guaranteed
//
//   - A function of the message alone: no clock, no state, no randomness.
//   - The text of a statement is the sentence as it was written, a part of the
//     message from [Statement.From] to [Statement.To]. Nothing is rephrased.
//   - At most [MaxStatements] statements, each of at most [MaxText] bytes of
//     valid UTF-8 without control characters other than line breaks and tabs.
//     Work is linear in the length of the message.
//   - Not read: questions, text in quotes, behind quote marks or in code, text after a
//     line that announces a quotation, tables, logs and markup, what programs put
//     around a prompt (piped input, context, stop reasons), letters, chats, tickets,
//     diffs, documents with headings and paragraphs that an editor wrapped, conditions
//     on the world ("if it rains, never ..."), guesses, jokes, and reported speech.
//   - Not read either: requirements on a program or a text that the message orders, before
//     it or behind it ("write a parser; never return nil", "never merge two carts; implement
//     mergeCarts"), text to be written somewhere ("add a line to CONTRIBUTING: never
//     ..."), and rules that the message asks about ("... Do these rules make sense?").
//   - Bans without an addressee ("deleting invoices is forbidden") are read only if they are
//     about the work on a project, its branches, files, tools and environments.
//   - Nothing that names a secret, such as a password or the number of a card.
//
// # What is not
//
// The package understands only English; a message in another language gives nothing.
// When in doubt it skips a sentence: a rule that the user did not give does more harm
// than one that the user has to repeat. A message of more than [MaxTyped] bytes of
// prose counts as pasted. The package does not know the speaker or the trust: the caller
// must pass only what users wrote. Text from tools and external sources never becomes a
// statement.
package statement

import (
	"lukasa.dev/internal/english"
	"lukasa.dev/internal/stated"
	"lukasa.dev/internal/typed"
)

// Version is raised whenever the same message may give other statements. The next
// compile then reads all sessions again, and takes back memories that no longer follow
// from the messages.
const Version = 7

// Limits of what is read.
const (
	MaxStatements = 16      // of a message, the first ones
	MaxText       = 500     // bytes of a statement; a longer sentence is skipped
	MaxTyped      = 8 << 10 // bytes of prose that a user types by hand
)

// Statement is one rule, preference, fact, decision or goal of a user.
type Statement = stated.Statement

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
	typed.Prose(text, func(from, to int) bool { return english.Sentences(text, from, to, r.take) })
	return r.stated()
}
