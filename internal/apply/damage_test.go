package apply_test

import (
	"context"
	"fmt"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// filled returns a store and a log with a few records of one tenant.
func filled(t testing.TB, fs disk.FS) (*kv.Store, *journal.Log) {
	t.Helper()
	log, err := journal.Open(journal.Options{FS: fs, Dir: "journal"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	add := func(position uint64, kind record.Kind, id string, payload []byte) {
		t.Helper()
		body := append(make([]byte, record.SaltSize), payload...)
		h := record.Header{Kind: kind, Trust: record.User, Time: int64(position), ID: record.ID("acme", kind, id), Commitment: record.Commit(body), Position: position, Tenant: "acme", Actor: "tester"}
		if _, err := log.Append(h.Append(nil), body); err != nil {
			t.Fatal(err)
		}
	}
	position := uint64(0)
	for i := range 300 {
		id := fmt.Sprint("e", i)
		add(position, record.Event, id, fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"a1","tenant_id":"acme","session_id":"s1","timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"role":"user","text":"hello"},"metadata":{},"parent_event_id":"e0","ttl_seconds":5}`, id, i))
		position++
	}
	m := &memory.Memory{ID: "m", Type: memory.TypeFact, Key: "k", Text: "What is so.", Tags: []string{"g"}}
	m.Normalize()
	payload, err := m.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	add(position, record.Memory, "m#1", payload)
	position++
	red := &memory.Redaction{Targets: []memory.RedactionTarget{{Kind: record.Event, Position: 3, ID: record.ID("acme", record.Event, "e3")}}}
	if payload, err = red.AppendJSON(nil); err != nil {
		t.Fatal(err)
	}
	add(position, record.Redaction, "r", payload)
	if err := log.Commit(); err != nil {
		t.Fatal(err)
	}
	store, err := kv.Open(kv.Options{FS: fs, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := apply.New(store, log).CatchUp(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return store, log
}

// questions runs every query of the folds, and returns the first error that is
// not from the catalogue. It must not panic.
func questions(s *kv.Store, log *journal.Log) error {
	var bad error
	check := func(err error) {
		if err != nil && fault.CodeOf(err) != fault.Damaged && bad == nil {
			bad = err
		}
	}
	t, _, err := ledger.Lookup(s, "acme")
	check(err)
	_, err = ledger.Count(s)
	check(err)
	for _, err := range ledger.Tenants(s, 0) {
		check(err)
	}
	for _, err := range ledger.Undone(s) {
		check(err)
	}
	_, _, err = ledger.At(s, 0, 1)
	check(err)
	id := record.ID("acme", record.Event, "e1")
	_, _, err = ledger.Find(s, 0, &id)
	check(err)
	_, _, err = ledger.Erased(s, 0, 3)
	check(err)
	_, err = merkle.RootAt(ledger.Nodes(s, 0), 299)
	check(err)
	_, err = merkle.Inclusion(ledger.Nodes(s, 0), 7, 300)
	check(err)
	thing := catalog.ThingOf("acme", record.Memory, "m")
	_, _, err = catalog.HeadOf(s, 0, record.Memory, thing)
	check(err)
	_, err = catalog.Entries(s, 0, record.Memory, thing)
	check(err)
	_, _, err = catalog.EntryOf(s, 0, record.Memory, thing, 1)
	check(err)
	_, _, err = catalog.Holder(s, 0, record.Memory, "k")
	check(err)
	check(catalog.List(s, 0, catalog.Tagged(record.Memory, "g"), nil, func([]byte, catalog.Thing) bool { return true }))
	check(timeline.Session(s, 0, "s1", nil, func([]byte, timeline.Place) bool { return true }))
	check(timeline.Sessions(s, 0, nil, func([]byte, *timeline.Summary) bool { return true }))
	_, _, err = timeline.SessionSummary(s, 0, "s1")
	check(err)
	_, _, err = apply.Cursor(s)
	check(err)
	// And the reads of a write.
	a := apply.New(s, log)
	tx := s.BeginIndexed()
	defer a.Discard(tx)
	_, err = a.Ledger.For(tx, "acme")
	check(err)
	ev := &hmx.Event{SessionID: "s1", Sequence: 5}
	_, err = a.Timeline.Late(tx, 0, ev)
	check(err)
	_ = t
	return bad
}

// TestDamagedValues replaces each value of the index by others, one at a time.
// Pebble's checksums prevent that by accident; still nothing may panic.
func TestDamagedValues(t *testing.T) {
	testsize.OneGoroutine(t)
	s, log := filled(t, disk.NewMem())
	if err := questions(s, log); err != nil {
		t.Fatal(err)
	}
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	type pair struct{ key, value []byte }
	var pairs []pair
	tables := make(map[string]int)
	for ok := it.First(); ok; ok = it.Next() {
		// A few of each table will do.
		if name := string(it.Key()[:2]); tables[name] < 4 {
			tables[name]++
			v, err := it.Value()
			if err != nil {
				t.Fatal(err)
			}
			pairs = append(pairs, pair{append([]byte{}, it.Key()...), append([]byte{}, v...)})
		}
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	set := func(key, value []byte) {
		t.Helper()
		tx := s.Begin()
		if err := tx.Set(key, value); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range pairs {
		bad := [][]byte{nil, {0}, []byte("{}"), []byte("null"), []byte(`{"state":""}`), []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), append(append([]byte{}, p.value...), 0)}
		for n := range min(len(p.value), 64) {
			bad = append(bad, p.value[:n])
			flipped := append([]byte{}, p.value...)
			flipped[n] ^= 0x80
			bad = append(bad, flipped)
		}
		for _, v := range bad {
			set(p.key, v)
			if err := questions(s, log); err != nil {
				t.Fatalf("%q = %q: %v", p.key, v, err)
			}
		}
		set(p.key, p.value)
	}
	t.Logf("%d values of %d tables", len(pairs), len(tables))
}

// A store may be behind, have another format in one fold, or be empty: it
// catches up and is then the same, key by key.
func TestCatchUp(t *testing.T) {
	testsize.OneGoroutine(t)
	ctx := context.Background()
	s, log := filled(t, disk.NewMem())
	want := dump(t, s)
	for _, prefix := range []byte{ledger.Prefix, catalog.Prefix, timeline.Prefix} {
		tx := s.Begin()
		if err := tx.Set([]byte{prefix, 0}, []byte("bad")); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if _, err := apply.New(s, log).CatchUp(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if got := dump(t, s); got != want {
			t.Fatalf("%c: another store:\n%s\nnot\n%s", prefix, got, want)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	tx := s.Begin()
	if err := tx.DeleteRange([]byte{0}, []byte{0xff}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := apply.New(s, log).CatchUp(canceled, nil); err == nil {
		t.Fatal("it went on though nobody waited")
	}
	told := uint64(0)
	if _, err := apply.New(s, log).CatchUp(ctx, func(_, _ journal.LSN, records uint64) { told = records }); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, s); got != want || told == 0 {
		t.Fatalf("another store after a start from nothing, %d records", told)
	}
}

func dump(t testing.TB, s *kv.Store) string {
	t.Helper()
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprintf("%x = %x\n", it.Key(), v)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// FuzzDecode passes arbitrary frames to the decoder of records.
func FuzzDecode(f *testing.F) {
	h := record.Header{Kind: record.Event, Trust: record.Agent, Tenant: "t", Actor: "a"}
	f.Add(h.Append(nil), append(make([]byte, 16), "{}"...))
	h.Kind = record.Redaction
	f.Add(h.Append(nil), append(make([]byte, 16), `{"targets":[]}`...))
	f.Fuzz(func(t *testing.T, header, body []byte) {
		r, err := apply.Decode(&journal.Frame{LSN: 64, Header: header, Body: body})
		if err != nil && fault.CodeOf(err) != fault.Damaged {
			t.Fatal(err)
		}
		if err == nil && len(body) > 0 && r.Event == nil && r.Body == nil && r.Control == nil {
			t.Fatal("a payload that says nothing")
		}
	})
}
