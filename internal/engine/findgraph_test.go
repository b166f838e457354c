package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// TestFindGraphModel compares walks over dense random graphs with a naive one that
// reads all edges at every hop. Records are forgotten, private, tagged out of
// scope, not yet valid, or missing; edges come and go.
func TestFindGraphModel(t *testing.T) {
	testsize.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		f := &finds{t: t, clock: newClock()}
		o := small(disk.NewMem())
		o.Clock = f.clock.Now
		b, err := engine.Open(ctx, "data", o)
		if err != nil {
			t.Fatal(err)
		}
		f.b = b
		defer b.Close()
		nodes := []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "nobody"}}
		for i := range 12 {
			m := fact(fmt.Sprint("g", i), "", pick(t, "text", findSentences...))
			m.Importance = hmx.Some(float64(i%4) / 4)
			if coins(t, "seed", 2) {
				m.Tags = []string{"seed", "red"}
			}
			if coins(t, "blue", 3) {
				m.Tags = append(m.Tags, "blue")
			}
			if coins(t, "private", 3) {
				m.Visibility = memory.VisiblePrivate
			}
			if coins(t, "later", 4) {
				m.ValidFrom = hmx.TimeOf(f.clock.Now().Add(time.Minute))
			}
			if err := f.put(m); err != nil {
				t.Fatal(err)
			}
			nodes = append(nodes, memory.URI{Tenant: "acme", Kind: record.Memory, ID: m.ID})
		}
		for range 3 {
			if err := f.event(); err != nil {
				t.Fatal(err)
			}
		}
		for _, u := range f.uris {
			if u.Kind == record.Event {
				nodes = append(nodes, u)
			}
		}
		for i := range rapid.IntRange(10, 40).Draw(t, "edges") {
			e := &memory.Edge{
				ID: fmt.Sprint("l", i), EdgeKind: pick(t, "edge", memory.EdgeSupports, memory.EdgeCauses, "x-acme-blocks"),
				From: pick(t, "from", nodes...), To: pick(t, "to", nodes...),
			}
			if e.From == e.To {
				continue
			}
			if err := f.put(e); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 6).Draw(t, "forgotten") {
			f.step(15)
		}
		for range 5 {
			g := f.gate()
			q := engine.FindOptions{Tenant: "acme", Tags: []string{"seed"}, Limit: pick(t, "limit", 20, 50, 7), Order: pick(t, "order", engine.BySalience, engine.ByTime)}
			left := engine.MaxFindHops
			for left > 0 && (q.Follow == nil || rapid.Bool().Draw(t, "another")) {
				s := engine.Step{
					Kinds:     []memory.EdgeKind{pick(t, "edge", memory.EdgeSupports, memory.EdgeCauses), pick[memory.EdgeKind](t, "or", memory.EdgeSupports, "x-acme-blocks")},
					Direction: pick(t, "direction", engine.Outward, engine.Inward, engine.BothWay), Hops: rapid.IntRange(1, left).Draw(t, "hops"),
				}
				q.Follow, left = append(q.Follow, s), left-s.Hops
			}
			if g != nil {
				q.View.Scope = g.token
			} else {
				q.View.Agent = pick(t, "viewer", "", "ann", "bob")
			}
			f.compare(q, g)
		}
	})
}

// chain makes a board with records n0 to n9 that support each other in a line, and
// one edge of another kind back from the end.
func chain(t testing.TB) *engine.Board {
	t.Helper()
	o := small(disk.NewMem())
	c := newClock()
	o.Clock = c.Now
	b := openWith(t, "data", o)
	uri := func(i int) memory.URI { return memory.URI{Tenant: "acme", Kind: record.Memory, ID: fmt.Sprint("n", i)} }
	for i := range 10 {
		c.Move(time.Hour) // so that later ones matter more
		m := fact(fmt.Sprint("n", i), fmt.Sprint("line/", i), fmt.Sprintf("Number %d in line.", i))
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	}
	for i := range 9 {
		must(t)(b.Put(ctx, user, "acme", &memory.Edge{ID: fmt.Sprint("l", i), From: uri(i), To: uri(i + 1), EdgeKind: memory.EdgeSupports}, engine.AnyVersion()))
	}
	must(t)(b.Put(ctx, user, "acme", &memory.Edge{ID: "back", From: uri(9), To: uri(0), EdgeKind: memory.EdgeCauses}, engine.AnyVersion()))
	return b
}

// ids returns the hits of a find, with their hops.
func ids(t testing.TB, b *engine.Board, o engine.FindOptions) string {
	t.Helper()
	found, err := b.Find(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range found.Hits {
		if h.Hops != max(0, len(h.Path)-1) || len(h.Path) > 0 && h.Path[len(h.Path)-1] != h.URI.Head() {
			t.Errorf("%s has %d hops and the path %v", h.URI, h.Hops, h.Path)
		}
		out = append(out, fmt.Sprintf("%s/%d", h.URI.ID, h.Hops))
	}
	return strings.Join(out, " ")
}

// TestFindFollows walks in each direction, over several steps, around a circle, and
// not through forgotten records.
func TestFindFollows(t *testing.T) {
	b := chain(t)
	supports, causes := []memory.EdgeKind{memory.EdgeSupports}, []memory.EdgeKind{memory.EdgeCauses}
	from := func(key string, steps ...engine.Step) engine.FindOptions {
		return engine.FindOptions{Tenant: "acme", KeyPrefix: key, Follow: steps}
	}
	for _, tc := range []struct {
		name string
		o    engine.FindOptions
		want string
	}{
		{"out", from("line/3", engine.Step{Kinds: supports, Hops: 2}), "n3/0 n4/1 n5/2"},
		{"in", from("line/3", engine.Step{Kinds: supports, Direction: engine.Inward, Hops: 2}), "n3/0 n2/1 n1/2"},
		{"both", from("line/3", engine.Step{Kinds: supports, Direction: engine.BothWay, Hops: 1}), "n3/0 n4/1 n2/1"},
		{"six hops", from("line/2", engine.Step{Kinds: supports, Hops: 6}), "n2/0 n3/1 n4/2 n5/3 n6/4 n7/5 n8/6"},
		{"other kinds are not followed", from("line/3", engine.Step{Kinds: causes, Hops: 3}), "n3/0"},
		{"two steps", from("line/7", engine.Step{Kinds: supports, Hops: 2}, engine.Step{Kinds: causes, Hops: 1}), "n7/0 n8/1 n9/2 n0/3"},
		{"the second step does not begin at the seeds", from("line/9", engine.Step{Kinds: supports, Direction: engine.Inward, Hops: 1}, engine.Step{Kinds: causes, Hops: 1}), "n9/0 n8/1"},
		{"around the circle, each once", from("line/8", engine.Step{Kinds: append(supports, causes...), Hops: 6}), "n8/0 n9/1 n0/2 n1/3 n2/4 n3/5 n4/6"},
		{"back over the seeds", from("line/3", engine.Step{Kinds: supports, Hops: 1}, engine.Step{Kinds: supports, Direction: engine.Inward, Hops: 2}), "n3/0 n4/1 n2/3"},
	} {
		if got := ids(t, b, tc.o); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "n5"}, "", engine.AnyVersion()))
	if got := ids(t, b, from("line/3", engine.Step{Kinds: supports, Hops: 4})); got != "n3/0 n4/1" {
		t.Errorf("beyond what is forgotten: %s", got)
	}
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Edge, ID: "l3"}, "", engine.AnyVersion()))
	if got := ids(t, b, from("line/3", engine.Step{Kinds: supports, Hops: 4})); got != "n3/0" {
		t.Errorf("over an edge that is forgotten: %s", got)
	}
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "n1"}}))
	if got := ids(t, b, from("line/0", engine.Step{Kinds: supports, Hops: 4})); got != "n0/0" {
		t.Errorf("over what is erased: %s", got)
	}
}

// TestFindSeeds starts from the requested number of hits, and shows at most the
// limit in total.
func TestFindSeeds(t *testing.T) {
	b := chain(t)
	step := engine.Step{Kinds: []memory.EdgeKind{memory.EdgeSupports}, Hops: 1}
	o := engine.FindOptions{Tenant: "acme", KeyPrefix: "line", Order: engine.ByTime, Follow: []engine.Step{step}}
	for _, tc := range []struct {
		limit, seeds, matched, reached int
		want                           string
	}{
		{4, 0, 10, 0, "n9/0 n8/0"},
		{4, 1, 10, 0, "n9/0"},
		{3, 3, 10, 0, "n9/0 n8/0 n7/0"},
		{20, 0, 10, 0, "n9/0 n8/0 n7/0 n6/0 n5/0 n4/0 n3/0 n2/0 n1/0 n0/0"},
	} {
		o.Limit, o.Seeds = tc.limit, tc.seeds
		found, err := b.Find(ctx, o)
		if err != nil || found.Matched != tc.matched || found.Reached != tc.reached {
			t.Fatalf("%+v: %+v %v", tc, found, err)
		}
		if got := ids(t, b, o); got != tc.want {
			t.Errorf("limit %d, seeds %d: %s, want %s", tc.limit, tc.seeds, got, tc.want)
		}
	}
	o.Follow[0].Direction, o.Limit, o.Seeds = engine.Inward, 3, 2
	if got := ids(t, b, o); got != "n9/0 n8/0 n7/1" {
		t.Errorf("inward: %s", got)
	}
}

// crowd makes a board with that many events of one agent, and that many edges from
// one record to them.
func crowd(t testing.TB, events, edges int) *engine.Board {
	t.Helper()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem()})
	must(t)(b.Put(ctx, user, "acme", fact("hub", "hub", "Everything hangs on it."), engine.AnyVersion()))
	for part := range slices.Chunk(slices.Collect(func(yield func(int) bool) {
		for i := range events {
			if !yield(i) {
				return
			}
		}
	}), 5000) {
		var evs []*hmx.Event
		for _, i := range part {
			evs = append(evs, event(t, "acme", fmt.Sprint("e", i), int64(i), fmt.Sprint("Number ", i)))
		}
		must(t)(b.AppendEvents(ctx, user, evs))
	}
	hub := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "hub"}
	// Concurrently, so that they share the journal's groups.
	const writers = 64
	errs := make(chan error, writers)
	for w := range writers {
		go func() {
			var err error
			for i := w; i < edges && err == nil; i += writers {
				to := memory.URI{Tenant: "acme", Kind: record.Event, ID: fmt.Sprint("e", i)}
				_, err = b.Put(ctx, user, "acme", &memory.Edge{ID: fmt.Sprint("l", i), From: hub, To: to, EdgeKind: memory.EdgeSupports}, engine.AnyVersion())
			}
			errs <- err
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestFindIsBounded refuses what would read too much, with advice, and does what is
// just within the limit.
func TestFindIsBounded(t *testing.T) {
	testsize.Long(t, "it takes a crowd")
	b := crowd(t, 20_001, 20_001)
	refused := func(name string, o engine.FindOptions, part, advice string) {
		t.Helper()
		o.Tenant = "acme"
		_, err := b.Find(ctx, o)
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), part) || !strings.Contains(fault.From(err).Advice(), advice) {
			t.Errorf("%s: %v; advice %q", name, err, fault.From(err).Advice())
		}
	}
	events := []record.Kind{record.Event}
	refused("too many events", engine.FindOptions{Kinds: events, Agent: "a1"}, "more than 20000", "after and before")
	refused("of every session", engine.FindOptions{Kinds: events, Session: "s1", Agent: "a1"}, "session, agent", "frame with its reference")
	edges := engine.FindOptions{Tenant: "acme", Kinds: []record.Kind{record.Edge}, Types: []string{"supports"}, Agent: "tester"}
	refused("too many edges", edges, "agent, types", "after and before")
	edges.After = time.Now()
	if found, err := b.Find(ctx, edges); err != nil || found.Scanned != 0 {
		t.Errorf("after the last of them: %+v %v", found, err)
	}
	step := engine.Step{Kinds: []memory.EdgeKind{memory.EdgeSupports}, Hops: 1}
	refused("too many nodes", engine.FindOptions{KeyPrefix: "hub", Follow: []engine.Step{step}}, "more than 10000 records and events", "seeds")
	if got := ids(t, b, engine.FindOptions{Tenant: "acme", KeyPrefix: "hub", Follow: []engine.Step{{Kinds: []memory.EdgeKind{memory.EdgeCauses}, Hops: 6}}}); got != "hub/0" {
		t.Errorf("along edges of a kind that there is not: %s", got)
	}

	// Another predicate narrows it; so does a list of which only a part is read.
	found, err := b.Find(ctx, engine.FindOptions{Tenant: "acme", Kinds: events, Agent: "a1", Before: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil || found.Scanned != 0 {
		t.Errorf("%+v %v", found, err)
	}
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e7"}}))
	found, err = b.Find(ctx, engine.FindOptions{Tenant: "acme", Kinds: events, Agent: "a1", Text: "number 77", Limit: 3})
	if err != nil || found.Scanned != 20_000 || found.Matched != 20_000 || found.Hits[0].Event.Event.EventID != "e77" {
		t.Errorf("%d scanned, %d matched, %v", found.Scanned, found.Matched, err)
	}
}

// TestFindAdvice follows the advice of such a refusal, and is not refused again;
// nothing outside the time is read.
func TestFindAdvice(t *testing.T) {
	testsize.Long(t, "it takes a crowd")
	const many = 20_100
	c := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: c.Now})
	begin := c.Now()
	c.Move(many * time.Second)
	var evs []*hmx.Event
	for i := range many {
		at := begin.Add(time.Duration(i) * time.Second).UTC()
		ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"file_edit","agent_id":"a1","tenant_id":"acme","session_id":"s1","timestamp":%q,"sequence":%d,"content":{"path":"a.go","operation":"modify"},"metadata":{}}`,
			i, at.Format(time.RFC3339), i))
		if err != nil {
			t.Fatal(err)
		}
		evs = append(evs, ev)
	}
	for part := range slices.Chunk(evs, 5000) {
		must(t)(b.AppendEvents(ctx, user, part))
	}
	after, before := begin.Add(1000*time.Second), begin.Add(1010*time.Second)
	hidden := mint(t, b, c, func(g *scope.Grant) { g.Include.Tags, g.Expires = []string{"open"}, c.Now().Add(time.Hour) })
	for name, tc := range map[string]struct {
		o             engine.FindOptions
		advice, never string
	}{
		"session":             {engine.FindOptions{Session: "s1"}, "narrow the time with after and before, and say whose events with agent; or add frame with its reference", "types"},
		"frame":               {engine.FindOptions{Frame: "modify:file=a.go"}, "narrow the time with after and before, and say whose events with agent; or add session", "frame"},
		"agent":               {engine.FindOptions{Agent: "a1"}, "narrow the time with after and before; or add one of session, frame with its reference", "whose"},
		"all":                 {engine.FindOptions{Agent: "a1", Session: "s1", Frame: "modify:file=a.go"}, "narrow the time with after and before", "add"},
		"session and a scope": {engine.FindOptions{Session: "s1", View: engine.View{Scope: hidden}}, "narrow the time with after and before, and say whose events with agent", "20"},
	} {
		o := tc.o
		o.Tenant, o.Kinds = "acme", []record.Kind{record.Event}
		_, err := b.Find(ctx, o)
		advice := fault.From(err).Advice()
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(advice, tc.advice) || strings.Contains(advice, tc.never) || strings.Contains(advice, "key_prefix") {
			t.Errorf("%s: %v; advice %q", name, err, advice)
			continue
		}
		many, want := "more than 20000", 10
		if o.View.Scope != "" {
			many, want = "too many", 0
		}
		if !strings.HasPrefix(err.Error(), "find: "+many+" records and events") {
			t.Errorf("%s: %v", name, err)
		}
		o.After, o.Before = after, before
		o.Agent = "a1"
		if found, err := b.Find(ctx, o); err != nil || found.Matched != want || found.Scanned != want {
			t.Errorf("%s, of an agent within a time: %+v %v", name, found, err)
		}
		// The time alone suffices for a list of this length, and so does a type.
		o = tc.o
		o.Tenant, o.Kinds, o.After, o.Before = "acme", []record.Kind{record.Event}, after, before
		if found, err := b.Find(ctx, o); err != nil || found.Matched != want || found.Scanned != want {
			t.Errorf("%s, within a time: %+v %v", name, found, err)
		}
		o.After, o.Before, o.Types = time.Time{}, time.Time{}, []string{"message"}
		if found, err := b.Find(ctx, o); err != nil || found.Scanned != 0 {
			t.Errorf("%s, of another type: %+v %v", name, found, err)
		}
	}
}
