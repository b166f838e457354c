package eval

import (
	"math"
	"slices"
	"unicode/utf8"
)

// Tokens returns how many tokens a text counts for: its characters by four, rounded
// up.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// Ranks returns where in a ranking each of the wanted stands first, from 1, and 0
// for what is not in it.
func Ranks(ranked, wanted []string) []int {
	ranks := make([]int, len(wanted))
	for i, id := range wanted {
		ranks[i] = slices.Index(ranked, id) + 1
	}
	return ranks
}

// Recall returns which share of the wanted stands among the first k, by their
// ranks. Of nothing it is 0.
func Recall(ranks []int, k int) float64 {
	found := 0
	for _, r := range ranks {
		if r > 0 && r <= k {
			found++
		}
	}
	return float64(found) / float64(max(1, len(ranks)))
}

// Fitting returns how many entries fit into a budget, one after the other: the
// first that does not fit ends it.
func Fitting(tokens []int, budget int) int {
	for i, n := range tokens {
		if n > budget {
			return i
		}
		budget -= n
	}
	return len(tokens)
}

// NDCG returns the discounted gain of the first k of a ranking, as a share of what
// the best ranking has: the sum of grade / log2(rank+1). What is not graded, or 0 or
// less, gains nothing; an id gains once. Without any gain to be had it is 0.
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
