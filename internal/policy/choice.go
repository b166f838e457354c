package policy

import (
	"cmp"
	"slices"
	"strings"

	"lukasa.dev/hmx"
)

// BasisChoice is the member basis of a question that was decided in words.
const BasisChoice = "choice"

// Choice is a question that was decided in words. An option that was never taken has
// a count of 0.
type Choice struct {
	Question string
	Options  []Chosen // Tool is the option, as text; most often first, then by name
}

// Sort sorts the options as in content.
func (c *Choice) Sort() {
	slices.SortFunc(c.Options, func(x, y Chosen) int { return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Tool, y.Tool)) })
}

// Best returns what is recommended, as [After.Best] does.
func (c *Choice) Best() Chosen { return (&After{Chosen: c.Options}).Best() }

// Content returns the question as content of an artifact. It must have an option.
func (c *Choice) Content() (hmx.DecisionPolicy, error) {
	best := c.Best()
	content := hmx.DecisionPolicy{Condition: c.Question, Recommendation: best.Tool, Alternatives: others(c.Options, best)}
	err := extend(&content, map[string]any{memberBasis: BasisChoice, memberChosen: c.Options})
	return content, err
}
