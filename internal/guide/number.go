package guide

import "math"

// logarithm returns the natural logarithm of x > 0: x = m 2^k with m within a factor
// of the square root of 2 from 1, and ln m = 2 artanh((m-1)/(m+1)), whose series up to
// the power 25 is as exact as a double can say. Its bits are the same on every
// platform, which those of math.Log are not.
func logarithm(x float64) float64 {
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
	return float64(2*s*sum) + float64(float64(k)*math.Ln2)
}

// negligible is where e^-x no longer counts beside 1.
const negligible = 700

// decay returns e^-x for x >= 0: x = k ln 2 + r with r at most (ln 2)/2 from 0, so
// e^-x = 2^-k e^-r, and the series of e^-r up to the fourteenth term is as exact as
// probabilities need it. Its bits are the same on every platform.
func decay(x float64) float64 {
	if x >= negligible {
		return 0
	}
	k := int(x/math.Ln2 + 0.5)
	r := x - float64(float64(k)*math.Ln2)
	e := 1.0
	for n := 14.0; n >= 1; n-- {
		e = 1 - float64(r*e)/n
	}
	return math.Ldexp(e, -k)
}
