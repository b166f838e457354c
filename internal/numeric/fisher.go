package numeric

// negligibleWeight is where further terms of the sum no longer matter.
const negligibleWeight = 1e-30

// Fisher returns Fisher's exact test: the probability that, with the same sums, at least as many
// have both of two properties by chance. It takes how many have both, only the first, only the
// second, and none. It uses only products and quotients, and so gives the same bits on every
// platform.
func Fisher(both, first, second, none int) float64 {
	causes, effects, all := both+first, both+second, both+first+second+none
	least, most := max(0, causes+effects-all), min(causes, effects)
	if most <= least {
		return 1
	}
	// Weights of k with both, relative to the most likely k.
	mode := int(float64(float64(causes+1)*float64(effects+1)) / float64(all+2))
	mode = min(max(mode, least), most)
	up := func(k int) float64 { // weight of k+1 relative to k
		return float64(float64(causes-k)*float64(effects-k)) / float64(float64(k+1)*float64(all-causes-effects+k+1))
	}
	sum, tail := 0.0, 0.0
	add := func(k int, w float64) {
		sum += w
		if k >= both {
			tail += w
		}
	}
	add(mode, 1)
	for k, w := mode, 1.0; k < most && w > negligibleWeight; k++ {
		w = float64(w * up(k))
		add(k+1, w)
	}
	for k, w := mode, 1.0; k > least && w > negligibleWeight; k-- {
		w = w / up(k-1)
		add(k-1, w)
	}
	return min(1, tail/sum)
}
