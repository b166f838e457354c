package hook

import (
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/text"
)

// Question is a prompt, as what is known is held against it. Two texts have to do with each
// other if they share words that say something, or mean nearly the same.
type Question struct {
	words  []text.Term
	vector []float32
}

// closeness is how near the meanings of two texts are, from -1 to 1, that have to do with each
// other without sharing a word: the nearest pairs of texts of the tests about other things are
// below.
const closeness = 0.45

// fewWords is how many words of a prompt need only one of them in a text.
const fewWords = 3

// About takes a prompt apart.
func About(prompt string) *Question {
	q := &Question{}
	for _, t := range text.Analyze(nil, text.FieldText, prompt) {
		if !smallTalk()[t.Term] && !slices.Contains(q.words, t.Term) && len(q.words) < text.MaxTerms {
			q.words = append(q.words, t.Term)
		}
	}
	if len(q.words) > 0 {
		q.vector = embed.Builtin().Embed(nil, prompt).Vector
	}
	return q
}

// Empty reports whether a prompt asks for nothing: a greeting, thanks, a word to go on.
func (q *Question) Empty() bool { return len(q.words) == 0 }

// Concerns reports whether a text has to do with the question.
func (q *Question) Concerns(what string) bool {
	shared := map[text.Term]bool{}
	for _, t := range text.Analyze(nil, text.FieldText, what) {
		if slices.Contains(q.words, t.Term) {
			shared[t.Term] = true
		}
	}
	need := 1
	if len(q.words) > fewWords {
		need = 2
	}
	if len(shared) >= need {
		return true
	}
	return !q.Empty() && q.near(what) >= closeness
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
