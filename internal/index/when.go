package index

import (
	"strings"
	"sync"

	"lukasa.dev/internal/text"
)

// timeWords are words about when something was or will be.
const timeWords = `yesterday today tonight tomorrow ago last next week weekend month year day monday tuesday wednesday
	thursday friday saturday sunday january february march april june july august september october november december
	morning evening night summer winter spring fall autumn recently since`

// termSet is a set of terms.
type termSet struct {
	terms map[text.Term]bool
	some  [1 << 10 / 64]uint64 // a bit for the lowest ten of each
}

// timeTerms returns the terms of the words about time.
var timeTerms = sync.OnceValue(func() *termSet {
	set := &termSet{terms: make(map[text.Term]bool)}
	for _, word := range strings.Fields(timeWords) {
		for _, t := range text.Analyze(nil, text.FieldText, word) {
			set.terms[t.Term] = true
			set.some[t.Term%(1<<10)/64] |= 1 << (t.Term % 64)
		}
	}
	return set
})

// has reports whether a term is in the set. The bit rules out nearly all others.
func (s *termSet) has(t text.Term) bool {
	return s.some[t%(1<<10)/64]>>(t%64)&1 != 0 && s.terms[t]
}

// tellsWhen reports whether a text has words about time.
func tellsWhen(tokens []text.Token) bool {
	terms := timeTerms()
	for i := range tokens {
		if tokens[i].Field == text.FieldText && terms.has(tokens[i].Term) {
			return true
		}
	}
	return false
}
