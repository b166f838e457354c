package statement_test

import (
	"testing"

	"lukasa.dev/internal/record"
	"lukasa.dev/internal/stated"
)

// TestLiftMeetsItsRule holds what lifts or limits a rule against rules that it means and
// rules that it must not touch.
func TestLiftMeetsItsRule(t *testing.T) {
	t.Parallel()
	const (
		retract = stated.Retract
		amend   = stated.Amend
		stand   = stated.Stand
	)
	for _, c := range []struct {
		rule, said string
		want       stated.Verdict
	}{
		// The same deed in other words.
		{"Never push to main directly.", "You may push to main directly again.", retract},
		{"Don't ever push straight to main.", "You may push to main directly again.", retract},
		{"Never push to main directly.", "You can push to main again", retract},
		{"Never push to main directly.", "It's fine to push to main now", retract},
		{"Never push to main directly.", "Pushing to main is allowed again", retract},
		{"Never push to the main branch.", "You may push directly to main again.", retract},
		{"We never push to main directly.", "You may push to main again.", retract},
		{"No direct pushes to main.", "You can push to main again.", retract},
		{"Pushing to main is forbidden.", "You may push to main again.", retract},
		{"Nobody pushes to main.", "Pushing to main is fine again.", retract},
		{"Never force-push.", "You may force-push again.", retract},
		{"Never use force push on shared branches.", "You may force-push on shared branches again.", retract},
		{"Never deploy on Fridays.", "You can deploy on Fridays again.", retract},
		{"Never deploy on Fridays.", "You may deploy on Fridays.", retract},
		{"Never use tabs.", "You are allowed to use tabs.", retract},
		{"Never use tabs.", "You are allowed to use tabs in Makefiles.", amend},
		{"Avoid using global variables.", "Using global variables is ok now.", retract},
		{"Never delete files in /srv.", "You may remove files in /srv again.", retract},
		{"Never merge pull requests without my approval.", "You may merge PRs without my approval from now on.", retract},
		{"Never mock the database in tests.", "It's okay to mock the DB in tests again.", retract},
		{"Never edit generated files by hand.", "Feel free to edit generated files by hand again.", retract},
		{"Always run the linter.", "No need to run the linter any more.", retract},
		{"Always run the linter.", "You can stop running the linter.", retract},
		{"Always sign commits.", "You don't need to sign commits anymore.", retract},
		{"Always sign commits.", "Signing commits is no longer required.", retract},
		{"Never push to main directly.", "Forget what I said about pushing to main.", retract},
		{"Never push to main directly.", "Drop the rule about pushing to main.", retract},
		{"Never push to main directly.", "Ignore my earlier rule on pushing to main.", retract},
		{"Never push to main directly.", "The rule about pushing to main no longer applies.", retract},
		{"Never push to main directly.", "Forget that rule.", retract},
		{"Never push to main directly.", "That rule is off.", retract},

		{"Never push to main.", "Go ahead and push to main from now on.", retract},
		{"Never push to main.", "ok you may push to main", retract},
		{"Never push to main.", "pushing to main is fine now", retract},
		{"Agents must never push to main.", "From now on you can push to main.", retract},
		{"Never `git push` to main.", "You may git push to main again.", retract},
		{"Only I push to main.", "You may push to main again.", retract},
		{"Never push.", "You may push again.", retract},
		{"Use pnpm, never npm.", "You may use npm again.", retract},
		{"Use pnpm, not npm.", "npm is fine from now on", retract},
		{"Secrets must never be committed.", "You may commit secrets again.", retract},

		// The rule is recalled, or named by what it forbids.
		{"Never touch src/legacy.", "I told you to never touch src/legacy, drop it.", retract},
		{"Never touch src/legacy.", "Remember I told you to never touch src/legacy? That doesn't apply any more.", retract},
		{"Never touch src/legacy.", "The thing I told you about never touching vendor, drop it.", stand},
		{"Never touch src/legacy.", "I told you to never touch vendor. That doesn't hold any longer.", stand},
		{"No sudo.", "I said no sudo earlier. Cancel that.", retract},
		{"Never run the full test suite.", "the thing I said this morning about not running the full test suite uh you can ignore that now", retract},
		{"Never edit vendor/.", "The ban on editing vendor/ that I gave you on Monday is lifted.", retract},
		{"Never use the network.", "Earlier I forbade you to use the network. That doesn't hold any longer.", retract},
		{"Never start the dev server.", "I said you shouldn't start the dev server, from now on you can start it yourself.", retract},
		{"Never start the dev server.", "I said you shouldn't start the dev server. You can run the tests again.", stand},
		{"No package upgrades please.", "The freeze is over, so package upgrades are allowed again.", retract},
		{"Never push.", "Push is allowed again.", retract},
		{"Never use npm.", "You can go back to using npm.", retract},
		{"Never use docker.", "It's no longer forbidden to use docker.", retract},
		{"Never use npm.", "we moved back, so the no-npm rule is dead", retract},
		{"Never read .env.", "You're allowed to read .env again, I rotated the keys.", retract},
		{"Never deploy on Fridays.", "Cancel that, you can deploy on Fridays.", retract},
		{"Always run the tests.", "I told you not to run the tests. That doesn't apply any more.", stand},

		// Rules to ask before a deed. A permission for the moment answers the question.
		{"Ask before pushing to main.", "You may push to main without asking.", retract},
		{"Ask before pushing to main.", "From now on you may push to main.", retract},
		{"Ask before pushing to main.", "You don't have to ask before pushing to main anymore.", retract},
		{"Never push to main without asking me.", "You no longer need to ask before pushing to main.", retract},
		{"Ask before pushing to main.", "You may push to main.", stand},
		{"Ask before pushing to main.", "You don't have to ask before pushing to develop anymore.", stand},
		{"Never push to main without asking me.", "Ask before pushing to main.", stated.Supersede},

		// Another deed.
		{"Use pnpm, never npm.", "You may use yarn again.", stand},
		{"Never push to develop.", "You may push to main directly again.", stand},
		{"Never force-push.", "You may push to main directly again.", stand},
		{"Never push to main.", "You may push to develop again.", stand},
		{"Never push to main.", "You may force-push again.", stand},
		{"Never push to main.", "You may push to origin again.", stand},
		{"Never push secrets to main.", "You may push to main again.", stand},
		{"Never commit secrets.", "You may commit generated code again.", stand},
		{"Never push to main without running the tests.", "You may push to main again.", stand},
		{"Never merge without my approval.", "You may merge branches again.", stand},
		{"Never delete files.", "You may edit files again.", stand},
		{"Never deploy on Fridays.", "You can deploy on Mondays again.", stand},
		{"Never use npm.", "You may use yarn again.", stand},
		{"Never email customers.", "You may call customers again.", stand},
		{"Always run the linter.", "No need to run the tests any more.", stand},
		{"Never push to main.", "Forget what I said about force-pushing.", stand},
		{"I prefer tea.", "Forget that rule.", stand},

		// A permission lifts no duty, and the end of a duty lifts no ban.
		{"Always push to main directly.", "You may push to main directly again.", stand},
		{"Never run the linter.", "No need to run the linter any more.", stand},
		{"Always sign commits.", "You may sign commits again.", stand},

		// What says more of where or when limits the rule.
		{"Never push to main directly.", "You may push to main on release branches.", amend},
		{"Never push to main directly.", "On release branches you may push to main.", amend},
		{"Never push to main directly.", "Pushing to main is fine for hotfixes.", amend},
		{"Never push to main.", "You may push to main if it is a hotfix.", amend},
		{"Never use tabs.", "You may use tabs in Makefiles.", amend},
		{"Never delete files.", "You may delete files in /tmp again.", amend},
		{"Never push to main directly.", "Except on release branches.", amend},
		{"Never push to main directly.", "Unless it is a hotfix.", amend},
		{"Never push to main directly.", "But on release branches you may.", amend},
		{"Never push to main directly.", "That rule does not apply to hotfixes.", amend},
		{"Never push to develop.", "You may push to main on release branches.", stand},
		{"Always sign commits.", "You may sign commits on Mondays.", stand},
		{"I prefer tea.", "Except on release branches.", stand},

		// Values that are put right.
		{"Remember: the staging DB is called orion.", "No, it's lyra, not orion.", amend},
		{"Remember: the staging DB is called orion.", "It's called lyra, not orion.", amend},
		{"Remember: the staging DB is called orion.", "No, it's lyra, not vega.", stand},
		{"Remember: the staging DB is called orion.", "Actually, the staging DB is called lyra.", stated.Supersede},
		{"Our staging database is orion.db.", "Actually, the staging DB is called lyra.", stated.Supersede},
		{"Remember: the staging DB is called orion.", "Actually, the production DB is called lyra.", stated.New},

		// The same rule once more.
		{"Never push to main.", "Never push to main except on release branches.", stated.Supersede},
		{"Never push to main directly.", "Never push to main unless it is a hotfix.", stated.Supersede},
		{"Never push to main.", "Don't push to main unless I ask.", stated.Supersede},
		{"Never push to main.", "Don't push to main.", stated.Supersede},
		{"Never push to main directly.", "Don't push straight to main.", stated.Supersede},
		{"Don't push to main.", "Never push to main.", stated.Supersede},
		{"Never push to main.", "Never push to develop.", stated.New},
	} {
		known := []stated.Known{kept(t, "a", c.rule, record.User, 1)}
		want := stated.Action{Verdict: c.want}
		if c.want == retract || c.want == amend || c.want == stated.Supersede || c.want == stated.Same {
			want.ID = "a"
		}
		if got := stated.Merge(known, said(t, c.said), record.User, 2); got != want {
			t.Errorf("%q, then %q: %v, want %v", c.rule, c.said, got, want)
		}
	}
}

// TestLastRule is the newest one that was said before, whatever else was.
func TestLastRule(t *testing.T) {
	t.Parallel()
	known := []stated.Known{
		kept(t, "a", "Never push to main.", record.User, 1), kept(t, "b", "Always sign commits.", record.User, 3),
		kept(t, "c", "I prefer tea.", record.User, 4), kept(t, "d", "Never use tabs.", record.User, 9),
	}
	for text, want := range map[string]stated.Action{
		"Forget that rule.":           {Verdict: stated.Retract, ID: "b"},
		"Except on release branches.": {Verdict: stated.Amend, ID: "b"},
		"Forget that preference.":     {Verdict: stated.Retract, ID: "c"},
		"Forget that fact.":           {Verdict: stated.Stand},
	} {
		if got := stated.Merge(known, said(t, text), record.User, 5); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	stands := stated.Action{Verdict: stated.Stand, ID: "b"}
	if got := stated.Merge(known, said(t, "Forget that rule."), record.Agent, 5); got != stands {
		t.Errorf("an agent takes back a user's rule: %v", got)
	}
}

// TestLiftOfTwo: of two rules on one deed the newer is lifted, and of two that are wider
// than a permission none is limited.
func TestLiftOfTwo(t *testing.T) {
	t.Parallel()
	known := []stated.Known{
		kept(t, "a", "Never push to main.", record.User, 1), kept(t, "b", "Don't ever push straight to main.", record.User, 2), kept(t, "c", "Never push to develop.", record.User, 3),
	}
	if got, want := stated.Merge(known, said(t, "You may push to main again."), record.User, 5), (stated.Action{Verdict: stated.Retract, ID: "b"}); got != want {
		t.Errorf("lifted: %v, want %v", got, want)
	}
	known = append(known[:1], kept(t, "d", "Never push to release branches.", record.User, 4))
	if got, want := stated.Merge(known, said(t, "You may push to main on release branches."), record.User, 5), (stated.Action{Verdict: stated.Stand}); got != want {
		t.Errorf("limited: %v, want %v", got, want)
	}
}
