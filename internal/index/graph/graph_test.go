package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/graph"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// names makes entities of "type:name" words.
func names(list ...string) (out []kind.Entity) {
	for _, one := range list {
		typ, name, _ := strings.Cut(one, ":")
		out = append(out, kind.Entity{Type: typ, Name: name})
	}
	return out
}

func event(position uint64, list ...string) index.Record {
	return index.Record{
		Header:   record.Header{Kind: record.Event, Position: position, Tenant: "acme"},
		Document: &index.Document{Kind: record.Event, ID: fmt.Sprint("e", position), Entities: names(list...)},
	}
}

func thing(position uint64, body memory.Body) index.Record {
	id, _ := body.Identity()
	return index.Record{
		Header: record.Header{Kind: body.Kind(), Position: position, Tenant: "acme"}, Body: body,
		Document: &index.Document{Kind: body.Kind(), ID: id},
	}
}

func control(position uint64, k record.Kind, body any) index.Record {
	return index.Record{Header: record.Header{Kind: k, Position: position, Tenant: "acme"}, Control: body}
}

func redaction(position uint64, targets ...index.Record) index.Record {
	c := &memory.Redaction{}
	for _, t := range targets {
		c.Targets = append(c.Targets, memory.RedactionTarget{Kind: t.Header.Kind, Position: t.Header.Position, ID: record.ID("acme", t.Header.Kind, t.Document.ID)})
	}
	return control(position, record.Redaction, c)
}

// fold folds records in groups of the given sizes, repeating the last one.
func fold(t testing.TB, s *kv.Store, records []index.Record, sizes ...int) {
	t.Helper()
	g := graph.New()
	for len(records) > 0 {
		n := min(sizes[0], len(records))
		if len(sizes) > 1 {
			sizes = sizes[1:]
		}
		tx := s.Begin()
		for i := range records[:n] {
			r := records[i]
			if err := g.Apply(tx, &r); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		records = records[n:]
	}
}

// dump returns the whole content of a store.
func dump(t testing.TB, s *kv.Store) string {
	t.Helper()
	var b strings.Builder
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s = %x\n", index.Describe(it.Key()), v)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// history draws records of one tenant, and which positions are live at the end.
type history struct {
	records []index.Record
	live    map[uint64]bool
	erased  map[uint64]bool // by a redaction
	current map[string]uint64
}

func draw(rng *rand.Rand, n int) *history {
	h := &history{live: map[uint64]bool{}, erased: map[uint64]bool{}, current: map[string]uint64{}}
	pool := []string{"person:Ana", "name:ana", "name:Bob", "file:a/b.go", "tag:Bob", "name:New  York", "name:new york", "identifier:X-1", "name:Zoé"}
	id := func(k string) string { return fmt.Sprint(k, rng.IntN(3)) }
	end := func(k, id string) {
		if p, ok := h.current[k+id]; ok {
			delete(h.live, p)
			delete(h.current, k+id)
		}
	}
	put := func(k string, body memory.Body) {
		p := uint64(len(h.records))
		name, _ := body.Identity()
		end(k, name)
		h.records = append(h.records, thing(p, body))
		h.live[p], h.current[k+name] = true, p
	}
	for range n {
		p := uint64(len(h.records))
		switch rng.IntN(10) {
		case 0:
			e := &memory.Entity{ID: id("n"), Name: []string{"Ana", "Bob", "Acme"}[rng.IntN(3)], Type: []string{"person", "Firm"}[rng.IntN(2)]}
			if rng.IntN(2) == 0 {
				e.Aliases = []string{"Annie", "ANA"}
			}
			put("entity", e)
		case 1:
			r := &memory.Relation{ID: id("r"), From: id("n"), To: id("n"), Predicate: "knows"}
			if rng.IntN(2) == 0 {
				r.Weight = hmx.Some(float64(rng.IntN(5)) / 4)
			}
			put("relation", r)
		case 2: // forget a versioned record
			k, name := record.Entity, id("n")
			if rng.IntN(2) == 0 {
				k, name = record.Relation, id("r")
			}
			h.records = append(h.records, control(p, record.Tombstone, &memory.Tombstone{Target: k, ID: name}))
			end(map[record.Kind]string{record.Entity: "entity", record.Relation: "relation"}[k], name)
		case 3: // redact an event, or all versions of a record
			if p == 0 {
				continue
			}
			target := h.records[rng.IntN(len(h.records))]
			if target.Document == nil {
				continue
			}
			list := []index.Record{target}
			if target.Body != nil {
				list = list[:0]
				for _, r := range h.records {
					if r.Document != nil && r.Header.Kind == target.Header.Kind && r.Document.ID == target.Document.ID {
						list = append(list, r)
					}
				}
				delete(h.current, map[record.Kind]string{record.Entity: "entity", record.Relation: "relation"}[target.Header.Kind]+target.Document.ID)
			}
			for _, r := range list {
				delete(h.live, r.Header.Position)
				h.erased[r.Header.Position] = true
			}
			h.records = append(h.records, redaction(p, list...))
		default:
			var list []string
			for range rng.IntN(4) {
				list = append(list, pool[rng.IntN(len(pool))])
			}
			h.records = append(h.records, event(p, list...))
			h.live[p] = true
		}
	}
	return h
}

// without returns the records with those at some positions erased.
func (h *history) without(gone func(uint64) bool) []index.Record {
	list := slices.Clone(h.records)
	for i := range list {
		if list[i].Document != nil && gone(list[i].Header.Position) {
			list[i].Document, list[i].Body = nil, nil
		}
	}
	return list
}

// TestHistories folds random histories in several groupings, with erased records
// readable and blank, and compares the bytes; and the reads with a naive model.
func TestHistories(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkHistory(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func checkHistory(t *testing.T, rng *rand.Rand) {
	h := draw(rng, 1+rng.IntN(60))
	live := openStore(t)
	fold(t, live, h.records, 1)
	want := dump(t, live)
	for what, c := range map[string]struct {
		records []index.Record
		sizes   []int
	}{
		"one group":     {h.records, []int{1000}},
		"some groups":   {h.records, []int{3, 1, 5, 7}},
		"replay":        {h.without(func(p uint64) bool { return h.erased[p] }), []int{3}},
		"what is there": {h.without(func(p uint64) bool { return !h.live[p] }), []int{1000}},
	} {
		s := openStore(t)
		fold(t, s, c.records, c.sizes...)
		if got := dump(t, s); got != want {
			t.Fatalf("%s:\n%s\nwant\n%s", what, got, want)
		}
	}
	newModel(h).check(t, graph.Open(live, 0), rng)
	var targets []index.Record
	for _, r := range h.records {
		if r.Document != nil {
			targets = append(targets, r)
		}
	}
	fold(t, live, []index.Record{redaction(uint64(len(h.records)), targets...)}, 1)
	if rest := dump(t, live); rest != "" {
		t.Fatalf("left when all is gone:\n%s", rest)
	}
}

// TestNames: names are those of the newest document.
func TestNames(t *testing.T) {
	s := openStore(t)
	first, second := event(0, "name:New York", "tag:#Sun"), event(1, "name:NEW  YORK", "person:new york")
	fold(t, s, []index.Record{first, second}, 1)
	v := graph.Open(s, 0)
	n, ok, err := v.Node("name", "new york")
	if err != nil || !ok || n.Name != "NEW  YORK" || n.Type != "name" || n.Count != 2 {
		t.Errorf("%+v %v %v", n, ok, err)
	}
	list, err := v.Lookup("New york")
	if err != nil || len(list) != 2 || list[0].Type != "name" || list[1].Type != "person" {
		t.Errorf("%+v %v", list, err)
	}
	if list, err := v.Lookup("#sun"); err != nil || len(list) != 1 || list[0].Name != "#Sun" {
		t.Errorf("%+v %v", list, err)
	}
	fold(t, s, []index.Record{redaction(2, second)}, 1)
	if n, ok, err := v.Node("name", "new york"); err != nil || !ok || n.Name != "New York" || n.Count != 1 {
		t.Errorf("%+v %v %v", n, ok, err)
	}
	if _, ok, err := v.Node("person", "new york"); err != nil || ok {
		t.Errorf("%v %v", ok, err)
	}
	if other, err := graph.Open(s, 1).Lookup("New York"); err != nil || len(other) != 0 {
		t.Errorf("another tenant has %v, %v", other, err)
	}
}

// TestMemories: memories are found by the names in their text.
func TestMemories(t *testing.T) {
	s := openStore(t)
	fold(t, s, []index.Record{{
		Header:   record.Header{Kind: record.Memory, Tenant: "acme"},
		Document: &index.Document{Kind: record.Memory, ID: "m", Title: "About Ana", Text: "She met Bob.", Tags: []string{"people"}},
	}}, 1)
	list, err := graph.Open(s, 0).NodesOf(0)
	var got []string
	for _, n := range list {
		got = append(got, n.Type+":"+n.Name)
	}
	if want := []string{"name:Ana", "name:Bob", "tag:people"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
}

// TestRelations: relations lead from one entity to another, as long as they are
// valid.
func TestRelations(t *testing.T) {
	s := openStore(t)
	until, err := hmx.ParseTime("2026-01-01T00:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	fold(t, s, []index.Record{
		thing(0, &memory.Entity{ID: "a", Name: "Ana", Type: "person", Aliases: []string{"Annie"}}),
		thing(1, &memory.Entity{ID: "f", Name: "Acme", Type: "firm"}),
		thing(2, &memory.Relation{ID: "r", From: "a", To: "f", Predicate: "works_at", Weight: hmx.Some(0.5), ValidUntil: until}),
		event(3, "name:Annie"), event(4, "name:Acme"), event(5, "name:Bob"), event(6, "name:Zed"),
	}, 2)
	v := graph.Open(s, 0)
	rel, ok, err := v.RelationAt(2)
	if err != nil || !ok || rel.Predicate != "works_at" || rel.Weight != 0.5 || rel.From[0].Name != "Ana" || rel.From[1].Name != "Annie" || rel.To[0].Name != "Acme" {
		t.Errorf("%+v %v %v", rel, ok, err)
	}
	if _, ok, err := v.RelationAt(3); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	weights := func(now int64) (out []string) {
		list, err := v.Related([]graph.NodeID{graph.ID("person", "ana")}, graph.Limits{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			out = append(out, fmt.Sprintf("%s:%s %.2f", w.Type, w.Name, w.Weight))
		}
		slices.Sort(out)
		return out
	}
	// Annie is in Ana's one document, and another name of hers.
	if got, want := weights(0), []string{"firm:Acme 0.50", "person:Annie 2.00"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := weights(until.Time().UnixNano()), []string{"person:Annie 2.00"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	found, err := v.Walk([]graph.NodeID{graph.ID("person", "ana")}, 2, graph.Limits{}, index.Filter{})
	var positions []uint64
	for _, m := range found {
		positions = append(positions, m.Position)
	}
	if slices.Sort(positions); err != nil || !slices.Equal(positions, []uint64{0, 1, 2}) {
		t.Errorf("%v %v", found, err)
	}
}

// TestHub: a node that 100,000 documents mention is read within the limits.
func TestHub(t *testing.T) {
	testsize.Long(t, "it is large")
	s := openStore(t)
	records := make([]index.Record, 0, 4096)
	const all = 100_000
	hub, rare := names("name:Hub"), names("name:Hub", "name:Rare")
	for p := range uint64(all) {
		list := hub
		if p == all-10 {
			list = rare
		}
		records = append(records, index.Record{
			Header:   record.Header{Kind: record.Event, Position: p, Tenant: "acme"},
			Document: &index.Document{Kind: record.Event, Entities: list},
		})
		if len(records) == cap(records) || p == all-1 {
			fold(t, s, records, 4096)
			records = records[:0]
		}
	}
	v := graph.Open(s, 0)
	if n, ok, err := v.Node("name", "hub"); err != nil || !ok || n.Count != all {
		t.Fatal(n, ok, err)
	}
	asked := 0
	none := index.Filter{Accept: func(uint64) (bool, error) { asked++; return false, nil }}
	if list, err := v.Mentions(graph.ID("name", "hub"), 10, none); err != nil || len(list) != 0 || asked != 1024 {
		t.Errorf("%d found, %d looked at, %v", len(list), asked, err)
	}
	chunk := func(c int) (*[16]uint64, error) {
		if c == (all-1)/1024 {
			return &[16]uint64{1 << 3}, nil
		}
		return nil, nil
	}
	if list, err := v.Mentions(graph.ID("name", "hub"), 10, index.Filter{Mask: chunk}); err != nil || len(list) != 1 || list[0] != (all-1)/1024*1024+3 {
		t.Errorf("%v %v", list, err)
	}
	related, err := v.Related([]graph.NodeID{graph.ID("name", "hub")}, graph.Limits{})
	if err != nil || len(related) != 1 || related[0].Name != "Rare" || math.Abs(related[0].Weight-1.0/16) > 1e-12 {
		t.Errorf("%+v %v", related, err)
	}
	found, err := v.Walk([]graph.NodeID{graph.ID("name", "hub")}, 2, graph.Limits{}, index.Filter{})
	if err != nil || len(found) != graph.MaxMentions || found[0].Position != all-10 {
		t.Errorf("%d %+v %v", len(found), found[0], err)
	}
}

// TestReset: Reset drops a discarded group.
func TestReset(t *testing.T) {
	s := openStore(t)
	g := graph.New()
	tx := s.Begin()
	r := event(0, "name:A b")
	if err := g.Apply(tx, &r); err != nil {
		t.Fatal(err)
	}
	if err := tx.Discard(); err != nil {
		t.Fatal(err)
	}
	g.Reset()
	tx = s.Begin()
	if err := g.Finish(tx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if rest := dump(t, s); rest != "" {
		t.Error(rest)
	}
}

// TestDamage: damage is reported.
func TestDamage(t *testing.T) {
	s := openStore(t)
	fold(t, s, []index.Record{
		thing(0, &memory.Entity{ID: "a", Name: "Ana", Type: "person"}),
		thing(1, &memory.Relation{ID: "r", From: "a", To: "a", Predicate: "is"}),
		event(2, "name:Ana"),
	}, 9)
	it, err := s.Iter([]byte{graph.Prefix}, []byte{graph.Prefix + 1})
	if err != nil {
		t.Fatal(err)
	}
	tx := s.Begin()
	for ok := it.First(); ok; ok = it.Next() {
		if err := tx.Set(slices.Clone(it.Key()), []byte("x\x00")); err != nil {
			t.Fatal(err)
		}
	}
	if err := first(it.Close(), tx.Commit()); err != nil {
		t.Fatal(err)
	}
	v, id := graph.Open(s, 0), graph.ID("name", "Ana")
	_, lookup := v.Lookup("Ana")
	_, _, node := v.Node("name", "Ana")
	_, of := v.NodesOf(2)
	_, _, rel := v.RelationAt(1)
	_, related := v.Related([]graph.NodeID{id}, graph.Limits{})
	_, walked := v.Walk([]graph.NodeID{id}, 2, graph.Limits{}, index.Filter{})
	broken := s.Begin()
	defer broken.Discard()
	away := redaction(3, event(2))
	for what, err := range map[string]error{"lookup": lookup, "node": node, "of": of, "relation": rel, "related": related, "walk": walked, "remove": graph.New().Apply(broken, &away)} {
		if err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// BenchmarkFold folds events with four entities, 4,096 in a group.
func BenchmarkFold(b *testing.B) {
	s, g, n := openStore(b), graph.New(), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		tx := s.Begin()
		for range 4096 {
			r := event(n, "person:Ana", "name:Bob", fmt.Sprint("file:a/", n%1000, ".go"), fmt.Sprint("identifier:X-", n))
			if err := g.Apply(tx, &r); err != nil {
				b.Fatal(err)
			}
			n++
		}
		if err := first(g.Finish(tx), tx.Commit()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
}

func BenchmarkRead(b *testing.B) {
	s := openStore(b)
	var records []index.Record
	for n := range uint64(20_000) {
		records = append(records, event(n, "person:Ana", fmt.Sprint("name:N", n%50), fmt.Sprint("file:a/", n%1000, ".go"), fmt.Sprint("identifier:X-", n)))
	}
	fold(b, s, records, 4096)
	v := graph.Open(s, 0)
	seeds := []graph.NodeID{graph.ID("person", "Ana"), graph.ID("name", "N7")}
	b.Run("lookup", func(b *testing.B) {
		for b.Loop() {
			if list, err := v.Lookup("Ana"); err != nil || len(list) != 1 {
				b.Fatal(list, err)
			}
		}
	})
	b.Run("related", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.Related(seeds, graph.Limits{Related: 16}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for hops := 1; hops <= 2; hops++ {
		b.Run(fmt.Sprint("walk", hops), func(b *testing.B) {
			for b.Loop() {
				if _, err := v.Walk(seeds, hops, graph.Limits{Related: 16, Mentions: 128}, index.Filter{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
