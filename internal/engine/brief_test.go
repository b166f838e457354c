package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/testsize"
)

// A briefly opened board leaves a little for the next opening to replay, and no more than
// that, and loses nothing.
func TestBrief(t *testing.T) {
	testsize.OneGoroutine(t)
	fs := disk.NewMem()
	b := open(t, fs, "data")
	if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "first", 0, "hello")}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	o := engine.Options{FS: fs, CacheBytes: 8 << 20, MemTableBytes: 4 << 20, Brief: true}
	kept, wrote := tables(t, fs), 0
	const times = 100
	for i := range times {
		b := openWith(t, "data", o)
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", fmt.Sprint("e", i), int64(i+1), fmt.Sprint("hello ", i))}); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if now := tables(t, fs); now != kept {
			kept, wrote = now, wrote+1
		}
	}
	if wrote == 0 || wrote > times/8 {
		t.Errorf("of %d openings %d wrote the index", times, wrote)
	}
	b = open(t, fs, "data")
	root, err := b.Root(ctx, "acme")
	if err != nil || root.Size != times+1 {
		t.Errorf("there are %d records, %v", root.Size, err)
	}
	sound(t, b)
}

// tables lists the tables of an index.
func tables(t *testing.T, fs disk.FS) string {
	t.Helper()
	names, err := fs.List(fs.PathJoin("data", "index"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range names {
		if strings.HasSuffix(n, ".sst") {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
