package policy

import (
	"math"

	"lukasa.dev/internal/numeric"
)

// Advice is worth keeping if it adds information. The information is measured in bits: for n
// observations of which part went one way, where the share base of all go that way, it is
// n·D(part‖base), with D the Kullback-Leibler divergence. Chance alone gives (k-1)/(2 ln 2)
// bits on average for k ways.

// LeastBits is the minimum information of advice in bits.
const LeastBits = 1

// InformationOf returns how many bits the counts of ways hold beyond the base rates: base has,
// for each count, how often the way is taken overall. n ways were taken here, and all overall;
// counts may leave some out.
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
