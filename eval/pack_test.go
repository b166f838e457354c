package eval

import (
	"testing"

	"lukasa.dev/internal/testsize"
)

// Packing loses nothing that the ranking found: the share of the evidence in packs is at least
// that in the hits that fit, although packs count the text around entries.
func packsAsGood(t *testing.T, r *Report) {
	t.Helper()
	var recall, pack *Figures
	for i := range r.Rows {
		switch r.Rows[i].Name {
		case RowRecall:
			recall = &r.Rows[i].All
		case RowPack:
			pack = &r.Rows[i].All
		}
	}
	if recall == nil || pack == nil {
		t.Fatalf("%+v", r.Rows)
	}
	const hair = 0.0005
	for _, c := range []struct {
		tokens       int
		recall, pack float64
	}{
		{500, recall.Within500, pack.Within500}, {1000, recall.Within1000, pack.Within1000},
		{2000, recall.Within2000, pack.Within2000}, {4000, recall.Within4000, pack.Within4000},
	} {
		if c.pack < c.recall-hair {
			t.Errorf("in packs of %d tokens is %.4f of the evidence, and %.4f in the hits that fit", c.tokens, c.pack, c.recall)
		}
	}
}

func TestPacks(t *testing.T) {
	r, _ := run(t, loadTalk(t), Options{Pack: true})
	if len(r.Rows) != 3 || r.Rows[2].All.Questions != 8 || r.Rows[2].All.At20 != 1 {
		t.Errorf("%+v", r.Rows)
	}
	packsAsGood(t, r)
}

// TestPacksOfConversations: packs lose nothing that the search found in public data, which is
// too large for the repository.
func TestPacksOfConversations(t *testing.T) {
	testsize.Long(t, "asks a thousand questions")
	s, err := Load(publicData(t, "locomo-dev"), "")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := run(t, s, Options{Pack: true})
	packsAsGood(t, r)
	t.Logf("%+v", r.Rows)
}
