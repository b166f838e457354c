package eval

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "äöüß": 1, "日本語です": 2, strings.Repeat("x", 4001): 1001} {
		if got := Tokens(text); got != want {
			t.Errorf("%.20q has %d tokens, want %d", text, got, want)
		}
	}
}

func TestRanks(t *testing.T) {
	ranked := []string{"c", "a", "c", "b"}
	if got := Ranks(ranked, []string{"a", "b", "c", "x"}); !slices.Equal(got, []int{2, 4, 1, 0}) {
		t.Error(got)
	}
	if got := Ranks(nil, []string{"a"}); !slices.Equal(got, []int{0}) {
		t.Error(got)
	}
}

func TestRecall(t *testing.T) {
	for _, c := range []struct {
		ranks []int
		k     int
		want  float64
	}{
		{nil, 10, 0},
		{[]int{0}, 10, 0},
		{[]int{1}, 0, 0},
		{[]int{1}, 1, 1},
		{[]int{5}, 5, 1},
		{[]int{6}, 5, 0},
		{[]int{1, 0}, 5, 0.5},
		{[]int{3, 1, 9, 0}, 3, 0.5},
	} {
		if got := Recall(c.ranks, c.k); got != c.want {
			t.Errorf("%v at %d: %v, want %v", c.ranks, c.k, got, c.want)
		}
	}
}

// The first entry that does not fit ends the list, however small the next one is.
func TestFitting(t *testing.T) {
	for _, c := range []struct {
		tokens []int
		budget int
		want   int
	}{
		{nil, 10, 0},
		{[]int{10}, 10, 1},
		{[]int{11}, 10, 0},
		{[]int{4, 6, 0, 1}, 10, 3},
		{[]int{4, 7, 1, 1}, 10, 1},
		{[]int{0, 0}, 0, 2},
		{[]int{1, 1, 1}, 100, 3},
	} {
		if got := Fitting(c.tokens, c.budget); got != c.want {
			t.Errorf("%v in %d: %d, want %d", c.tokens, c.budget, got, c.want)
		}
	}
}

func TestNDCG(t *testing.T) {
	second, third := 1/math.Log2(3), 1/math.Log2(4)
	one := map[string]int{"a": 1}
	for name, c := range map[string]struct {
		ranked []string
		grades map[string]int
		k      int
		want   float64
	}{
		"first":               {[]string{"a", "b"}, one, 10, 1},
		"second":              {[]string{"b", "a"}, one, 10, second},
		"third":               {[]string{"b", "c", "a"}, one, 10, third},
		"too late":            {[]string{"b", "c", "a"}, one, 2, 0},
		"missing":             {[]string{"b"}, one, 10, 0},
		"nothing found":       {nil, one, 10, 0},
		"nothing to find":     {[]string{"a"}, map[string]int{"a": 0}, 10, 0},
		"one of two":          {[]string{"a"}, map[string]int{"a": 1, "b": 1}, 10, 1 / (1 + second)},
		"grades, best":        {[]string{"a", "b"}, map[string]int{"a": 2, "b": 1}, 10, 1},
		"grades, turned":      {[]string{"b", "a"}, map[string]int{"a": 2, "b": 1}, 10, (1 + 2*second) / (2 + second)},
		"more than k to find": {[]string{"a", "b"}, map[string]int{"a": 1, "b": 1, "c": 1}, 2, 1},
		"twice gains once":    {[]string{"a", "a"}, map[string]int{"a": 1, "b": 1}, 10, 1 / (1 + second)},
		"below 0":             {[]string{"x", "a"}, map[string]int{"a": 1, "x": -1}, 10, second},
	} {
		if got := NDCG(c.ranked, c.grades, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Ties keep the order of the texts, and a word that a query repeats counts once.
func TestBM25(t *testing.T) {
	b := newBM25([]string{"a red kite", "nothing", "the red kite", "red kites and red herrings", "", "kite"})
	if got := b.rank("red", 10); !slices.Equal(got, []int{3, 0, 2}) {
		t.Error(got)
	}
	if got := b.rank("red red red", 10); !slices.Equal(got, []int{3, 0, 2}) {
		t.Error(got)
	}
	if got := b.rank("red", 2); !slices.Equal(got, []int{3, 0}) {
		t.Error(got)
	}
	if got := b.rank("the and of", 10); got != nil {
		t.Error("stop words:", got)
	}
	if got := b.rank("Kites!", 10); !slices.Equal(got, []int{5, 0, 2, 3}) {
		t.Error("stems:", got)
	}
	if got := newBM25(nil).rank("red", 10); got != nil {
		t.Error(got)
	}
}

func TestSample(t *testing.T) {
	all := sample(5, 0, 1)
	if !slices.Equal(all, []int{0, 1, 2, 3, 4}) || !slices.Equal(sample(5, 9, 1), all) {
		t.Error(all)
	}
	some := sample(1000, 10, 7)
	if len(some) != 10 || !slices.IsSorted(some) || !slices.Equal(some, sample(1000, 10, 7)) || slices.Equal(some, sample(1000, 10, 8)) {
		t.Error(some)
	}
}
