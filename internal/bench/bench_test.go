package bench

import (
	"context"
	"testing"
	"time"
)

// TestJournal runs every case briefly: the figures are meaningless, but all of them must be
// there.
func TestJournal(t *testing.T) {
	r, err := Journal(context.Background(), Options{Dir: t.TempDir(), Turn: 20 * time.Millisecond, Turns: 1, Events: 3000})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Comparisons) != 3 {
		t.Fatalf("%d comparisons", len(r.Comparisons))
	}
	for _, c := range r.Comparisons {
		if c.Ours <= 0 || c.Pebble <= 0 || c.Ratio <= 0 || c.OK != (c.Ratio >= c.Goal) {
			t.Errorf("%+v", c)
		}
	}
	if r.Ingest.PerSecond <= 0 || r.Ingest.Events != 3000 || r.Ingest.OpenSeconds <= 0 {
		t.Errorf("%+v", r.Ingest)
	}
}
