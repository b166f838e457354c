package column_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/kv"
)

// TestCacheWithWriter runs many readers and one writer. A row is computed from its
// position, and documents end in an order that a reader can compute, so that each
// snapshot has one right answer.
func TestCacheWithWriter(t *testing.T) {
	const groups, group = 40, 100
	s := openStore(t)
	var mu sync.Mutex
	snap, size := s.Snapshot(), uint64(0)
	caches := []*column.Cache{column.NewCache(1 << 20), column.NewCache(20_000)}

	var readers sync.WaitGroup
	stop := make(chan struct{})
	read := func(rnd *rand.Rand) error {
		mu.Lock()
		own, n := s.Snapshot(), size
		mu.Unlock()
		defer own.Close()
		return check(own, n, caches[rnd.IntN(2)], rnd)
	}
	for i := range 4 {
		readers.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 3))
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := read(rnd); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	w := column.NewWriter(narrow)
	for g := range uint64(groups) {
		tx := s.Begin()
		for p := g * group; p < (g+1)*group; p++ {
			x := step{position: p, row: []byte{byte(p), byte(p >> 8), 7}}
			if p%3 == 2 {
				x.gone = []uint64{p / 2}
			}
			do(t, tx, w, x)
		}
		if err := w.Finish(tx); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
		size = (g + 1) * group
		mu.Unlock()
	}
	close(stop)
	readers.Wait()
	// The first snapshot still sees nothing.
	if err := check(snap, 0, caches[0], rand.New(rand.NewPCG(0, 0))); err != nil {
		t.Error(err)
	}
	snap.Close()
	for i, limit := range []int64{1 << 20, 20_000} {
		if used := caches[i].Bytes(); used > limit {
			t.Errorf("a cache of %d bytes holds %d", limit, used)
		}
	}
}

// check compares some documents of a state with the expected ones.
func check(r kv.Reader, size uint64, cache *column.Cache, rnd *rand.Rand) error {
	v, err := narrow.Open(r, 0, size, cache)
	if err != nil {
		return err
	}
	gone := make(map[uint64]bool)
	for p := uint64(2); p < size; p += 3 {
		gone[p/2] = true
	}
	for p := uint64(0); p < size; p += 1 + rnd.Uint64N(40) {
		row, err := v.Row(p)
		if err != nil {
			return err
		}
		if gone[p] != (row == nil) || row != nil && (row[0] != byte(p) || row[1] != byte(p>>8)) {
			return fmt.Errorf("size %d: row %d is %x", size, p, row)
		}
	}
	return nil
}

// TestCacheShares: the cache returns the same chunk as long as no row of it is
// removed, and counts it once.
func TestCacheShares(t *testing.T) {
	s, w, cache := openStore(t), column.NewWriter(narrow), column.NewCache(1<<20)
	size := uint64(0)
	grow := func(n uint64, gone ...uint64) *column.View {
		t.Helper()
		tx := s.Begin()
		for range n {
			do(t, tx, w, step{position: size, row: []byte{1, 2, 3}, gone: gone})
			size++
		}
		if err := w.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		v, err := narrow.Open(s, 0, size, cache)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	chunk := func(v *column.View, i int) *column.Chunk {
		t.Helper()
		c, err := v.Chunk(i)
		if err != nil || c == nil {
			t.Fatal(c, err)
		}
		return c
	}
	first := grow(2100)
	a, b, c := chunk(first, 0), chunk(first, 1), chunk(first, 2)
	again := grow(0)
	if chunk(again, 0) != a || chunk(again, 1) != b || chunk(again, 2) != c {
		t.Error("the same state is read twice")
	}
	next := grow(1, 5)
	if chunk(next, 0) == a || chunk(next, 0).Len() != 1023 || a.Len() != 1024 {
		t.Error("what went is still there")
	}
	if chunk(next, 1) != b {
		t.Error("a chunk that stayed as it was is read anew")
	}
	if chunk(next, 2).Len() != c.Len()+1 {
		t.Error("the unfinished chunk did not grow")
	}
	if last := grow(1, 2060); chunk(last, 2).Len() != c.Len()+1 {
		t.Error("what went from the unfinished chunk is still there")
	}
	if used := cache.Bytes(); used > 4*1024*4 {
		t.Errorf("three chunks take %d bytes", used)
	}
}

// wide is a column like that of the codes of vectors.
var wide = column.Column{Prefix: 'z', Table: 'a', Width: 32}

func benchStore(b *testing.B, docs uint64) *kv.Store {
	s, w := openStore(b), column.NewWriter(wide)
	row := make([]byte, wide.Width)
	for p := uint64(0); p < docs; {
		tx := s.Begin()
		for range 4000 {
			if p == docs {
				break
			}
			row[0], row[1] = byte(p), byte(p>>8)
			if err := w.Set(tx, 0, p, row); err != nil {
				b.Fatal(err)
			}
			if err := w.Pass(tx, 0, p); err != nil {
				b.Fatal(err)
			}
			p++
		}
		if err := w.Finish(tx); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func scan(b *testing.B, s *kv.Store, docs uint64, cache *column.Cache) (sum int) {
	v, err := wide.Open(s, 0, docs, cache)
	if err != nil {
		b.Fatal(err)
	}
	for i := range v.Chunks() {
		c, err := v.Chunk(i)
		if err != nil {
			b.Fatal(err)
		}
		sum += c.Len()
	}
	return sum
}

// BenchmarkScan opens a view and reads each chunk of a million documents.
func BenchmarkScan(b *testing.B) {
	const docs = 1_000_000
	s := benchStore(b, docs)
	b.Run("warm", func(b *testing.B) {
		cache := column.NewCache(1 << 30)
		scan(b, s, docs, cache)
		b.ReportAllocs()
		for b.Loop() {
			scan(b, s, docs, cache)
		}
	})
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			scan(b, s, docs, nil)
		}
	})
}

// BenchmarkRow reads rows in random order.
func BenchmarkRow(b *testing.B) {
	const docs = 100_000
	s := benchStore(b, docs)
	v, err := wide.Open(s, 0, docs, column.NewCache(1<<30))
	if err != nil {
		b.Fatal(err)
	}
	at := uint64(1)
	for b.Loop() {
		at = at * 6364136223846793005 % docs
		if row, err := v.Row(at); err != nil || row == nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite writes rows in groups of a hundred.
func BenchmarkWrite(b *testing.B) {
	s, w := openStore(b), column.NewWriter(wide)
	row := make([]byte, wide.Width)
	for p := uint64(0); b.Loop(); {
		tx := s.Begin()
		for range 100 {
			if err := w.Set(tx, 0, p, row); err != nil {
				b.Fatal(err)
			}
			if err := w.Pass(tx, 0, p); err != nil {
				b.Fatal(err)
			}
			p++
		}
		if err := w.Finish(tx); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100), "ns/row")
}

// TestManyTenants opens the columns of many empty tenants within the limit.
func TestManyTenants(t *testing.T) {
	s, cache := openStore(t), column.NewCache(10_000)
	for tenant := range uint32(500) {
		if _, err := narrow.Open(s, tenant, 3, cache); err != nil {
			t.Fatal(err)
		}
		if used := cache.Bytes(); used > 10_000 || used == 0 {
			t.Fatalf("after %d tenants a cache of 10,000 bytes holds %d", tenant, used)
		}
	}
}
