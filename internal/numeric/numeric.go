// Package numeric has functions whose results have the same bits on every platform, unlike
// those of package math. Scores are compared and hashed, so the last bit counts.
package numeric

import "math"

// Log returns the natural logarithm of x > 0, as exact as a double.
func Log(x float64) float64 {
	twice, k := parts(x)
	return twice + float64(float64(k)*math.Ln2)
}

// Log2 returns the logarithm of x > 0 to the base 2, as exact as a double.
func Log2(x float64) float64 {
	twice, k := parts(x)
	return twice/math.Ln2 + float64(k)
}

// parts returns the natural logarithm of m and k, with x = m 2^k and m within a factor of the
// square root of 2 from 1: ln m = 2 artanh((m-1)/(m+1)), by its series up to the power 25.
func parts(x float64) (ln float64, k int) {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = float64(m*2), k-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	sum := 0.0
	for n := 25.0; n >= 1; n -= 2 {
		sum = float64(sum*square) + 1/n
	}
	return float64(2 * s * sum), k
}
