package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// richDirectory makes a closed directory with records of every kind, and returns
// it with the answers of its reads.
func richDirectory(t *testing.T) (*disk.Mem, map[string]string) {
	t.Helper()
	fs := disk.NewMem()
	c := newClock()
	o := small(fs)
	o.Clock = c.Now
	b := openWith(t, "data", o)
	for _, tenant := range []string{"acme", "zürich"} {
		var evs []*hmx.Event
		for i := range 60 {
			more := fmt.Sprintf(`,"trace_id":"trace-%d","correlation_id":"talk-%d"`, i%4, i%3)
			if i > 0 {
				more += fmt.Sprintf(`,"parent_event_id":"e%d"`, i/2)
			}
			evs = append(evs, eventWith(t, tenant, fmt.Sprintf("e%d", i), fmt.Sprintf("session-%d", i%3), int64(i), strings.Repeat(fmt.Sprintf("event %d of %s. ", i, tenant), 8), more))
		}
		for part := range slices.Chunk(evs, 7) {
			must(t)(b.AppendEvents(ctx, user, part))
			c.Move(time.Second)
		}
		for i := range 12 {
			m := fact(fmt.Sprintf("m%d", i), fmt.Sprintf("keys/%d", i), fmt.Sprintf("What number %d says, in %s.", i, tenant))
			m.Tags = []string{"all", fmt.Sprintf("tag-%d", i%3)}
			must(t)(b.Put(ctx, user, tenant, m, engine.AnyVersion()))
			c.Move(time.Second)
			if i%3 == 0 {
				must(t)(b.Put(ctx, user, tenant, fact(m.ID, m.Key, "Now it says something else: "+m.Text), engine.AnyVersion()))
			}
		}
		must(t)(b.Forget(ctx, user, engine.Ref{Tenant: tenant, Kind: record.Memory, ID: "m3"}, "no longer", engine.AnyVersion()))
		must(t)(b.Put(ctx, user, tenant, &memory.Edge{
			ID: "edge", From: memory.URI{Tenant: tenant, Kind: record.Memory, ID: "m0"},
			To: memory.URI{Tenant: tenant, Kind: record.Memory, ID: "m1"}, EdgeKind: memory.EdgeSupports,
		}, engine.AnyVersion()))
		must(t)(b.Redact(ctx, user, []memory.URI{
			{Tenant: tenant, Kind: record.Event, ID: "e9"}, {Tenant: tenant, Kind: record.Memory, ID: "m6"},
		}))
		must(t)(b.Checkpoint(ctx, tenant))
	}
	must(t)(soundness(b))
	if err := b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	answers, _ := ask(b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return fs, answers
}

// must returns a function that fails the test on an error.
func must(t testing.TB) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// ask runs every query on a board. Answers that are errors are in the second
// map.
func ask(b *engine.Board) (answers map[string]string, failed map[string]error) {
	answers, failed = make(map[string]string), make(map[string]error)
	note := func(question string, answer string, err error) {
		if err != nil && fault.CodeOf(err) != fault.Erased && fault.CodeOf(err) != fault.NotFound {
			failed[question] = err
			return
		}
		if err != nil {
			answer = "error " + string(fault.CodeOf(err))
		}
		answers[question] = answer
	}
	var tenants []string
	var err error
	for root, e := range b.Tenants(ctx) {
		if err = e; err == nil {
			tenants = append(tenants, fmt.Sprintf("%s %d %x", root.Tenant, root.Size, root.Hash))
		}
	}
	note("tenants", strings.Join(tenants, "\n"), err)
	for _, tenant := range []string{"acme", "zürich"} {
		root, err := b.Root(ctx, tenant)
		note(tenant+" root", fmt.Sprintf("%d %x %v", root.Size, root.Hash, root.Time), err)
		for i := range 61 {
			id := fmt.Sprintf("e%d", i)
			ev, err := b.Event(ctx, tenant, id, engine.View{})
			text := ""
			if err == nil {
				text = showEvents(ev)
			}
			note(tenant+" event "+id, text, err)
		}
		for i := range 13 {
			ref := engine.Ref{Tenant: tenant, Kind: record.Memory, ID: fmt.Sprintf("m%d", i)}
			thing, err := b.Get(ctx, ref, engine.View{})
			note(tenant+" get "+ref.ID, showThings(thing), err)
			thing, err = b.Get(ctx, engine.Ref{Tenant: tenant, Kind: record.Memory, Key: fmt.Sprintf("keys/%d", i)}, engine.View{})
			note(tenant+" get by key "+ref.ID, showThings(thing), err)
			_, changes, err := b.History(ctx, ref, engine.View{})
			note(tenant+" history "+ref.ID, showChanges(changes), err)
		}
		for _, q := range []engine.EventQuery{
			{Session: "session-0"}, {Session: "session-1"}, {Agent: "a1"}, {Trace: "trace-1"}, {Correlation: "talk-2"}, {ChildrenOf: "e3"},
		} {
			q.Tenant, q.Limit = tenant, 10000
			page, err := b.Events(ctx, q)
			note(fmt.Sprintf("%s events %+v", tenant, q), showEvents(page.Events...), err)
		}
		for _, o := range []engine.ListOptions{{}, {Tag: "tag-1"}, {Class: "fact"}, {State: "forgotten"}, {Kind: record.Edge}} {
			o.Tenant, o.Limit = tenant, 1000
			page, err := b.List(ctx, o)
			note(fmt.Sprintf("%s list %+v", tenant, o), showThings(page.Things...), err)
		}
		things, err := b.Referrers(ctx, memory.URI{Tenant: tenant, Kind: record.Memory, ID: "m1"}, engine.View{})
		note(tenant+" referrers", showThings(things...), err)
		sessions, err := b.Sessions(ctx, tenant, engine.View{})
		note(tenant+" sessions", fmt.Sprint(sessions), err)
		for _, query := range []string{"What does the text of the session say?", "somebody"} {
			s, err := b.Search(ctx, engine.SearchOptions{Tenant: tenant, Query: query})
			text := ""
			if err == nil {
				text = searchTold(s)
			}
			note(tenant+" search "+query, text, err)
		}
		p, err := b.Prove(ctx, tenant, engine.ProveOptions{Position: 5, Unsigned: true})
		text := ""
		if err == nil {
			js, e := p.MarshalJSON()
			text, err = string(js), e
		}
		note(tenant+" proof", text, err)
		var out bytes.Buffer
		_, err = b.Export(ctx, tenant, &out, nil)
		note(tenant+" export", out.String(), err)
	}
	return answers, failed
}

func showEvents(list ...*engine.StoredEvent) string {
	var s strings.Builder
	for _, e := range list {
		js, err := e.Event.AppendJSON(nil)
		fmt.Fprintf(&s, "%d %v %s %s %s %v\n", e.Position, e.Recorded, e.Actor, e.Trust, js, err)
	}
	return s.String()
}

func showThings(list ...*engine.Thing) string {
	var s strings.Builder
	for _, x := range list {
		if x == nil {
			continue
		}
		var js []byte
		if x.Body != nil {
			js, _ = x.Body.AppendJSON(nil)
		}
		fmt.Fprintf(&s, "%s %s %d %d %d %v %v %s %s %q %s %v %v %s\n", x.URI, x.State, x.Version, x.Content, x.Position,
			x.Created, x.Updated, x.Actor, x.Trust, x.Note, x.Status, x.Expires, x.Valid, js)
	}
	return s.String()
}

func showChanges(list []engine.Change) string {
	var s strings.Builder
	for _, x := range list {
		var js []byte
		if x.Body != nil {
			js, _ = x.Body.AppendJSON(nil)
		}
		fmt.Fprintf(&s, "%d %s %d %v %s %s %q %s\n", x.Version, x.Op, x.Position, x.Time, x.Actor, x.Trust, x.Note, js)
	}
	return s.String()
}

// copyFiles copies a directory into a new file system.
func copyFiles(t testing.TB, fs disk.FS, dir string) *disk.Mem {
	t.Helper()
	to := disk.NewMem()
	all, err := files(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, to, name, data)
	}
	return to
}

// put writes a file and the directories above it.
func put(t testing.TB, fs disk.FS, name string, data []byte) {
	t.Helper()
	if err := fs.MkdirAll(fs.PathDir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := fs.Create(name, disk.General)
	if err == nil {
		_, err = f.Write(bytes.Clone(data))
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// class returns the kind of file of a path.
func class(name string) string {
	base := path.Base(name)
	switch {
	case strings.HasSuffix(base, ".sst"):
		return "index/sst"
	case strings.HasPrefix(base, "MANIFEST"):
		return "index/MANIFEST"
	case strings.HasPrefix(base, "OPTIONS"):
		return "index/OPTIONS"
	case strings.HasPrefix(base, "marker"):
		return "index/marker"
	case strings.HasSuffix(base, ".log"):
		return "index/log"
	case strings.HasSuffix(base, ".seg"):
		return "journal/segment"
	}
	return strings.TrimPrefix(name, "data/")
}

// TestDamage changes one bit, or truncates one file, of a directory with many
// records. Each answer is then the right one or an error from the catalogue, and
// the damage is reported, unless it does not matter.
func TestDamage(t *testing.T) {
	testsize.OneGoroutine(t)
	fs, truth := richDirectory(t)
	all, err := files(fs, "data")
	if err != nil {
		t.Fatal(err)
	}
	byClass := make(map[string][]string)
	for _, name := range all {
		byClass[class(name)] = append(byClass[class(name)], name)
	}
	var classes []string
	for c := range byClass {
		classes = append(classes, c)
	}
	slices.Sort(classes)
	t.Logf("kinds of files: %q", classes)
	seed := testsize.Seed(t, 1)
	rng := rand.New(rand.NewPCG(seed, 4))
	silent := make(map[string]int)
	for n := range testsize.Of(t, "flips", 4, 40, 2000) {
		// Every second one hits a segment or a table, which have most of the
		// bytes.
		c := classes[rng.IntN(len(classes))]
		if n%2 == 0 {
			c = []string{"journal/segment", "index/sst"}[rng.IntN(2)]
		}
		name := byClass[c][rng.IntN(len(byClass[c]))]
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			t.Fatal(err)
		}
		hurt := copyFiles(t, fs, "data")
		what, cut, place := "", false, 0
		switch {
		case len(data) == 0:
			put(t, hurt, name, []byte("x"))
			what = name + " written to"
		case rng.IntN(5) == 0:
			keep := rng.IntN(len(data))
			cut, place = true, keep
			put(t, hurt, name, data[:keep])
			what = fmt.Sprintf("%s cut from %d to %d bytes", name, len(data), keep)
		default:
			at, bit := rng.IntN(len(data)), rng.IntN(8)
			data[at] ^= 1 << bit
			place = at
			put(t, hurt, name, data)
			what = fmt.Sprintf("%s of %d bytes, bit %d of byte %d", name, len(data), bit, at)
		}
		named := false
		within(t, what, func() { named, err = judge(hurt, truth) })
		if err != nil {
			t.Errorf("seed %d, %d: %s: %v", seed, n, what, err)
		}
		if !named {
			silent[c]++
			if !immaterial(fs, c, name, cut, place) {
				t.Errorf("seed %d, %d: %s: nothing is told of it", seed, n, what)
			}
		}
	}
	t.Logf("of no consequence, and not told: %v", silent)
}

// immaterial reports whether a change of a file at that place may go unreported.
func immaterial(fs disk.FS, class, name string, cut bool, at int) bool {
	switch class {
	case "LOCK", "index/LOCK", "index/OPTIONS", "index/marker", "index/log":
		return true // never read, or only in part; Pebble's own log is off
	case "index/MANIFEST":
		return true // its end is lost, and with it what is in the journal anyway
	case "keys/signed":
		return cut // as if a crash had cut the last line short
	case "keys/checkpoint.pub":
		return true // a copy for people; the private key has it too
	case "journal/segment":
		// Behind the end of the log there is free space, which is reset when the
		// log is opened.
		log, err := journal.Open(journal.Options{FS: fs, Dir: "data/journal", ReadOnly: true})
		if err != nil {
			return false
		}
		defer log.Close()
		for _, s := range log.Segments() {
			if s.Name == path.Base(name) && !s.Sealed {
				return at >= int(s.End-s.Base)
			}
		}
	}
	return false
}

// judge opens a damaged directory and compares every answer with the truth. It
// reports whether the damage was reported.
func judge(fs disk.FS, truth map[string]string) (named bool, err error) {
	b, err := engine.Open(ctx, "data", small(fs))
	if err != nil {
		if err := clear(err); err != nil {
			return true, err
		}
		return true, judgeRebuilt(fs, truth)
	}
	defer b.Close()
	named = len(b.Damages()) > 0
	answers, failed := ask(b)
	for q, got := range answers {
		if got != truth[q] {
			return named, fmt.Errorf("%s: a wrong answer:\n%.300s\nnot\n%.300s", q, got, truth[q])
		}
	}
	for q, err := range failed {
		named = true
		if err := clear(err); err != nil {
			return named, fmt.Errorf("%s: %w", q, err)
		}
	}
	report, err := b.Verify(ctx, engine.VerifyOptions{Deep: true})
	if err != nil {
		return true, clear(err)
	}
	if len(failed) > 0 && report.OK() {
		return named, fmt.Errorf("%d questions failed, but the verification found nothing", len(failed))
	}
	if named && report.OK() {
		return named, fmt.Errorf("damage was told at the start, but the verification found nothing")
	}
	return !report.OK(), nil
}

// judgeRebuilt tries the advice of the error.
func judgeRebuilt(fs disk.FS, truth map[string]string) error {
	o := small(fs)
	o.Rebuild = true
	b, err := engine.Open(ctx, "data", o)
	if err != nil {
		return clear(err)
	}
	defer b.Close()
	answers, _ := ask(b)
	for q, got := range answers {
		if got != truth[q] {
			return fmt.Errorf("after a rebuild, %s: a wrong answer:\n%.300s\nnot\n%.300s", q, got, truth[q])
		}
	}
	return nil
}

// clear returns an error about an error that is not from the catalogue.
func clear(err error) error {
	if code := fault.CodeOf(err); code == fault.Internal {
		return fmt.Errorf("not from the catalogue: %w", err)
	}
	return nil
}
