package guide

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/guide/act"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/ruletext"
	"lukasa.dev/internal/statement"
)

// RuleFacts is what is known of the rule of a reason.
type RuleFacts struct {
	ID       string
	Text     string // verbatim, cut short if it is very long
	Strength memory.Strength
	// By is who stated it, such as "the user"; empty if that is not known.
	By string
	// Said is when it was stated, in milliseconds since 1970, or 0.
	Said int64
	// Scope is where it holds, such as "project shop"; empty means everywhere.
	Scope string
	// Command lifts a rule that no sentence lifts, because it was written by hand.
	Command string
}

// Lift returns the sentence that lifts the rule.
func (f *RuleFacts) Lift() string { return Lift(f.Text) }

const maxRuleQuote = 500 // bytes of a rule in its facts

// facts returns what is known of a rule.
func (r *Rule) facts() *RuleFacts {
	return &RuleFacts{ID: r.ID, Text: english.Clip(r.Text, maxRuleQuote), Strength: r.Strength, By: r.by(), Said: r.Said, Scope: r.Scope}
}

// by returns who stated a rule.
func (r *Rule) by() string {
	switch {
	case r.By != "":
		return r.By
	case r.Trust >= record.Operator:
		return "the operator"
	case r.Trust >= record.User:
		return "the user"
	}
	return ""
}

// RuleOf returns the rule of a user's statement, for a check before the memory is written. It
// reports false for a statement that is no constraint, or that lifts or limits another rule.
// Said is when it was stated, in milliseconds since 1970.
func RuleOf(s *statement.Statement, id string, said int64) (Rule, bool) {
	if s.Type != memory.TypeConstraint || s.Retraction || s.Text == "" {
		return Rule{}, false
	}
	return Rule{ID: id, Text: s.Text, Strength: s.Strength, Trust: record.User, Said: said}, true
}

// Except returns the rule with an exception behind it, as a user states one: "Except on release
// branches."
func (r Rule) Except(text string) Rule {
	if text = strings.TrimSpace(text); text == "" {
		return r
	}
	r.Text = strings.TrimRight(r.Text, " \t\n")
	if last, _ := utf8.DecodeLastRuneInString(r.Text); !strings.ContainsRune(".!?;", last) {
		r.Text += "."
	}
	r.Text += " " + text
	return r
}

// ScopeText returns where a rule holds, from the conditions of its scope: "project shop" for
// "project: github.com/acme/shop". It is empty without conditions.
func ScopeText(conditions []string) string {
	var parts []string
	for _, c := range conditions {
		name, v, ok := strings.Cut(c, ":")
		if v = strings.TrimSpace(v); !ok || v == "" {
			parts = append(parts, c)
			continue
		}
		if name == "project" {
			trimmed := strings.TrimRight(strings.ReplaceAll(v, `\`, "/"), "/")
			if base := trimmed[strings.LastIndexByte(trimmed, '/')+1:]; base != "" {
				v = base
			}
		}
		parts = append(parts, name+" "+v)
	}
	return strings.Join(parts, ", ")
}

// Refusal returns one short text for the agent whose action is refused: the rule verbatim, who
// stated it and when, where it holds, and how the user lifts it. It is empty for a reason
// without a rule.
func (r *Reason) Refusal() string {
	f := r.Rule
	if r.Guards != "" {
		return "Lukasa: rules of a person bind here, and this would change " + r.Guards + ". Only a person may do that: ask the user to run it."
	}
	if f == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(`Lukasa: "` + oneLine(f.Text) + `"`)
	var parts []string
	switch {
	case f.By != "" && f.Said != 0:
		parts = append(parts, "stated by "+f.By+" on "+day(f.Said))
	case f.By != "":
		parts = append(parts, "stated by "+f.By)
	case f.Said != 0:
		parts = append(parts, "stated on "+day(f.Said))
	}
	if f.Scope != "" {
		parts = append(parts, "for "+f.Scope)
	}
	if len(parts) > 0 {
		b.WriteString(" — " + strings.Join(parts, ", "))
	}
	b.WriteString(".")
	if r.Detail != "" {
		b.WriteString(" " + upperFirst(oneLine(r.Detail)) + ".")
	}
	if f.Command != "" {
		b.WriteString(" To lift it, run: " + f.Command)
		return b.String()
	}
	who := f.By
	if who == "" {
		who = "the user"
	}
	b.WriteString(" To lift it, " + who + ` says: "` + Lift(f.Text) + `"`)
	return b.String()
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// oneLine returns a text with single spaces instead of line breaks and control characters.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func upperFirst(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// lifts are the beginnings of rules that a sentence with the same words lifts, and the
// beginnings of those sentences.
var lifts = []struct{ rule, lift, end string }{
	{"never ever ", "You may ", " again."}, {"never ", "You may ", " again."}, {"do not ever ", "You may ", " again."}, {"do not ", "You may ", " again."}, {"don't ever ", "You may ", " again."}, {"don't ", "You may ", " again."},
	{"must never ", "You may ", " again."}, {"must not ", "You may ", " again."}, {"mustn't ", "You may ", " again."}, {"should never ", "You may ", " again."}, {"should not ", "You may ", " again."}, {"shouldn't ", "You may ", " again."},
	{"may not ", "You may ", " again."}, {"cannot ", "You may ", " again."}, {"can not ", "You may ", " again."}, {"can't ", "You may ", " again."},
	{"always ", "You need not ", " any more."},
}

// liftLeads are words before a rule that are not part of the sentence that lifts it.
var liftLeads = []string{"remember that ", "remember: ", "remember, ", "please ", "from now on, ", "from now on ", "rule: ", "note: ", "important: ", "and ", "but ", "so ", "you ", "we ", "i ", "agents ", "everyone ", "also, ", "also "}

// Lift returns the sentence with which a user lifts a rule: "You may X again." for "Never X.",
// "You need not X any more." for "Always X.", and one that names the rule if these would not lift
// it.
func Lift(rule string) string {
	whole := oneLine(rule)
	text := statement.Core(english.Unscoped(whole))
	for again := true; again; {
		again = false
		for _, lead := range liftLeads {
			if len(text) > len(lead) && strings.EqualFold(text[:len(lead)], lead) {
				text, again = text[len(lead):], true
			}
		}
	}
	text = strings.ReplaceAll(text, "’", "'")
	for _, l := range lifts {
		if len(text) <= len(l.rule) || !strings.EqualFold(text[:len(l.rule)], l.rule) {
			continue
		}
		core := liftCore(text[len(l.rule):])
		if core == "" || strings.HasPrefix(core, "be ") {
			break
		}
		sentence := l.lift + core + l.end
		if lifts, known := statement.Lifts(sentence, whole); lifts || !known {
			return sentence
		}
		break
	}
	return `Forget the rule '` + strings.TrimRight(english.Clip(whole, act.MaxQuote), ".! ") + `'.`
}

// liftCore returns the core of a rule: its first sentence without reasons, exceptions and
// alternatives.
func liftCore(text string) string {
	list := ruletext.Sentences(text)
	if len(list) == 0 {
		return ""
	}
	s := list[0]
	for i, t := range s {
		reason := ruletext.Tails[t.Low] == ruletext.TailReason && (t.Low != "so" || i > 0 && s[i-1].Mark == ',')
		if i > 0 && (t.Open || reason || t.Low == "except" || t.Low == "unless") {
			s = s[:i]
			break
		}
		if t.Mark == ':' || t.Mark == ',' && i+1 < len(s) && ruletext.Starters()[s[i+1].Low] {
			s = s[:i+1]
			break
		}
	}
	return ruletext.Join(s)
}
