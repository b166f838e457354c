package compile

// significant is the significance level over all pairs together.
const significant = 0.01

// table counts tasks: with both cause and effect, with only the cause or the effect, with none.
type table struct{ both, causeOnly, effectOnly, none int }

// negligibleWeight is where further terms of the sum no longer matter.
const negligibleWeight = 1e-30

// fisher returns Fisher's exact test: the probability that, with the same sums, at least as
// many have both by chance. It uses only products and quotients, and so gives the same bits on
// every platform.
func (t table) fisher() float64 {
	causes, effects, all := t.both+t.causeOnly, t.both+t.effectOnly, t.both+t.causeOnly+t.effectOnly+t.none
	least, most := max(0, causes+effects-all), min(causes, effects)
	if most <= least {
		return 1
	}
	// Weights of k tasks with both, relative to the most likely k.
	mode := int(float64(float64(causes+1)*float64(effects+1)) / float64(all+2))
	mode = min(max(mode, least), most)
	up := func(k int) float64 { // weight of k+1 relative to k
		return float64(float64(causes-k)*float64(effects-k)) / float64(float64(k+1)*float64(all-causes-effects+k+1))
	}
	sum, tail := 0.0, 0.0
	add := func(k int, w float64) {
		sum += w
		if k >= t.both {
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

// lift returns how much more often the effect came with the cause than without, with half an
// observation added to either.
func (t table) lift() float64 {
	with := (float64(t.both) + 0.5) / float64(t.both+t.causeOnly+1)
	without := (float64(t.effectOnly) + 0.5) / float64(t.effectOnly+t.none+1)
	return with / without
}
