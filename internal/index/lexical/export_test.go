package lexical

import "lukasa.dev/internal/text"

// Score returns the scores of the documents at the given positions, which must be
// ascending: those of Search if they have all phrases, zero if they have none of the
// terms.
func (v *View) Score(q Query, positions []uint64) ([]float64, error) {
	scores := make([]float64, len(positions))
	terms, scorer, err := v.prepare(&q)
	if err != nil {
		return nil, err
	}
	err = v.visit(terms, &scorer, positions, func(i int, c *cursor) { scores[i] += c.part() })
	return scores, err
}

// Part is what a term adds to the score of a document.
type Part struct {
	Term  text.Term
	TF    float64 // occurrences, by field; zero if there are none
	IDF   float64
	Score float64
}

// Explain returns the parts of a document's score, in the order of the terms of the
// query. They add up to the score of Search.
func (v *View) Explain(q Query, position uint64) ([]Part, error) {
	terms, scorer, err := v.prepare(&q)
	if err != nil {
		return nil, err
	}
	parts := make([]Part, len(terms))
	for i := range terms {
		parts[i] = Part{Term: terms[i].term, IDF: terms[i].idf}
	}
	err = v.visit(terms, &scorer, []uint64{position}, func(_ int, c *cursor) {
		p := &parts[c.term.number]
		p.TF, p.Score = float64(c.block.weights[c.at])/plain, c.part()
	})
	return parts, err
}

// DF returns how many documents have a term.
func (v *View) DF(t text.Term) (uint64, error) {
	list := []queryTerm{{term: t}}
	if err := v.load(list); err != nil {
		return 0, err
	}
	return list[0].lists.documents, nil
}
