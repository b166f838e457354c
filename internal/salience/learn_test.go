package salience_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"lukasa.dev/internal/salience"
	"pgregory.net/rapid"
)

// list returns the five weights in order.
func list(w salience.Weights) [5]float64 {
	return [5]float64{w.Recency, w.Access, w.Citations, w.Importance, w.Similarity}
}

// check fails unless the weights sum to 1 and are in their range.
func check(t rapid.TB, w salience.Weights) {
	t.Helper()
	var sum float64
	for i, v := range list(w) {
		sum += v
		if !(v >= salience.MinWeight && v <= salience.MaxWeight) {
			t.Fatalf("weight %d of %+v is out of its range", i, w)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Fatalf("%+v sum to %v", w, sum)
	}
}

func profile(t *rapid.T, name string) salience.Profile {
	unit := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 1e-300, math.NaN(), math.Inf(1), -1}))
	return salience.Profile{Recency: unit.Draw(t, name+" recency"), Access: unit.Draw(t, name+" access"), Citations: unit.Draw(t, name+" citations"), Importance: unit.Draw(t, name+" importance")}
}

// learned returns weights after up to 40 feedbacks.
func learned(t *rapid.T) salience.Weights {
	w := salience.Cold()
	p := profile(t, "cited")
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		w = w.Learn(rapid.Float64Range(-1, 1).Draw(t, "signal"), p)
	}
	return w
}

func TestColdWeights(t *testing.T) {
	if got := list(salience.Cold()); got != [5]float64{.25, .15, .30, .20, .10} {
		t.Errorf("cold weights are %v", got)
	}
	check(t, salience.Cold())
}

func TestLearnByHand(t *testing.T) {
	// Shares 1/2, 0, 1/4, 1/4 of what similarity leaves: .45, 0, .225, .225.
	got := list(salience.Cold().Learn(1, salience.Profile{Recency: 1, Citations: 0.5, Importance: 0.5}))
	want := [5]float64{.25 + .05*(.45-.25), .15 - .05*.15, .30 + .05*(.225-.30), .20 + .05*(.225-.20), .10}
	for i := range got {
		if !near(got[i], want[i]) {
			t.Errorf("weight %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestNothingIsLearnedFromNothing(t *testing.T) {
	cold := salience.Cold()
	some := salience.Profile{Recency: 0.3, Citations: 0.2}
	for name, got := range map[string]salience.Weights{
		"an empty profile":          cold.Learn(1, salience.Profile{}),
		"a profile of no number":    cold.Learn(1, salience.Profile{Recency: math.NaN()}),
		"a profile below nothing":   cold.Learn(1, salience.Profile{Access: -1}),
		"a signal of nothing":       cold.Learn(0, some),
		"a signal of no number":     cold.Learn(math.NaN(), some),
		"a profile like its own":    cold.Learn(1, salience.Profile{Recency: .25, Access: .15, Citations: .30, Importance: .20}),
		"things that are not there": cold.Learn(1, salience.ProfileOf(nil)),
	} {
		for i, v := range list(got) {
			if !near(v, list(cold)[i]) {
				t.Errorf("%s teaches %+v", name, got)
			}
		}
	}
	if cold.Learn(7, some) != cold.Learn(1, some) || cold.Learn(math.Inf(-1), some) != cold.Learn(-1, some) {
		t.Error("a signal beyond the range teaches more than its end")
	}
}

// TestLearnKeepsItsPromises draws histories and checks every step.
func TestLearnKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := salience.Cold()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			p := profile(t, "cited")
			signal := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{1, 0.25, -1})).Draw(t, "signal")
			next := w.Learn(signal, p)
			check(t, next)
			if next.Similarity != w.Similarity {
				t.Fatalf("feedback moved similarity from %v to %v", w.Similarity, next.Similarity)
			}
			if next != w.Learn(signal, p) {
				t.Fatal("the same feedback teaches two things")
			}
			w = next
		}
	})
}

// TestLearnMovesTowardAndAway draws weights in the middle of their range, where nothing is
// clamped: a weight below its target rises with success and falls with failure, one above does
// the reverse, and none overshoots.
func TestLearnMovesTowardAndAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(0.2, 1)
		p := salience.Profile{Recency: unit.Draw(t, "recency"), Access: unit.Draw(t, "access"), Citations: unit.Draw(t, "citations"), Importance: unit.Draw(t, "importance")}
		sum := p.Recency + p.Access + p.Citations + p.Importance
		targets := [4]float64{p.Recency / sum * .9, p.Access / sum * .9, p.Citations / sum * .9, p.Importance / sum * .9}
		signal := rapid.Float64Range(0.01, 1).Draw(t, "signal")
		before, with, against := list(salience.Cold()), list(salience.Cold().Learn(signal, p)), list(salience.Cold().Learn(-signal, p))
		for i, target := range targets {
			gap := target - before[i]
			if math.Abs(gap) < 1e-9 {
				continue
			}
			if step := with[i] - before[i]; step*gap <= 0 || math.Abs(step) > math.Abs(gap) {
				t.Fatalf("success moves weight %d by %v, the gap is %v", i, step, gap)
			}
			if step := against[i] - before[i]; step*gap >= 0 {
				t.Fatalf("failure moves weight %d by %v, the gap is %v", i, step, gap)
			}
		}
	})
}

// TestLearnSettles repeats one lesson until nothing moves: success ends at the target or at the
// end of the range, failure leaves the cited factors with the minimum.
func TestLearnSettles(t *testing.T) {
	repeat := func(signal float64, p salience.Profile) salience.Weights {
		w := salience.Cold()
		for range 2000 {
			w = w.Learn(signal, p)
		}
		check(t, w)
		return w
	}
	if got := repeat(1, salience.Profile{Recency: 1, Access: 1, Citations: 1, Importance: 1}); !near(got.Access, .225) || !near(got.Citations, .225) {
		t.Errorf("an even profile ends at %+v", got)
	}
	if got := repeat(1, salience.Profile{Importance: 1}); got.Importance != salience.MaxWeight {
		t.Errorf("importance alone ends at %+v", got)
	}
	if got := repeat(-1, salience.Profile{Recency: 1}); got.Recency != salience.MinWeight || got.Similarity != .10 {
		t.Errorf("failing with what is recent ends at %+v", got)
	}
}

func TestProfileOf(t *testing.T) {
	got := salience.ProfileOf([]salience.Factors{
		{Recency: 1, Access: 0.5, Importance: 0.25},
		{Recency: 0, Access: 0.5, Citations: 1, Importance: math.NaN(), Similarity: 1, Similar: true},
	})
	if want := (salience.Profile{Recency: 0.5, Access: 0.5, Citations: 0.5, Importance: 0.125}); got != want {
		t.Errorf("profile is %+v, want %+v", got, want)
	}
}

// TestSameBits pins the bits of a thousand lessons, so that a platform or a compiler that
// computes differently is noticed.
func TestSameBits(t *testing.T) {
	w, state := salience.Cold(), uint64(1)
	draw := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	for range 1000 {
		p := salience.ProfileOf([]salience.Factors{
			{Recency: salience.Recency(time.Duration(draw() * float64(400*day))), Access: draw(), Citations: draw(), Importance: draw()},
			{Recency: draw(), Access: draw(), Citations: draw(), Importance: draw()},
		})
		w = w.Learn(2*draw()-1, p)
	}
	var got string
	for _, v := range list(w) {
		got += fmt.Sprintf("%016x ", math.Float64bits(v))
	}
	if want := "3fd56a33ba95f703 3fc4e353f8e15d8a 3fd125ade0348a4a 3fc1301c04bcd30e 3fb999999999999a "; got != want {
		t.Errorf("the weights are %s, want %s", got, want)
	}
}
