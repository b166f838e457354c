// Package salience rates how much a record matters: the weighted mean of its recency, its use,
// its usefulness, its importance and, if there is a question, its similarity to the question.
//
// It guarantees that scores and factors are between 0 and 1 for any input, that the same input
// gives the same bits on every platform (nothing calls math.Exp or leaves a product for the
// compiler to fuse), and that learned weights sum to 1 with none below 0.02 or above 0.70. It
// reads no clock and keeps no state. The caller supplies what was cited and how a task ended.
package salience

import (
	"math"
	"time"
)

// PinnedFloor is the minimum score of pinned records, so that the agent's identity and its
// constraints survive a tight budget.
const PinnedFloor = 0.7

// EFold is the age at which recency has fallen to 1/e.
const EFold = 90 * 24 * time.Hour

// halfAccess and halfCitations are the counts at which access and citations reach one half: the
// first few uses count most.
const (
	halfAccess    = 5
	halfCitations = 2
)

// Factors are the factors of a score, each from 0 to 1.
type Factors struct {
	Recency, Access, Citations, Importance, Similarity float64
	// Similar says that there is a similarity. Without a question there is none, which differs
	// from a similarity of 0.
	Similar bool
}

// Weights are the weights of the factors. Those of Cold and Learn sum to 1.
type Weights struct {
	Recency, Access, Citations, Importance, Similarity float64
}

// Cold returns the weights of an agent without feedback.
func Cold() Weights { return Weights{0.25, 0.15, 0.30, 0.20, 0.10} }

// Recency returns e^(-age/EFold), and 1 for the present and the future. Ages are counted in
// whole milliseconds: the value changes by far more between two of them than it is rounded, so
// an older record is never fresher.
func Recency(age time.Duration) float64 {
	if age <= 0 {
		return 1
	}
	return decay(float64(age.Milliseconds()) / float64(EFold.Milliseconds()))
}

// Access returns how much a record was used: uses/(uses+5).
func Access(uses uint64) float64 { return saturate(uses, halfAccess) }

// Citations returns how useful a record was: n/(n+2), where n is the number of successful tasks
// that cited it minus that of failed ones.
func Citations(wins, losses uint64) float64 {
	if wins <= losses {
		return 0
	}
	return saturate(wins-losses, halfCitations)
}

func saturate(n uint64, half float64) float64 { return float64(n) / (float64(n) + half) }

// Score returns the weighted mean of the factors. Without a similarity, the other four weights
// share the whole. A factor outside of 0 to 1 is clamped, and NaN counts as 0.
func (w Weights) Score(f Factors) float64 {
	sum := product(w.Recency, f.Recency) + product(w.Access, f.Access) + product(w.Citations, f.Citations) + product(w.Importance, f.Importance)
	whole := w.Recency + w.Access + w.Citations + w.Importance
	if f.Similar {
		sum += product(w.Similarity, f.Similarity)
		whole += w.Similarity
	}
	return clamp(sum/whole, 0, 1)
}

// product returns w times the factor f. The conversion prevents the compiler from fusing it
// with the addition around it, as some platforms would.
func product(w, f float64) float64 { return float64(w * clamp(f, 0, 1)) }

// clamp clamps x to the range; NaN counts as the lower end.
func clamp(x, low, high float64) float64 {
	switch {
	case !(x >= low):
		return low
	case x > high:
		return high
	}
	return x
}

// The natural logarithm of 2 in two parts: ln2High has few enough digits that its products with
// small integers are exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// negligible is the exponent from which decay returns 0: e^-700 is about 1e-304, just before
// doubles lose digits.
const negligible = 700

// decay returns e^-x for x >= 0: x = k ln 2 + r with r at most (ln 2)/2 from 0, so e^-x = 2^-k
// e^-r, and the series of e^-r up to the fourteenth term is as exact as a double.
func decay(x float64) float64 {
	if x >= negligible {
		return 0
	}
	k := float64(int(x/math.Ln2 + 0.5))
	r := x - float64(k*ln2High)
	r -= float64(k * ln2Low)
	e := 1.0
	for n := 14.0; n >= 1; n-- {
		e = 1 - float64(r*e)/n
	}
	return clamp(float64(e*math.Float64frombits(uint64(1023-int(k))<<52)), 0, 1)
}
