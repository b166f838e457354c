package index

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLn compares with package math.
func TestLn(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 100000 {
		x := math.Ldexp(1+rng.Float64(), rng.IntN(120)-60)
		if got, want := Ln(x), math.Log(x); math.Abs(got-want) > 4e-16*math.Abs(want) {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]uint64{1: 0, 2: 0x3fe62e42fefa39ef, 10: 0x40026bb1bbb55516, 1.5: 0x3fd9f323ecbf984c, 1e6: 0x402ba18a998fffa0} {
		if got := math.Float64bits(Ln(x)); got != want {
			t.Errorf("ln(%v) has bits %#x, want %#x", x, got, want)
		}
	}
}
