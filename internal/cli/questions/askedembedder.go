package questions

import (
	"context"

	"lukasa.dev"
	"lukasa.dev/internal/retrieval"
)

// askedEmbedder is an embedder that already has the result for one text, so that no other
// process waits for the embedder while this one has the directory open.
type askedEmbedder struct {
	lukasa.Embedder
	text    string
	results []lukasa.EmbedResult
	err     error
}

// askAhead has an embedder embed a text now. None stays none.
func askAhead(ctx context.Context, e lukasa.Embedder, text string) lukasa.Embedder {
	if e == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, retrieval.DefaultEmbedTimeout)
	defer cancel()
	a := &askedEmbedder{Embedder: e, text: text}
	a.results, a.err = e.EmbedBatch(ctx, []string{text})
	return a
}

// EmbedBatch returns what the embedder said before, of the text that it was asked about.
func (a *askedEmbedder) EmbedBatch(ctx context.Context, texts []string) ([]lukasa.EmbedResult, error) {
	if len(texts) == 1 && texts[0] == a.text {
		return a.results, a.err
	}
	return a.Embedder.EmbedBatch(ctx, texts)
}
