package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// drawCandidates makes questions whose evidence mostly has the highest first part; the second
// part is noise, and the third is negative.
func drawCandidates(rng *rand.Rand, n int) []*candidates {
	var list []*candidates
	for range n {
		c := &candidates{width: 3, share: 1}
		at := rng.IntN(20)
		for i := range 20 {
			is := i == at
			good, bad := rng.Float64(), rng.Float64()
			if is {
				good, bad = 0.6+good/2, bad/2
			}
			c.values = append(c.values, good, rng.Float64(), bad)
			c.evidence = append(c.evidence, is)
			c.length = append(c.length, 0.5+rng.Float64())
		}
		list = append(list, c)
	}
	return list
}

func TestFitFindsWhatCounts(t *testing.T) {
	list := drawCandidates(rand.New(rand.NewPCG(1, 2)), 300)
	w, err := fit(t.Context(), list, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !(w[0] > 1 && w[2] < -1 && math.Abs(w[1]) < math.Min(w[0], -w[2])/5) {
		t.Errorf("weights %v", w)
	}
	again, err := fit(t.Context(), list, 3)
	if err != nil || again[0] != w[0] || again[1] != w[1] || again[2] != w[2] {
		t.Errorf("weights %v, and then %v (%v)", w, again, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fit(ctx, list, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The gradient equals that by finite differences.
func TestLossSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	list := drawCandidates(rng, 20)
	list[3].evidence[0], list[3].evidence[1] = true, true // several pieces
	list[3].share = 1.0 / 3
	clear(list[4].evidence) // none was found
	list = append(list, &candidates{width: 3, share: 1}, &candidates{values: []float64{1, 2, 3}, width: 3, evidence: []bool{true}, length: []float64{1}, share: 1})
	for range 20 {
		w := []float64{rng.NormFloat64() * 3, rng.NormFloat64() * 3, rng.NormFloat64() * 3}
		slope, none := make([]float64, 3), make([]float64, 3)
		loss(list, w, slope)
		for k := range w {
			const step = 1e-5
			w[k] += step
			up := loss(list, w, none)
			w[k] -= 2 * step
			down := loss(list, w, none)
			w[k] += step
			if want := (up - down) / (2 * step); math.Abs(want-slope[k]) > 1e-6 {
				t.Errorf("%v: slope %v of part %d, want %v", w, slope[k], k, want)
			}
		}
	}
}

// The descent finds the minimum of a bowl that is far wider in one direction.
func TestDescend(t *testing.T) {
	w := []float64{10, -10}
	err := descend(t.Context(), w, 60, func(w, slope []float64) float64 {
		x, y := w[0]-3, w[1]+1
		slope[0], slope[1] = 2*x, 200*y
		return x*x + 100*y*y
	})
	if err != nil || math.Abs(w[0]-3) > 1e-3 || math.Abs(w[1]+1) > 1e-3 {
		t.Errorf("%v, %v", w, err)
	}
}

// Weights on another scale rank the same, and ties keep their order.
func TestRerank(t *testing.T) {
	q := &asked{
		hits:       []hit{{id: "a"}, {id: "b"}, {id: "c"}, {id: "d"}},
		candidates: candidates{values: []float64{1, 0, 0, 1, 0, 1, 2, 0}, width: 2},
	}
	for scale := 1.0; scale < 100; scale *= 7 {
		got := q.rerank([]float64{scale, 2 * scale})
		if got[0] != "b" || got[1] != "c" || got[2] != "d" || got[3] != "a" {
			t.Error(got)
		}
	}
	w := []float64{1, -3}
	if rescale(w, 2); w[0] != 0.5 || w[1] != -1.5 {
		t.Error(w)
	}
}
