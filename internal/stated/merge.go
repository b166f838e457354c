package stated

import (
	"strings"

	"lukasa.dev/internal/english"
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

// Verdict says what to do with a statement.
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

// Action is a verdict, with the known statement that it is about.
type Action struct {
	Verdict Verdict
	ID      string
}

// Merge decides about a statement with a trust in the record at a position. It considers
// the known statements that have its subject or the one that it replaces, and rules about
// the same deed; for a correction also the only one that is akin. A statement that is kept
// already is not kept twice, nor is an identity in other words, nor a weaker form of a rule.
// A later or more trusted statement is never replaced, and a temporary statement replaces
// no general one. The order of the known statements does not matter.
//
// A permission lifts only a ban on the same deed; one with a more specific place or time
// limits a wider ban. "No need to" lifts only requirements. A statement that refers back
// without a subject means the last statement of its type.
func Merge(known []Known, s Statement, trust record.Trust, position uint64) Action {
	if s.Retraction && strings.HasPrefix(s.Subject, NamedPrefix) {
		for i := len(known) - 1; i >= 0; i-- {
			if s.named(&known[i]) && known[i].Trust <= trust {
				return Action{Retract, known[i].ID}
			}
		}
		return Action{Verdict: Stand}
	}
	said := strings.Join(plain(s.Text), " ")
	who, named := s.Identity()
	var target *Known
	for i := range known {
		k := &known[i]
		if !s.Retraction && !s.Exception && k.Type == s.Type && strings.Join(plain(k.Text), " ") == said || named && k.says(s.Subject, who) {
			return Action{Same, k.ID}
		}
		if s.about(k) && (target == nil || newer(k, target)) {
			target = k
		}
	}
	// A permission for exactly what is forbidden, with every word of place and time, ends the rule.
	amends := s.Exception && (s.Anaphoric || target == nil) || s.Anaphoric && !s.Retraction
	if target == nil && s.Subject != "" && (s.Correction || s.Retraction) {
		switch {
		case s.Anaphoric:
			target = s.last(known, position)
		case s.permits():
			if target = s.wider(known); target != nil {
				amends = true
			}
		default:
			target = s.akin(known)
		}
	}
	switch {
	case target == nil && (s.Retraction || amends):
		return Action{Verdict: Stand}
	case target == nil || s.Temporary() && target.Within == "" && !s.Retraction:
		return Action{Verdict: New}
	case trust < target.Trust || position < target.Position:
		return Action{Stand, target.ID}
	case amends:
		return Action{Amend, target.ID}
	case s.Retraction || s.Exception:
		return Action{Retract, target.ID}
	case s.weaker(target) && s.Correction:
		return Action{Amend, target.ID} // "don't, unless I ask" does not soften "never"
	case s.weaker(target):
		return Action{Same, target.ID}
	}
	return Action{Supersede, target.ID}
}

// says reports whether a known statement gives an identity.
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

// about reports whether the statement has the same subject as a known one. An exception
// limits only a rule that is as wide as itself or wider.
func (s *Statement) about(k *Known) bool {
	if k.Subject == "" || s.Anaphoric {
		return false
	}
	if s.permits() || s.exempts() {
		d, ok := english.DeedOf(s.Subject)
		o, known := english.DeedOf(k.Subject)
		if !ok || !known || k.Type != s.Type {
			return false
		}
		if d.Same(o) {
			return k.forbids(o.Verb) == s.permits() || d.Condition == withoutAsking
		}
		return s.permits() && (s.consents(d, o) || k.replaces(s.Subject))
	}
	if k.Subject == s.Subject || k.Subject == s.Replaces {
		return true
	}
	if k.Type != memory.TypeConstraint || s.Type != memory.TypeConstraint {
		return false
	}
	d, ok := english.DeedOf(s.Subject)
	o, known := english.DeedOf(k.Subject)
	return ok && known && d.Same(o)
}

// withoutAsking is the condition of a rule to ask before a deed.
const withoutAsking = "without ask"

// consents reports whether a permanent permission is for a deed that a rule forbids without
// asking. A temporary permission answers the question and leaves the rule.
func (s *Statement) consents(d, rule english.Deed) bool {
	if _, ok := strings.CutPrefix(rule.Condition, "without "); !ok || !consentWords()[rule.Condition[len("without "):]] || !english.Resumed().In(s.Text) {
		return false
	}
	rule.Condition = ""
	return d.Same(rule)
}

// replaces reports whether a known rule requires something instead of what a subject names:
// "use pnpm, never npm".
func (k *Known) replaces(subject string) bool {
	if !strings.HasPrefix(k.Subject, "rule/use-") || !strings.HasPrefix(subject, "rule/use-") {
		return false
	}
	c := english.Clause(english.Split(k.Text, english.Sentence{To: len(k.Text)}))
	english.TakeLead(&c)
	_, other, _, ok := english.Instead(c)
	return ok && english.Subject("rule", append([]english.Word{{Low: "use"}}, other...)) == subject
}

// permits reports whether a statement allows what a rule forbids.
func (s *Statement) permits() bool {
	return s.Type == memory.TypeConstraint && (s.Retraction || s.Exception) && !s.Anaphoric && strings.HasPrefix(s.Subject, "rule/") && !s.exempts() && !s.quotes()
}

// exempts reports whether a statement lifts the requirement of a rule.
func (s *Statement) exempts() bool {
	return s.Type == memory.TypeConstraint && s.Retraction && !s.Anaphoric && exemptions().In(s.Text)
}

// quotes reports whether a statement takes a rule back by repeating it: "forget that I
// told you to never use tabs".
func (s *Statement) quotes() bool { return s.Retraction && forgetting().In(s.Text) }

// forbids reports whether a known rule forbids the deed of a verb, rather than requires it.
func (k *Known) forbids(verb string) bool {
	words := english.Split(k.Text, english.Sentence{To: len(k.Text)})
	if banned().Has(words) {
		return true
	}
	asks := false
	for _, w := range words {
		asks = asks || asking()[w.Low]
		if english.Negations()[w.Low] || asks && w.Low == "before" {
			return true
		}
		if english.VerbAlike(english.Stem(w.Low)) == verb || strings.HasPrefix(w.Low, verb+"-") {
			return false
		}
	}
	return false
}

// weaker reports whether a statement repeats a known rule with less strength.
func (s *Statement) weaker(k *Known) bool {
	if s.Type != memory.TypeConstraint || k.Type != s.Type || s.Strength == memory.StrengthHard || s.Within != "" || k.Subject == s.Replaces {
		return false
	}
	d, ok := english.DeedOf(s.Subject)
	mine := Known{Text: s.Text}
	return ok && absolutes().In(k.Text) && mine.forbids(d.Verb) == k.forbids(d.Verb)
}

// wider returns the ban that a permission limits without having its deed: the only one,
// or the newest if all are on one deed.
func (s *Statement) wider(known []Known) *Known {
	d, ok := english.DeedOf(s.Subject)
	if !ok {
		return nil
	}
	var found *Known
	var deed english.Deed
	for i := range known {
		k := &known[i]
		o, ok := english.DeedOf(k.Subject)
		if !ok || k.Type != memory.TypeConstraint || !d.Within(o) || !k.forbids(o.Verb) {
			continue
		}
		if found == nil {
			found, deed = k, o
		} else if !deed.Same(o) {
			return nil
		} else if newer(k, found) {
			found = k
		}
	}
	return found
}

// last returns the statement that another refers back to: the newest earlier one of its
// type, and for a corrected value the newest that has the wrong value.
func (s *Statement) last(known []Known, position uint64) *Known {
	wrong, value := strings.CutPrefix(s.Replaces, "value/")
	var found *Known
	for i := range known {
		k := &known[i]
		if k.Position > position || !value && k.Type != s.Type || value && !contains(plain(k.Text), strings.Split(wrong, "-")) {
			continue
		}
		if found == nil || newer(k, found) {
			found = k
		}
	}
	return found
}

// akin returns the only known statement that a correction can mean without having its
// subject: for a retraction by topic, the one that has all words of the topic; else the
// one of its type and branch that ends in the same word or has the words of its subject
// in its text.
func (s *Statement) akin(known []Known) *Known {
	var found *Known
	if about, ok := strings.CutPrefix(s.Subject, "about-rule/"); ok {
		// A rule about exactly that deed goes before others that only name it.
		d, _ := english.Deed{}.Read(strings.Split(about, "-"))
		for i := range known {
			k := &known[i]
			if o, ok := english.DeedOf(k.Subject); ok && k.Type == memory.TypeConstraint && o.Same(d) && (found == nil || newer(k, found)) {
				found = k
			}
		}
		if found != nil {
			return found
		}
	}
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
		return contains(stems(words), stems(strings.Split(about, "-")))
	}
	if about, ok := strings.CutPrefix(s.Subject, "about-rule/"); ok {
		return k.Type == memory.TypeConstraint && contains(stems(words), stems(strings.Split(about, "-")))
	}
	if s.exempts() {
		return false
	}
	if k.Type != s.Type {
		return false
	}
	return cousins(k.Subject, s.Subject) || owned(k.Subject, s.Subject) || named(k, words, s.Subject) || named(k, words, s.Replaces)
}

// named reports whether a known statement of the same branch has the words at the
// end of a subject.
func named(k *Known, words []string, subject string) bool {
	at := strings.LastIndexByte(subject, '/')
	return at > 0 && strings.Contains(subject[:at], "/") && strings.HasPrefix(k.Subject, subject[:at+1]) && contains(words, strings.Split(subject[at+1:], "-"))
}

// contains reports whether one list has all words of another.
func contains(words, some []string) bool {
	have := english.WordSet{}
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

// stems returns the stems of words that carry meaning.
func stems(words []string) []string {
	var out []string
	for _, w := range words {
		if low := english.Stem(w); !english.Plainly()[low] && !english.Joins()[low] {
			out = append(out, low)
		}
	}
	return out
}

// owned reports whether two subjects name the same object of a project, one as a note.
func owned(a, b string) bool {
	a, b = strings.Replace(a, "note/", "project/", 1), strings.Replace(b, "note/", "project/", 1)
	return a == b && strings.HasPrefix(a, "project/")
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

// plain returns the words of a text in lower case and without marks.
func plain(text string) []string {
	words := english.Split(text, english.Sentence{To: len(text)})
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Low
	}
	return out
}

var (

	// banned are phrases of a ban behind the verb.
	banned = english.Phrases("is forbidden|is strictly forbidden|is prohibited|is strictly prohibited|is banned|is not allowed|is never allowed|is not permitted|is never ok/okay|is not ok/okay|is off limits|is off-limits|is a no-go|is taboo|are forbidden|are prohibited|are not allowed|must never be|must not be|may never be|may not be|only i|but me|except me|need my|needs my")

	// asking are words of asking for leave, and consentWords are what is asked for.
	asking       = english.List("ask check confirm wait get tell talk consult approval permission")
	consentWords = english.List("ask approval permission ok okay consent confirmation tell")

	// exemptions are phrases by which something is no longer asked for.
	exemptions = english.Phrases("no need to|not have to|not need to|no longer need/have|need not|can stop|may stop|can quit|to stop|no longer required/necessary/needed|not required|not necessary|not needed|no longer a need|longer any need")

	// forgetting are words of taking back a statement by saying it.
	forgetting = english.Phrases("forget|ignore|disregard")

	// absolutes are words of hard rules.
	absolutes = english.Phrases("always|never|must|ever|under no circumstances|at all times|forbidden|prohibited|nobody")
)
