package statement

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Known is a statement that is kept and holds.
type Known struct {
	ID       string // of the memory
	Type     memory.Type
	Subject  string
	Text     string
	Within   string
	Trust    record.Trust
	Position uint64 // of the record in which it was said
}

// Verdict says what is to be done with a statement.
type Verdict uint8

// The verdicts.
const (
	New       Verdict = iota // it is kept beside all others
	Same                     // it is kept already, as [Action.ID]
	Supersede                // it takes the place of [Action.ID]
	Retract                  // [Action.ID] no longer holds, and nothing takes its place
	Stand                    // nothing changes: [Action.ID] stands, or there is nothing to take back
	// Amend means that [Action.ID] still holds with its type, subject and strength.
	// Its new text is the old one, a space and that of the statement, as in "Never
	// push to main. Except on release branches."
	Amend
)

// Action is what is to be done, and with which of the known.
type Action struct {
	Verdict Verdict
	ID      string
}

// Merge decides about a statement that somebody of a trust made in the record at
// a position. Of the known, those are looked at that have its subject or the one
// that it replaces; for a correction also the only one that is akin. What is kept
// already is not kept twice, nor is who somebody is in other words. What was said
// later, or was trusted more, is never put aside, nor is what holds in general by what
// holds for a while. The order of the known does not matter.
func Merge(known []Known, s Statement, trust record.Trust, position uint64) Action {
	said := strings.Join(plain(s.Text), " ")
	who, named := s.Identity()
	var target *Known
	for i := range known {
		k := &known[i]
		if !s.Retraction && k.Type == s.Type && strings.Join(plain(k.Text), " ") == said || named && k.says(s.Subject, who) {
			return Action{Same, k.ID}
		}
		if s.about(k) && (target == nil || newer(k, target)) {
			target = k
		}
	}
	if target == nil && (s.Correction || s.Retraction) {
		target = s.akin(known)
	}
	switch {
	case target == nil && s.Retraction:
		return Action{Verdict: Stand}
	case target == nil || s.Temporary() && target.Within == "" && !s.Retraction:
		return Action{Verdict: New}
	case trust < target.Trust || position < target.Position:
		return Action{Stand, target.ID}
	case s.Retraction:
		return Action{Retract, target.ID}
	}
	return Action{Supersede, target.ID}
}

// says reports whether a known statement says who somebody is.
func (k *Known) says(subject string, who Identity) bool {
	s := Statement{Type: k.Type, Subject: k.Subject, Text: k.Text, Within: k.Within}
	id, ok := s.Identity()
	return ok && k.Subject == subject && id == who
}

// newer orders the known, by id where they were said in one record.
func newer(a, b *Known) bool {
	if a.Position != b.Position {
		return a.Position > b.Position
	}
	return a.ID > b.ID
}

// about reports whether the statement is about the same as a known one.
func (s *Statement) about(k *Known) bool {
	return k.Subject != "" && (k.Subject == s.Subject || k.Subject == s.Replaces)
}

// akin returns the only known statement that a correction can mean without having
// its subject: for one that is taken back by what it was about, the one that has
// all those words; else the one of its type and branch that ends in the same word or
// has the words of its subject in its text.
func (s *Statement) akin(known []Known) *Known {
	var found *Known
	for i := range known {
		k := &known[i]
		if !s.meant(k) {
			continue
		}
		if found != nil {
			return nil
		}
		found = k
	}
	return found
}

func (s *Statement) meant(k *Known) bool {
	words := plain(k.Text)
	if about, ok := strings.CutPrefix(s.Subject, "about/"); ok {
		return contains(words, strings.Split(about, "-"))
	}
	if k.Type != s.Type {
		return false
	}
	return cousins(k.Subject, s.Subject) || named(k, words, s.Subject) || named(k, words, s.Replaces)
}

// named reports whether a known statement of the same branch has the words at the
// end of a subject.
func named(k *Known, words []string, subject string) bool {
	at := strings.LastIndexByte(subject, '/')
	return at > 0 && strings.Contains(subject[:at], "/") && strings.HasPrefix(k.Subject, subject[:at+1]) && contains(words, strings.Split(subject[at+1:], "-"))
}

// contains reports whether all of some words are among others.
func contains(words, some []string) bool {
	have := wordSet{}
	for _, w := range words {
		have[w] = true
	}
	for _, w := range some {
		if !have[w] {
			return false
		}
	}
	return true
}

// cousins reports whether two subjects are of one branch and end in one word,
// such as user/taste/dark-mode and user/taste/light-mode.
func cousins(a, b string) bool {
	i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
	if i < 0 || j < 0 || a[:i] != b[:j] || !strings.Contains(a[:i], "/") {
		return false
	}
	return a[strings.LastIndexAny(a, "/-")+1:] == b[strings.LastIndexAny(b, "/-")+1:]
}

// plain returns the words of a text in small letters and without marks.
func plain(text string) []string {
	words := split(text, sentence{to: len(text)})
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.low
	}
	return out
}
