package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/kv"
)

func open(t testing.TB, fs disk.FS) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: fs, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// PrefixEnd is the least key above all that begin with the prefix.
func TestPrefixEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{0, 0xfe, 0xff}))
		prefix := rapid.SliceOfN(b, 0, 5).Draw(t, "prefix")
		key := rapid.SliceOfN(b, 0, 8).Draw(t, "key")
		kept := bytes.Clone(prefix)
		end := kv.PrefixEnd(prefix)
		if !bytes.Equal(kept, prefix) {
			t.Fatal("the prefix was changed")
		}
		in := bytes.Compare(key, prefix) >= 0 && (end == nil || bytes.Compare(key, end) < 0)
		if in != bytes.HasPrefix(key, prefix) {
			t.Fatalf("prefix %x, end %x, key %x", prefix, end, key)
		}
	})
}

// All readers agree with a map: the store, a snapshot, and both kinds of
// transaction with their own writes.
func TestReadersAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		key := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("k%d", rapid.IntRange(0, 12).Draw(t, "n")) })
		have := make(map[string]string)
		for range rapid.IntRange(1, 8).Draw(rt, "transactions") {
			indexed := rapid.Bool().Draw(rt, "indexed")
			tx := s.Begin()
			if indexed {
				tx = s.BeginIndexed()
			}
			snap := s.Snapshot()
			before := clone(have)
			mine := clone(have)
			if rapid.IntRange(0, 5).Draw(rt, "range") == 0 {
				// It deletes only what existed before; so it comes first.
				if err := tx.DeleteRange([]byte("k"), []byte("l")); err != nil {
					rt.Fatal(err)
				}
				if indexed {
					clear(mine)
				} else {
					have = map[string]string{}
				}
			}
			ranged := len(mine) != len(before) || len(have) != len(before)
			for range rapid.IntRange(0, 10).Draw(rt, "writes") {
				k, v := key.Draw(rt, "key"), rapid.StringN(0, 5, 10).Draw(rt, "value")
				if rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
					err = tx.Delete([]byte(k))
					delete(mine, k)
					delete(have, k)
				} else {
					err = tx.Set([]byte(k), []byte(v))
					mine[k], have[k] = v, v
				}
				if err != nil {
					rt.Fatal(err)
				}
				if k := key.Draw(rt, "read"); indexed || !ranged {
					agree(rt, "transaction", tx, mine, k)
				}
				agree(rt, "snapshot", snap, before, k)
				agree(rt, "store", s, before, k)
			}
			if indexed {
				walk(rt, "transaction", tx, mine)
			}
			walk(rt, "snapshot", snap, before)
			if rapid.Bool().Draw(rt, "commit") {
				if indexed {
					have = mine
				}
				err = tx.Commit()
			} else {
				have = before
				err = tx.Discard()
			}
			if err != nil {
				rt.Fatal(err)
			}
			walk(rt, "store", s, have)
			if err := snap.Close(); err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(rt, "flush") == 0 {
				if err := s.Flush(); err != nil {
					rt.Fatal(err)
				}
			}
		}
	})
}

// A transaction that cannot be iterated writes the last value of each key, for
// any keys in any order, and an iterator that moves from range to range finds
// it.
func TestWritesInOrder(t *testing.T) {
	s := open(t, disk.NewMem())
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		own := fmt.Sprintf("round %08d", round) // 14 bytes
		want := make(map[string]string)
		tx := s.Begin()
		key := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0xff}), 0, 6)
		for i := range rapid.IntRange(0, 60).Draw(rt, "writes") {
			k := own + string(key.Draw(rt, "key"))
			var err error
			switch v := fmt.Sprint(i); rapid.IntRange(0, 2).Draw(rt, "sort") {
			case 0:
				err = tx.Delete([]byte(k))
				delete(want, k)
			case 1:
				err = tx.Set([]byte(k), []byte(v))
				want[k] = v
			case 2:
				err = tx.SetBlind([]byte(k), []byte(v))
				want[k] = v
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			rt.Fatal(err)
		}
		it, err := s.Iter([]byte("a"), []byte("b"))
		if err != nil || it.First() {
			rt.Fatal("there is something else", err)
		}
		for range 3 {
			got := make(map[string]string)
			from := own
			for _, end := range []string{"\x00", "\x01\x00", "\x02", "\xff\xff"} {
				to := own + end
				it.Within([]byte(from), []byte(to))
				for ok := it.First(); ok; ok = it.Next() {
					v, err := it.Value()
					if err != nil {
						rt.Fatal(err)
					}
					got[string(it.Key())] = string(v)
				}
				from = to
			}
			for k, v := range want {
				if k < own+"\xff\xff" && got[k] != v {
					rt.Fatalf("%q is %q, want %q", k, got[k], v)
				}
				delete(got, k)
			}
			if len(got) > 0 {
				rt.Fatalf("also there: %q", got)
			}
		}
		if err := it.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

func clone(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

func agree(t *rapid.T, who string, r kv.Reader, want map[string]string, key string) {
	t.Helper()
	v, ok, err := r.Get([]byte(key), []byte("+"))
	w, there := want[key]
	if !there {
		w = ""
	}
	if err != nil || ok != there || ok && string(v) != "+"+w {
		t.Fatalf("%s: %s is %q %v %v, want %q %v", who, key, v, ok, err, w, there)
	}
}

func walk(t *rapid.T, who string, r kv.Reader, want map[string]string) {
	t.Helper()
	var keys []string
	for k := range want {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	it, err := r.Iter([]byte("k"), []byte("l"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil || string(v) != want[string(it.Key())] {
			t.Fatalf("%s: %s is %q: %v", who, it.Key(), v, err)
		}
		got = append(got, string(it.Key()))
	}
	if !slices.Equal(got, keys) {
		t.Fatalf("%s: %v, want %v", who, got, keys)
	}
	slices.Reverse(keys)
	got = nil
	for ok := it.Last(); ok; ok = it.Prev() {
		got = append(got, string(it.Key()))
	}
	if err := it.Close(); err != nil || !slices.Equal(got, keys) {
		t.Fatalf("%s: backwards %v, want %v: %v", who, got, keys, err)
	}
	if err := it.Close(); err != nil {
		t.Fatal("a second close: ", err)
	}
}

// After a purge no file holds what was deleted, also if a snapshot was open
// while it was written, deleted and compacted, and also for a row whose block
// stays.
func TestPurge(t *testing.T) {
	for name, key := range map[string]func(i int) []byte{
		"keys":         func(i int) []byte { return []byte(fmt.Sprint("key", i)) },
		"rows":         func(i int) []byte { return rowKey("Ra", 1, uint64(i), "") },
		"single rows":  func(i int) []byte { return rowKey("Ra", 1, uint64(20*i), "") },
		"rows by rest": func(i int) []byte { return rowKey("Ra", 1, 0, fmt.Sprint(i)) },
	} {
		t.Run(name, func(t *testing.T) { purge(t, key) })
	}
}

func purge(t *testing.T, key func(i int) []byte) {
	fs := disk.NewMem()
	s, err := kv.Open(kv.Options{FS: fs, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10, Rows: rowTables})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	write := func(change func(tx *kv.Txn) error) {
		t.Helper()
		tx := s.Begin()
		if err := change(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	const canary = "a-canary-in-a-value"
	reader := func() *kv.Snapshot { return s.Snapshot() }
	var readers []*kv.Snapshot
	write(func(tx *kv.Txn) error { return tx.Set(key(3), []byte("it stays")) })
	for i := range 3 {
		write(func(tx *kv.Txn) error { return tx.Set(key(i), []byte(canary)) })
		readers = append(readers, reader())
		if err := s.Purge(ctx); err != nil {
			t.Fatal(err)
		}
		write(func(tx *kv.Txn) error { return tx.Delete(key(i)) })
		readers = append(readers, reader())
		if err := s.Purge(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range readers {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Touch(); err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Cleaned(ctx); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List("index")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := disk.ReadFile(fs, "index/"+name)
		if errors.Is(err, os.ErrNotExist) {
			continue // compacted away meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(canary)) {
			t.Errorf("%s still has it", name)
		}
	}
	if v, ok, err := s.Get(key(3), nil); err != nil || !ok || string(v) != "it stays" {
		t.Errorf("what stays is %q %v %v", v, ok, err)
	}
	if damages, err := s.Check(ctx); err != nil || len(damages) > 0 {
		t.Fatal(damages, err)
	}
}

// A disk that refuses writes for a while loses no data and does not hang. If it
// refuses for good, reads still work.
func TestFullDisk(t *testing.T) {
	for _, f := range []disktest.Fault{{Err: syscall.ENOSPC}, {Err: syscall.EIO, After: true}} {
		for n := 1; ; n++ {
			mem := disk.NewMem()
			s, err := kv.Open(kv.Options{FS: mem, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			f.N = n
			faulty := disktest.FailAt(mem, f)
			s, err = kv.Open(kv.Options{FS: faulty, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10})
			if err != nil {
				if faulty.Tripped() == "" {
					t.Fatal(err)
				}
				continue
			}
			tx := s.Begin()
			if err := tx.Set([]byte("k"), []byte("v")); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err == nil {
				err = s.Flush()
				if code := fault.CodeOf(err); err != nil && code != fault.WriteFailed && code != fault.DiskFull {
					t.Errorf("%d: %v", n, err)
				}
				if v, ok, err := s.Get([]byte("k"), nil); err != nil || !ok || string(v) != "v" {
					t.Errorf("%d: %q %v %v", n, v, ok, err)
				}
				snap := s.Snapshot()
				if _, ok, err := snap.Get([]byte("k"), nil); err != nil || !ok {
					t.Errorf("%d: %v %v", n, ok, err)
				}
				snap.Close()
			}
			_ = s.Close()
			if faulty.Tripped() == "" {
				break
			}
			if s, err = kv.Open(kv.Options{FS: mem, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10}); err != nil {
				t.Fatalf("%d: %s: %v", n, faulty.Tripped(), err)
			}
			s.Close()
		}
	}
}
