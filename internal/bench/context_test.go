package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"lukasa.dev/internal/fault"
)

// TestContext measures a small tenant: the figures mean nothing then, but all of
// them must be there, and nothing may be left.
func TestContext(t *testing.T) {
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
	// 60 things about each file, and 20 pins.
	if r.Candidates < 60 || r.Entries <= 0 || r.Entries > r.Candidates || r.Tokens <= 0 || r.Tokens > 3000 {
		t.Errorf("%.1f candidates, %.1f entries, %.1f tokens", r.Candidates, r.Entries, r.Tokens)
	}
	if len(r.Goals) != 2 || r.Goals[0].Got != r.One.P50 || r.Goals[1].Got != r.One.P99 {
		t.Errorf("%+v", r.Goals)
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
	o.Things = 10_000
	if _, err := Context(context.Background(), o); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a tenant that is too small is measured: %v", err)
	}
}
