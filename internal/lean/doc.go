// Package lean formats answers for a model: text within a budget of tokens, without repetition.
//
// # What is guaranteed
//
//   - An answer has at most the tokens of its budget, by o200k, and at most 10,000
//     characters, which agents pass to their models without cutting.
//   - A listing of hits has at most 1.3 times the tokens of its texts, plus 12 per hit,
//     plus 60.
//   - Stored text is between fences that nothing inside can close, in lines that cannot
//     pass for ours, with hidden characters written out; decision 27 says why.
//   - Texts that do not concern the query are left out; see package concern.
//
// # What is not
//
// Visibility is decided before.
package lean

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/text"
	"lukasa.dev/internal/tokens"
)

// Budgets of an answer, in tokens.
const (
	DefaultBudget = 800
	MaxBudget     = 2500
)

// mostRunes is the maximum number of characters of an answer: Codex cuts the middle out of
// texts longer than about 12,000.
const mostRunes = 10_000

// noted is the smallest budget of an answer that explains its quotes.
const noted = 400

// Budget returns the effective budget: the default for none, and never more than an agent
// passes on.
func Budget(asked int) int {
	if asked <= 0 {
		return DefaultBudget
	}
	return min(asked, MaxBudget)
}

// counter counts the tokens of answers.
func counter() tokens.Counter { return tokens.O200k() }

// fits reports whether an answer is within a budget.
func fits(answer string, budget int) bool {
	return utf8.RuneCountInString(answer) <= mostRunes && counter().Count(answer) <= budget
}

// within returns an answer of our own words, cut to a budget.
func within(answer string, budget int) string {
	if fits(answer, budget) {
		return answer
	}
	return tokens.Truncate(counter(), answer, budget, "")
}

// words returns the meaningful words of a query, as written.
func words(query string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if len(text.Analyze(nil, text.FieldText, w)) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// folded is a text in the form in which it is compared: in one line, in lower case.
func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
