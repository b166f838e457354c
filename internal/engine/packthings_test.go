package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/testsize"
)

const crowdedQuery = "why is the checkout page blank with an expired coupon"

// crowded returns a board of many events that answer the question, and some memories.
// Events have vectors by an external model, if requested.
func crowded(t *testing.T, vectors bool, things ...*memory.Memory) *engine.Board {
	t.Helper()
	b := openWith(t, "data", packOptions(disk.NewMem(), newClock()))
	var events []*hmx.Event
	for i := range 900 {
		text := fmt.Sprintf(`{"role":"user","text":"The checkout page is blank with the expired coupon C%d, customer %d says."}`, i, i*7)
		kind := "message"
		if i%3 == 0 {
			kind, text = "error", fmt.Sprintf(`{"error_type":"Blank","message":"checkout page blank, expired coupon C%d"}`, i)
		}
		e := packDeed(t, fmt.Sprint("e", i), fmt.Sprint("s", i/50), int64(i), kind, text)
		if vectors {
			e.Embeddings, e.Metadata = []float64{1, float64(i%30) / 100}, `{"embedding_model":"outside"}`
		}
		events = append(events, e)
	}
	events = append(events, packDeed(t, "moved", "other", 20, "message", `{"role":"user","text":"The warehouse migration took place."}`))
	for len(events) > 0 {
		n := min(len(events), 100)
		must(t)(b.AppendEvents(ctx, user, events[:n]))
		events = events[n:]
	}
	for _, m := range things {
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	}
	return b
}

// couponThings are a procedure and a fact related to the question.
func couponThings() []*memory.Memory {
	return []*memory.Memory{
		{ID: "way", Type: memory.TypePattern, Text: "When a coupon is over, render the notice template."},
		{ID: "owner", Type: memory.TypeFact, Text: "Somchai looks after coupons."},
	}
}

// TestPackThingsAreNotCrowdedOut: memories have their place in a pack however many events
// answer better, and in one of some sections.
func TestPackThingsAreNotCrowdedOut(t *testing.T) {
	testsize.Long(t, "it writes thousands of memories")
	b := crowded(t, false, couponThings()...)
	things := map[string]hmx.Section{"way": hmx.SectionProcedures, "owner": hmx.SectionFacts}
	found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: crowdedQuery, TopK: engine.HitsFor(8000)})
	must(t)(nil, err)
	for _, h := range found.Hits {
		if h.Thing != nil {
			t.Fatal("a thing is among the hits: nothing is tested")
		}
	}
	check := func(o engine.PackOptions, want map[string]hmx.Section) {
		t.Helper()
		o.Query = crowdedQuery
		got := packed(t, b, o)
		sections := sectionsOf(got.Pack)
		for id, section := range want {
			if sections[id] != section {
				t.Errorf("%d tokens, %v: %s is in section %q", o.Budget, o.Sections, id, sections[id])
			}
		}
		if _, err := b.VerifyPack(ctx, "acme", got.Pack, engine.VerifyPackOptions{}); err != nil {
			t.Errorf("%d tokens, %v: %v", o.Budget, o.Sections, err)
		}
	}
	for _, s := range hmx.Strategies() {
		for _, budget := range []int{400, 4096, 8000} {
			if s != hmx.StrategyDepthFirst { // it is about one section
				check(engine.PackOptions{Budget: budget, Strategy: s}, things)
			}
		}
	}
	for id, section := range things {
		for _, budget := range []int{60, 4096} {
			check(engine.PackOptions{Budget: budget, Sections: []hmx.Section{section}}, map[string]hmx.Section{id: section})
		}
	}
	all := []hmx.Section{hmx.SectionProcedures, hmx.SectionEpisodes}
	check(engine.PackOptions{Budget: 1000, Sections: all}, map[string]hmx.Section{"way": hmx.SectionProcedures})
	evidence := packed(t, b, engine.PackOptions{Query: crowdedQuery, Budget: 1000, Sections: []hmx.Section{hmx.SectionEvidence}})
	if len(evidence.Pack.Entries) == 0 {
		t.Error("there is no evidence")
	}
}

// TestPackThingsMeasure: memories from the separate search have the same relevance as in
// one search, also if events determine the time.
func TestPackThingsMeasure(t *testing.T) {
	b := crowded(t, false, couponThings()...)
	for _, behind := range []string{"", " before the warehouse migration", " after the warehouse migration"} {
		query := crowdedQuery + behind
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: query, TopK: engine.MaxSearchHits})
		must(t)(nil, err)
		relevance := make(map[string]float64)
		for _, h := range found.Hits {
			if h.Thing != nil {
				relevance[h.URI.ID] = h.Score / found.Hits[0].Score
			}
		}
		seen := 0
		for _, sections := range [][]hmx.Section{nil, {hmx.SectionProcedures, hmx.SectionFacts}} {
			for _, e := range packed(t, b, engine.PackOptions{Query: query, Budget: 4096, Sections: sections}).Pack.Entries {
				var parts struct{ Relevance float64 }
				must(t)(nil, json.Unmarshal([]byte(e.Extra["parts"]), &parts))
				want, thing := relevance[e.SourceID]
				if !thing {
					continue
				}
				if seen++; math.Abs(parts.Relevance-want) > 0.02 {
					t.Errorf("%s, %v: %s is as relevant as %v, and by one search %v", query, sections, e.SourceID, parts.Relevance, want)
				}
			}
		}
		if seen < 3 {
			t.Errorf("%s: things are told %d times", query, seen)
		}
	}
}

// TestPackThingsOfAnotherModel: a document without a vector by the question's model does
// not count as near, and no pack says that there are no vectors.
func TestPackThingsOfAnotherModel(t *testing.T) {
	lunch := &memory.Memory{ID: "lunch", Type: memory.TypeFact, Text: "Lunch is served at noon in the canteen."}
	b := crowded(t, true, lunch)
	for _, sections := range [][]hmx.Section{nil, {hmx.SectionFacts}} {
		got := packed(t, b, engine.PackOptions{
			Query: crowdedQuery, Budget: 4096, Sections: sections, Embedder: fixed{"outside", []float32{1, 0.1}}, View: engine.View{Agent: "a1"},
		})
		if sectionsOf(got.Pack)["lunch"] != "" || strings.Contains(fmt.Sprint(got.Degraded), "there are no vectors") {
			t.Errorf("%v: %v, %v", sections, sectionsOf(got.Pack), got.Degraded)
		}
	}
}
