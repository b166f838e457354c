package engine_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
)

// TestAncientIsNotRecent: a time beyond the range of 64 bits is clamped, and not the
// newest.
func TestAncientIsNotRecent(t *testing.T) {
	b := open(t, disk.OS(), t.TempDir())
	old := event(t, "acme", "old", 0, "the refund was paid")
	stamp, err := hmx.ParseTime("1600-01-01T00:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	old.Timestamp = stamp
	if _, err := b.AppendEvents(ctx, user, []*hmx.Event{old, event(t, "acme", "new", 1, "the refund was paid")}); err != nil {
		t.Fatal(err)
	}
	found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "latest refund"})
	if err != nil {
		t.Fatal(err)
	}
	recency := make(map[string]float64)
	for _, h := range found.Hits {
		for _, p := range h.Parts {
			if p.Name == "recency" {
				recency[h.URI.ID] = p.Value
			}
		}
	}
	if len(recency) != 2 || recency["old"] > 0.01 || recency["new"] <= recency["old"] {
		t.Errorf("how recent they are: %v", recency)
	}
}

// TestQuotationInAQuestion: a quotation in a question with other words raises scores and
// is no condition, and a question of quotations only is one.
func TestQuotationInAQuestion(t *testing.T) {
	b := open(t, disk.OS(), t.TempDir())
	events := []*hmx.Event{
		event(t, "acme", "exact", 0, "I read Becoming Nicole in one night."),
		event(t, "acme", "apart", 1, "Nicole is becoming a reader, she read all night."),
		event(t, "acme", "other", 2, "The garden needs water."),
	}
	if _, err := b.AppendEvents(ctx, user, events); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		`when did you read "Becoming Nicole"?`: {"exact", "apart"},
		`when did you read "Becoming Nobody"?`: {"apart", "exact"},
		`"Becoming Nicole"`:                    {"exact"},
		`"Becoming Nobody"`:                    nil,
	} {
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: query})
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for _, h := range found.Hits {
			seen[h.URI.ID] = true
		}
		for _, id := range want {
			if !seen[id] {
				t.Errorf("%s: %s is not found", query, id)
			}
		}
		if query == `when did you read "Becoming Nicole"?` && found.Hits[0].URI.ID != "exact" {
			t.Errorf("%s: %s comes first", query, found.Hits[0].URI.ID)
		}
		if len(want) < 2 && len(found.Hits) != len(want) {
			t.Errorf("%s: %d hits, want %d", query, len(found.Hits), len(want))
		}
	}
}

// TestAlikeInAnyScript: equal texts are recognized even if the built-in model has no
// pieces for their words, whatever the question.
func TestAlikeInAnyScript(t *testing.T) {
	const same = "ភាសា ខ្មែរ ជា ភាសា ផ្លូវការ របស់ ព្រះរាជាណាចក្រ កម្ពុជា និង ប្រជាជន នៅ ស្រុក ខ្មែរ ក្រោម "
	b := open(t, disk.OS(), t.TempDir())
	if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "a", 0, same+"apple"), event(t, "acme", "b", 1, same+"deadline")}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"ភាសា ខ្មែរ", "ភាសា ខ្មែរ weather", "ភាសា ខ្មែរ elephant"} {
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: q})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) != 2 || found.Hits[1].DuplicateOf.ID == "" {
			t.Errorf("%q: %d hits, of which none repeats the other", q, len(found.Hits))
		}
	}
}
