package bench

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
)

// TestRecall measures a small tenant, keeps it, and measures it again: the figures are
// meaningless, but all of them must be there.
func TestRecall(t *testing.T) {
	testsize.Long(t, "it fills a board and measures it")
	dir := filepath.Join(t.TempDir(), "kept")
	told := 0
	o := RecallOptions{Keep: dir, Events: 2000, Queries: 16, Progress: func(string, int, int) { told++ }}
	r, err := Recall(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Records != 2001 || r.DirBytes <= 0 || r.OpenSeconds <= 0 || r.PeakBytes == 0 || r.ResidentBytes == 0 || r.Replayed != 0 || r.Problem != "" || told == 0 {
		t.Errorf("%+v", r)
	}
	if in := r.Intake; in == nil || in.EventsPerSecond <= 0 || in.EventBytes < 300 || in.EventBytes > 900 || in.PeakBytes == 0 {
		t.Errorf("%+v", r.Intake)
	}
	if len(r.Cases) != len(recallSorts("")) {
		t.Errorf("%d sorts of questions", len(r.Cases))
	}
	for _, c := range r.Cases {
		if c.Errors != 0 || c.Calls < 4 || c.P50 <= 0 || c.P99 < c.P50 || c.Hits < 1 {
			t.Errorf("%+v", c)
		}
		if (c.Name == "hybrid" || c.Name == "words") && c.Found < 0.8 {
			t.Errorf("%s: of %.2f of the questions the event is found", c.Name, c.Found)
		}
	}
	if v := r.Vectors; v.Vectors != 2000 || v.Queries != 16 || v.Recall < 0.95 || v.Ours <= 0 || v.Exact <= 0 || v.Ratio <= 0 {
		t.Errorf("%+v", v)
	}
	if len(r.Goals) != 6 {
		t.Errorf("%d goals", len(r.Goals))
	}
	for _, g := range r.Goals {
		if g.OK != (g.Least && g.Got >= g.Goal || !g.Least && g.Got < g.Goal) {
			t.Errorf("%+v", g)
		}
	}

	if _, err := Recall(context.Background(), o); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a directory is built over another: %v", err)
	}
	o.Keep, o.Reuse, o.Queries = "", dir, 1
	again, err := Recall(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if again.Intake != nil || again.Records < r.Records || len(again.Goals) != 5 {
		t.Errorf("built %+v\nagain %+v", r, again)
	}
	o.Events = 1000
	if _, err := Recall(context.Background(), o); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a tenant that was built otherwise is measured: %v", err)
	}
}

func TestRecallLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := Recall(context.Background(), RecallOptions{Dir: dir, Events: 50, Queries: 1}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestCorpus: the corpus is deterministic, each event is valid, and words are distributed as in
// real texts.
func TestCorpus(t *testing.T) {
	const n = 3000
	c, again := newCorpus(n), newCorpus(n)
	counts := make(map[uint32]int)
	kinds := make(map[hmx.EventType]int)
	var e, other said
	total := 0
	for i := range n {
		c.event(i, &e)
		again.event(n-1-i, &other)
		again.event(i, &other)
		if string(e.line) != string(other.line) {
			t.Fatalf("event %d is %s and %s", i, e.line, other.line)
		}
		ev, warnings, err := hmx.DecodeEvent(e.line[:len(e.line)-1])
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", e.line, err, warnings)
		}
		kinds[ev.EventType]++
		for _, w := range e.words {
			counts[w]++
			total++
		}
	}
	if kinds["message"] < n/2 || len(kinds) != 5 {
		t.Errorf("%v", kinds)
	}
	// The most frequent of 63,000 words is about one in eleven, and a third of all words occur
	// once.
	if share := float64(counts[0]) / float64(total); share < 0.05 || share > 0.15 {
		t.Errorf("the most frequent word is %.3f of all", share)
	}
	once := 0
	for _, k := range counts {
		if k == 1 {
			once++
		}
	}
	if len(counts) < 8000 || once < len(counts)/4 {
		t.Errorf("%d of %d words are met once", once, len(counts))
	}
	seen := make(map[string]bool)
	for _, w := range c.words {
		if seen[w] || w != strings.ToLower(w) {
			t.Fatalf("%q", w)
		}
		seen[w] = true
	}
	chance := rand.New(rand.NewPCG(1, 1))
	named, timed := 0, 0
	for range 500 {
		q := c.ask(chance)
		if words := len(strings.Fields(q.text)); words < 3 || words > 20 {
			t.Errorf("%q", q.text)
		}
		if q.named {
			named++
		}
		if q.timed {
			timed++
		}
	}
	if named < 20 || timed < 20 || named+timed > 250 {
		t.Errorf("%d of 500 questions name somebody, %d say when", named, timed)
	}
}

// setting returns the number in an environment variable.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return usual
}

// BenchmarkRecallIngest ingests LUKASA_RECALL_EVENTS events.
func BenchmarkRecallIngest(b *testing.B) {
	o := RecallOptions{Events: setting("LUKASA_RECALL_EVENTS", 20_000)}.filled()
	c := newCorpus(o.Events)
	for b.Loop() {
		in, err := takeIn(context.Background(), filepath.Join(b.TempDir(), "data"), c, &o)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(in.EventsPerSecond, "events/s")
		b.ReportMetric(1e6*in.CPUSeconds/float64(o.Events), "cpu-µs/event")
		b.ReportMetric(float64(in.PeakBytes>>20), "peak-MB")
	}
}

// BenchmarkRecallQuery runs questions of each sort on the directory LUKASA_RECALL_DIR, which
// was kept with LUKASA_RECALL_EVENTS, or on a small one.
func BenchmarkRecallQuery(b *testing.B) {
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
	token, err := hiding(context.Background(), board)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range recallSorts(token) {
		b.Run(s.name, func(b *testing.B) {
			chance := rand.New(rand.NewPCG(corpusSeed, uint64(time.Now().UnixNano())))
			ask := func() {
				q := s.ask(c, chance)
				so := engine.SearchOptions{Tenant: tenant, Query: q.text, TopK: recallHits, View: engine.View{Now: c.end()}}
				s.narrow(&so, &q)
				if _, err := board.Search(context.Background(), so); err != nil {
					b.Fatal(err)
				}
			}
			for range setting("LUKASA_RECALL_WARM", 20) {
				ask()
			}
			var took []time.Duration
			cpu := processTime()
			b.ReportAllocs()
			for b.Loop() {
				from := time.Now()
				ask()
				took = append(took, time.Since(from))
			}
			b.ReportMetric(float64(processTime()-cpu)/float64(len(took)), "cpu-ns/op")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(float64(took[len(took)/10]), "p10-ns")
		})
	}
}
