package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/recall"
)

// What is asked, and what answers.
type (
	// SearchOptions says what is asked, and among what.
	SearchOptions = engine.SearchOptions
	// Searched is the answer to a search.
	Searched = engine.Searched
	// SearchHit is an event or a thing that answers.
	SearchHit = engine.SearchHit
	// Part is one reason for a score.
	Part = recall.Part
	// Sources are what candidates come from.
	Sources = recall.Sources
)

// The sources of candidates.
const (
	FromWords   = recall.Words
	FromMeaning = recall.Meaning
	FromGraph   = recall.Graph
)

// Search returns what answers a question, the best first.
func (t *Tenant) Search(ctx context.Context, o SearchOptions) (*Searched, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Search(ctx, o)
}
