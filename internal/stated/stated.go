// Package stated has the type of a statement of a user, and decides how it changes earlier ones.
//
// [Merge] compares a [Statement] with the known ones and decides: it repeats one, replaces it,
// limits it or ends it. The result depends on the arguments alone: no clock, no state. Package
// internal/statement reads statements from messages.
package stated

import (
	"strings"
	"unicode"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/memory"
)

// NamedPrefix begins the subject of a statement that takes a rule back by its words.
const NamedPrefix = "named/"

// named reports whether a statement takes back a known one, by its words. The end of a long one
// may be missing.
func (s *Statement) named(k *Known) bool {
	name, ok := strings.CutPrefix(s.Subject, NamedPrefix)
	if !ok || name == "" {
		return false
	}
	var said strings.Builder
	for _, w := range english.Split(k.Text, english.Sentence{To: len(k.Text)}) {
		said.WriteString(w.Low) // contractions are written out there, too
	}
	return strings.HasPrefix(Squashed(said.String()), name)
}

// Squashed returns the letters and digits of a text in lower case.
func Squashed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// Statement is one rule, preference, fact, decision or goal of a user.
type Statement struct {
	// Type is fact, preference, constraint or goal.
	Type memory.Type
	// Strength is that of a constraint or a preference. "Always", "never" and
	// "must" are hard, since only hard constraints are shown for every request;
	// other rules and tastes are firm, and statements with "ideally", "if
	// possible" or "prefer" are soft.
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
	// Correction says that it corrects an earlier statement.
	Correction bool
	// Retraction says that the statement of its subject no longer holds, without
	// a replacement.
	Retraction bool
	// Exception says that it limits a rule instead of stating one: "except on
	// release branches". The rule stays, with this text behind its own.
	Exception bool
	// Anaphoric says that a retraction, an exception or a correction names no
	// subject of its own and means what was stated last: "forget that rule".
	Anaphoric bool
	// Everywhere says that it holds for all projects of the user.
	Everywhere bool
	// Topic is the trigger of a standing instruction as it is written, such as
	// "recipes" in "whenever I ask about recipes". It is empty if the instruction
	// always holds.
	Topic string
	// Within are the words that bind it to a time or a task, such as "for this
	// task". It is empty if it holds in general.
	Within string
}

// Temporary reports whether it holds for a limited time only.
func (s *Statement) Temporary() bool { return s.Within != "" }
