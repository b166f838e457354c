package hook

import (
	"strings"

	"lukasa.dev/internal/tokens"
)

// Counter names what tokens of answers are counted with: the estimate, which needs no tables.
func Counter() string { return tokens.Estimate().Name() }

// overhead is what the title of an answer and its mark count of a budget.
const overhead = 32

// Inside is how much of a budget is left for the text itself.
func Inside(budget int) int { return max(budget-overhead, budget/2, 1) }

// Within returns as many lines of a text as fit into a budget with the title and the mark that
// they will have.
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
