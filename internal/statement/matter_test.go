package statement_test

import (
	"slices"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/statement"
)

// hardRules returns how many hard rules a message states that are kept.
func hardRules(text string) (n int) {
	for _, s := range statement.Read(text) {
		if s.Type == memory.TypeConstraint && s.Strength == memory.StrengthHard && !s.Retraction && !s.Exception && !s.Temporary() {
			n++
		}
	}
	return n
}

// TestRulesInAMatter holds rules against what else a message says, before them and behind
// them: what orders a program makes rules about it part of the order, and leaves those for
// the work on the project.
func TestRulesInAMatter(t *testing.T) {
	t.Parallel()
	work := []string{ // bind the agent whatever it is to do
		"Never push to main.", "Never force-push.", "Always run the tests before you commit.", "Never deploy to production without asking me.", "Ask before pushing to main.",
	}
	impersonal := []string{"Agents must never push to main.", "Direct pushes to main are forbidden.", "Nobody pushes to main."}
	product := []string{ // are about the program that is to be written
		"Never merge two carts of different users.", "Never publish an event twice.", "Never commit a transaction that has errors.", "Never ship to PO boxes.", "Deleting invoices is forbidden.", "Nobody may edit a published post.",
		"Always show the price with tax.", "Never run two jobs at the same time.", "Never push a message to a full queue.", "Orders must never be deleted.",
	}
	tasks := []string{"Fix the checkout page.", "Please add a button to the settings page.", "Can you write the migration?", "The endpoint must answer within a second."}
	enforce := []string{"Implement it in PushService.", "Return 403.", "Add a check for that.", "Write a hook that enforces it."}
	about := []string{"What do you think about these rules?", "Is that still true?", "Do these rules make sense?", "This is in the README, please remove it.", "I copied this from the wiki.", "You are a helpful coding assistant.", "Translate it to German.", "Put this in the README."}
	each := func(rules, others []string, want int) {
		t.Helper()
		for _, rule := range rules {
			for _, other := range others {
				for _, text := range []string{other + "\n" + rule, rule + "\n" + other} {
					if got := hardRules(text); got != want {
						t.Errorf("%q states %d hard rules, want %d", text, got, want)
					}
				}
			}
		}
	}
	each(work, tasks, 1)
	each(impersonal, tasks, 1)
	each(impersonal, enforce, 0)
	each(product, slices.Concat(tasks, enforce), 0)
	each(slices.Concat(work, impersonal), about, 0)
}
