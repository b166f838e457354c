package roster_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fold folds records of one tenant in groups of a size. Documents are copied, since
// a record sets their heads.
func fold(t testing.TB, s *kv.Store, records []index.Record, group int) {
	t.Helper()
	x := roster.New()
	for part := range slices.Chunk(records, group) {
		tx := s.BeginIndexed()
		for _, r := range part {
			if r.Document != nil {
				d := *r.Document
				r.Document = &d
			}
			if err := x.Apply(tx, &r); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

func names(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(prefix, i))
	}
	return list
}

var (
	kinds    = []record.Kind{record.Event, record.Memory, record.Policy, record.Entity}
	classes  = names("class", 5)
	agents   = names("agent", 4)
	sessions = append(names("session", 30), "")
	tags     = names("tag", 12)
)

func pick[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

// some picks up to n items.
func some[T any](rnd *rand.Rand, list []T, n int) (out []T) {
	for range rnd.IntN(n + 1) {
		out = append(out, pick(rnd, list))
	}
	return out
}

// drawRecords draws records, some without a document, and some redactions. It
// returns the documents that are live in the end.
func drawRecords(rnd *rand.Rand, n int) (records []index.Record, live map[uint64]*index.Document) {
	live = make(map[uint64]*index.Document)
	for p := range uint64(n) {
		r := index.Record{Tenant: 3, Header: record.Header{Kind: record.Feedback, Position: p, Tenant: "acme", Time: rnd.Int64N(1000), Trust: pick(rnd, record.Trusts()), Actor: pick(rnd, agents)}}
		switch what := rnd.IntN(40); {
		case what == 0 && p > 0:
			red := &memory.Redaction{}
			for range 1 + rnd.IntN(3) {
				at := rnd.Uint64N(p)
				target := memory.RedactionTarget{Kind: record.Event, Position: at}
				if d := live[at]; d != nil && d.Kind != record.Event {
					target.Kind, target.ID = d.Kind, record.ID("acme", d.Kind, d.ID)
				}
				red.Targets = append(red.Targets, target)
				delete(live, at)
			}
			r.Header.Kind, r.Control = record.Redaction, red
		case what < 36:
			d := &index.Document{
				Kind: pick(rnd, kinds), ID: fmt.Sprint("id", p), Class: pick(rnd, classes), Agent: pick(rnd, agents),
				Session: pick(rnd, sessions), Time: rnd.Int64N(1000) - 500, Sequence: rnd.Int64N(9) - 4, Tags: some(rnd, tags, 3),
				Closer: rnd.IntN(2) == 0, Private: rnd.IntN(9) == 0, Text: pick(rnd, []string{"really?", "\"who?\" ", "no.", "何？", "", "? no"}), Title: pick(rnd, []string{"", "what?"}),
				Embedding: embed.Embedding{Pieces: rnd.IntN(70_000)}, Tokens: make([]text.Token, rnd.IntN(5)),
			}
			if rnd.IntN(3) == 0 {
				d.Own = []float64{1}
			}
			r.Header.Kind, r.Document = d.Kind, d
			live[p] = d
		}
		records = append(records, r)
	}
	// The fields of a document from its header.
	for p, d := range live {
		h := records[p].Header
		d.Trust = h.Trust
		if d.Kind != record.Event {
			d.Time, d.Agent = h.Time, h.Actor
		}
	}
	return records, live
}

// naive reports whether a document is selected.
func naive(c *roster.Conditions, d *index.Document) bool {
	any := func(n int, has func(i int) bool) bool {
		for i := range n {
			if has(i) {
				return true
			}
		}
		return n == 0
	}
	return any(len(c.Kinds), func(i int) bool { return c.Kinds[i] == d.Kind }) &&
		any(len(c.Classes), func(i int) bool { return c.Classes[i] == d.Class }) &&
		any(len(c.Agents), func(i int) bool { return c.Agents[i] == d.Agent }) &&
		any(len(c.Sessions), func(i int) bool { return c.Sessions[i] == d.Session }) &&
		!slices.Contains(c.NotSessions, d.Session) &&
		(!c.From.Set || d.Time >= c.From.Value) && (!c.Until.Set || d.Time < c.Until.Value) &&
		d.Trust >= c.MinTrust &&
		any(len(c.Tags), func(i int) bool {
			var all roster.Tags
			for _, tag := range d.Tags {
				all |= roster.TagOf(tag)
			}
			return all.Has(roster.TagOf(c.Tags[i]))
		})
}

func drawConditions(rnd *rand.Rand) (c roster.Conditions) {
	few := func() int { return max(0, rnd.IntN(7)-3) }
	c = roster.Conditions{
		Kinds: some(rnd, kinds, few()), Classes: some(rnd, classes, few()), Agents: some(rnd, agents, few()),
		Sessions: some(rnd, sessions[:30], 6*few()), NotSessions: some(rnd, sessions[:30], 6*few()), Tags: some(rnd, tags, few()),
	}
	if rnd.IntN(3) == 0 {
		c.From = hmx.Some(rnd.Int64N(1000) - 500)
	}
	if rnd.IntN(3) == 0 {
		c.Until = hmx.Some(rnd.Int64N(1000) - 500)
	}
	if rnd.IntN(3) == 0 {
		c.MinTrust = pick(rnd, record.Trusts())
	}
	return c
}

// TestFilter compares rows and masks with the documents themselves.
func TestFilter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	records, live := drawRecords(rnd, 3000)
	s := openStore(t)
	fold(t, s, records, 700)
	v, err := roster.Open(s, 3, 3000, column.NewCache(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for p := range uint64(3010) {
		row, ok, err := v.Row(p)
		if err != nil || ok != (live[p] != nil) {
			t.Fatalf("row %d: %v %v", p, ok, err)
		}
		if ok {
			checkRow(t, &row, live[p])
		}
		if closer, there, err := v.Closer(p); err != nil || there != ok || closer != row.Closer {
			t.Fatalf("row %d: %v %v %v", p, closer, there, err)
		}
	}
	if n, err := v.Count(nil); err != nil || n != len(live) {
		t.Errorf("%d documents, %v, want %d", n, err, len(live))
	}
	for range 150 {
		c := drawConditions(rnd)
		mask := v.Filter(c)
		want := 0
		for p := range uint64(3000) {
			wanted := live[p] != nil && naive(&c, live[p])
			if wanted {
				want++
			}
			if mask == nil {
				continue
			}
			m, err := mask(int(p / 1024))
			if err != nil {
				t.Fatal(err)
			}
			if got := m != nil && m[p%1024/64]>>(p%64)&1 != 0; got != wanted {
				t.Fatalf("%+v: document %d is wanted: %v, and should be %v", c, p, got, wanted)
			}
		}
		if n, err := v.Count(mask); err != nil || n != want {
			t.Fatalf("%+v: %d documents, %v, want %d", c, n, err, want)
		}
	}
	if v.Filter(roster.Conditions{}) != nil {
		t.Error("nothing asked for is a filter")
	}
	if m, err := v.Filter(roster.Conditions{MinTrust: record.External})(9); err != nil || m != nil {
		t.Errorf("behind the end: %v %v", m, err)
	}
}

func checkRow(t testing.TB, row *roster.Row, d *index.Document) {
	t.Helper()
	want := roster.Row{
		Kind: d.Kind, Trust: d.Trust, Closer: d.Closer, Private: d.Private, Own: len(d.Own) > 0, Importance: row.Importance,
		Class: roster.ClassOf(d.Class), Time: d.Time, Agent: roster.AgentOf(d.Agent), Tags: row.Tags,
		Sequence: d.Sequence, Pieces: min(d.Embedding.Pieces, 65535), Words: len(d.Tokens),
	}
	switch d.Text {
	case "really?", "\"who?\" ", "何？":
		want.Question = true
	case "":
		want.Question = d.Title == "what?"
	}
	if d.Session != "" {
		want.Session = index.DigestOf(d.Session)
	}
	if *row != want {
		t.Fatalf("%+v, want %+v", *row, want)
	}
	for _, tag := range d.Tags {
		if !row.Tags.Has(roster.TagOf(tag)) {
			t.Fatalf("%v is not in the signature", tag)
		}
	}
}

// TestImportance: an importance is kept to a step of 1/255.
func TestImportance(t *testing.T) {
	s := openStore(t)
	var records []index.Record
	values := []float64{0, 0.001, 0.3, 0.5, 0.9, 1}
	for p, v := range values {
		m := &memory.Memory{ID: fmt.Sprint(p), Type: memory.TypeFact, Text: "x", Importance: hmx.Some(v)}
		records = append(records, index.Record{Tenant: 1, Body: m, Header: record.Header{Kind: record.Memory, Tenant: "acme", Position: uint64(p)}})
	}
	fold(t, s, records, 2)
	v, err := roster.Open(s, 1, uint64(len(values)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range values {
		row, ok, err := v.Row(uint64(p))
		if err != nil || !ok || row.Importance < want-1.0/500 || row.Importance > want+1.0/500 {
			t.Errorf("%v is kept as %v (%v, %v)", want, row.Importance, ok, err)
		}
	}
}

// TestCanonical folds a history in several groupings, and without what is erased
// later.
func TestCanonical(t *testing.T) {
	records, live := drawRecords(rand.New(rand.NewPCG(2, 2)), 2500)
	erased := slices.Clone(records)
	gone := make(map[uint64]bool)
	for _, r := range records {
		if red, ok := r.Control.(*memory.Redaction); ok {
			for _, target := range red.Targets {
				gone[target.Position] = true
			}
		}
	}
	for i := range erased {
		if gone[uint64(i)] && erased[i].Control == nil {
			erased[i].Document = nil
		}
	}
	var want []string
	for i, way := range []struct {
		records []index.Record
		group   int
	}{{records, 2500}, {records, 1}, {records, 99}, {erased, 300}} {
		s := openStore(t)
		fold(t, s, way.records, way.group)
		var got []string
		it, err := s.Iter([]byte{0}, []byte{0xff})
		if err != nil {
			t.Fatal(err)
		}
		for ok := it.First(); ok; ok = it.Next() {
			v, err := it.Value()
			if err != nil {
				t.Fatal(err)
			}
			if it.Key()[0] != roster.Prefix {
				t.Fatalf("%s is not the roster's", index.Describe(it.Key()))
			}
			got = append(got, fmt.Sprintf("%x=%x", it.Key(), v))
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("way %d: %d keys, want %d", i, len(got), len(want))
		}
	}
	if len(live) == 0 {
		t.Fatal("nothing was live")
	}
}

// TestConcurrently uses one filter in several goroutines.
func TestConcurrently(t *testing.T) {
	records, _ := drawRecords(rand.New(rand.NewPCG(3, 3)), 2100)
	s := openStore(t)
	fold(t, s, records, 700)
	v, err := roster.Open(s, 3, 2100, column.NewCache(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	c := roster.Conditions{Kinds: []record.Kind{record.Event}}
	want, err := v.Count(v.Filter(c))
	if err != nil {
		t.Fatal(err)
	}
	mask := v.Filter(c)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if n, err := v.Count(mask); err != nil || n != want {
				t.Errorf("%d %v, want %d", n, err, want)
			}
		})
	}
	all.Wait()
}

// BenchmarkFilter computes the masks of a hundred thousand documents.
func BenchmarkFilter(b *testing.B) {
	const docs = 100_000
	records, _ := drawRecords(rand.New(rand.NewPCG(4, 4)), docs)
	s := openStore(b)
	fold(b, s, records, 2000)
	cache := column.NewCache(1 << 30)
	for name, c := range map[string]roster.Conditions{
		"kind":     {Kinds: []record.Kind{record.Event}},
		"time":     {From: hmx.Some(int64(0)), Until: hmx.Some(int64(100))},
		"agent":    {Agents: agents[:2]},
		"sessions": {Sessions: sessions[:20]},
		"all":      {Kinds: kinds[:2], Classes: classes[:2], Agents: agents[:1], MinTrust: record.Agent, From: hmx.Some(int64(0))},
	} {
		b.Run(strings.ToLower(name), func(b *testing.B) {
			for b.Loop() {
				v, err := roster.Open(s, 3, docs, cache)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := v.Count(v.Filter(c)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/docs, "ns/doc")
		})
	}
}
