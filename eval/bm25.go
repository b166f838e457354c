package eval

import (
	"math"
	"sort"

	"lukasa.dev/internal/text"
)

// The usual constants of BM25.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// bm25 ranks texts by plain BM25: without stop words, with English stems, each text by itself.
// It shares only the tokenization with the engine.
type bm25 struct {
	postings map[text.Term][]posting
	lengths  []int
	average  float64
}

// posting is how often a text has a term.
type posting struct{ doc, count int }

func newBM25(texts []string) *bm25 {
	b := &bm25{postings: map[text.Term][]posting{}, lengths: make([]int, len(texts))}
	var tokens []text.Token
	total := 0
	for doc, s := range texts {
		tokens = text.Analyze(tokens[:0], text.FieldText, s)
		for _, t := range tokens {
			list := b.postings[t.Term]
			if n := len(list); n > 0 && list[n-1].doc == doc {
				list[n-1].count++
				continue
			}
			b.postings[t.Term] = append(list, posting{doc, 1})
		}
		b.lengths[doc] = len(tokens)
		total += len(tokens)
	}
	b.average = float64(total) / float64(max(1, len(texts)))
	return b
}

// rank returns at most k texts with a word of the query, the best first; ties keep their order.
// A word that the query repeats counts once.
func (b *bm25) rank(query string, k int) []int {
	scores := make([]float64, len(b.lengths))
	seen := map[text.Term]bool{}
	for _, t := range text.Analyze(nil, text.FieldText, query) {
		if seen[t.Term] {
			continue
		}
		seen[t.Term] = true
		list := b.postings[t.Term]
		n, df := float64(len(b.lengths)), float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range list {
			tf := float64(p.count)
			length := 1 - bm25B + float64(bm25B*float64(b.lengths[p.doc]))/b.average
			scores[p.doc] += float64(idf * (tf * (bm25K1 + 1) / (tf + float64(bm25K1*length))))
		}
	}
	var docs []int
	for doc, s := range scores {
		if s > 0 {
			docs = append(docs, doc)
		}
	}
	sort.SliceStable(docs, func(i, j int) bool { return scores[docs[i]] > scores[docs[j]] })
	return docs[:min(k, len(docs))]
}
