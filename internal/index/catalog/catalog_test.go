package catalog_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// world is a store with the records folded into it, for one tenant.
type world struct {
	t        *testing.T
	s        *kv.Store
	c        *catalog.Catalog
	position uint64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &world{t: t, s: s, c: catalog.New()}
}

// apply folds a record and returns its position. The time advances by one.
func (w *world) apply(r index.Record) uint64 {
	w.t.Helper()
	r.Header.Position, r.Header.Tenant, r.Header.Time = w.position, "acme", int64(w.position)+100
	r.Header.Actor, r.Header.Trust = "tester", record.User
	w.position++
	tx := w.s.BeginIndexed()
	if err := w.c.Apply(tx, &r); err != nil {
		w.t.Fatal(err)
	}
	if err := w.c.Finish(tx); err != nil {
		w.t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		w.t.Fatal(err)
	}
	return r.Header.Position
}

func (w *world) put(id, key string, tags ...string) uint64 {
	w.t.Helper()
	m := &memory.Memory{ID: id, Type: memory.TypeFact, Key: key, Text: "What " + id + " says.", Tags: tags, TTLSeconds: 1}
	m.Normalize()
	return w.apply(index.Record{Header: record.Header{Kind: record.Memory}, Body: m})
}

func (w *world) forget(id string) uint64 {
	w.t.Helper()
	return w.apply(index.Record{Header: record.Header{Kind: record.Tombstone}, Control: &memory.Tombstone{Target: record.Memory, ID: id, Version: 1, Reason: "why"}})
}

func (w *world) redact(id string, positions ...uint64) uint64 {
	w.t.Helper()
	red := &memory.Redaction{}
	for _, p := range positions {
		red.Targets = append(red.Targets, memory.RedactionTarget{Kind: record.Memory, Position: p, ID: record.ID("acme", record.Memory, id)})
	}
	return w.apply(index.Record{Header: record.Header{Kind: record.Redaction}, Control: red})
}

func thing(id string) catalog.Thing { return catalog.ThingOf("acme", record.Memory, id) }

func (w *world) head(id string) *catalog.Head {
	w.t.Helper()
	h, ok, err := catalog.HeadOf(w.s, 0, record.Memory, thing(id))
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return h
}

// entries returns the history of a record: versions, ops and positions.
func (w *world) entries(id string) string {
	w.t.Helper()
	list, err := catalog.Entries(w.s, 0, record.Memory, thing(id))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		one, ok, err := catalog.EntryOf(w.s, 0, record.Memory, thing(id), e.Version)
		if err != nil || !ok || *one != e {
			w.t.Errorf("version %d of %s: %+v, %+v %v %v", e.Version, id, e, one, ok, err)
		}
		out = append(out, fmt.Sprintf("%d %s %d", e.Version, e.Op, e.Position))
	}
	return fmt.Sprint(out)
}

// holder returns which of the ids holds a key.
func (w *world) holder(key string, ids ...string) string {
	w.t.Helper()
	d, ok, err := catalog.Holder(w.s, 0, record.Memory, key)
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		return ""
	}
	for _, id := range ids {
		if thing(id) == d {
			return id
		}
	}
	return "another"
}

// list returns the ids of a list, newest first, read in pages of a size.
func (w *world) list(way catalog.Way, size int, ids ...string) (got []string) {
	w.t.Helper()
	var after []byte
	for {
		n := 0
		err := catalog.List(w.s, 0, way, after, func(key []byte, d catalog.Thing) bool {
			after = bytes.Clone(key)
			i := slices.IndexFunc(ids, func(id string) bool { return thing(id) == d })
			if i < 0 {
				w.t.Fatal("a thing that nobody put")
			}
			got = append(got, ids[i])
			n++
			return n < size
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if n == 0 {
			return got
		}
	}
}

// lists compares every list with the expected ids, in pages of every size.
func (w *world) lists(want map[string][]string, ids ...string) {
	w.t.Helper()
	for name, way := range map[string]catalog.Way{
		"live": catalog.All(record.Memory, catalog.Live), "forgotten": catalog.All(record.Memory, catalog.Forgotten),
		"expired": catalog.All(record.Memory, catalog.Expired),
		"fact":    catalog.OfClass(record.Memory, "fact"), "red": catalog.Tagged(record.Memory, "red"), "blue": catalog.Tagged(record.Memory, "blue"),
	} {
		for size := 1; size <= len(ids)+1; size++ {
			if got := w.list(way, size, ids...); !slices.Equal(got, want[name]) {
				w.t.Errorf("%s in pages of %d: %v, want %v", name, size, got, want[name])
			}
		}
	}
}

// ended returns how many records are live although their time has ended at now.
func (w *world) ended(now int64) (n int) {
	w.t.Helper()
	err := catalog.Ended(w.s, 0, now, func(record.Kind, catalog.Thing) bool { n++; return true })
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestPut: a put counts versions, updates keys, tags and lists, and keeps the
// age.
func TestPut(t *testing.T) {
	w := newWorld(t)
	w.put("a", "k", "red")
	w.put("b", "l", "red", "blue")
	w.put("a", "moved", "blue")
	h := w.head("a")
	if h.State != catalog.Live || h.Version != 2 || h.Content != 2 || h.Position != 2 || h.Created != 100 || h.Updated != 102 || h.Key != "moved" {
		t.Errorf("%+v", h)
	}
	if got := w.entries("a"); got != "[1 put 0 2 put 2]" {
		t.Error(got)
	}
	if w.holder("k", "a", "b") != "" || w.holder("moved", "a", "b") != "a" || w.holder("l", "a", "b") != "b" {
		t.Error("keys are held by others than they should")
	}
	w.lists(map[string][]string{"live": {"b", "a"}, "fact": {"b", "a"}, "red": {"b"}, "blue": {"b", "a"}}, "a", "b")
	if got := w.ended(101 + 1_000_000_001); got != 1 {
		t.Errorf("%d are over", got)
	}
	if w.head("c") != nil || w.entries("c") != "[]" {
		t.Error("there is something that was not put")
	}
	if _, ok, err := catalog.HeadOf(w.s, 1, record.Memory, thing("a")); ok || err != nil {
		t.Error("another tenant has it", err)
	}
}

// TestTombstone: a tombstone removes a record from the lists and keeps its
// history; a put brings it back.
func TestTombstone(t *testing.T) {
	w := newWorld(t)
	w.put("a", "k", "red")
	w.put("b", "", "red")
	w.forget("a")
	w.forget("nobody")
	h := w.head("a")
	if h.State != catalog.Forgotten || h.Version != 2 || h.Content != 1 || h.Position != 0 || h.Note != "why" || h.Updated != 102 {
		t.Errorf("%+v", h)
	}
	if got := w.entries("a"); got != "[1 put 0 2 tombstone 2]" {
		t.Error(got)
	}
	if got := w.holder("k", "a"); got != "a" {
		t.Errorf("the key is held by %q", got)
	}
	w.lists(map[string][]string{"live": {"b"}, "forgotten": {"a"}, "fact": {"b"}, "red": {"b"}}, "a", "b")
	if w.head("nobody") != nil {
		t.Error("a tombstone made a thing")
	}
	// Another record takes the key; the live one comes first.
	w.put("c", "k")
	if got := w.holder("k", "a", "c"); got != "c" {
		t.Errorf("the key is held by %q", got)
	}
	w.put("a", "", "blue")
	w.lists(map[string][]string{"live": {"c", "b", "a"}, "fact": {"c", "b", "a"}, "red": {"b"}, "blue": {"a"}}, "a", "b", "c")
	if got := w.entries("a"); got != "[1 put 0 2 tombstone 2 3 put 5]" {
		t.Error(got)
	}
}

// TestExpiry: an expiry ends a record by the position of its content.
func TestExpiry(t *testing.T) {
	w := newWorld(t)
	m := &memory.Memory{ID: "a", Type: memory.TypeFact, Key: "k", Text: "Over soon."}
	m.Normalize()
	put := index.Record{Header: record.Header{Kind: record.Memory}, Body: m}
	w.apply(put)
	w.apply(index.Record{
		Header:  record.Header{Kind: record.Expiry},
		Control: &memory.Expiry{Cause: memory.CauseTTL, Targets: []memory.ExpiryTarget{{Kind: record.Memory, Position: 0}}},
		Targets: []index.Record{put},
	})
	if h := w.head("a"); h.State != catalog.Expired || h.Note != "ttl" || h.Version != 2 {
		t.Errorf("%+v", h)
	}
	if got := w.entries("a"); got != "[1 put 0 2 expiry 1]" {
		t.Error(got)
	}
	w.lists(map[string][]string{"expired": {"a"}}, "a")
}

// TestRedaction: a redaction leaves only a digest, whatever the state of the
// record was, and no later record brings it back.
func TestRedaction(t *testing.T) {
	w := newWorld(t)
	first := w.put("a", "k", "red")
	second := w.put("a", "k", "blue")
	third := w.forget("a")
	w.put("b", "l", "red")
	at := w.redact("a", first, second, third)
	h := w.head("a")
	if h.State != catalog.Redacted || h.ID != "" || h.Key != "" || h.Position != at || h.Version != 0 || h.Note != "" || len(h.Tags) > 0 {
		t.Errorf("%+v", h)
	}
	if got := w.entries("a"); got != "[]" {
		t.Error(got)
	}
	if got := w.holder("k", "a"); got != "" {
		t.Errorf("the key is held by %q", got)
	}
	want := map[string][]string{"live": {"b"}, "fact": {"b"}, "red": {"b"}}
	w.lists(want, "a", "b")
	w.forget("a")
	w.redact("a", first)
	if h := w.head("a"); h.State != catalog.Redacted || h.Position != at {
		t.Errorf("%+v", h)
	}
	w.lists(want, "a", "b")
	// A live one, whose put a replay does not even see.
	w.redact("b", 3)
	w.redact("c", 3)
	w.lists(nil, "a", "b")
	if h := w.head("c"); h == nil || h.State != catalog.Redacted {
		t.Errorf("%+v", h)
	}
	keys := 0
	it, err := w.s.Iter([]byte{catalog.Prefix}, []byte{catalog.Prefix + 1})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		keys++
	}
	if err := it.Close(); err != nil || keys != 3 {
		t.Errorf("%d keys are left of 3 things: %v", keys, err)
	}
}
