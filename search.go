package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/recall"
)

// Options and results of Search.
type (
	// SearchOptions is the question and its filters.
	SearchOptions = engine.SearchOptions
	// Searched is the result of a search.
	Searched = engine.Searched
	// SearchHit is an event or a record that was found.
	SearchHit = engine.SearchHit
	// Part is one component of a score.
	Part = recall.Part
	// Sources are the sources of candidates.
	Sources = recall.Sources
)

// The sources of candidates.
const (
	FromWords   = recall.Words
	FromMeaning = recall.Meaning
	FromGraph   = recall.Graph
)

// Search returns the hits for a question, the best first.
func (t *Tenant) Search(ctx context.Context, o SearchOptions) (*Searched, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Search(ctx, o)
}
