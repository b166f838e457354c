package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
)

// goldenHit is a hit to the last bit.
type goldenHit struct {
	ID    string
	Score string // the bits of the score
	Parts string // the bits of its parts
}

// TestSearchGolden compares every bit of some answers. It runs with and
// without vector instructions, and on any machine.
func TestSearchGolden(t *testing.T) {
	const tenant = "golden"
	b := openWith(t, t.TempDir(), engine.Options{Clock: newClock().Now, CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
	rnd := rand.New(rand.NewPCG(5, 5))
	words := strings.Fields(`release branch deploy rollback database migration parser token budget session weather garden
		piano concert holiday mountain river recipe bread cheese doctor appointment insurance invoice refund customer
		yesterday Friday March Caroline Melanie Paris café naïve 東京 изучать v2.1.7 internal/pack/pack.go HTTPServer snake_case`)
	var events []*hmx.Event
	for i := range 600 {
		var said []string
		for range 3 + rnd.IntN(20) {
			said = append(said, words[min(rnd.IntN(len(words)), rnd.IntN(len(words)))])
		}
		text := strings.Join(said, " ")
		if i%3 == 0 {
			text = "Caroline: " + text
		}
		if i%5 == 0 {
			text += "?"
		}
		events = append(events, eventWith(t, tenant, fmt.Sprintf("e%03d", i), fmt.Sprintf("s%d", i/40), int64(i%40), text, ""))
	}
	if _, err := b.AppendEvents(ctx, user, events); err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]goldenHit)
	for _, query := range []string{
		"when was the release", "What did Caroline say about the database migration?", "pack.go", "東京", `"customer refund"`,
		"who plays the piano in March", "изучать", "the weather in Paris last week", "snake case", "to be or not to be", "🦀",
	} {
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: tenant, Query: query, TopK: 12})
		if err != nil {
			t.Fatal(err)
		}
		got[query] = []goldenHit{}
		for _, h := range found.Hits {
			var parts []string
			for _, p := range h.Parts {
				parts = append(parts, fmt.Sprintf("%x", math.Float64bits(p.Score)))
			}
			got[query] = append(got[query], goldenHit{h.URI.ID, fmt.Sprintf("%016x", math.Float64bits(h.Score)), strings.Join(parts, " ")})
		}
	}
	data, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/search.golden.json"
	if *update {
		if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; make it with -update", err)
	}
	if string(want) != string(data)+"\n" {
		t.Errorf("the answers differ from %s; if they should, rewrite it with -update", file)
	}
}
