package pack

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestSame(t *testing.T) {
	long := "Ann and Ben met in the old town of Rome on a rainy Friday to speak about how the mail server gets a new certificate before May comes"
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{long, long, true},
		{long, strings.ToUpper(long), true},
		{long, long + " again", true},
		{long, strings.Replace(long, "rainy", "sunny", 1), true},
		{long, strings.NewReplacer("rainy", "sunny", "old", "new", "Rome", "Oslo").Replace(long), false},
		{"I do like the green tea", "I do not like the green tea", false},
		{"yes", "Yes", true},
		{"yes  please", " yes please\n", true},
		{"yes please", "please yes", false},
		{"one two three four", "four three two one", true},
		{"!", "?", false},
		{"", "", true},
		{strings.Repeat(long+" ", 200), strings.Repeat(long+" ", 201), false},
	} {
		a, b := wordsOf(c.a), wordsOf(c.b)
		if a.same(b) != c.want || b.same(a) != c.want || !a.same(a) {
			t.Errorf("%.60q and %.60q: %v", c.a, c.b, a.same(b))
		}
	}
	if (words)(nil).same(nil) || wordsOf("a").same(nil) {
		t.Error("no words are the same")
	}
}

// TestSameCounts: the quick way counts as the plain one does.
func TestSameCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	set := func(like words) words {
		out := words{rng.Uint64() | 1}
		for _, x := range like {
			if rng.IntN(25) > 0 {
				out = append(out, x)
			}
		}
		for range rng.IntN(5) {
			out = append(out, rng.Uint64N(1000))
		}
		slices.Sort(out[1:])
		return append(out[:1], slices.Compact(out[1:])...)
	}
	both := [2]int{}
	for range 20_000 {
		var all words
		for range rng.IntN(60) {
			all = append(all, rng.Uint64N(1000))
		}
		a, b := set(all), set(all)
		common := 0
		for _, x := range a[1:] {
			if slices.Contains(b[1:], x) {
				common++
			}
		}
		want := len(a) > fewWords && len(b) > fewWords && 10*common >= 9*(len(a)+len(b)-2-common)
		if a.same(b) != want {
			t.Fatalf("%v and %v have %d in common: %v", a, b, common, a.same(b))
		}
		if want {
			both[1]++
		} else {
			both[0]++
		}
	}
	if both[0] < 100 || both[1] < 100 {
		t.Errorf("%v", both)
	}
}
