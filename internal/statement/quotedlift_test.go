package statement

import (
	"testing"

	"lukasa.dev/internal/record"
	"lukasa.dev/internal/stated"
)

// The sentence that names a rule in quotes lifts that rule, and no other.
func TestForgetQuotedRule(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ rule, lift string }{
		{"Use pnpm, not npm.", "Forget the rule 'Use pnpm, not npm'."},
		{"In all my projects, never delete tags.", `Forget the rule "In all my projects, never delete tags".`},
		{"Never rebase main.", "Please forget the rule 'Never rebase main'."},
		{"Pushing to main is forbidden.", "Forget the rule 'Pushing to main is forbidden'."},
		{"You are not allowed to push to main.", "Forget the rule 'You are not allowed to push to main'."},
		{"No direct pushes to main.", "Forget the rule 'No direct pushes to main'."},
		{"Never push to main, open a PR instead.", "You may push to main again."},
		{"Never push to main because CI deploys from it.", "You may push to main again."},
		{"Never push to main: open a PR.", "You may push to main again."},
	} {
		ruled, lifted := Read(tc.rule), Read(tc.lift)
		if len(ruled) != 1 || len(lifted) != 1 || !lifted[0].Retraction {
			t.Errorf("%q states %+v, %q %+v", tc.rule, ruled, tc.lift, lifted)
			continue
		}
		s := ruled[0]
		known := []stated.Known{
			{ID: "other", Type: s.Type, Subject: "rule/skip-hooks", Text: "Never skip the hooks.", Trust: record.User, Position: 1},
			{ID: "it", Type: s.Type, Subject: s.Subject, Text: s.Text, Trust: record.User, Position: 2},
		}
		if act := stated.Merge(known, lifted[0], record.User, 3); act.Verdict != stated.Retract || act.ID != "it" {
			t.Errorf("%q does %+v", tc.lift, act)
		}
	}
}
