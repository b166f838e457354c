package ledger

import (
	"encoding/binary"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// idOf returns the i-th id.
func idOf(i uint64) record.Hash {
	return record.ID("a", record.Event, string(binary.BigEndian.AppendUint64(nil, i)))
}

// TestSeen: added ids are always found, and few others.
func TestSeen(t *testing.T) {
	var s seen
	const n = 20_000
	grown := 0
	for i := range uint64(n) {
		id := idOf(i)
		grown += s.add(&id)
		if before := idOf(i / 2); !s.has(&id) || !s.has(&before) {
			t.Fatalf("id %d is lost", i)
		}
	}
	wrong := 0
	for i := range uint64(n) {
		if id := idOf(n + i); s.has(&id) {
			wrong++
		}
	}
	if s.bytes() != grown || seenBytes(n) != grown || seenBytes(firstLayer) != firstLayer*idBits/8 {
		t.Errorf("%d, %d and %d bytes", s.bytes(), seenBytes(n), grown)
	}
	if wrong > n/25 || len(s.layers) != 4 || grown > n*8 {
		t.Errorf("%d of %d are taken for others, in %d layers of %d bytes", wrong, n, len(s.layers), grown)
	}
}

// TestFind: the ledger finds what the table has, whether it wrote everything itself,
// was opened later, discarded a group, or has no room for a filter.
func TestFind(t *testing.T) {
	store, err := kv.Open(kv.Options{FS: disk.OS(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	l := New()
	next := uint64(0)
	check := func(tx *kv.Txn, i uint64) {
		t.Helper()
		tenant, err := l.For(tx, "a")
		if err != nil {
			t.Fatal(err)
		}
		id := idOf(i)
		at, taken, err := l.Find(tx, tenant, &id)
		if err != nil || taken != (i < next) || taken && at != i {
			t.Fatalf("id %d of %d: at %d, %v, %v", i, next, at, taken, err)
		}
	}
	group := func(records int, give bool) {
		t.Helper()
		tx, first := store.Begin(), next
		for range records {
			check(tx, next)
			r := index.Record{Header: record.Header{Tenant: "a", Position: next, ID: idOf(next), Kind: record.Event}}
			if err := l.Apply(tx, &r); err != nil {
				t.Fatal(err)
			}
			next++
			check(tx, next-1)
			check(tx, next/2)
		}
		if give {
			l.Reset()
			next = first
			if err := tx.Discard(); err != nil {
				t.Fatal(err)
			}
			return
		}
		if err := l.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	filtered := func(want bool) {
		t.Helper()
		if f := l.seen[0]; want != (f != nil && f.seen != nil) {
			t.Errorf("there is a filter: %v", !want)
		}
	}
	group(300, false)
	filtered(true)
	l = New()
	group(5, false) // too few lookups
	filtered(false)
	group(40, true)
	group(40, false)
	group(1, false) // the first lookup of a group reads the stored ids
	filtered(true)
	group(700, false)
	l = New()
	l.seenBytes = maxSeenBytes
	for range 30 {
		group(40, false)
	}
	filtered(false)
	if l.seenBytes != maxSeenBytes {
		t.Errorf("%d bytes", l.seenBytes-maxSeenBytes)
	}
	l = New()
	tx := store.Begin()
	defer tx.Discard()
	for i := range next + 100 {
		check(tx, i)
	}
}
