package pack

import (
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/tokens"
)

// TestRequestOf: a pack states its request, so that its id can be computed again.
func TestRequestOf(t *testing.T) {
	for _, r := range requestsForAgain() {
		r, err := r.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		state := State{Tenant: "acme"}
		res, err := Compose(Input{Request: r, State: state, Counter: tokens.O200k()})
		if err != nil {
			t.Fatal(err)
		}
		back, err := RequestOf(res.Pack)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := back.ID(&state); err != nil || id != res.Pack.PackID {
			t.Errorf("%+v\ncame back as\n%+v: %v", r, back, err)
		}
	}
}

// requestsForAgain are requests, each with something unusual.
func requestsForAgain() []Request {
	facts := map[hmx.Section]float64{hmx.SectionFacts: 1}
	return []Request{
		{Query: "plain"}, {Query: "a\xffb", Budget: 7}, {Query: "x", Strategy: hmx.StrategyRecencyBiased, Tags: []string{"a", "b"}},
		{Query: "x", Weights: map[string]float64{"relevance": 1, "recency": 2}}, {Query: "x", SectionWeights: facts},
		{Query: "x", MinRelevance: hmx.Some(0.0)}, {Query: "x", Sections: []hmx.Section{hmx.SectionGoals, hmx.SectionCore}},
		{Query: "x", Agent: "a", Session: "s", Scope: "00ff", Model: "m"}, {Query: "x", Counter: "o200k", Priors: `{ "sections": {"facts": 1.0}}`},
		{Query: "x", Strategy: hmx.StrategyFingerprintGuided, Priors: `{ "sections": {"facts": 1.0}}`},
		{Query: "x", Strategy: hmx.StrategyFingerprintGuided, Priors: `{}`}, {Query: "x", Strategy: hmx.StrategyFingerprintGuided},
		{Query: "x", Now: hmx.Some(hmx.TimeOf(time.Unix(5, 7)))}, {Query: "x", Budget: 1 << 30},
	}
}
