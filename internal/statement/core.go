package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/stated"
)

// Core returns a text without the words around its statements: greetings, leads, the name of
// the agent, and requests for confirmation at the end. "Hey, before we start: never push to
// main, ok?" becomes "never push to main". Sentences that consist only of such words stay as
// they are.
func Core(text string) string {
	var b strings.Builder
	kept := 0
	r := reader{text: text}
	english.Sentences(text, 0, len(text), func(s english.Sentence) bool {
		whole := english.Split(text, s)
		if ban, ok := r.ban(s, whole); ok {
			b.WriteString(text[kept:s.From] + ban)
			kept = s.To
			return true
		}
		words, tagged := english.WithoutTags(whole)
		for more := tagged; more; {
			words, more = english.WithoutTags(words)
		}
		c := english.Clause(words)
		english.TakeLead(&c)
		if len(c) == 0 || c.At(0).Quoted {
			return true
		}
		b.WriteString(text[kept:s.From])
		if tagged {
			b.WriteString(text[c.At(0).From:words[len(words)-1].To] + ".")
		} else {
			b.WriteString(text[c.At(0).From:s.To])
		}
		kept = s.To
		return true
	})
	b.WriteString(text[kept:])
	return b.String()
}

// ban returns the ban of a sentence with extra or misspelt words in its plain form, and the text
// behind it: "so you nevr run npm install here" becomes "never run npm install."
func (r *reader) ban(s english.Sentence, whole []english.Word) (string, bool) {
	c, ok := r.governed(s, whole, false)
	wrong := slices.ContainsFunc(whole, func(w english.Word) bool { return english.Misspelt[strings.ToLower(r.text[w.From:w.To])] != "" })
	if !ok || !c.loose && !wrong || c.clause.At(0).Low != "never" {
		return "", false
	}
	var b strings.Builder
	b.WriteString("never")
	end := s.To
	for i, w := range c.clause[1:] {
		raw := r.text[w.From:w.To]
		prev := c.clause[i]
		switch {
		case raw == "" || english.Misspelt[strings.ToLower(raw)] != "":
			raw = w.Low
		case w.From == prev.From && prev.To > 0:
			continue // the rest of a contraction
		case w.Code && !prev.Code:
			raw = "`" + raw
		}
		if next := c.clause.At(i + 2); w.Code && !next.Code {
			raw += "`"
		}
		b.WriteString(" " + raw)
		if w.To > 0 {
			end = w.To
		}
		if w.Stop != 0 && w.Stop != '(' && i+2 < len(c.clause) {
			b.WriteByte(w.Stop)
		}
	}
	for i, w := range whole {
		if w.From >= end && whole[max(i-1, 0)].Stop == ',' && (w.Low == "no" || english.Actions()[w.Low]) {
			return b.String() + ", " + r.text[w.From:s.To], true
		}
	}
	return b.String() + ".", true
}

// Lifts reports whether a sentence ends the rule that a text states. known is false if the text
// states no rule.
func Lifts(sentence, rule string) (lifts, known bool) {
	var rules []stated.Known
	for _, s := range Read(rule) {
		if !s.Retraction && !s.Exception {
			rules = append(rules, stated.Known{ID: "rule", Type: s.Type, Subject: s.Subject, Text: rule, Trust: record.User, Position: 1})
		}
	}
	if len(rules) == 0 {
		return false, false
	}
	for _, s := range Read(sentence) {
		if a := stated.Merge(rules, s, record.User, 2); a.Verdict == stated.Retract {
			return true, true
		}
	}
	return false, true
}
