// Package concern says whether a text has to do with a question: a floor under what is
// found, where the best of what is found may still be about something else.
//
// # What is guaranteed
//
//   - The same question and text give the same answer on every platform and on every
//     board: nothing depends on what else is stored.
//   - A text that has all words of a question concerns it.
//
// # What is not
//
// Words are compared by their stems, and meanings by the built-in model, which knows
// English best. Whether a text answers the question is not decided here.
package concern

import (
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/text"
)

// Question is a prompt or a query, as texts are compared with it. Two texts have the more
// to do with each other the more words they share that say something, and the nearer their
// meanings are.
type Question struct {
	words  []text.Term
	vector []float32
}

// How close a text is to a question: the share of the question's words that it has,
// weighed, and how near its meaning is, from -1 to 1. A long question is taken for one of
// mostCounted words: none of its words counts less for those around it.
const (
	wordsWeight = 0.7
	mostCounted = 7
)

// Enough is the least closeness of a text that a prompt receives unasked. docs/hooks.md
// says how it was measured.
const Enough = 0.5

// What a search returns. An event reaches Found, or something that was kept on purpose reaches
// Enough, or nothing was found; every hit reaches Beside.
// docs/decisions/0040-a-floor-under-what-is-found.md has the measurements.
const (
	Found  = 0.6
	Beside = 0.3
)

// About takes a prompt apart. Words that ask for nothing do not count.
func About(prompt string) *Question {
	return newQuestion(prompt, func(t text.Term) bool { return !smallTalk()[t] })
}

// Query takes the query of a search apart. Words that ask for nothing count if there are no
// others: a search for "make" means it.
func Query(query string) *Question {
	if q := About(query); !q.Empty() {
		return q
	}
	return newQuestion(query, func(text.Term) bool { return true })
}

func newQuestion(what string, counts func(text.Term) bool) *Question {
	q := &Question{}
	for _, t := range text.Analyze(nil, text.FieldText, what) {
		if counts(t.Term) && !slices.Contains(q.words, t.Term) && len(q.words) < text.MaxTerms {
			q.words = append(q.words, t.Term)
		}
	}
	if len(q.words) > 0 {
		q.vector = embed.Builtin().Embed(nil, what).Vector
	}
	return q
}

// Empty reports whether a prompt asks for nothing: a greeting, thanks, a word to go on.
func (q *Question) Empty() bool { return len(q.words) == 0 }

// Concerns reports whether a text has to do with a prompt.
func (q *Question) Concerns(what string) bool {
	if q.Empty() {
		return false
	}
	shared := q.shared(what)
	return shared >= Enough || shared+q.near(what) >= Enough
}

// Closeness says how close a text is to the question: 0 for nothing in common, or less, and
// up to 1.7 for the question itself.
func (q *Question) Closeness(what string) float64 {
	if q.Empty() {
		return 0
	}
	return q.shared(what) + q.near(what)
}

// shared is what the words count that a text shares with the question.
func (q *Question) shared(what string) float64 {
	met := map[text.Term]bool{}
	for _, t := range text.Analyze(nil, text.FieldText, what) {
		if slices.Contains(q.words, t.Term) {
			met[t.Term] = true
		}
	}
	return wordsWeight * float64(len(met)) / float64(min(len(q.words), mostCounted))
}

// near is how near the meaning of a text is.
func (q *Question) near(what string) float64 {
	sum := 0.0
	for i, x := range embed.Builtin().Embed(nil, what).Vector {
		product := float64(x) * float64(q.vector[i])
		sum += product
	}
	return sum
}

// informativeBytes is how much of a text is looked at for words that say something.
const informativeBytes = 4 << 10

// Informative reports whether a text says something by itself: it has two words at least that
// are more than small talk. "Done." and "OK, go on." do not.
func Informative(what string) bool {
	var first text.Term
	for _, t := range text.Analyze(nil, text.FieldText, what[:min(len(what), informativeBytes)]) {
		switch {
		case smallTalk()[t.Term]:
		case first == 0:
			first = t.Term
		case t.Term != first:
			return true
		}
	}
	return false
}

// smallTalk are words of prompts that ask for nothing by themselves.
var smallTalk = sync.OnceValue(func() map[text.Term]bool {
	words := map[text.Term]bool{}
	for _, t := range text.Analyze(nil, text.FieldText, strings.Join([]string{
		"hello hi hey hallo moin good great nice fine perfect excellent awesome cool morning evening day",
		"thanks thank thx danke please bitte sorry yes yep yeah no nope ok okay sure right correct agreed exactly ja nein",
		"continue proceed go ahead next more again keep going weiter start begin resume retry try do it done stop wait now then also just",
		"lgtm looks look sounds see want like need help tell know think make let way thing things work works",
	}, " ")) {
		words[t.Term] = true
	}
	return words
})
