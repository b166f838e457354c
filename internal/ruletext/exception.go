package ruletext

import "lukasa.dev/internal/english"

// Exception is what a rule does not apply to.
type Exception struct {
	// Text is the exception as it is written.
	Text  string
	Words []Word
	// Branch says that the words name branches, and target that it is about those that
	// something is done to, whichever is checked out.
	Branch, Target bool
}

// exceptionOf reads what stands behind "except", "unless", "but" or "outside".
func exceptionOf(s []token) *Exception {
	if len(s) == 0 {
		return nil
	}
	e := &Exception{Text: Join(s)}
	on := false
	for _, t := range s {
		switch t.Low {
		case "on", "from", "in":
			on = true
		case "to", "into", "onto", "fine", "ok", "okay", "allowed", "permitted", "may", "can":
			e.Target = true
		}
		switch w := wordOf(t); {
		case w.Folded == english.Fold("branch"):
			e.Branch = true
		case english.RuleFillers()[t.Low] && t.Low != "." || prepositions()[t.Low] || kinds()[w.Folded] || exceptionWords()[t.Low] || Tails[t.Low] != 0:
		case len(e.Words) < maxGroups:
			e.Words = append(e.Words, w)
		}
	}
	e.Target = e.Target && !on
	return e
}

// exceptionWords are words of an exception that say nothing about what it is.
var exceptionWords = english.List("except exception exceptions unless but outside than other for may can could fine ok okay allowed permitted exempt excluded not never already working currently checked or if case cases when while good")

// isException reports whether a sentence, or what stands behind a comma, only limits what was
// said before it.
func isException(s []token) bool {
	for len(s) > 0 && (s[0].Low == "and" || s[0].Low == "the" || s[0].Low == "only") {
		s = s[1:]
	}
	if len(s) < 2 {
		return false
	}
	switch s[0].Low {
	case "except", "unless", "exception", "exceptions", "exempt":
		return true
	case "but", "however", "though":
		if prepositions()[s[1].Low] || s[1].Low == "not" || s[1].Low == "except" || s[1].Low == "unless" {
			return true
		}
	}
	but := s[0].Low == "but" || s[0].Low == "however"
	allows := false
	for i, t := range s {
		switch t.Low {
		case "fine", "ok", "okay", "allowed", "permitted", "exempt":
			allows = true
		case "may", "can":
			allows = allows || but
		case "not", "never", "don't":
			if i > 0 {
				return false
			}
		}
	}
	return allows
}
