package recall

import (
	"context"

	"lukasa.dev/internal/index/lexical"
)

// quote finds out what is meant by the parts of a question in double quotes. If there
// is nothing else, they must be found as they are. In a question with other words they
// are what somebody calls something, which others may have called otherwise: who has
// them counts for more.
func (e *question) quote() {
	for _, t := range e.query.Terms {
		if !t.Quoted {
			e.quoted = e.query.Phrases
			return
		}
	}
	e.lexical.Phrases = e.query.Phrases
}

// strict reports whether a document must have what is quoted.
func (e *question) strict() bool { return len(e.lexical.Phrases) > 0 }

// quotations finds the documents that have what the question quotes.
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
