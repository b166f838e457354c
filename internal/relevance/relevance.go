// Package relevance rates how well texts answer a question by their common words: BM25 among
// the given texts.
//
// # What is guaranteed
//
//   - The same question and the same texts give the same bits, in any order of the
//     texts and on every platform: no logarithm of the platform is called, and no
//     product is left for the compiler to fuse.
//   - Scores are between 0 and 1. The best of the texts has 1, one without a word
//     of the question has 0, and every other is between them.
//   - Work is linear in the length of the texts.
//
// # What is not
//
// A word that is rare among the given texts counts more than a common one; its frequency
// elsewhere is unknown. Words are compared verbatim except for case: without stems, synonyms or
// variants of letters, and without stop words.
package relevance

import "lukasa.dev/internal/numeric"

// The usual parameters of BM25: how soon repetitions of a word add little, and how much a long
// text is penalised.
const (
	saturation = 1.2
	dilution   = 0.75
)

// MaxTerms is how many different words of a question count, the first.
const MaxTerms = 64

// Ranking compares texts with a question: first all are added, then each can be scored. It is
// not safe for concurrent use.
type Ranking struct {
	split  splitter
	terms  map[string]int
	texts  []text
	sealed bool

	having []int     // by term: how many texts have it
	weight []float64 // by term, once sealed
	mean   float64   // length of a text
	best   float64   // highest score before normalisation
	counts []int32   // by term, of the current text
}

// text is the counts of a text.
type text struct {
	length int
	counts []count
}

// count is how often a term is in a text.
type count struct{ term, times int32 }

// Rank begins a ranking for a question.
func Rank(question string) *Ranking {
	r := &Ranking{terms: make(map[string]int)}
	r.split.each(question, func(word []byte) {
		if _, ok := r.terms[string(word)]; !ok && len(r.terms) < MaxTerms {
			r.terms[string(word)] = len(r.terms)
		}
	})
	r.having, r.counts = make([]int, len(r.terms)), make([]int32, len(r.terms))
	return r
}

// Add adds a text, which may come in pieces, and returns its number and whether it has a word
// of the question. It must not be called after the first score.
func (r *Ranking) Add(pieces ...string) (number int, matches bool) {
	t := r.read(pieces)
	for _, c := range t.counts {
		r.having[c.term]++
	}
	r.texts = append(r.texts, t)
	return len(r.texts) - 1, len(t.counts) > 0
}

// read counts the terms in a text.
func (r *Ranking) read(pieces []string) text {
	var t text
	clear(r.counts)
	found := 0
	for _, piece := range pieces {
		r.split.each(piece, func(word []byte) {
			t.length++
			if term, ok := r.terms[string(word)]; ok {
				if r.counts[term]++; r.counts[term] == 1 {
					found++
				}
			}
		})
	}
	if found == 0 {
		return t
	}
	t.counts = make([]count, 0, found)
	for term, n := range r.counts {
		if n > 0 {
			t.counts = append(t.counts, count{int32(term), n})
		}
	}
	return t
}

// Score returns how well the text with a number answers.
func (r *Ranking) Score(number int) float64 {
	r.seal()
	return r.share(r.raw(&r.texts[number]))
}

// Rate returns how well a text that was not added answers: as it would among the added ones,
// and never better than the best of them.
func (r *Ranking) Rate(pieces ...string) float64 {
	r.seal()
	t := r.read(pieces)
	return r.share(r.raw(&t))
}

// share normalises a score to 0..1.
func (r *Ranking) share(raw float64) float64 {
	switch {
	case raw <= 0:
		return 0
	case raw >= r.best:
		return 1
	}
	return raw / r.best
}

// seal computes the weights of the words.
func (r *Ranking) seal() {
	if r.sealed {
		return
	}
	r.sealed = true
	n, total := len(r.texts), 0
	for i := range r.texts {
		total += r.texts[i].length
	}
	r.mean = 1
	if total > 0 {
		r.mean = float64(total) / float64(n)
	}
	r.weight = make([]float64, len(r.having))
	for term, having := range r.having {
		r.weight[term] = numeric.Log(1 + (float64(n-having)+0.5)/(float64(having)+0.5))
	}
	for i := range r.texts {
		r.best = max(r.best, r.raw(&r.texts[i]))
	}
}

// raw is the sum of BM25.
func (r *Ranking) raw(t *text) float64 {
	sum := 0.0
	room := 1 - dilution + float64(dilution*float64(t.length)/r.mean)
	for _, c := range t.counts {
		times := float64(c.times)
		sum += float64(r.weight[c.term] * (times * (saturation + 1)) / (times + float64(saturation*room)))
	}
	return sum
}
