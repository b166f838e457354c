package index

import "math"

// Ln returns the natural logarithm of a positive, finite number. Package math has
// assembly for some processors, which may differ in the last bit; this one uses only
// plain sums and products, none of which is fused with another.
//
// x is f*2^k with f from √½ to √2, and ln f is 2s + s*R(s²) with s = (f-1)/(f+1),
// where R is the polynomial of FreeBSD's e_log.c.
func Ln(x float64) float64 {
	const (
		high = 6.93147180369123816490e-01 // ln 2 = high + low
		low  = 1.90821492927058770002e-10
	)
	coefficients := [...]float64{
		1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
		6.666666666666735130e-01,
	}
	f, exponent := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k := float64(exponent)
	s := f / (2 + f)
	z := float64(s * s)
	r := float64(0)
	for _, c := range coefficients {
		r = float64((r + c) * z)
	}
	half := float64(float64(0.5*f) * f)
	return float64(k*high) - ((half - (float64(s*(half+r)) + float64(k*low))) - f)
}
