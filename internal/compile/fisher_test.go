package compile

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// plainFisher sums exact fractions.
func plainFisher(t table) float64 {
	causes, effects, all := int64(t.both+t.causeOnly), int64(t.both+t.effectOnly), int64(t.both+t.causeOnly+t.effectOnly+t.none)
	choose := func(n, k int64) *big.Int { return new(big.Int).Binomial(n, k) }
	sum := new(big.Int)
	for k := int64(t.both); k <= min(causes, effects); k++ {
		if effects-k <= all-causes {
			sum.Add(sum, new(big.Int).Mul(choose(causes, k), choose(all-causes, effects-k)))
		}
	}
	p, _ := new(big.Rat).SetFrac(sum, choose(all, effects)).Float64()
	return p
}

func TestFisher(t *testing.T) {
	if p := (table{8, 2, 1, 5}).fisher(); math.Abs(p-0.024475524475524) > 1e-12 {
		t.Error(p)
	}
	if p := (table{}).fisher(); p != 1 {
		t.Error(p)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60)
		x := table{n.Draw(t, "both"), n.Draw(t, "cause"), n.Draw(t, "effect"), n.Draw(t, "none")}
		got, want := x.fisher(), plainFisher(x)
		if math.Abs(got-want) > 1e-9*want+1e-28 {
			t.Fatalf("%+v: %v, want %v", x, got, want)
		}
	})
	// Sums far beyond exact evaluation.
	if p := (table{100_000, 0, 0, 100_000}).fisher(); p > 1e-20 {
		t.Error(p)
	}
	if p := (table{50_000, 50_000, 50_000, 50_000}).fisher(); p < 0.5 || p > 0.51 {
		t.Error(p)
	}
}

func TestCounted(t *testing.T) {
	last := 0
	var steps []int
	for n := range 100_000 {
		c := counted(n)
		if c > n || c < last || n > exact && 5*c < 4*n {
			t.Fatalf("%d of %d are counted, and %d of one less", c, n, last)
		}
		if c != last {
			steps = append(steps, c)
		}
		last = c
	}
	if len(steps) != 8+4*13+3-1 || steps[8] != 10 || steps[11] != 16 || steps[12] != 20 {
		t.Errorf("%d: %v", len(steps), steps)
	}
}
