package guide

import (
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// All forms in which people forbid the same act forbid it.
func TestFormsOfRules(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"No direct pushes to main.", "No one may push to main.", "Nobody pushes to main.", "You shall not push to main.", "You are not allowed to push to main.",
		"I never want you to push to main.", "I don't want you to push to main.", "Under no circumstances push to main.", "Pushing to main is forbidden.", "Pushing to main is a no-go.",
		"Never push to main/master.", "Never push to origin/main.", "Never push to main on your own.", "Never push to main and never force-push.", "Never force-push and never push to main.",
		"Never push to main and always run tests.", "In all my projects, nobody may push to main.",
	} {
		v := Check(CheckInput{Action: Action{Command: "git push origin main"}, Rules: []Rule{{ID: "r", Text: text, Strength: memory.StrengthHard, Trust: record.User}}})
		if v.Level != Stop {
			t.Errorf("%q is %v", text, v.Level)
		}
		if v := Check(CheckInput{Action: Action{Command: "git push origin feature"}, Rules: []Rule{{ID: "r", Text: text, Strength: memory.StrengthHard, Trust: record.User}}}); v.Level == Stop {
			t.Errorf("%q stops a push elsewhere", text)
		}
	}
	for _, text := range []string{"Never push to main without asking me first.", "Never push to main without my approval.", "Never push to main unless I say so.", "Never push to main without explicit permission."} {
		v := Check(CheckInput{Action: Action{Command: "git push origin main"}, Rules: []Rule{{ID: "r", Text: text, Strength: memory.StrengthHard, Trust: record.User}}})
		if v.Level != Warn || len(v.Reasons) == 0 || !v.Reasons[0].Excepted {
			t.Errorf("%q is %v %+v", text, v.Level, v.Reasons)
		}
	}
}
