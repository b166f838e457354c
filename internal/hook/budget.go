package hook

import (
	"strings"

	"lukasa.dev/internal/tokens"
)

// Counter names the token counter of answers: the estimate, which needs no tables.
func Counter() string { return tokens.Estimate().Name() }

// overhead is how many tokens the title and the mark of an answer take.
const overhead = 32

// Inside is the part of a budget for the text itself.
func Inside(budget int) int { return max(budget-overhead, budget/2, 1) }

// Within returns as many lines of a text as fit into a budget with their title and mark.
func Within(text string, budget int) string {
	count := tokens.Estimate()
	left := budget - overhead
	end := 0
	for line := range strings.Lines(text) {
		left -= count.Count(line)
		if left < 0 {
			break
		}
		end += len(line)
	}
	return text[:end]
}
