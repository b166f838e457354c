package lexical

import (
	"math"
	"testing"

	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/text"
)

// TestAmong counts the documents of random masks that have terms, and compares with the
// documents themselves.
func TestAmong(t *testing.T) {
	testsize.OneGoroutine(t)
	w := newWords(21, 300)
	s := openStore(t)
	const n = 5000
	docs := make(map[uint64]map[text.Term]bool)
	var steps []step
	for p := range uint64(n) {
		x := step{position: p}
		if w.rng.IntN(10) > 0 {
			x.tokens = w.document(6)
			docs[p] = make(map[text.Term]bool)
			for _, token := range x.tokens {
				docs[p][token.Term] = true
			}
		}
		if gone := w.rng.Uint64N(n); gone < p && w.rng.IntN(5) == 0 && docs[gone] != nil {
			x.gone = []uint64{gone}
			delete(docs, gone)
		}
		steps = append(steps, x)
	}
	foldRandomly(t, s, newShaped(small()), steps, w.rng, 900)
	v, err := openShaped(small(), s, 0, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		mask := w.filter().Mask
		if mask == nil {
			mask = func(int) (*[16]uint64, error) {
				var all [16]uint64
				for i := range all {
					all[i] = math.MaxUint64
				}
				return &all, nil
			}
		}
		terms := []text.Term{w.term(), w.term(), term(0), term(1), term(9999)}
		want := make([]uint64, len(terms))
		for p, has := range docs {
			bits, _ := mask(int(p / 1024))
			for i, x := range terms {
				if bits != nil && bits[p%1024/64]>>(p%64)&1 != 0 && has[x] {
					want[i]++
				}
			}
		}
		got, err := v.Among(t.Context(), terms, mask)
		if err != nil {
			t.Fatal(err)
		}
		for i := range terms {
			if got[i] != want[i] {
				t.Fatalf("%d documents have term %d, want %d", got[i], i, want[i])
			}
		}
	}
}

// TestAveraging: a flat query with such parameters scores like another one if documents
// have that average length.
func TestAveraging(t *testing.T) {
	p := Params{K1: 1.2, B: 0.85}
	for _, length := range []float64{3, 7.5, 20, 1000} {
		want := newScorer(p, statistics{documents: 1000, length: uint64(1000 * length)})
		got := newScorer(p.Averaging(length), statistics{documents: 1, length: flatLength})
		if math.Abs(got.fixed-want.fixed) > 1e-12 || math.Abs(got.perToken-want.perToken) > 1e-12 {
			t.Errorf("a length of %v: %+v, want %+v", length, got, want)
		}
	}
	for _, length := range []float64{-1, 0, 1e-300, 0.1, math.MaxFloat64} {
		q := p.Averaging(length)
		if _, err := (&Query{Params: &q}).params(); err != nil {
			t.Errorf("a length of %v: %v", length, err)
		}
	}
}
