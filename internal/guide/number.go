package guide

import "math"

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
