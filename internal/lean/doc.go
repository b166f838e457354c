// Package lean writes answers as a model reads them: text within a budget of tokens, in
// which each text stands once.
//
// # What is guaranteed
//
//   - An answer has no more tokens than its budget, by o200k, and no more than 10,000
//     characters: what agents pass to their models without cutting it.
//   - A listing of hits has at most 1.3 times the tokens of the texts in it, 12 more a hit,
//     and 60 more.
//   - Stored text stands between fences that nothing inside can close, in lines that cannot
//     pass for ours, with what is hidden in it written out; decision 27 says why.
//   - What has nothing to do with the query is left out; package concern says what that is.
//
// # What is not
//
// Who may see what is decided before.
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

// mostRunes is how many characters an answer has at most: Codex cuts the middle out of what
// is longer than about 12,000.
const mostRunes = 10_000

// noted is the least budget of an answer that says what quotes are.
const noted = 400

// Budget returns the budget that is meant: the default for none, and never more than an agent
// passes on.
func Budget(asked int) int {
	if asked <= 0 {
		return DefaultBudget
	}
	return min(asked, MaxBudget)
}

// counter counts the tokens of answers.
func counter() tokens.Counter { return tokens.O200k() }

// fits reports whether an answer keeps to a budget.
func fits(answer string, budget int) bool {
	return utf8.RuneCountInString(answer) <= mostRunes && counter().Count(answer) <= budget
}

// within returns an answer of our own words, cut where it is larger than a budget.
func within(answer string, budget int) string {
	if fits(answer, budget) {
		return answer
	}
	return tokens.Truncate(counter(), answer, budget, "")
}

// words returns the words of a query that say something, as they are written.
func words(query string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if len(text.Analyze(nil, text.FieldText, w)) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// folded is a text as it is compared with others: in one line, in lower case.
func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
