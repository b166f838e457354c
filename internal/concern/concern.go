// Package concern decides whether a text concerns a question: a minimum for hits, since the
// best hit may still be about something else.
//
// # What is guaranteed
//
//   - The same question and text give the same answer on every platform and on every
//     board: nothing depends on what else is stored.
//   - A text with all words of a question concerns it.
//
// # What is not
//
// Words are compared by their stems, and meanings by the built-in model, which knows English
// best. It does not decide whether a text answers the question.
package concern

import (
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/text"
)

// Question is an analysed prompt or query. Two texts are closer the more meaningful words they
// share, and the nearer their meanings are.
type Question struct {
	words  []text.Term
	vector []float32
}

// The closeness of a text to a question: the weighted share of the question's words in it, and
// the nearness of its meaning, from -1 to 1. A long question counts as one of mostCounted
// words, so that none of its words counts less for those around it.
const (
	wordsWeight = 0.7
	mostCounted = 7
)

// Enough is the minimum closeness of a text for a prompt. docs/hooks.md describes its
// measurement.
const Enough = 0.5

// The thresholds of a search. An event must reach Found, or a record that was kept on purpose
// Enough, or nothing is returned; every hit must reach Beside.
// docs/decisions/0040-a-floor-under-what-is-found.md has the measurements.
const (
	Found  = 0.6
	Beside = 0.3
)

// About analyses a prompt. Small talk does not count.
func About(prompt string) *Question {
	return newQuestion(prompt, func(t text.Term) bool { return !smallTalk()[t] })
}

// Query analyses the query of a search. Small talk counts if there is nothing else: a search
// for "make" means it.
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

// Empty reports whether a prompt has no request: a greeting, thanks, a word to continue.
func (q *Question) Empty() bool { return len(q.words) == 0 }

// Concerns reports whether a text concerns a prompt.
func (q *Question) Concerns(what string) bool {
	if q.Empty() {
		return false
	}
	shared := q.shared(what)
	return shared >= Enough || shared+q.near(what) >= Enough
}

// Closeness returns how close a text is to the question: 0 or less for nothing in common, and
// up to 1.7 for the question itself.
func (q *Question) Closeness(what string) float64 {
	if q.Empty() {
		return 0
	}
	return q.shared(what) + q.near(what)
}

// shared is the weight of the words that a text shares with the question.
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

// informativeBytes is how much of a text is searched for meaningful words.
const informativeBytes = 4 << 10

// Informative reports whether a text is meaningful by itself: it has at least two words beyond
// small talk. "Done." and "OK, go on." do not.
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

// smallTalk are words of prompts without a request of their own.
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
