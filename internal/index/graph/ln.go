package graph

import "math"

// ln returns the natural logarithm of a number that is at least 1, to about 14
// digits. It is made of operations that give the same bits on every machine, which
// math.Log is not.
func ln(x float64) float64 {
	fraction, exponent := math.Frexp(x) // fraction is from 0.5 up to 1
	if fraction < math.Sqrt2/2 {
		fraction, exponent = float64(fraction*2), exponent-1
	}
	// ln f = 2 artanh((f-1)/(f+1)), and that argument is at most 0.172.
	t := (fraction - 1) / (fraction + 1)
	square := float64(t * t)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(2*float64(t*sum)) + float64(float64(exponent)*math.Ln2)
}

// rarity is how much it says that a document mentions a node which n of all do.
func rarity(all, n uint64) float64 {
	all = max(all, n)
	return ln(1 + (float64(all-n)+0.5)/(float64(n)+0.5))
}
