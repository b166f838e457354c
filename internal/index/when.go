package index

import (
	"strings"
	"sync"

	"lukasa.dev/internal/text"
)

// timeWords are words that tell when something was or will be.
const timeWords = `yesterday today tonight tomorrow ago last next week weekend month year day monday tuesday wednesday
	thursday friday saturday sunday january february march april june july august september october november december
	morning evening night summer winter spring fall autumn recently since`

// timeTerms returns the terms of the words that tell when.
var timeTerms = sync.OnceValue(func() map[text.Term]bool {
	terms := make(map[text.Term]bool)
	for _, word := range strings.Fields(timeWords) {
		for _, t := range text.Analyze(nil, text.FieldText, word) {
			terms[t.Term] = true
		}
	}
	return terms
})

// tellsWhen reports whether a text has words that tell when.
func tellsWhen(tokens []text.Token) bool {
	terms := timeTerms()
	for i := range tokens {
		if tokens[i].Field == text.FieldText && terms[tokens[i].Term] {
			return true
		}
	}
	return false
}
