package pack

import (
	"cmp"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// ruleBytes limits the text of a rule or a step outside the entries.
const ruleBytes = 2048

// constraints returns the rules in the form of a pack, the strictest first.
func constraints(rules []Rule) []hmx.DecisionConstraint {
	sorted := slices.Clone(rules)
	slices.SortFunc(sorted, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(strictness(a.Strength), strictness(b.Strength)),
			cmp.Compare(round(unit(b.Confidence)), round(unit(a.Confidence))), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Condition, b.Condition), cmp.Compare(a.Constraint, b.Constraint))
	})
	var list []hmx.DecisionConstraint
	for i := range sorted[:min(len(sorted), hmx.MaxDecisionConstraints)] {
		r := &sorted[i]
		list = append(list, hmx.DecisionConstraint{
			ArtifactID: strings.ToValidUTF8(r.ID, "\uFFFD"), Condition: clip(r.Condition, ruleBytes), Constraint: clip(r.Constraint, ruleBytes),
			Confidence: round(unit(r.Confidence)), OverrideAllowed: r.Strength != memory.StrengthHard || r.Trust < record.User,
			Extra: hmx.Extra{"strength": quoted(string(r.Strength)), "source_type": quoted(string(r.Source)), "trust": quoted(r.Trust.String())},
		})
	}
	return list
}

// strictness returns the rank of a strength, the strictest first.
func strictness(s memory.Strength) int {
	if at := slices.Index(memory.Strengths(), s); at >= 0 {
		return at
	}
	return len(memory.Strengths())
}

// quoted returns a text as JSON.
func quoted(s string) hmx.Raw {
	var room [128]byte
	return hmx.Raw(appendText(room[:0], s))
}
