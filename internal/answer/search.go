package answer

import (
	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
)

// SearchHit is a hit of a search.
type SearchHit struct {
	ID          string             `json:"id"`
	URI         lukasa.URI         `json:"uri"`
	Kind        lukasa.Kind        `json:"kind"`
	SourceType  hmx.SourceType     `json:"source_type"`
	Score       float64            `json:"score"`
	Parts       map[string]float64 `json:"parts"`
	Reasons     []Reason           `json:"reasons,omitempty"` // if requested
	Text        string             `json:"text"`
	Tokens      int                `json:"tokens"`
	DuplicateOf *lukasa.URI        `json:"duplicate_of,omitempty"`
	Thing       *Thing             `json:"thing,omitempty"`
	Event       *Event             `json:"event,omitempty"`
}

// Reason is one part of a score.
type Reason struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Score  float64 `json:"score"`
}

// Searched is the result of a search.
type Searched struct {
	Query          string                  `json:"query"`
	Hits           []SearchHit             `json:"hits"`
	Classification hmx.QueryClassification `json:"classification"`
	Degraded       []string                `json:"degraded,omitempty"`
	Candidates     int                     `json:"candidates"`
	Trimmed        int                     `json:"trimmed"`
	TotalTokens    int                     `json:"total_tokens"`
	BudgetTokens   int                     `json:"budget_tokens,omitempty"`
	Form           string                  `json:"form"`
	Counter        string                  `json:"counter"`
	State
}

// SearchedOf converts the result of a search, with reasons if explain is set.
func SearchedOf(query string, f *lukasa.Searched, explain bool) (*Searched, error) {
	a := &Searched{
		Query: query, Hits: make([]SearchHit, len(f.Hits)), Classification: f.Class.Classification(), Degraded: f.Degraded,
		Candidates: f.Candidates, Trimmed: f.Trimmed, TotalTokens: f.TotalTokens, BudgetTokens: f.BudgetTokens,
		Form: string(f.Form), Counter: f.Counter, State: StateOf(f.Root),
	}
	for i := range f.Hits {
		h := &f.Hits[i]
		one := SearchHit{
			ID: h.URI.ID, URI: h.URI, Kind: h.URI.Kind, SourceType: h.SourceType, Score: h.Score,
			Parts: make(map[string]float64, len(h.Parts)), Text: h.Text, Tokens: h.Tokens,
		}
		for _, p := range h.Parts {
			if p.Score == 0 {
				p.Score = 0 // and not -0
			}
			one.Parts[p.Name] = p.Score
			if explain {
				one.Reasons = append(one.Reasons, Reason(p))
			}
		}
		if !h.DuplicateOf.IsZero() {
			one.DuplicateOf = &h.DuplicateOf
		}
		var err error
		if one.Thing, one.Event, err = either(h.Thing, h.Event); err != nil {
			return nil, err
		}
		a.Hits[i] = one
	}
	return a, nil
}

// either converts a record or an event, whichever is set.
func either(t *lukasa.Thing, ev *lukasa.StoredEvent) (*Thing, *Event, error) {
	switch {
	case t != nil:
		thing, err := ThingOf(t)
		return &thing, nil, err
	case ev != nil:
		event, err := EventOf(ev)
		return nil, &event, err
	}
	return nil, nil, nil
}

// Factors are the factors of a salience.
type Factors struct {
	Recency    float64  `json:"recency"`
	Access     float64  `json:"access"`
	Citations  float64  `json:"citations"`
	Importance float64  `json:"importance"`
	Similarity *float64 `json:"similarity,omitempty"` // of a search with a text
}

// Hit is a hit of a find.
type Hit struct {
	URI     lukasa.URI   `json:"uri"`
	ID      string       `json:"id"`
	Kind    lukasa.Kind  `json:"kind"`
	Score   float64      `json:"score"`
	Factors Factors      `json:"factors"`
	Text    string       `json:"text"`
	Tokens  int          `json:"tokens"`
	Hops    int          `json:"hops"`
	Path    []lukasa.URI `json:"path,omitempty"`
	Thing   *Thing       `json:"thing,omitempty"`
	Event   *Event       `json:"event,omitempty"`
}

// Found is the result of a find.
type Found struct {
	Hits         []Hit            `json:"hits"`
	Scanned      int              `json:"scanned"`
	Matched      int              `json:"matched"`
	Reached      int              `json:"reached"`
	Trimmed      int              `json:"trimmed"`
	TotalTokens  int              `json:"total_tokens"`
	BudgetTokens int              `json:"budget_tokens,omitempty"`
	Form         memory.Form      `json:"form"`
	Order        lukasa.FindOrder `json:"order"`
	Counter      string           `json:"counter"`
	State
}

// FoundOf converts the result of a find.
func FoundOf(f *lukasa.Found) (*Found, error) {
	a := &Found{
		Hits: make([]Hit, len(f.Hits)), Scanned: f.Scanned, Matched: f.Matched, Reached: f.Reached, Trimmed: f.Trimmed,
		TotalTokens: f.TotalTokens, BudgetTokens: f.BudgetTokens, Form: f.Form, Order: f.Order, Counter: f.Counter, State: StateOf(f.Root),
	}
	for i := range f.Hits {
		h := &f.Hits[i]
		x := h.Factors
		one := Hit{
			URI: h.URI, ID: h.URI.ID, Kind: h.URI.Kind, Score: h.Score, Text: h.Text, Tokens: h.Tokens, Hops: h.Hops, Path: h.Path,
			Factors: Factors{Recency: x.Recency, Access: x.Access, Citations: x.Citations, Importance: x.Importance},
		}
		if x.Similar {
			one.Factors.Similarity = &x.Similarity
		}
		var err error
		if one.Thing, one.Event, err = either(h.Thing, h.Event); err != nil {
			return nil, err
		}
		a.Hits[i] = one
	}
	return a, nil
}
