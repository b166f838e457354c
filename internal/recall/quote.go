package recall

import (
	"context"

	"lukasa.dev/internal/index/lexical"
)

// quote interprets the double-quoted parts of a question. If there is nothing else, documents
// must contain them. In a question with other words they are one name of something, which
// others may call differently: they only raise the score.
func (e *question) quote() {
	for _, t := range e.query.Terms {
		if !t.Quoted {
			e.quoted = e.query.Phrases
			return
		}
	}
	e.lexical.Phrases = e.query.Phrases
}

// strict reports whether documents must contain the quoted phrases.
func (e *question) strict() bool { return len(e.lexical.Phrases) > 0 }

// quotations finds the documents with the quoted phrases.
func (e *question) quotations(ctx context.Context) error {
	if len(e.quoted) == 0 || !e.request.Sources.has(Words) {
		return nil
	}
	q := lexical.Query{Phrases: e.quoted, Flat: e.lexical.Flat, Params: e.lexical.Params}
	found, err := e.words.Search(ctx, q, byWords, e.filter)
	if err != nil {
		return err
	}
	for _, m := range found {
		e.at(m.Position).quoted = true
	}
	return nil
}
