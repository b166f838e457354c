package numeric

import (
	"math"
	"testing"
)

// TestLogarithms compares with the platform's own, which differ at most in the last bits.
func TestLogarithms(t *testing.T) {
	t.Parallel()
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-14*math.Max(1, math.Abs(want)) }
	for x := 1e-12; x < 1e12; x *= 1.0371 {
		if got, want := Log(x), math.Log(x); !near(got, want) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
		if got, want := Log2(x), math.Log2(x); !near(got, want) {
			t.Errorf("Log2(%v) = %v, want %v", x, got, want)
		}
	}
	if Log(1) != 0 || Log2(1) != 0 || Log2(8) != 3 {
		t.Error(Log(1), Log2(1), Log2(8))
	}
}
