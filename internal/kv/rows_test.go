package kv_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/kv"
)

// rowTables are tables of rows, with others before, between and behind.
var rowTables = []string{"Ra", "Rc", "Rd"}

// rowKey returns the key of a row.
func rowKey(table string, tenant uint32, position uint64, rest string) []byte {
	key := binary.BigEndian.AppendUint32([]byte(table), tenant)
	return append(binary.BigEndian.AppendUint64(key, position), rest...)
}

// anyKey draws keys of tables of rows and of others, at the ends of blocks, and some
// that end too early for a row.
func anyKey() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		table := rapid.SampledFrom([]string{"Ra", "Rc", "Ra", "Rc", "Ra", "Qz", "Rb", "Rd", "Re"}).Draw(t, "table")
		tenant := rapid.SampledFrom([]uint32{0, 0, 0, 0, 1, 1<<32 - 1}).Draw(t, "tenant")
		position := rapid.SampledFrom([]uint64{16, 17, 15, 18, 30, 31, 0, 1, 32, 255, 256, 1 << 40, 1<<64 - 16, 1<<64 - 1}).Draw(t, "position")
		rest := rapid.SampledFrom([]string{"", "", "\x00", "a", "ab", "\xff\xff"}).Draw(t, "rest")
		key := string(rowKey(table, tenant, position, rest))
		if rapid.IntRange(0, 9).Draw(t, "short") == 0 {
			key = key[:rapid.IntRange(1, 14).Draw(t, "length")]
		}
		return key
	})
}

// rowWorld is a store and what it should hold.
type rowWorld struct {
	*rapid.T
	fs    disk.FS
	rows  []string
	store *kv.Store
	have  map[string]string
	key   *rapid.Generator[string]
	n     int
}

func (w *rowWorld) must(err error) {
	if err != nil {
		w.Fatal(err)
	}
}

func (w *rowWorld) open() {
	var err error
	w.store, err = kv.Open(kv.Options{FS: w.fs, Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 128 << 10, Rows: w.rows, Apart: w.rows})
	w.must(err)
}

// between returns the keys of a map in [lower, upper) in order.
func between(m map[string]string, lower, upper []byte) (keys []string) {
	for k := range m {
		if k >= string(lower) && (upper == nil || k < string(upper)) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// bounds draws a range.
func (w *rowWorld) bounds() (lower, upper []byte) {
	switch rapid.IntRange(0, 5).Draw(w.T, "bounds") {
	case 0:
		return []byte{0}, []byte{0xff}
	case 1:
		k := w.key.Draw(w.T, "lower")
		return []byte(k), kv.PrefixEnd([]byte(k[:min(len(k), 6)]))
	}
	a, b := w.key.Draw(w.T, "lower"), w.key.Draw(w.T, "upper")
	return []byte(min(a, b)), []byte(max(a, b))
}

// transaction writes, reads meanwhile, and ends.
func (w *rowWorld) transaction() {
	indexed := rapid.Bool().Draw(w.T, "indexed")
	tx := w.store.Begin()
	if indexed {
		tx = w.store.BeginIndexed()
	}
	before := clone(w.have)          // before the transaction
	mine := clone(w.have)            // what it reads
	blind := make(map[string]bool)   // what it must not read
	written := make(map[string]bool) // what no range deletes
	after := clone(w.have)           // after a commit
	for range rapid.IntRange(0, 30).Draw(w.T, "writes") {
		w.n++
		k, v := w.key.Draw(w.T, "key"), fmt.Sprint(w.n)
		if w.n%5 == 0 {
			v = ""
		}
		op := rapid.IntRange(0, 14).Draw(w.T, "op")
		written[k] = written[k] || op < 12
		switch {
		case op < 6:
			w.must(tx.Set([]byte(k), []byte(v)))
			mine[k], after[k], blind[k] = v, v, false
		case op < 9:
			w.must(tx.SetBlind([]byte(k), []byte(v)))
			after[k], blind[k] = v, true
			if indexed {
				mine[k] = v
			}
		case op < 11:
			w.must(tx.Delete([]byte(k)))
			blind[k] = false
			delete(mine, k)
			delete(after, k)
		case op < 12:
			w.must(tx.DeleteBlind([]byte(k)))
			blind[k] = true
			delete(after, k)
			if indexed {
				delete(mine, k)
			}
		case op < 13:
			lower, upper := w.bounds()
			w.must(tx.DeleteRange(lower, upper))
			for _, k := range between(after, lower, upper) {
				if indexed {
					delete(mine, k)
				}
				if indexed || !written[k] {
					delete(after, k)
				}
			}
		default:
			if indexed {
				w.get("transaction", tx, mine, k)
				w.walk("transaction", tx, mine)
			} else {
				if !blind[k] {
					w.get("transaction", tx, mine, k)
				}
				w.walk("transaction", tx, before)
			}
		}
	}
	if rapid.IntRange(0, 4).Draw(w.T, "discard") == 0 {
		w.must(tx.Discard())
		return
	}
	w.must(tx.Commit())
	w.have = after
}

// get compares one key.
func (w *rowWorld) get(name string, r kv.Reader, want map[string]string, key string) {
	v, ok, err := r.Get([]byte(key), []byte("dst"))
	w.must(err)
	expected, there := want[key]
	if ok != there || string(v) != "dst"+expected {
		w.Fatalf("%s: %x is %q %v, want %q %v", name, key, v, ok, expected, there)
	}
}

// walk moves an iterator at random.
func (w *rowWorld) walk(name string, r kv.Reader, want map[string]string) {
	lower, upper := w.bounds()
	it, err := r.Iter(lower, upper)
	w.must(err)
	keys := between(want, lower, upper)
	// The caller may reuse the memory of the bounds.
	clear(lower)
	clear(upper)
	at, placed := -1, false
	for range rapid.IntRange(1, 12).Draw(w.T, "moves") {
		var ok bool
		var move string
		switch op := rapid.IntRange(0, 11).Draw(w.T, "move"); {
		case op == 0:
			lower, upper = w.bounds()
			it.Within(lower, upper)
			keys = between(want, lower, upper)
			clear(lower)
			clear(upper)
			placed = false
			continue
		case op == 1 || op > 7 && !placed && op < 10:
			move, ok, at = "first", it.First(), 0
		case op == 2 || op > 7 && !placed:
			move, ok, at = "last", it.Last(), len(keys)-1
		case op < 6:
			key := w.key.Draw(w.T, "to")
			move, ok = fmt.Sprintf("seek %x", key), it.Seek([]byte(key))
			at, _ = slices.BinarySearch(keys, key)
		case op < 8:
			key := w.key.Draw(w.T, "to")
			move, ok = fmt.Sprintf("seek before %x", key), it.SeekBefore([]byte(key))
			at, _ = slices.BinarySearch(keys, key)
			at--
		case op < 10:
			move, ok, at = "next", it.Next(), min(at+1, len(keys))
		default:
			move, ok, at = "prev", it.Prev(), max(at-1, -1)
		}
		placed = true
		w.must(it.Err())
		if there := at >= 0 && at < len(keys); ok != there {
			w.Fatalf("%s: %s: %v, want %v", name, move, ok, there)
		}
		if !ok {
			continue
		}
		v, err := it.Value()
		w.must(err)
		if k := keys[at]; string(it.Key()) != k || string(v) != want[k] {
			w.Fatalf("%s: %s: at %x %q, want %x %q", name, move, it.Key(), v, k, want[k])
		}
	}
	w.must(it.Close())
}

// all compares everything.
func (w *rowWorld) all(name string, r kv.Reader, want map[string]string) {
	it, err := r.Iter([]byte{0}, []byte{0xff})
	w.must(err)
	var keys []string
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		w.must(err)
		if k := string(it.Key()); string(v) != want[k] {
			w.Fatalf("%s: %x is %q, want %q", name, k, v, want[k])
		}
		keys = append(keys, string(it.Key()))
	}
	w.must(it.Close())
	if expected := between(want, nil, nil); !slices.Equal(keys, expected) {
		w.Fatalf("%s: keys %x, want %x", name, keys, expected)
	}
	for _, k := range keys {
		w.get(name, r, want, k)
	}
}

// A store with tables of rows behaves like one without: a sorted map. So do its
// transactions and snapshots, after a flush, and after a reopen.
func TestRowsAgree(t *testing.T) {
	for name, rows := range map[string][]string{"rows": rowTables, "none": nil} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				// A few keys that are used repeatedly.
				few := rapid.SliceOfN(anyKey(), 1, 40).Draw(rt, "keys")
				w := &rowWorld{T: rt, fs: disk.NewMem(), rows: rows, have: make(map[string]string), key: rapid.SampledFrom(few)}
				w.open()
				defer func() { w.store.Close() }()
				for range rapid.IntRange(1, 6).Draw(rt, "steps") {
					snap, then := w.store.Snapshot(), clone(w.have)
					w.transaction()
					if rapid.IntRange(0, 3).Draw(rt, "flush") == 0 {
						w.must(w.store.Flush())
					}
					w.all("store", w.store, w.have)
					w.walk("store", w.store, w.have)
					w.all("snapshot", snap, then)
					w.walk("snapshot", snap, then)
					w.must(snap.Close())
					switch rapid.IntRange(0, 9).Draw(rt, "then") {
					case 0:
						w.must(w.store.Close())
						w.open()
						w.all("opened", w.store, w.have)
					case 1:
						w.must(w.store.Touch())
						w.must(w.store.Purge(rt.Context()))
						w.all("purged", w.store, w.have)
					}
				}
			})
		})
	}
}
