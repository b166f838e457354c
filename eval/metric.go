package eval

import (
	"math"
	"slices"
	"unicode/utf8"
)

// Tokens returns how many tokens a text counts: its characters divided by four, rounded up.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// Ranks returns the first rank of each of the wanted in a ranking, from 1, and 0 if it is
// missing.
func Ranks(ranked, wanted []string) []int {
	ranks := make([]int, len(wanted))
	for i, id := range wanted {
		ranks[i] = slices.Index(ranked, id) + 1
	}
	return ranks
}

// Recall returns the share of the wanted among the first k, by their ranks. It is 0 if nothing
// is wanted.
func Recall(ranks []int, k int) float64 {
	found := 0
	for _, r := range ranks {
		if r > 0 && r <= k {
			found++
		}
	}
	return float64(found) / float64(max(1, len(ranks)))
}

// Fitting returns how many entries fit into a budget, in order: the first that does not fit
// ends it.
func Fitting(tokens []int, budget int) int {
	for i, n := range tokens {
		if n > budget {
			return i
		}
		budget -= n
	}
	return len(tokens)
}

// NDCG returns the discounted gain of the first k of a ranking, relative to the best ranking:
// the sum of grade / log2(rank+1). Missing grades and those of 0 or less gain nothing; an id
// gains once. It is 0 if there is no gain at all.
func NDCG(ranked []string, grades map[string]int, k int) float64 {
	best := make([]int, 0, len(grades))
	for _, g := range grades {
		if g > 0 {
			best = append(best, g)
		}
	}
	if len(best) == 0 {
		return 0
	}
	slices.Sort(best)
	slices.Reverse(best)
	got, ideal := 0.0, 0.0
	seen := make(map[string]bool, k)
	for i, id := range ranked[:min(k, len(ranked))] {
		if g := grades[id]; g > 0 && !seen[id] {
			got += discounted(g, i)
		}
		seen[id] = true
	}
	for i, g := range best[:min(k, len(best))] {
		ideal += discounted(g, i)
	}
	return got / ideal
}

func discounted(grade, place int) float64 { return float64(grade) / math.Log2(float64(place+2)) }
