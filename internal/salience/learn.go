package salience

// Rate is how far one feedback moves a weight towards its target.
const Rate = 0.05

// The range of learned weights: every factor keeps an influence, and none dominates.
const (
	MinWeight = 0.02
	MaxWeight = 0.70
)

// Profile is the mean of each factor over the records that a task used, from 0 to 1. It has no
// similarity, because nearness to one question says nothing about the next.
type Profile struct{ Recency, Access, Citations, Importance float64 }

// ProfileOf returns the mean of the factors, and the zero Profile if there are none.
func ProfileOf(things []Factors) Profile {
	var p Profile
	for i := range things {
		f := &things[i]
		p.Recency += clamp(f.Recency, 0, 1)
		p.Access += clamp(f.Access, 0, 1)
		p.Citations += clamp(f.Citations, 0, 1)
		p.Importance += clamp(f.Importance, 0, 1)
	}
	if n := float64(len(things)); n > 0 {
		p = Profile{p.Recency / n, p.Access / n, p.Citations / n, p.Importance / n}
	}
	return p
}

// Learn returns the weights after feedback: moved by Rate times the signal towards the shares
// of the factors in the profile (away from them if the signal is negative), clamped to
// MinWeight and MaxWeight, and normalised to a sum of 1. The signal is from -1, failure, to 1,
// success. An empty profile changes nothing. Similarity keeps its weight: feedback does not
// concern it.
func (w Weights) Learn(signal float64, p Profile) Weights {
	cited := [...]float64{clamp(p.Recency, 0, 1), clamp(p.Access, 0, 1), clamp(p.Citations, 0, 1), clamp(p.Importance, 0, 1)}
	sum := cited[0] + cited[1] + cited[2] + cited[3]
	if sum == 0 || signal != signal {
		return w
	}
	signal = clamp(signal, -1, 1)
	similarity := clamp(w.Similarity, MinWeight, MaxWeight)
	learned := [...]float64{w.Recency, w.Access, w.Citations, w.Importance}
	for i, share := range cited {
		target := float64(share / sum * (1 - similarity))
		step := float64(float64(Rate*signal) * (target - learned[i]))
		learned[i] += step
	}
	settle(&learned, 1-similarity)
	return Weights{learned[0], learned[1], learned[2], learned[3], similarity}
}

// settle brings every weight into its range and their sum to total. It distributes what is
// missing in proportion to each weight's room above, and an excess in proportion to the room
// below, so that no weight leaves its range again. total is between 1-MaxWeight and
// 1-MinWeight, which leaves enough room.
func settle(weights *[4]float64, total float64) {
	var above, below float64
	rest := total
	for i, v := range weights {
		v = clamp(v, MinWeight, MaxWeight)
		weights[i] = v
		rest -= v
		above += MaxWeight - v
		below += v - MinWeight
	}
	for i, v := range weights {
		room := (MaxWeight - v) / above
		if rest < 0 {
			room = (v - MinWeight) / below
		}
		weights[i] = clamp(v+float64(rest*room), MinWeight, MaxWeight)
	}
}
