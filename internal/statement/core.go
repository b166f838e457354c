package statement

import (
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
	sentences(text, 0, len(text), func(s sentence) bool {
		whole := split(text, s)
		words, tagged := untagged(whole)
		for more := tagged; more; {
			words, more = untagged(words)
		}
		c := clause{words}
		c.lead()
		for i := 1; i < min(maxSpoken, len(c.words)); i++ {
			if d, ok := c.skip(i).directive(); c.words[i-1].stop == ':' && !recounts(c.words[:i]) && ok && d.negative {
				c = c.skip(i)
				break
			}
		}
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
