package text

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// longestStem is the longest word that is stemmed. Longer ones are not English.
const longestStem = 64

// lookup returns the meaning of a word of the letters a to z.
func lookup(word []byte) meaning {
	if len(word) > longestKnown {
		return mean(string(word))
	}
	s := spell(word)
	m, ok := s.find()
	if !ok {
		m = mean(string(word))
		s.keep(m)
	}
	return m
}

// mean computes the meaning of a word.
func mean(word string) meaning {
	m := meaning(TermOf(stem(word)))
	if stopWords[word] {
		m |= stopMeaning
	}
	return m
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
