package kv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// openRows opens a store with a table of rows.
func openRows(t testing.TB) *Store {
	t.Helper()
	s, err := Open(Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10, Rows: []string{"Ra"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// keyOfRow returns the key of a row of that table.
func keyOfRow(position uint64, rest string) []byte {
	key := binary.BigEndian.AppendUint64([]byte("Ra\x00\x00\x00\x07"), position)
	return append(key, rest...)
}

// fill writes rows at the positions from 0 on.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	tx := s.Begin()
	for i := range n {
		if err := tx.SetBlind(keyOfRow(uint64(i), ""), fmt.Append(nil, "value ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// The rows of neighbouring positions are in one value, with the bytes of the format, in
// both kinds of transaction.
func TestBlockBytes(t *testing.T) {
	for name, begin := range map[string]func(*Store) *Txn{"held": (*Store).Begin, "indexed": (*Store).BeginIndexed} {
		s := openRows(t)
		tx := begin(s)
		for _, w := range []struct {
			position    uint64
			rest, value string
		}{{0x12, "", "one"}, {0x13, "space", "two"}, {0x14, "space", ""}, {0x1f, "", "three"}, {0x20, "", "next"}} {
			if err := tx.Set(keyOfRow(w.position, w.rest), []byte(w.value)); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		for position, want := range map[uint64]string{
			0x10: "\x04" + "\x02\x00\x03" + "\x03\x05space\x03" + "\x84\x00" + "\x0f\x00\x05" + "one" + "two" + "three",
			0x20: "\x01" + "\x00\x00\x04" + "next",
		} {
			got, ok, err := get(s.db, s.dir, keyOfRow(position, ""), nil)
			if err != nil || !ok || string(got) != want {
				t.Errorf("%s: block %x: %q %v %v, want %q", name, position, got, ok, err, want)
			}
		}
	}
}

// A block is deleted with its last row.
func TestBlockGoes(t *testing.T) {
	for name, begin := range map[string]func(*Store) *Txn{"held": (*Store).Begin, "indexed": (*Store).BeginIndexed} {
		s := openRows(t)
		fill(t, s, 20)
		tx := begin(s)
		for i := range uint64(17) {
			if err := tx.Delete(keyOfRow(i, "")); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		for position, want := range map[uint64]bool{0: false, 16: true} {
			if _, ok, err := get(s.db, s.dir, keyOfRow(position, ""), nil); err != nil || ok != want {
				t.Errorf("%s: block %d: %v %v", name, position, ok, err)
			}
		}
	}
}

// An iterator within a block seeks its other rows without Pebble, and rows that do not
// exist.
func TestSeekWithinBlock(t *testing.T) {
	s := openRows(t)
	fill(t, s, 100)
	it, err := s.Iter(keyOfRow(0, ""), keyOfRow(100, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	seeks := func() (n int) {
		stats := it.it.Stats()
		return stats.ForwardSeekCount[pebble.InterfaceCall] + stats.ReverseSeekCount[pebble.InterfaceCall]
	}
	it.Seek(keyOfRow(35, ""))
	before := seeks()
	for _, p := range []uint64{36, 33, 47, 32, 40} {
		if !it.Seek(keyOfRow(p, "")) || !bytes.Equal(it.Key(), keyOfRow(p, "")) {
			t.Errorf("seek %d: at %x", p, it.Key())
		}
		if !it.SeekBefore(keyOfRow(p, "x")) || !bytes.Equal(it.Key(), keyOfRow(p, "")) {
			t.Errorf("seek before %d: at %x", p, it.Key())
		}
	}
	if n := seeks() - before; n > 0 {
		t.Errorf("Pebble was asked %d times", n)
	}
}

// A lookup allocates nothing except what it appends to.
func TestRowTakesNoMemory(t *testing.T) {
	s := openRows(t)
	fill(t, s, 100)
	room, key := make([]byte, 0, 100), keyOfRow(37, "")
	other := testing.AllocsPerRun(100, func() { _, _, _ = get(s.db, s.dir, keyOfRow(32, ""), room) })
	if n := testing.AllocsPerRun(100, func() { _, _, _ = s.Get(key, room) }); n > other {
		t.Errorf("%g allocations, and %g without blocks", n, other)
	}
}

// Every operation that reads an invalid block reports damage.
func TestDamagedBlock(t *testing.T) {
	good := appendBlock(nil, []row{{1, nil, []byte("a")}, {2, []byte("x"), []byte("bc")}})
	for name, c := range map[string]struct {
		key   []byte
		block []byte
	}{
		"empty":         {keyOfRow(0, ""), nil},
		"no rows":       {keyOfRow(0, ""), []byte{0}},
		"cut":           {keyOfRow(0, ""), good[:len(good)-1]},
		"too long":      {keyOfRow(0, ""), append(bytes.Clone(good), 0)},
		"another's bit": {keyOfRow(0, ""), []byte{1, 0x10, 0, 0}},
		"same as none":  {keyOfRow(0, ""), []byte{1, 0x81, 0}},
		"out of order":  {keyOfRow(0, ""), []byte{2, 2, 0, 0, 1, 0, 0}},
		"twice":         {keyOfRow(0, ""), []byte{2, 2, 0, 0, 0x82, 0}},
		"long number":   {keyOfRow(0, ""), []byte{1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
		"of one row":    {keyOfRow(3, ""), []byte("as it was before there were blocks")},
	} {
		s := openRows(t)
		if err := s.db.Set(c.key, c.block, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		damaged := func(what string, err error) {
			t.Helper()
			if fault.CodeOf(err) != fault.Damaged {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		for what, move := range map[string]func(*Iter) bool{
			"first": (*Iter).First, "last": (*Iter).Last,
			"seek": func(i *Iter) bool { return i.Seek(keyOfRow(2, "")) }, "seek before": func(i *Iter) bool { return i.SeekBefore(keyOfRow(9, "")) },
		} {
			it, err := s.Iter([]byte{0}, []byte{0xff})
			if err != nil {
				t.Fatal(err)
			}
			if name == "of one row" && what == "seek before" {
				it.Close()
				continue // it seeks to the block of the row, which does not exist
			}
			if move(it) {
				t.Errorf("%s: %s: at %x", name, what, it.Key())
			}
			damaged(what, it.Err())
			damaged(what, it.Close())
		}
		if name == "of one row" {
			continue // under a key that nothing else reads
		}
		_, _, err := s.Get(keyOfRow(1, ""), nil)
		damaged("get", err)
		tx := s.Begin()
		_, _, err = tx.Get(keyOfRow(1, ""), nil)
		damaged("get in a transaction", err)
		if err := tx.Set(keyOfRow(1, ""), nil); err != nil {
			t.Fatal(err)
		}
		damaged("commit", tx.Commit())
		if err := tx.Discard(); err != nil {
			t.Fatal(err)
		}
		tx = s.BeginIndexed()
		damaged("set", tx.Set(keyOfRow(1, ""), nil))
		damaged("delete range", tx.DeleteRange(keyOfRow(1, ""), keyOfRow(99, "")))
		if err := tx.Discard(); err != nil {
			t.Fatal(err)
		}
	}
}

// A table of rows has a name of two bytes.
func TestRowsAreTables(t *testing.T) {
	for _, name := range []string{"", "R", "Rab"} {
		if _, err := Open(Options{FS: disk.NewMem(), Dir: "index", Rows: []string{name}}); fault.CodeOf(err) != fault.Internal {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// FuzzBlock reads blocks of any bytes. What can be read is found row by row, and stays
// the same when it is written again.
func FuzzBlock(f *testing.F) {
	f.Add(appendBlock(nil, []row{{0, nil, []byte("a")}}))
	f.Add(appendBlock(nil, []row{{3, nil, nil}, {3, []byte("x"), []byte("b")}, {15, []byte("x"), bytes.Repeat([]byte("c"), 300)}}))
	f.Add([]byte{2, 1, 0, 1, 0x82, 1, 'a', 'b'})
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := readBlock(nil, b)
		if _, _, found := findRow(b, keyOfRow(0, "")); (found == nil) != (err == nil) {
			t.Fatalf("read: %v, found: %v", err, found)
		}
		if err != nil {
			return
		}
		for i, r := range rows {
			if i > 0 && rows[i-1].compare(r.low, r.rest) >= 0 {
				t.Fatalf("rows %d and %d are not in order", i-1, i)
			}
			v, ok, err := findRow(b, keyOfRow(uint64(r.low), string(r.rest)))
			if err != nil || !ok || !bytes.Equal(v, r.value) {
				t.Fatalf("row %d: %q %v %v, want %q", i, v, ok, err, r.value)
			}
		}
		again, err := readBlock(nil, appendBlock(nil, rows))
		if err != nil || len(again) != len(rows) {
			t.Fatalf("%d rows, want %d: %v", len(again), len(rows), err)
		}
		for i, r := range again {
			if r.compare(rows[i].low, rows[i].rest) != 0 || !bytes.Equal(r.value, rows[i].value) {
				t.Fatalf("row %d is another", i)
			}
		}
	})
}
