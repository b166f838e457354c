package bench

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
)

// TestPack measures a small tenant that the measurement of recall built: the figures are
// meaningless, but all of them must be there.
func TestPack(t *testing.T) {
	testsize.Long(t, "it fills a board and measures it")
	dir := filepath.Join(t.TempDir(), "kept")
	told := 0
	o := RecallOptions{Keep: dir, Events: 1500, Queries: 16, Progress: func(string, int, int) { told++ }}
	r, err := Pack(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Records != 1501 || r.DirBytes <= 0 || r.OpenSeconds <= 0 || r.PeakBytes == 0 || r.ResidentBytes == 0 || r.Intake == nil || r.Problem != "" || told == 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Cases) != len(packSorts()) || len(r.Goals) != 5 {
		t.Fatalf("%d sorts of packs, %d goals", len(r.Cases), len(r.Goals))
	}
	for i, c := range r.Cases {
		s := packSorts()[i]
		if c.Errors != 0 || c.Calls < 4 || c.P50 <= 0 || c.P99 < c.P50 || c.Entries < 1 || c.Tokens < 1 || c.Tokens > float64(s.budget) {
			t.Errorf("%+v", c)
		}
		if !s.block && (c.Finding <= 0 || c.Packing <= 0) {
			t.Errorf("%+v", c)
		}
		if s.goal && c.Found < 0.8 {
			t.Errorf("%s: the event is in the pack for %.2f of the questions", c.Name, c.Found)
		}
	}
	for _, g := range r.Goals {
		if g.OK != (g.Got < g.Goal) || g.Least {
			t.Errorf("%+v", g)
		}
	}
	if _, err := Pack(context.Background(), o); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a directory is built over another: %v", err)
	}
	o.Keep, o.Reuse, o.Queries = "", dir, 1
	again, err := Pack(context.Background(), o)
	if err != nil || again.Intake != nil || again.Records != r.Records {
		t.Errorf("built %+v\nagain %+v: %v", r, again, err)
	}
	o.Events = 1000
	if _, err := Pack(context.Background(), o); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a tenant that was built otherwise is measured: %v", err)
	}
}

// BenchmarkPack requests packs of each sort, in the directory LUKASA_RECALL_DIR, which was kept
// with LUKASA_RECALL_EVENTS, or in a small one.
func BenchmarkPack(b *testing.B) {
	o := RecallOptions{Events: setting("LUKASA_RECALL_EVENTS", 20_000)}.filled()
	c := newCorpus(o.Events)
	dir := os.Getenv("LUKASA_RECALL_DIR")
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "data")
		if _, err := takeIn(context.Background(), dir, c, &o); err != nil {
			b.Fatal(err)
		}
	}
	board, err := engine.Open(context.Background(), dir, engine.Options{MustExist: true})
	if err != nil {
		b.Fatal(err)
	}
	defer board.Close()
	for _, s := range packSorts() {
		b.Run(s.name, func(b *testing.B) {
			chance := rand.New(rand.NewPCG(corpusSeed, uint64(time.Now().UnixNano())))
			var packing time.Duration
			cpu, n := processTime(), 0
			b.ReportAllocs()
			for b.Loop() {
				m, err := s.make(context.Background(), board, c, chance)
				if err != nil {
					b.Fatal(err)
				}
				packing += m.packing
				n++
			}
			b.ReportMetric(float64(processTime()-cpu)/float64(n), "cpu-ns/op")
			b.ReportMetric(float64(packing)/float64(n), "packing-ns/op")
		})
	}
}
