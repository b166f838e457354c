package policy

import "math"

// Advice is worth keeping if it says more than what is known without it. How much it
// says is measured in bits: of n observations of which part went one way, where a share
// of base of all go that way, n·D(part‖base) with D the divergence of Kullback and
// Leibler. Chance alone gives (k-1)/(2 ln 2) bits on the mean where there are k ways.

// LeastBits is how many bits advice must have, whatever it is about.
const LeastBits = 1

// InformationOf returns how many bits counts of ways that were taken hold beyond base
// rates: beside each count stands how often the way is taken in all. Ways were taken n
// times here, and all times in all; counts may leave some out.
func InformationOf(counts, base []int64, n, all int64) float64 {
	bits := 0.0
	for i, c := range counts {
		if c > 0 {
			part := float64(c) / float64(n)
			usual := float64(max(base[i], c)) / float64(max(all, n))
			bits += float64(float64(c) * binaryLogarithm(part/usual))
		}
	}
	return bits
}

// Informs reports whether bits exceed what chance gives for this number of ways.
func Informs(bits float64, ways int) bool {
	return bits >= max(LeastBits, float64(max(ways-1, 0))/(2*math.Ln2))
}

// binaryLogarithm returns the logarithm of x > 0 to the base 2, with the same bits on
// every platform: x = m 2^k with m within a factor of the square root of 2 from 1, and
// ln m = 2 artanh((m-1)/(m+1)).
func binaryLogarithm(x float64) float64 {
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
	return float64(2*s*sum)/math.Ln2 + float64(k)
}
