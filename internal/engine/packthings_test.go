package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
)

// TestPackThingsAreNotCrowdedOut: what is remembered has its place in a pack however many
// events answer better, and in one of some sections.
func TestPackThingsAreNotCrowdedOut(t *testing.T) {
	const query = "why is the checkout page blank with an expired coupon"
	b := openWith(t, "data", packOptions(disk.NewMem(), newClock()))
	var events []*hmx.Event
	for i := range 900 {
		text := fmt.Sprintf(`{"role":"user","text":"The checkout page is blank with the expired coupon C%d, customer %d says."}`, i, i*7)
		kind := "message"
		if i%3 == 0 {
			kind, text = "error", fmt.Sprintf(`{"error_type":"Blank","message":"checkout page blank, expired coupon C%d"}`, i)
		}
		events = append(events, packDeed(t, fmt.Sprint("e", i), fmt.Sprint("s", i/50), int64(i), kind, text))
	}
	for len(events) > 0 {
		n := min(len(events), 100)
		must(t)(b.AppendEvents(ctx, user, events[:n]))
		events = events[n:]
	}
	things := map[string]hmx.Section{"way": hmx.SectionProcedures, "owner": hmx.SectionFacts}
	for _, m := range []*memory.Memory{
		{ID: "way", Type: memory.TypePattern, Text: "When a coupon is over, render the notice template."},
		{ID: "owner", Type: memory.TypeFact, Text: "Somchai looks after coupons."},
	} {
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	}
	found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: query, TopK: engine.HitsFor(8000)})
	must(t)(nil, err)
	for _, h := range found.Hits {
		if h.Thing != nil {
			t.Fatal("a thing is among the hits: nothing is tested")
		}
	}
	// All of them by one search, in which they have places far behind.
	found, err = b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: query, TopK: engine.MaxSearchHits})
	must(t)(nil, err)
	relevance := make(map[string]float64)
	for _, h := range found.Hits {
		if h.Thing != nil {
			relevance[h.URI.ID] = h.Score / found.Hits[0].Score
		}
	}
	check := func(o engine.PackOptions, want map[string]hmx.Section) {
		t.Helper()
		o.Query = query
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
		if o.Sections != nil {
			return
		}
		least, most := 1.0, 0.0 // of events, of things
		for i := range got.Pack.Entries {
			var parts struct{ Relevance float64 }
			must(t)(nil, json.Unmarshal([]byte(got.Pack.Entries[i].Extra["parts"]), &parts))
			id := got.Pack.Entries[i].SourceID
			if want[id] == "" {
				least = min(least, parts.Relevance)
				continue
			}
			most = max(most, parts.Relevance)
			if off := math.Abs(parts.Relevance - relevance[id]); off > 0.02 {
				t.Errorf("%d tokens, %s: %s is as relevant as %v, and by one search %v", o.Budget, o.Strategy, id, parts.Relevance, relevance[id])
			}
		}
		if most > least || most == 0 {
			t.Errorf("%d tokens, %s: a thing is as relevant as %v, and an event %v", o.Budget, o.Strategy, most, least)
		}
	}
	for _, s := range hmx.Strategies() {
		for _, budget := range []int{400, 4096, 8000} {
			if s != hmx.StrategyDepthFirst { // which is about one section
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
	evidence := packed(t, b, engine.PackOptions{Query: query, Budget: 1000, Sections: []hmx.Section{hmx.SectionEvidence}})
	if len(evidence.Pack.Entries) == 0 {
		t.Error("there is no evidence")
	}
}
