package text

import (
	"sync/atomic"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/cespare/xxhash/v2"
)

const (
	// longestStem is the longest word that is stemmed. Longer ones are no English.
	longestStem = 64
	// longestKnown is the longest word that is remembered.
	longestKnown = 32
	knownBits    = 17
)

// entry is what is known of a word of the letters a to z.
type entry struct {
	word string
	term Term
	stop bool
}

// known remembers words that were stemmed lately, each in the one slot that its
// hash gives it. An entry is never changed once it can be seen, and is used for the
// very word that it holds only, so it makes no difference but in time.
var known [1 << knownBits]atomic.Pointer[entry]

// lookup returns what is to be known of a word of the letters a to z.
func lookup(word []byte) *entry {
	hash := xxhash.Sum64(word)
	slot := &known[hash>>(64-knownBits)]
	e := slot.Load()
	if e != nil && e.word == string(word) {
		return e
	}
	w := string(word)
	e = &entry{word: w, term: Term(hash & termMask), stop: stopWords[w]}
	if s := stem(w); s != w {
		e.term = TermOf(s)
	}
	if len(word) <= longestKnown {
		slot.Store(e)
	}
	return e
}

// stem returns the stem of an English word in lower case.
func stem(word string) string {
	if len(word) > longestStem {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}
