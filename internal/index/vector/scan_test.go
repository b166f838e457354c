package vector

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/testsize"
)

// TestNearestKeepsTheNearest: for any number, in any number of parts.
func TestNearestKeepsTheNearest(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		top := 1 + rng.IntN(70)
		all := make([]candidate, rng.IntN(3000))
		for i := range all {
			all[i] = candidate{ref: uint32(i), distance: uint16(rng.IntN(top + 1))}
			if seed%3 == 0 {
				all[i].distance = uint16(top) // ties only
			}
		}
		want := 1 + rng.IntN(400)
		parts := make([]*nearest, 1+rng.IntN(4))
		_ = index.Share(len(all), len(parts), func(part, from, to int) error {
			n := newNearest(want, top)
			for _, c := range all[from:to] {
				if int(c.distance) <= n.reach() {
					n.add(c)
				}
			}
			parts[part] = n
			return nil
		})
		sorted := slices.Clone(all)
		slices.SortStableFunc(sorted, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
		sorted = sorted[:min(want, len(sorted))]
		slices.SortFunc(sorted, func(a, b candidate) int { return cmp.Compare(a.ref, b.ref) })
		if got := merge(parts); !slices.Equal(got, sorted) {
			t.Fatalf("seed %d: %d of %d in %d parts, want %d", seed, len(got), len(all), len(parts), len(sorted))
		}
	}
}

// wide is a tenant with many chunks and few documents in each.
type wide struct {
	store   *kv.Store
	size    uint64
	vectors map[uint64][]float32
	words   *vocabulary
}

// newWide makes one with enough chunks for a sample. Records without a document are
// left out, except for the last of each chunk.
func newWide(t testing.TB) *wide {
	w := &wide{store: openStore(t), size: (sampled*partChunks+3)*chunkRows + 100, vectors: map[uint64][]float32{}, words: newVocabulary(1, 500, 96)}
	x := New("model")
	tx := w.store.Begin()
	for p := range w.size {
		if p%97 == 0 {
			d := textDocument(w.words.text(4))
			d.Position = p
			w.vectors[p] = d.Embedding.Vector
			if err := x.add(tx, 0, d); err != nil {
				t.Fatal(err)
			}
		}
		x.pass(0, p)
	}
	if err := x.Finish(tx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSearchIsTheSameEverywhere: to the last bit, for any number of processors and
// all kernels, with and without a cache that is too small. The sample of the codes
// does not matter either.
func TestSearchIsTheSameEverywhere(t *testing.T) {
	w := newWide(t)
	caches := []*Cache{NewCache(8 << 20), NewCache(256 << 10)}
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	for range 3 {
		q := Query{Vector: w.words.text(3), K: 60, Exact: func(p uint64) ([]float32, error) { return w.vectors[p], nil }}
		q.Filter.Accept = func(p uint64) (bool, error) { return p%4 == 0, nil }
		var want []Match
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			for i, k := range available() {
				view := Open(w.store, 0, w.size, caches[i%len(caches)])
				view.kernels = k
				got, err := view.Search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if len(got) != q.K || !reflect.DeepEqual(got, want) {
					t.Fatalf("%d processors, %s: %v\n%v", procs, k.name, got, want)
				}
			}
		}
	}
	for _, c := range caches {
		if c.Bytes() > c.limit {
			t.Errorf("the cache holds %d of %d bytes", c.Bytes(), c.limit)
		}
	}
	for _, want := range []int{1, 50, 500, 100_000} {
		for _, masked := range []bool{false, true} {
			sampleDoesNotMatter(t, Open(w.store, 0, w.size, caches[0]), w.words.text(3), want, masked)
		}
	}
}

// sampleDoesNotMatter: with it and without, the candidates are the same, even if the
// mask hides everything that the sample sees.
func sampleDoesNotMatter(t *testing.T, view *View, vector []float32, want int, masked bool) {
	t.Helper()
	x, err := view.newSearch(&Query{Vector: vector})
	if err != nil {
		t.Fatal(err)
	}
	if masked {
		n := -1
		err := x.mask(index.Filter{Mask: func(int) (*[16]uint64, error) {
			bits := new([16]uint64)
			if n++; n%sampled != 0 {
				for i := range bits {
					bits[i] = ^uint64(0)
				}
			}
			return bits, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := x.nearest(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x.within(t.Context(), want, x.table.far)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, plain) {
		t.Fatalf("%d, masked %v: %d and %d candidates", want, masked, len(got), len(plain))
	}
}

// TestRecall measures the recall of a search with the defaults.
func TestRecall(t *testing.T) {
	testsize.OneGoroutine(t)
	v := newVocabulary(7, 3000, 256)
	h := make(history, 5000)
	for i := range h {
		h[i].document = textDocument(v.text(10))
	}
	s := openStore(t)
	h.fold(t, s, 4096)
	all := replay(h, 0)
	view := Open(s, 0, uint64(len(h)), NewCache(1<<20))
	found, off := 0, 0.0
	const queries, k = 20, 10
	for range queries {
		q := Query{Vector: v.text(5), K: k}
		want := all.search(naiveSpace{}, q.Vector, len(h), func(uint64) bool { return true })
		scores := map[uint64]float64{}
		for _, m := range want {
			scores[m.Position] = m.Score
		}
		estimates, err := view.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range estimates {
			off = max(off, m.Score-scores[m.Position], scores[m.Position]-m.Score)
		}
		q.Exact = func(p uint64) ([]float32, error) { return all[naiveSpace{}][p], nil }
		got, err := view.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got {
			if m.Pieces != 7 || m.Norm != 2 {
				t.Fatalf("%+v", m)
			}
			if m.Score >= want[k-1].Score {
				found++
			}
		}
	}
	if recall := float64(found) / (queries * k); recall < 0.99 {
		t.Errorf("%.3f of the nearest are found", recall)
	}
	if off > 0.01 {
		t.Errorf("an estimate is off by %.4f", off)
	}
}
