package bench

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestContext measures a small tenant: the figures are meaningless, but all of them must be
// there, and no files may remain.
func TestContext(t *testing.T) {
	testsize.Long(t, "it fills a board and measures it")
	dir := t.TempDir()
	var told int
	r, err := Context(context.Background(), ContextOptions{
		Dir: dir, Things: 3000, Frames: 50, Calls: 200, Callers: 40, Rounds: 3,
		Progress: func(string, int, int) { told++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Records < 3000+pins+feedbacks || r.DirBytes <= 0 || r.OpenSeconds <= 0 || r.ResidentBytes == 0 || r.PeakBytes == 0 {
		t.Errorf("%+v", r)
	}
	if b := r.Building; b == nil || b.EventsPerSecond <= 0 || b.MemoriesPerSecond <= 0 || b.PeakBytes == 0 {
		t.Errorf("%+v", r.Building)
	}
	for _, l := range []struct {
		Latency
		want int
	}{{r.One, 200}, {r.Many, 120}} {
		if l.Calls != l.want || l.Errors != 0 || l.PerSecond <= 0 || l.P50 <= 0 || l.P95 < l.P50 || l.P99 < l.P95 || l.Max < l.P99 {
			t.Errorf("%+v", l)
		}
	}
	// 60 records about each file, and 20 pins.
	if r.Candidates < 60 || r.Entries <= 0 || r.Entries > r.Candidates || r.Tokens <= 0 || r.Tokens > 3000 {
		t.Errorf("%.1f candidates, %.1f entries, %.1f tokens", r.Candidates, r.Entries, r.Tokens)
	}
	if len(r.Goals) != 2 || r.Goals[0].Got != r.One.P50 || r.Goals[1].Got != r.One.P99 {
		t.Errorf("%+v", r.Goals)
	}
	for _, g := range r.Goals {
		if g.OK != (g.Got < g.Goal) {
			t.Errorf("%+v", g)
		}
	}
	// Every sort of call occurs, and most calls are of the usual sort.
	for _, share := range []float64{r.Mix.TwoObjects, r.Mix.Scoped, r.Mix.Short, r.Mix.Full} {
		if share <= 0 || share > 0.3 {
			t.Errorf("%+v", r.Mix)
		}
	}
	// Events are the newest about half of the files, and most of them are followed by an
	// outcome.
	if w := r.Outcomes; w.PerBundle < 1 || w.Events < 0.3 || w.Events > 0.8 || w.Bundles < 0.3 || w.Bundles > 0.8 || w.Followed < 0.6 {
		t.Errorf("%+v", w)
	}
	if r.Replayed != 0 || r.Problem != "" {
		t.Errorf("%d records replayed, problem %q", r.Replayed, r.Problem)
	}
	if told == 0 {
		t.Error("nothing was told about it")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestContextKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	o := ContextOptions{Things: 400, Frames: 10, Calls: 20, Callers: 4, Rounds: 2}
	o.Keep = dir
	built, err := Context(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Context(context.Background(), o); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a directory is built over another: %v", err)
	}
	o.Keep, o.Reuse = "", dir
	again, err := Context(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if again.Building != nil || again.Records != built.Records || again.Candidates != built.Candidates {
		t.Errorf("built %+v\nagain %+v", built, again)
	}
	if again.Outcomes != built.Outcomes || again.Mix != built.Mix {
		t.Errorf("built %+v %+v\nagain %+v %+v", built.Outcomes, built.Mix, again.Outcomes, again.Mix)
	}

	// A missing index is rebuilt, like one of another format, with progress while it happens
	// and a count afterwards.
	if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	o.Progress = func(what string, _, _ int) { said[what] = true }
	anew, err := Context(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if anew.Replayed != anew.Records || anew.Outcomes != built.Outcomes || !said["opening: the index is made from the journal, 100%"] {
		t.Errorf("%d of %d records replayed, %+v, said %v", anew.Replayed, anew.Records, anew.Outcomes, said)
	}
	for name, change := range map[string]func(*ContextOptions){
		"too small":   func(o *ContextOptions) { o.Things = 10_000 },
		"too large":   func(o *ContextOptions) { o.Things = 300 },
		"other files": func(o *ContextOptions) { o.Frames = 9 },
	} {
		other := o
		change(&other)
		if _, err := Context(context.Background(), other); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: a tenant that was built otherwise is measured: %v", name, err)
		}
	}
}

// TestContextReuseRefused: a tenant built by earlier code, or incompletely, is not measured.
func TestContextReuseRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	b, err := engine.Open(context.Background(), dir, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(context.Background(), engine.Writer{Actor: "bench", Trust: record.User}, tenant, pinOf(0), engine.Expect{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Context(context.Background(), ContextOptions{Reuse: dir, Things: 1, Frames: 1, Calls: 1, Callers: 1, Rounds: 1})
	if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "built") {
		t.Error(err)
	}
}

// TestContextCountsFailures: failed calls are counted where they were made, and the first error
// is kept.
func TestContextCountsFailures(t *testing.T) {
	b, err := engine.Open(context.Background(), filepath.Join(t.TempDir(), "data"), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	a := asker{frames: 1, token: "no token"}
	o := ContextOptions{Callers: 4, Rounds: 3}.filled()
	if l := a.crowd(context.Background(), b, &o); l.Calls != 12 || l.Errors != 12 || a.why == nil {
		t.Errorf("%+v, %v", l, a.why)
	}
	if n := a.failed(); n != 0 {
		t.Errorf("%d failures are counted twice", n)
	}
}
