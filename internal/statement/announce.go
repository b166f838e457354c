package statement

import (
	"strings"

	"lukasa.dev/internal/english"
)

// announces reports whether a sentence says that the text below it is by another author or a
// program, or is to be written somewhere: with a colon at the end of its line, or without
// one if it names the source and refers to the text below.
func announces(text string, s english.Sentence, words []english.Word) bool {
	if !s.Colon && !strings.HasPrefix(strings.TrimLeft(text[s.To:], " \t\r"), "\n") {
		return false
	}
	if len(words) == 0 {
		return false
	}
	var foreign, tells, points, here, printed, own, document, binds bool
	for _, w := range words {
		own = own || english.OwnWords()[w.Low]
		binds = binds || english.BindingWords()[w.Low]
		document = document || english.Documents()[w.Low] || english.FileName(w.Low)
		foreign = foreign || english.ForeignWords()[w.Low]
		tells, points = tells || english.TellingWords()[w.Low], points || english.PointsBelow()[w.Low]
		here, printed = here || w.Low == "here" || w.Low == "below", printed || english.PrintedWords()[w.Low]
	}
	if s.Colon && (document && !binds || !own && orders(afterLead(english.Clause(words))) && !lists(text[s.To:], words)) {
		return true
	}
	if len(words) == 1 && english.FileName(words[0].Low) {
		return true // the title of a pasted text
	}
	if !s.Colon && len(words) < 5 && english.Titles()[words[max(len(words)-1, 0)].Low] && english.Listed(text[s.To:]) {
		return true
	}
	return !own && (s.Colon && foreign || !s.Colon && (tells && points || here && printed))
}

// lists reports whether a line orders the tasks of the list that follows: "do this:".
func lists(rest string, words []english.Word) bool {
	c := english.Clause(words)
	english.TakeLead(&c)
	if first := c.At(0).Low; !english.Tasks()[first] && first != "complete" && first != "finish" {
		return false
	}
	return english.Listed(rest)
}
