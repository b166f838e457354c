package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
)

// TestLongNeighboursDoNotBury: a document with the question's words stays first,
// however long its neighbours are.
func TestLongNeighboursDoNotBury(t *testing.T) {
	b := open(t, disk.OS(), t.TempDir())
	var events []*hmx.Event
	add := func(session string, seq int64, text string) {
		events = append(events, eventWith(t, "acme", fmt.Sprintf("%s-%d", session, seq), session, seq, text, ""))
	}
	for i := range 60 {
		for k := range int64(4) {
			add(fmt.Sprintf("chat%d", i), k, fmt.Sprintf("we talked about the database and lunch, topic %d of day %d", k, i))
		}
	}
	for k := range int64(5) {
		text := strings.Repeat(fmt.Sprintf("line %d of the output says nothing of use, ", k), 200)
		if k == 2 {
			text = "The zqxalpha production database password rotation happens every Tuesday at noon."
		}
		add("work", k, text)
	}
	if _, err := b.AppendEvents(ctx, user, events); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"zqxalpha database", "zqxalpha production database rotation", "password rotation Tuesday noon"} {
		for _, sources := range []engine.SearchOptions{{}, {Sources: 1}} {
			sources.Tenant, sources.Query = "acme", query
			found, err := b.Search(ctx, sources)
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Hits) == 0 || found.Hits[0].URI.ID != "work-2" {
				t.Errorf("%q, sources %d: %v comes first", query, sources.Sources, found.Hits[0].URI)
			}
		}
	}
}
