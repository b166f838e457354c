package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/scope"
)

// importedBoard has a history that was recorded a year after it happened: the best
// answer is the oldest.
func importedBoard(t *testing.T) (*engine.Board, *clock) {
	t.Helper()
	c := newClock()
	b := openWith(t, "data", packOptions(disk.NewMem(), c))
	var list []*hmx.Event
	for i, text := range []string{
		"Why glass breaks: glass breaks when glass is wrapped without padding.", "The glass of Monday broke, and the glass was paid for.",
		"Somebody asked about glass.", "Glass came back.", "The floor was swept.", "The newest truck has a radio.",
	} {
		ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"message","agent_id":"a1","tenant_id":"acme","session_id":"s%d","timestamp":"%s","sequence":%d,"content":{"role":"user","text":%q},"metadata":{}}`,
			i, i/5, time.Date(2025, 1, 1+10*i, 0, 0, 0, 0, time.UTC).Format(time.RFC3339), i, text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	must(t)(b.AppendEvents(ctx, user, list))
	must(t)(b.Put(ctx, user, "acme", fact("m", "glass", "Glass is fragile."), engine.AnyVersion()))
	return b, c
}

// recencyOf returns the stated recency of each entry of a pack.
func recencyOf(t *testing.T, p *hmx.Pack) map[string]float64 {
	t.Helper()
	m := make(map[string]float64)
	for i := range p.Entries {
		e := &p.Entries[i]
		var parts struct{ Recency float64 }
		if err := json.Unmarshal([]byte(e.Extra["parts"]), &parts); err != nil {
			t.Fatal(err)
		}
		m[e.SourceID] = parts.Recency
	}
	return m
}

// TestPackOfImportedHistory: if recency counts, the newest events of a history that was
// recorded much later come first.
func TestPackOfImportedHistory(t *testing.T) {
	b, _ := importedBoard(t)
	o := engine.PackOptions{Query: "why does glass break", Sections: []hmx.Section{hmx.SectionEpisodes}, MinRelevance: hmx.Some(0.0)}
	best := func(o engine.PackOptions) string { return packed(t, b, o).Pack.Entries[0].SourceID }
	if got := best(o); got != "e0" {
		t.Errorf("ranked begins with %s", got)
	}
	o.Strategy = hmx.StrategyRecencyBiased
	got := packed(t, b, o)
	if first := got.Pack.Entries[0].SourceID; first == "e0" {
		t.Error("recency_biased begins with the oldest")
	}
	if r := recencyOf(t, got.Pack); r["e5"] != 1 || !(r["e4"] > 0.4 && r["e4"] < 0.42) {
		t.Errorf("recency of the newest and of ten days before: %v", r)
	}
	// A time from the caller takes precedence.
	o.View.Now = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	if r := recencyOf(t, packed(t, b, o).Pack); r["e5"] > 0.03 {
		t.Errorf("recency by a time of the caller's: %v", r)
	}
	// An event of the future is not the newest.
	o.View.Now = time.Time{}
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", "future", "s0", 9, "Glass of the future.", "")}))
	if r := recencyOf(t, packed(t, b, o).Pack); r["e5"] != 1 || r["future"] != 1 {
		t.Errorf("recency beside an event of the future: %v", r)
	}
}

// TestPackRecencyUnderScope: an event that a scope hides is not the newest.
func TestPackRecencyUnderScope(t *testing.T) {
	b, c := importedBoard(t)
	token := mint(t, b, c, func(g *scope.Grant) { g.Include.Sessions = []string{"s0"} })
	o := engine.PackOptions{Query: "why does glass break", Strategy: hmx.StrategyRecencyBiased, MinRelevance: hmx.Some(0.0), View: engine.View{Scope: token}}
	if r := recencyOf(t, packed(t, b, o).Pack); r["e4"] != 1 || r["e5"] != 0 {
		t.Errorf("recency under a scope that hides the newest: %v", r)
	}
}

// TestBlockOfImportedHistory: the same for a block of context.
func TestBlockOfImportedHistory(t *testing.T) {
	b, _ := importedBoard(t)
	blockBy := func(ordering block.Ordering, now time.Time) string {
		t.Helper()
		text, err := b.PackContext(ctx, engine.PackContextOptions{
			Tenant: "acme", BlockRequest: block.Request{Topic: "why does glass break", Ordering: ordering}, View: engine.View{Now: now},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ = strings.Cut(text, "\n\n")
		return text
	}
	now := time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)
	if blockBy(block.ByRelevanceAndRecency, time.Time{}) == blockBy(block.ByRelevanceAndRecency, now) {
		t.Error("what is new in an imported history makes no difference")
	}
	if got := blockBy(block.ByRelevance, time.Time{}); got != blockBy(block.ByRelevance, now) || !strings.HasPrefix(got, "- **message 2025-01-01**") {
		t.Errorf("by relevance:\n%s", got)
	}
	if got := blockBy(block.ByRecency, time.Time{}); !strings.Contains(got, "- **message 2025-02-20**: The newest truck") {
		t.Errorf("the days of events are not their own:\n%s", got)
	}
}
