package hook

import (
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/text"
)

// Question is a prompt, as what is known is held against it. Two texts have to do with each
// other the more the more words they share that say something, and the nearer their meanings
// are.
type Question struct {
	words  []text.Term
	vector []float32
}

// What a text needs to have to do with a prompt: the share of the prompt's words that it has,
// weighed, and how near its meaning is, from -1 to 1, make at least enough. A long prompt is
// taken for one of mostCounted words: none of its words counts less for those around it.
// docs/hooks.md says how the three were measured.
const (
	wordsWeight = 0.7
	mostCounted = 7
	enough      = 0.5
)

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
	if q.Empty() {
		return false
	}
	shared := q.shared(what)
	return shared >= enough || shared+q.near(what) >= enough
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
