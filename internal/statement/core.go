package statement

import (
	"slices"
	"strings"

	"lukasa.dev/internal/record"
)

// Core returns a text without what stands around its statements: greetings, leads, the name of
// the agent, and the words at the end by which users ask to be obeyed. "Hey, before we start:
// never push to main, ok?" is "never push to main". Sentences that are nothing else stay as
// they are.
func Core(text string) string {
	var b strings.Builder
	kept := 0
	r := reader{text: text}
	sentences(text, 0, len(text), func(s sentence) bool {
		whole := split(text, s)
		if ban, ok := r.ban(s, whole); ok {
			b.WriteString(text[kept:s.from] + ban)
			kept = s.to
			return true
		}
		words, tagged := untagged(whole)
		for more := tagged; more; {
			words, more = untagged(words)
		}
		c := clause{words}
		c.lead()
		if len(c.words) == 0 || c.at(0).quoted {
			return true
		}
		b.WriteString(text[kept:s.from])
		if tagged {
			b.WriteString(text[c.at(0).from:words[len(words)-1].to] + ".")
		} else {
			b.WriteString(text[c.at(0).from:s.to])
		}
		kept = s.to
		return true
	})
	b.WriteString(text[kept:])
	return b.String()
}

// ban returns the ban that a sentence states among other words or in misspelt ones, plainly, and
// what stands behind it: "so you nevr run npm install here" is "never run npm install."
func (r *reader) ban(s sentence, whole []word) (string, bool) {
	c, ok := r.governed(s, whole, false)
	wrong := slices.ContainsFunc(whole, func(w word) bool { return misspelt[strings.ToLower(r.text[w.from:w.to])] != "" })
	if !ok || !c.loose && !wrong || c.clause.at(0).low != "never" {
		return "", false
	}
	var b strings.Builder
	b.WriteString("never")
	end := s.to
	for i, w := range c.clause.words[1:] {
		raw := r.text[w.from:w.to]
		prev := c.clause.words[i]
		switch {
		case raw == "" || misspelt[strings.ToLower(raw)] != "":
			raw = w.low
		case w.from == prev.from && prev.to > 0:
			continue // the rest of a contraction
		case w.code && !prev.code:
			raw = "`" + raw
		}
		if next := c.clause.at(i + 2); w.code && !next.code {
			raw += "`"
		}
		b.WriteString(" " + raw)
		if w.to > 0 {
			end = w.to
		}
		if w.stop != 0 && w.stop != '(' && i+2 < len(c.clause.words) {
			b.WriteByte(w.stop)
		}
	}
	for i, w := range whole {
		if w.from >= end && whole[max(i-1, 0)].stop == ',' && (w.low == "no" || actions()[w.low]) {
			return b.String() + ", " + r.text[w.from:s.to], true
		}
	}
	return b.String() + ".", true
}

// Lifts reports whether a sentence ends the rule that a text states, and can tell: known is
// false if the text states no rule.
func Lifts(sentence, rule string) (lifts, known bool) {
	var rules []Known
	for _, s := range Read(rule) {
		if !s.Retraction && !s.Exception {
			rules = append(rules, Known{ID: "rule", Type: s.Type, Subject: s.Subject, Text: rule, Trust: record.User, Position: 1})
		}
	}
	if len(rules) == 0 {
		return false, false
	}
	for _, s := range Read(sentence) {
		if a := Merge(rules, s, record.User, 2); a.Verdict == Retract {
			return true, true
		}
	}
	return false, true
}
