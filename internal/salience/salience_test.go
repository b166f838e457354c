package salience_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"lukasa.dev/internal/salience"
	"pgregory.net/rapid"
)

const day = 24 * time.Hour

// near reports whether got equals want within a few roundings.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-15 }

func TestRecency(t *testing.T) {
	for _, tc := range []struct {
		age  time.Duration
		want float64
	}{
		{0, 1}, {-1, 1}, {math.MinInt64, 1}, {time.Microsecond, 1},
		{90 * day, 1 / math.E}, {180 * day, 1 / (math.E * math.E)},
		{45 * day, 1 / math.Sqrt(math.E)}, {365 * day, 0.017325852035875087},
	} {
		if got := salience.Recency(tc.age); !near(got, tc.want) {
			t.Errorf("recency of %v is %v, want %v", tc.age, got, tc.want)
		}
	}
	if got := salience.Recency(math.MaxInt64); got != 0 {
		t.Errorf("recency of the greatest age is %v", got)
	}
}

// TestRecencyIsExact compares with a series of 200 bits.
func TestRecencyIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, int64(60_000*day/time.Millisecond)).Draw(t, "ms")
		got := salience.Recency(time.Duration(ms) * time.Millisecond)
		x := new(big.Float).SetPrec(200).SetInt64(ms)
		x.Quo(x, new(big.Float).SetPrec(200).SetInt64(int64(salience.EFold/time.Millisecond)))
		want, _ := decay(x).Float64()
		if want < 1e-304 {
			t.Skip("beyond what doubles hold in full")
		}
		// x itself is rounded once, which counts x times over in the result.
		xf, _ := x.Float64()
		if math.Abs(got-want) > want*(4+xf)*0x1p-52 {
			t.Fatalf("recency of %d ms is %v, want %v", ms, got, want)
		}
	})
}

// decay returns e^-x by its series, after halving x until it is small.
func decay(x *big.Float) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	halved := 0
	x = number(0).Set(x)
	for x.Cmp(number(0.5)) > 0 {
		x.Quo(x, number(2))
		halved++
	}
	e := number(1)
	for n := 40.0; n >= 1; n-- {
		e.Mul(e, x).Quo(e, number(n))
		e.Sub(number(1), e)
	}
	for range halved {
		e.Mul(e, e)
	}
	return e
}

func TestOlderIsNeverFresher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := time.Duration(rapid.Int64Range(0, int64(20*365*day)).Draw(t, "age"))
		b := a + time.Duration(rapid.Int64Range(0, int64(3*time.Millisecond)).Draw(t, "more"))
		if salience.Recency(b) > salience.Recency(a) {
			t.Fatalf("%v is fresher than %v", b, a)
		}
		if c := a + time.Millisecond; salience.Recency(c) >= salience.Recency(a) {
			t.Fatalf("%v is not staler than %v", c, a)
		}
	})
}

func TestAccess(t *testing.T) {
	for uses, want := range map[uint64]float64{0: 0, 1: 1.0 / 6, 5: 0.5, 45: 0.9, math.MaxUint64: 1} {
		if got := salience.Access(uses); got != want {
			t.Errorf("access of %d uses is %v, want %v", uses, got, want)
		}
	}
}

func TestCitations(t *testing.T) {
	for _, tc := range []struct {
		wins, losses uint64
		want         float64
	}{
		{0, 0, 0}, {1, 0, 1.0 / 3}, {2, 0, 0.5}, {3, 1, 0.5}, {1, 3, 0}, {7, 7, 0},
		{math.MaxUint64, 0, 1}, {0, math.MaxUint64, 0}, {math.MaxUint64, math.MaxUint64 - 2, 0.5},
	} {
		if got := salience.Citations(tc.wins, tc.losses); got != tc.want {
			t.Errorf("citations of %d wins and %d losses are %v, want %v", tc.wins, tc.losses, got, tc.want)
		}
	}
}

func TestScore(t *testing.T) {
	cold := salience.Cold()
	full := salience.Factors{Recency: 1, Access: 1, Citations: 1, Importance: 1, Similarity: 1, Similar: true}
	half := salience.Factors{Recency: 0.5, Access: 0.5, Citations: 0.5, Importance: 0.5, Similarity: 1}
	for _, tc := range []struct {
		name string
		f    salience.Factors
		want float64
	}{
		{"nothing", salience.Factors{}, 0},
		{"everything", full, 1},
		{"recency alone", salience.Factors{Recency: 1}, 0.25 / 0.9},
		{"access alone", salience.Factors{Access: 1}, 0.15 / 0.9},
		{"citations alone", salience.Factors{Citations: 1}, 0.30 / 0.9},
		{"importance alone", salience.Factors{Importance: 1}, 0.20 / 0.9},
		{"recency alone, with a question", salience.Factors{Recency: 1, Similar: true}, 0.25},
		{"similarity alone", salience.Factors{Similarity: 1, Similar: true}, 0.10},
		{"similarity without a question counts for nothing", half, 0.5},
		{"factors out of range", salience.Factors{Recency: 7, Access: -3, Citations: math.NaN(), Importance: math.Inf(1)}, 0.45 / 0.9},
	} {
		if got := cold.Score(tc.f); !near(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	if got := (salience.Weights{}).Score(full); got != 0 {
		t.Errorf("weights of nothing give %v", got)
	}
}

func TestScoreIsWithinItsFactors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := learned(t)
		f := factors(t)
		got := w.Score(f)
		if !(got >= 0 && got <= 1) {
			t.Fatalf("%+v of %+v is %v", w, f, got)
		}
		more := f
		more.Citations = min(1, f.Citations+rapid.Float64Range(0, 1).Draw(t, "more"))
		if w.Score(more) < got {
			t.Fatalf("more citations lower the score of %+v", f)
		}
	})
}

func factors(t *rapid.T) salience.Factors {
	unit := rapid.Float64Range(0, 1)
	return salience.Factors{
		Recency: unit.Draw(t, "recency"), Access: unit.Draw(t, "access"), Citations: unit.Draw(t, "citations"),
		Importance: unit.Draw(t, "importance"), Similarity: unit.Draw(t, "similarity"), Similar: rapid.Bool().Draw(t, "similar"),
	}
}

func BenchmarkScore(b *testing.B) {
	w := salience.Cold()
	var sum float64
	for b.Loop() {
		sum += w.Score(salience.Factors{Recency: salience.Recency(37 * day), Access: salience.Access(3), Citations: salience.Citations(4, 1), Importance: 0.5})
	}
	if sum == 0 {
		b.Fatal("nothing matters")
	}
}
