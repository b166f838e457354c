package policy

import (
	"math"

	"lukasa.dev/internal/numeric"
)

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
			bits += float64(float64(c) * numeric.Log2(part/usual))
		}
	}
	return bits
}

// Informs reports whether bits exceed what chance gives for this number of ways.
func Informs(bits float64, ways int) bool {
	return bits >= max(LeastBits, float64(max(ways-1, 0))/(2*math.Ln2))
}
