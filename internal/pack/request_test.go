package pack

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

func normal(t *testing.T, r Request) Request {
	t.Helper()
	r, err := r.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNormalize(t *testing.T) {
	r := normal(t, Request{Query: "q", Sections: []hmx.Section{hmx.SectionFacts, hmx.SectionCore, hmx.SectionFacts}})
	if r.Budget != DefaultBudget || r.Strategy != hmx.StrategyRanked || r.Counter != "o200k" || r.MinRelevance.Value != DefaultMinRelevance {
		t.Errorf("%+v", r)
	}
	if !reflect.DeepEqual(r.Sections, []hmx.Section{hmx.SectionCore, hmx.SectionFacts}) || r.Includes(hmx.SectionGoals) || !r.Includes(hmx.SectionCore) {
		t.Errorf("sections %v", r.Sections)
	}
	if !reflect.DeepEqual(r.Weights, map[string]float64{"relevance": 0.4, "recency": 0.2, "provenance": 0.2, "salience": 0.2}) {
		t.Errorf("weights %v", r.Weights)
	}
	if again := normal(t, r); !reflect.DeepEqual(r, again) {
		t.Errorf("twice: %+v\n%+v", r, again)
	}
	uneven := normal(t, Request{Query: "q", Weights: map[string]float64{"relevance": 3, "recency": 7, "salience": 11}})
	if again := normal(t, uneven); !reflect.DeepEqual(uneven, again) {
		t.Errorf("twice: %+v\n%+v", uneven, again)
	}
	if r := normal(t, Request{Query: "q", Budget: 1_000_000_000}); r.Budget != MaxBudget {
		t.Errorf("budget %d", r.Budget)
	}
	if r := normal(t, Request{Query: "q\xff"}); r.Query != "q\uFFFD" {
		t.Errorf("query %q", r.Query)
	}
	if r := normal(t, Request{Query: "q", Budget: 500}); r.Capped(100).Budget != 100 || r.Capped(0).Budget != 500 {
		t.Error("capped")
	}
}

func TestNormalizeRefuses(t *testing.T) {
	for name, r := range map[string]Request{
		"query: it is empty":              {Query: " \n"},
		"query: it has 32769 bytes":       {Query: strings.Repeat("x", MaxQuery+1)},
		"budget: -1 is less than nothing": {Query: "q", Budget: -1},
		`strategy: "best" is not one`:     {Query: "q", Strategy: "best"},
		`counter: "words" is not one`:     {Query: "q", Counter: "words"},
		`sections: "gossip" is not one`:   {Query: "q", Sections: []hmx.Section{"gossip"}},
		"min_relevance: it is NaN":        {Query: "q", MinRelevance: hmx.Some(math.NaN())},
		`weights: "luck" is not one`:      {Query: "q", Weights: map[string]float64{"luck": 1}},
		"weights: recency is -1":          {Query: "q", Weights: map[string]float64{"recency": -1}},
		"weights: recency is +Inf":        {Query: "q", Weights: map[string]float64{"recency": math.Inf(1)}},
		"weights: they sum to nothing":    {Query: "q", Weights: map[string]float64{"recency": 0}},
		"section_weights: they sum":       {Query: "q", SectionWeights: map[hmx.Section]float64{}},
		`section_weights: "gossip"`:       {Query: "q", SectionWeights: map[hmx.Section]float64{"gossip": 1}},
		"tags: there are 65":              {Query: "q", Tags: make([]string, 65)},
		"priors: they are no such":        {Query: "q", Priors: `[]`},
		`priors: "Sections" is neither`:   {Query: "q", Priors: `{"Sections":{"facts":7}}`},
		"priors: they are no such object": {Query: "q", Priors: `{"sections":{"facts":"x"}}`},
		`priors: "gossip" is no section`:  {Query: "q", Priors: `{"sections":{"gossip":1,"rumour":2}}`},
		`priors: "a" of "sources" is 2`:   {Query: "q", Priors: `{"sources":{"b":3,"a":2}}`},
	} {
		_, err := r.Normalize()
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), name) || fault.From(err).Advice() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestID: every field of a request and of a state changes the id, and nothing else does.
func TestID(t *testing.T) {
	state := State{Tenant: "acme", Size: 3}
	id := func(r Request, s State) string {
		t.Helper()
		r = normal(t, r)
		id, err := r.ID(&s)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := id(Request{Query: "q"}, state)
	if first != id(Request{Query: "q", Budget: DefaultBudget, Strategy: hmx.StrategyRanked}, state) || len(first) != len("pack-")+32 {
		t.Errorf("%s", first)
	}
	seen := map[string]string{first: "the first"}
	for name, r := range map[string]Request{
		"query": {Query: "p"}, "budget": {Query: "q", Budget: 7}, "strategy": {Query: "q", Strategy: hmx.StrategyDepthFirst},
		"counter": {Query: "q", Counter: "estimate"}, "weights": {Query: "q", Weights: map[string]float64{"recency": 1}},
		"section weights": {Query: "q", SectionWeights: map[hmx.Section]float64{hmx.SectionFacts: 1}},
		"relevance":       {Query: "q", MinRelevance: hmx.Some(0.0)}, "sections": {Query: "q", Sections: []hmx.Section{hmx.SectionFacts}},
		"tags": {Query: "q", Tags: []string{"a"}}, "agent": {Query: "q", Agent: "a"}, "session": {Query: "q", Session: "a"},
		"priors": {Query: "q", Priors: `{"sources":{"a":1}}`}, "scope": {Query: "q", Scope: "a"},
		"now": {Query: "q", Now: hmx.Some(hmx.TimeOf(time.Unix(5, 0)))},
	} {
		if other := id(r, state); seen[other] != "" {
			t.Errorf("%s has the id of %s", name, seen[other])
		} else {
			seen[other] = name
		}
	}
	for _, s := range []State{{Tenant: "b", Size: 3}, {Tenant: "acme", Size: 4}, {Tenant: "acme", Size: 3, Root: merkle.Hash{1}}} {
		if other := id(Request{Query: "q"}, s); seen[other] != "" {
			t.Errorf("%+v has the id of %s", s, seen[other])
		}
	}
}

func TestDigest(t *testing.T) {
	p := &hmx.Pack{PackID: "pack-1", QueryContext: "q", Metadata: `{"root": "ab"}`}
	digest, err := Digest(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckDigest(p); fault.CodeOf(err) != fault.NotProven {
		t.Errorf("without a digest: %v", err)
	}
	stated, err := json.Marshal(map[string]string{"root": "ab", "digest": digest})
	if err != nil {
		t.Fatal(err)
	}
	p.Metadata, p.AssemblyMetadata.AssemblyDurationMS = hmx.Raw(stated), 12.5
	if err := CheckDigest(p); err != nil {
		t.Error(err)
	}
	p.QueryContext = "r"
	if err := CheckDigest(p); fault.CodeOf(err) != fault.NotProven {
		t.Errorf("changed: %v", err)
	}
}
