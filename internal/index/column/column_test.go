package column_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/kv"
)

var (
	narrow = column.Column{Prefix: 'z', Table: 'a', Width: 3}
	// planes is the same column, read in parts.
	planes = column.Column{Prefix: 'z', Table: 'a', Width: 3, Planes: []int{2, 1}}
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

// step is the effect of one record: it may add a row, and remove others.
type step struct {
	tenant   uint32
	position uint64
	row      []byte // nil for none
	gone     []uint64
}

// model is a column as a map.
type model map[uint32]map[uint64][]byte

func (m model) apply(s step) {
	if m[s.tenant] == nil {
		m[s.tenant] = make(map[uint64][]byte)
	}
	for _, p := range s.gone {
		delete(m[s.tenant], p)
	}
	if s.row != nil {
		m[s.tenant][s.position] = s.row
	}
}

// drawSteps draws a history of several tenants, whose first positions come in one
// run so that chunks are finished.
func drawSteps(rnd *rand.Rand, tenants, records int) (steps []step) {
	next := make([]uint64, tenants)
	for len(steps) < records {
		tenant := rnd.IntN(tenants)
		run := 1 + rnd.IntN(700)
		density := rnd.IntN(4) // of rows
		for range run {
			s := step{tenant: uint32(tenant), position: next[tenant]}
			next[tenant]++
			if rnd.IntN(3) < density {
				s.row = make([]byte, narrow.Width)
				binary.LittleEndian.PutUint16(s.row, uint16(rnd.Uint32()))
				s.row[2] = byte(s.position)
			}
			if s.position > 0 && rnd.IntN(40) == 0 {
				for range 1 + rnd.IntN(4) {
					s.gone = append(s.gone, rnd.Uint64N(s.position))
				}
			}
			if s.position > 1100 && rnd.IntN(900) == 0 { // a whole chunk
				for p := range uint64(1024) {
					s.gone = append(s.gone, p)
				}
			}
			steps = append(steps, s)
		}
	}
	return steps
}

func do(t testing.TB, tx *kv.Txn, w *column.Writer, s step) {
	t.Helper()
	if s.row != nil {
		if err := w.Set(tx, s.tenant, s.position, s.row); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range s.gone {
		if err := w.Remove(tx, s.tenant, p, s.position); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Pass(tx, s.tenant, s.position); err != nil {
		t.Fatal(err)
	}
}

// fold writes steps in groups of the sizes that next returns. Some groups are
// discarded and repeated. done is called after each group.
func fold(t testing.TB, s *kv.Store, steps []step, next func() int, giveUp func() bool, done func(n int)) {
	t.Helper()
	w := column.NewWriter(narrow)
	for at := 0; at < len(steps); {
		n := min(next(), len(steps)-at)
		for giveUp() {
			tx := s.Begin()
			for _, x := range steps[at : at+1+n/2] {
				do(t, tx, w, x)
			}
			w.Reset()
			if err := tx.Discard(); err != nil {
				t.Fatal(err)
			}
		}
		tx := s.Begin()
		if n == 1 {
			tx = s.BeginIndexed()
		}
		for _, x := range steps[at : at+n] {
			do(t, tx, w, x)
		}
		if err := w.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		at += n
		done(at)
	}
}

func never() bool { return false }

// sizes returns how many records each tenant has after some steps.
func sizes(steps []step) map[uint32]uint64 {
	m := make(map[uint32]uint64)
	for _, s := range steps {
		m[s.tenant] = s.position + 1
	}
	return m
}

// dump returns the whole content of a store.
func dump(t testing.TB, s *kv.Store) (lines []string) {
	t.Helper()
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s = %x", index.Describe(it.Key()), v))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// compare reads a column and compares it with a model.
func compare(t testing.TB, r kv.Reader, tenant uint32, size uint64, cache *column.Cache, want map[uint64][]byte) {
	t.Helper()
	compareColumn(t, narrow, r, tenant, size, cache, want)
}

func compareColumn(t testing.TB, col column.Column, r kv.Reader, tenant uint32, size uint64, cache *column.Cache, want map[uint64][]byte) {
	t.Helper()
	v, err := col.Open(r, tenant, size, cache)
	if err != nil {
		t.Fatal(err)
	}
	if v.Size() != size || v.Chunks() != int((size+column.ChunkDocs-1)/column.ChunkDocs) {
		t.Fatalf("%d chunks of %d records, want those of %d", v.Chunks(), v.Size(), size)
	}
	n := 0
	for i := range v.Chunks() {
		c, err := v.Chunk(i)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			continue
		}
		if c.Len() == 0 || c.Len() != c.Live.Count() || len(c.Rows) != c.Len()*narrow.Width {
			t.Fatalf("chunk %d has %d rows in %d bytes", i, c.Len(), len(c.Rows))
		}
		n += c.Len()
		before := -1
		for j := range c.Len() {
			offset := c.Offset(j)
			position := uint64(i*column.ChunkDocs + offset)
			if offset <= before || !c.Live.Has(offset) || c.Index(offset) != j || !bytes.Equal(c.Row(j), want[position]) {
				t.Fatalf("tenant %d, size %d: row %d of chunk %d is at %d: %x, want %x", tenant, size, j, i, offset, c.Row(j), want[position])
			}
			if len(col.Planes) > 0 && (!bytes.Equal(c.Plane(0)[2*j:2*j+2], want[position][:2]) || c.Plane(1)[j] != want[position][2]) {
				t.Fatalf("row %d of chunk %d is %x and %x, want %x", j, i, c.Plane(0)[2*j:2*j+2], c.Plane(1)[j], want[position])
			}
			for o := before + 1; o < offset; o++ {
				if c.Index(o) != -1 {
					t.Fatalf("offset %d of chunk %d has row %d", o, i, c.Index(o))
				}
			}
			before = offset
		}
	}
	if n != len(want) {
		t.Fatalf("tenant %d, size %d: %d rows, want %d", tenant, size, n, len(want))
	}
	for _, p := range []uint64{0, 1, 1023, 1024, size / 2, size - 1, size, size + 5000} {
		if row, err := v.Row(p); err != nil || !bytes.Equal(row, want[p]) {
			t.Fatalf("row %d: %x %v, want %x", p, row, err, want[p])
		}
	}
}

// TestAgainstAMap folds random histories and reads them back, also with a cache
// that is too small, and from snapshots older than the cache.
func TestAgainstAMap(t *testing.T) {
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		steps := drawSteps(rnd, 3, 7000)
		s, m := openStore(t), make(model)
		caches := []*column.Cache{nil, column.NewCache(1 << 30), column.NewCache(6000)}
		parts := column.NewCache(1 << 30)
		var old *kv.Snapshot
		var oldModel model
		var oldSizes map[uint32]uint64
		at := 0
		fold(t, s, steps, func() int { return 1 + rnd.IntN(900) }, func() bool { return rnd.IntN(4) == 0 }, func(n int) {
			for ; at < n; at++ {
				m.apply(steps[at])
			}
			now := sizes(steps[:n])
			for tenant, size := range now {
				compare(t, s, tenant, size, caches[rnd.IntN(len(caches))], m[tenant])
				compareColumn(t, planes, s, tenant, size, parts, m[tenant])
			}
			if old != nil {
				for tenant, size := range oldSizes {
					compare(t, old, tenant, size, caches[rnd.IntN(len(caches))], oldModel[tenant])
				}
			}
			if rnd.IntN(5) == 0 {
				if old != nil {
					old.Close()
				}
				old, oldModel, oldSizes = s.Snapshot(), make(model), now
				for tenant, rows := range m {
					oldModel[tenant] = make(map[uint64][]byte)
					for p, row := range rows {
						oldModel[tenant][p] = row
					}
				}
			}
			if used := caches[2].Bytes(); used > 6000 {
				t.Fatalf("a cache of 6000 bytes holds %d", used)
			}
		})
		if old != nil {
			old.Close()
		}
	}
}

// TestCanonical folds a history in several groupings, and without the rows that are
// removed later by a remaining record, and compares every byte.
func TestCanonical(t *testing.T) {
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		steps := drawSteps(rnd, 2, 6000)
		erased := slices.Clone(steps)
		last := make(map[[2]uint64]bool)
		for _, s := range steps {
			for _, p := range s.gone {
				last[[2]uint64{uint64(s.tenant), p}] = true
			}
		}
		for i, s := range erased {
			if last[[2]uint64{uint64(s.tenant), s.position}] {
				erased[i].row = nil
			}
		}
		var want []string
		for i, way := range []struct {
			steps []step
			next  func() int
		}{
			{steps, func() int { return 1 }},
			{steps, func() int { return 4096 }},
			{steps, func() int { return 1 + rnd.IntN(300) }},
			{erased, func() int { return 1 + rnd.IntN(3000) }},
			{erased, func() int { return 100 }},
		} {
			s := openStore(t)
			fold(t, s, way.steps, way.next, never, func(int) {})
			if got := dump(t, s); i == 0 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Fatalf("seed %d, way %d: %d keys, want %d", seed, i, len(got), len(want))
			}
		}
	}
}

// TestRemovalByErasedRecords removes rows by records that are themselves erased
// later, together with what they removed.
func TestRemovalByErasedRecords(t *testing.T) {
	row := []byte{1, 2, 3}
	make := func(erased bool) []string {
		var steps []step
		for p := range uint64(3000) {
			s := step{position: p, row: row}
			switch p {
			case 5, 900:
				if erased {
					s.row = nil
				}
			case 1000, 2500:
				if erased {
					s.row = nil
				} else {
					s.gone = []uint64{map[uint64]uint64{1000: 900, 2500: 5}[p]}
				}
			case 2900:
				s.row, s.gone = nil, []uint64{5, 900, 1000, 2500}
			}
			steps = append(steps, s)
		}
		s := openStore(t)
		fold(t, s, steps, func() int { return 70 }, never, func(int) {})
		return dump(t, s)
	}
	if before, after := make(true), make(false); !slices.Equal(before, after) {
		t.Error("erased before and erased after differ")
	}
}

// TestNothingIsLeft removes everything.
func TestNothingIsLeft(t *testing.T) {
	var steps []step
	for p := range uint64(2100) {
		steps = append(steps, step{position: p, row: []byte{9, 9, 9}})
	}
	all := step{position: 2100}
	for p := range uint64(2100) {
		all.gone = append(all.gone, p)
	}
	for _, group := range []int{1, 2000, 2101} {
		s := openStore(t)
		fold(t, s, append(slices.Clone(steps), all), func() int { return group }, never, func(int) {})
		for _, line := range dump(t, s) {
			if !bytes.HasPrefix([]byte(line), []byte("table zc")) {
				t.Errorf("left: %s", line)
			}
		}
		compare(t, s, 0, 2101, nil, nil)
	}
}

// TestMisuse: impossible calls are refused.
func TestMisuse(t *testing.T) {
	s, w := openStore(t), column.NewWriter(narrow)
	tx := s.Begin()
	defer tx.Discard()
	if w.Set(tx, 0, 0, []byte{1}) == nil {
		t.Error("a short row is taken")
	}
	if w.Remove(tx, 0, 7, 7) == nil || w.Remove(tx, 0, 7, 3) == nil {
		t.Error("a record takes itself away")
	}
	if err := w.Set(tx, 0, 3, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if w.Set(tx, 0, 1024, []byte{1, 2, 3}) == nil || w.Pass(tx, 0, 2047) == nil {
		t.Error("a chunk begins before the one before is finished")
	}
}

// TestDamage: damage is reported.
func TestDamage(t *testing.T) {
	for _, bad := range []struct{ key, value []byte }{
		{index.NewKey(nil, 'z', 'a', 0).Uint64(1030), []byte{1, 2}},
		{index.NewKey(nil, 'z', 'a', 0).Uint64(1030).Byte(0), []byte{1, 2, 3}},
		{index.NewKey(nil, 'z', 'b', 0).Uint64(0), []byte("short")},
		{index.NewKey(nil, 'z', 'c', 0).Uint64(0), []byte{0xff}},
	} {
		s := openStore(t)
		tx := s.Begin()
		if err := tx.Set(bad.key, bad.value); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		v, err := narrow.Open(s, 0, 2000, column.NewCache(1<<20))
		for i := 0; err == nil && i < 2; i++ {
			_, err = v.Chunk(i)
		}
		if err == nil {
			t.Errorf("%s: read as if it were whole", index.Describe(bad.key))
		}
		w := column.NewWriter(narrow)
		tx = s.Begin()
		err = w.Remove(tx, 0, 3, 1029)
		if err == nil {
			err = w.Pass(tx, 0, 2047)
		}
		if err == nil {
			err = w.Finish(tx)
		}
		if err == nil {
			t.Errorf("%s: written over", index.Describe(bad.key))
		}
		tx.Discard()
	}
}
