package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// traceFile returns the only trace file, or none.
func traceFile(t testing.TB, fs disk.FS, dir string) string {
	t.Helper()
	list := traceFiles(t, fs, dir)
	if len(list) > 1 {
		t.Fatal(list)
	}
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// traceFiles returns the trace files in the order of reading.
func traceFiles(t testing.TB, fs disk.FS, dir string) []string {
	t.Helper()
	if _, err := fs.Stat(fs.PathJoin(dir, "index.traces")); err != nil {
		return nil
	}
	list, err := files(fs, fs.PathJoin(dir, "index.traces"))
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(name string) bool { // caches of Learn and Lessons
		return strings.HasSuffix(name, "-said") || strings.HasSuffix(name, "-failures")
	})
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return list
}

// TestTracesInFiles compiles often, so that changes are cached in further files, and
// damages each: the files before it are still read, and the results are the same.
func TestTracesInFiles(t *testing.T) {
	fs := disk.NewMem()
	b := open(t, fs, "data")
	const first = 90
	for i := range first {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	base, err := disk.ReadFile(fs, traceFile(t, fs, "data"))
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for i := first; i < first+12; i++ {
		store(t, b, worked(t, i)...)
		store(t, b, eventWith(t, "acme", fmt.Sprint("rule", i), fmt.Sprint("talk", i%3), int64(i), fmt.Sprintf("Always sign commit %d.", i), ""))
		compileNow(t, b, engine.CompileOptions{})
		if len(traceFiles(t, fs, "data")) == 1 {
			whole++
		}
	}
	list := traceFiles(t, fs, "data")
	if len(list) < 4 || whole > 3 {
		t.Fatalf("%d files are kept after 13 compiles, and all was written anew %d times", len(list), whole)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = open(t, fs, "data")
	want := knowledge(t, b, false)
	if again := compileNow(t, b, engine.CompileOptions{}); again.Sessions != 0 || len(again.Changes) > 0 {
		t.Errorf("opened again, it read %d sessions and changed %v", again.Sessions, again.Changes)
	}
	keep := make([][]byte, len(list))
	for i, path := range list {
		if keep[i], err = disk.ReadFile(fs, path); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() {
		for i, path := range list {
			if err := disk.WriteFile(fs, path, keep[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := 0
	for i := len(list) - 1; i >= 0; i-- {
		restore()
		bad := slices.Clone(keep[i])
		bad[len(bad)/2] ^= 1
		if err := disk.WriteFile(fs, list[i], bad); err != nil {
			t.Fatal(err)
		}
		got := compileNow(t, b, engine.CompileOptions{})
		if got.Sessions <= before || len(got.Changes) > 0 {
			t.Errorf("file %d damaged: %d sessions were read, %d with the next; %v", i, got.Sessions, before, got.Changes)
		}
		before = got.Sessions
		if again := compileNow(t, b, engine.CompileOptions{}); again.Sessions != 0 {
			t.Errorf("file %d damaged: nothing is kept of %d sessions", i, again.Sessions)
		}
	}
	if before != first+12+3 {
		t.Errorf("without the first file %d sessions are read", before)
	}
	restore()
	if err := disk.WriteFile(fs, list[0], base); err != nil { // the others do not continue it
		t.Fatal(err)
	}
	if got := compileNow(t, b, engine.CompileOptions{}); got.Sessions < 12 || len(got.Changes) > 0 {
		t.Errorf("with an older first file: %d sessions were read; %v", got.Sessions, got.Changes)
	}
	compileNow(t, b, engine.CompileOptions{Full: true})
	if list := traceFiles(t, fs, "data"); len(list) != 1 {
		t.Errorf("all was written anew, and there are %v", list)
	}
	if got := knowledge(t, b, false); got != want {
		t.Errorf("what is known changed from\n%s\nto\n%s", want, got)
	}
}

// TestTracesMayBeLost damages the cache in every way: a compile then reads everything and
// finds the same.
func TestTracesMayBeLost(t *testing.T) {
	fs := disk.NewMem()
	b := open(t, fs, "data")
	for i := range 5 {
		store(t, b, worked(t, i)...)
	}
	store(t, b, stated(t, "rule", 1, "Always sign commits."))
	root := compileNow(t, b, engine.CompileOptions{}).Root
	path := traceFile(t, fs, "data")
	good, err := disk.ReadFile(fs, path)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(at int) []byte {
		bad := append([]byte(nil), good...)
		bad[at] ^= 1
		return bad
	}
	for _, c := range []struct {
		name string
		data []byte
		read int // sessions
	}{
		{"as it was", good, 0}, {"empty", nil, 6}, {"cut short", good[:len(good)/2], 6}, {"its beginning", flip(0), 6}, {"its version", flip(8), 6},
		{"its tenant", flip(13), 6}, {"its root", flip(20), 6}, {"its middle", flip(len(good) / 2), 6}, {"its end", flip(len(good) - 1), 6},
		{"longer", append(append([]byte(nil), good...), 0), 6},
	} {
		if err := disk.WriteFile(fs, path, c.data); err != nil {
			t.Fatal(err)
		}
		r := compileNow(t, b, engine.CompileOptions{})
		if r.Sessions != c.read || len(r.Changes) > 0 || r.Root != root {
			t.Errorf("%s: %d sessions read, want %d; %+v", c.name, r.Sessions, c.read, r.Changes)
		}
		if again := compileNow(t, b, engine.CompileOptions{}); again.Sessions != 0 {
			t.Errorf("%s: nothing is kept of %d sessions", c.name, again.Sessions)
		}
	}
	if err := fs.RemoveAll("data/index.traces"); err != nil {
		t.Fatal(err)
	}
	if r := compileNow(t, b, engine.CompileOptions{}); r.Sessions != 6 || len(r.Changes) > 0 {
		t.Errorf("removed: %+v", r)
	}
}

// TestTracesGoWithWhatIsErased searches every file for words of erased events.
func TestTracesGoWithWhatIsErased(t *testing.T) {
	const canary = "canarybird"
	for _, c := range []struct {
		name  string
		erase func(t *testing.T, b *engine.Board, clock *clock)
	}{
		{"redacted", func(t *testing.T, b *engine.Board, _ *clock) {
			must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "bird"}, {Tenant: "acme", Kind: record.Event, ID: "call"}}))
		}},
		{"expired", func(t *testing.T, b *engine.Board, clock *clock) {
			clock.Move(200 * 24 * time.Hour)
			must(t)(b.Expire(ctx, user, "acme", clock.Now()))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs, clock := disk.NewMem(), newClock()
			o := small(fs)
			o.Clock = clock.Now
			b := openWith(t, "data", o)
			for i := range 4 {
				store(t, b, worked(t, i)...)
			}
			more := `,"ttl_seconds":5`
			call, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"call","event_type":"tool_call","agent_id":"a1","tenant_id":"acme","session_id":"birds","timestamp":"2026-01-02T05:00:00Z","sequence":2,"content":{"tool_name":%q,"arguments":{}},"metadata":{}%s}`, canary+"_tool", more))
			if err != nil {
				t.Fatal(err)
			}
			bird := eventWith(t, "acme", "bird", "birds", 1, "Please look after the "+canary+" today.", more)
			store(t, b, bird, call)
			compileNow(t, b, engine.CompileOptions{})
			if data, err := disk.ReadFile(fs, traceFile(t, fs, "data")); err != nil || !strings.Contains(string(data), canary) {
				t.Fatal("the word is not in the traces, so that this proves nothing", err)
			}
			c.erase(t, b, clock)
			if path := traceFile(t, fs, "data"); path != "" {
				t.Errorf("%s is there when the erasure is done", path)
			}
			if err := b.Purge(ctx); err != nil {
				t.Fatal(err)
			}
			look := func(when string) {
				t.Helper()
				if path, _, err := grep(fs, "data", canary); err != nil || path != "" {
					t.Errorf("%s the word is in %s: %v", when, path, err)
				}
			}
			look("after the erasure")
			if _, err := b.NextStep(ctx, engine.NextOptions{Tenant: "acme", Session: "birds"}); err != nil {
				t.Fatal(err)
			}
			compileNow(t, b, engine.CompileOptions{})
			look("after another compile")
			for what, do := range map[string]func() error{"rebuild": func() error { return b.Rebuild(ctx, nil) }, "purge": func() error { return b.Purge(ctx) }} {
				compileNow(t, b, engine.CompileOptions{Full: true})
				if err := do(); err != nil {
					t.Fatal(err)
				}
				if path := traceFile(t, fs, "data"); path != "" {
					t.Errorf("%s is there after a %s", path, what)
				}
			}
			sound(t, b)
		})
	}
}

// between is a context that calls a function once, when a board has written something.
type between struct {
	context.Context
	wrote func() bool
	do    func()
}

func (m *between) Err() error {
	if m.do != nil && m.wrote() {
		do := m.do
		m.do = nil
		do()
	}
	return m.Context.Err()
}

// sizeOf returns how many records a board has.
func sizeOf(t *testing.T, b *engine.Board) uint64 {
	t.Helper()
	root, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return root.Size
}

// compileMeanwhile compiles, and does something when the first group is written.
func compileMeanwhile(t *testing.T, b *engine.Board, do func()) {
	t.Helper()
	before := sizeOf(t, b)
	c := &between{Context: ctx, do: do, wrote: func() bool { return sizeOf(t, b) > before }}
	must(t)(b.Compile(c, user, "acme", engine.CompileOptions{}))
}

// TestErasedWhileCompiling erases an event after a compile has read it and written a
// part: the rest is not written as if it still existed.
func TestErasedWhileCompiling(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	for i := range 4 {
		store(t, b, worked(t, i)...)
	}
	store(t, b, stated(t, "rule", 1, "My favourite bird is the canarybird."), stated(t, "two", 2, "Never wake the canarybird."))
	erased := false
	engine.CompileApart(b, 1)
	compileMeanwhile(t, b, func() {
		erased = true
		must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "rule"}, {Tenant: "acme", Kind: record.Event, ID: "two"}}))
	})
	if !erased {
		t.Fatal("nothing was erased meanwhile")
	}
	for _, x := range listed(t, b, record.Memory) {
		t.Errorf("%+v", x.Body)
	}
	chained(t, b)
	if r := compileNow(t, b, engine.CompileOptions{}); len(r.Changes) > 0 {
		t.Errorf("%+v", r.Changes)
	}
}

// BenchmarkCompile compiles 100,000 events from scratch, and then with 1,000 more.
func BenchmarkCompile(b *testing.B) {
	board := openWith(b, b.TempDir()+"/data", engine.Options{FS: disk.OS()})
	var list []*hmx.Event
	events := 0
	for i := 0; events < 100_000; i++ {
		list = append(list, worked(b, i%1000)...)
		for k, ev := range list[len(list)-len(worked(b, i%1000)):] {
			ev.EventID, ev.SessionID = fmt.Sprintf("e%d-%d", i, k), fmt.Sprintf("s%d", i)
		}
		if len(list) > 4000 {
			store(b, board, list...)
			events += len(list)
			list = nil
		}
	}
	b.Run("scratch", func(b *testing.B) {
		for b.Loop() {
			compileNow(b, board, engine.CompileOptions{Full: true})
		}
		b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
	next := 1 << 20
	b.Run("more", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			for n := 0; n < 1000; next++ {
				more := worked(b, next%1000)
				for k, ev := range more {
					ev.EventID, ev.SessionID = fmt.Sprintf("e%d-%d", next, k), fmt.Sprintf("s%d", next)
				}
				store(b, board, more...)
				n += len(more)
			}
			b.StartTimer()
			compileNow(b, board, engine.CompileOptions{})
		}
	})
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			if _, err := board.NextStep(ctx, engine.NextOptions{Tenant: "acme", Session: "s7"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
