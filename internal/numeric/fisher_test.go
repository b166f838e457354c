package numeric

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// plainFisher sums exact fractions.
func plainFisher(t [4]int) float64 {
	causes, effects, all := int64(t[0]+t[1]), int64(t[0]+t[2]), int64(t[0]+t[1]+t[2]+t[3])
	choose := func(n, k int64) *big.Int { return new(big.Int).Binomial(n, k) }
	sum := new(big.Int)
	for k := int64(t[0]); k <= min(causes, effects); k++ {
		if effects-k <= all-causes {
			sum.Add(sum, new(big.Int).Mul(choose(causes, k), choose(all-causes, effects-k)))
		}
	}
	p, _ := new(big.Rat).SetFrac(sum, choose(all, effects)).Float64()
	return p
}

func TestFisher(t *testing.T) {
	if p := Fisher(8, 2, 1, 5); math.Abs(p-0.024475524475524) > 1e-12 {
		t.Error(p)
	}
	if p := Fisher(0, 0, 0, 0); p != 1 {
		t.Error(p)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60)
		x := [4]int{n.Draw(t, "both"), n.Draw(t, "cause"), n.Draw(t, "effect"), n.Draw(t, "none")}
		got, want := Fisher(x[0], x[1], x[2], x[3]), plainFisher(x)
		if math.Abs(got-want) > 1e-9*want+1e-28 {
			t.Fatalf("%+v: %v, want %v", x, got, want)
		}
	})
	// Sums far beyond exact evaluation.
	if p := Fisher(100_000, 0, 0, 100_000); p > 1e-20 {
		t.Error(p)
	}
	if p := Fisher(50_000, 50_000, 50_000, 50_000); p < 0.5 || p > 0.51 {
		t.Error(p)
	}
}
