package guide

import (
	"strings"
	"testing"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/statement"
	"lukasa.dev/internal/trace"
)

func TestLift(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"Never push to main directly.":                         "You may push to main directly again.",
		"never push to main directly":                          "You may push to main directly again.",
		"We never push to main directly.":                      "You may push to main directly again.",
		"Please don't ever force push, it breaks clones":       "You may force push again.",
		"Don’t use npm; use pnpm.":                             "You may use npm again.",
		"Do not deploy on Fridays!":                            "You may deploy on Fridays again.",
		"Remember: you must not edit vendor/.":                 "You may edit vendor/ again.",
		"Never use npm (pnpm instead).":                        "Forget the rule 'Never use npm (pnpm instead)'.",
		"Never use npm, use pnpm":                              "You may use npm again.",
		"Never push to main unless it is a hotfix":             "You may push to main again.",
		"Never push to main directly. Except on release ones.": "You may push to main directly again.",
		"Never merge without review":                           "You may merge without review again.",
		"Never deploy to production because it is frozen":      "You may deploy to production again.",
		"Always show the diff before you commit":               "You need not show the diff before you commit any more.",
		"Always run the tests before pushing.":                 "You need not run the tests before pushing any more.",
		"From now on always answer in English.":                "You need not answer in English any more.",
		"Use pnpm, not npm.":                                   "Forget the rule 'Use pnpm, not npm'.",
		"No force pushes.":                                     "Forget the rule 'No force pushes'.",
		"Before pushing, run the tests.":                       "Forget the rule 'Before pushing, run the tests'.",
		"Production pods must never be deleted.":               "Forget the rule 'Production pods must never be deleted'.",
		"Never":                                                "Forget the rule 'Never'.",
		"never ":                                               "Forget the rule 'never'.",
		"":                                                     "Forget the rule ''.",
	} {
		if got := Lift(rule); got != want {
			t.Errorf("%q: %q, want %q", rule, got, want)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	const said = 1_795_000_000_000 // 2026-11-18
	tested := []Doing{did("command_exec", "ls", trace.OK, "")}
	for name, tc := range map[string]struct {
		rule    Rule
		action  string
		session []Doing
		want    string
	}{
		"all": {Rule{Text: "Never push to main directly.", Said: said, Scope: "project shop"}, "git push origin main", nil,
			`Lukasa: "Never push to main directly." — stated by the user on 2026-11-18, for project shop. To lift it, the user says: "You may push to main directly again."`},
		"named": {Rule{Text: "Never push to main directly.", By: "mia", Said: said}, "git push origin main", nil,
			`Lukasa: "Never push to main directly." — stated by mia on 2026-11-18. To lift it, mia says: "You may push to main directly again."`},
		"little": {Rule{Text: "Never  push\tto main.\n"}, "git push origin main", nil,
			`Lukasa: "Never push to main." — stated by the user. To lift it, the user says: "You may push to main again."`},
		"exception": {Rule{Text: "Never push to main unless it is a hotfix."}, "git push origin main", nil,
			`Lukasa: "Never push to main unless it is a hotfix." — stated by the user. Its exception cannot be judged here: unless it is a hotfix. To lift it, the user says: "You may push to main again."`},
		"step": {Rule{Text: "Always run the tests before pushing."}, "git push", tested,
			`Lukasa: "Always run the tests before pushing." — stated by the user. This session has not taken the step that it requires. To lift it, the user says: "You need not run the tests before pushing any more."`},
		"one of several": {Rule{Text: "Never push to main."}, "make && git push origin main", nil,
			`Lukasa: "Never push to main." — stated by the user. This concerns: git push origin main. To lift it, the user says: "You may push to main again."`},
	} {
		tc.rule.ID, tc.rule.Strength, tc.rule.Trust = "r", memory.StrengthHard, record.User
		v := Check(CheckInput{Action: planned(tc.action), Rules: []Rule{tc.rule}, Session: tc.session})
		if len(v.Reasons) == 0 || v.Reasons[0].Refusal() != tc.want {
			t.Errorf("%s: %+v\n%s", name, v.Reasons, tc.want)
		}
	}
	if text := (&Reason{Text: "x"}).Refusal(); text != "" {
		t.Errorf("%q", text)
	}
}

// A verdict based on a rule has no sentence in favour of the action.
func TestPastSuccessIsNoArgument(t *testing.T) {
	t.Parallel()
	push := planned("git push origin main")
	tool, shape := push.Step()
	ok, bad := did(tool, shape, trace.OK, ""), did(tool, shape, trace.Broken, "x")
	rules := []Rule{{ID: "r", Text: "Never push to main.", Strength: memory.StrengthHard, Trust: record.User}}
	for name, past := range map[string][]Doing{"good": {ok, ok}, "mixed": {ok, bad, ok}, "one": {ok}} {
		v := Check(CheckInput{Action: planned("git push origin main"), Rules: rules, Past: past})
		for _, r := range v.Reasons {
			if strings.Contains(r.Text, "succeeded") {
				t.Errorf("%s: %s", name, r.Text)
			}
		}
		if v.Level != Stop || v.Tried != len(past) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	v := Check(CheckInput{Action: planned("git push origin main"), Rules: rules, Past: []Doing{bad, bad, bad, bad}})
	if len(v.Reasons) < 2 || !strings.Contains(v.Reasons[1].Text, "never succeeded") {
		t.Errorf("failures are left out: %+v", v.Reasons)
	}
	v = Check(CheckInput{Action: planned("git push origin topic"), Rules: rules, Past: []Doing{ok, ok}})
	if len(v.Reasons) != 1 || v.Reasons[0].Text != "the same action was taken 2 times before and succeeded each time" {
		t.Errorf("%+v", v.Reasons)
	}
}

// A call that was denied never ran: it counts neither way.
func TestDeniedCallsDoNotCount(t *testing.T) {
	t.Parallel()
	denied := did("bash", "make build", trace.Denied, "Lukasa: a rule forbids it")
	broke := did("bash", "make build", trace.Broken, "x")
	v := Check(CheckInput{Action: planned("make build"), Past: []Doing{denied, denied, denied, denied}, Session: []Doing{denied, denied}})
	if v.Level != OK || v.Tried != 0 || v.Last != nil || len(v.Reasons) > 0 {
		t.Errorf("%+v", v)
	}
	v = Check(CheckInput{Action: planned("make build"), Session: []Doing{broke, denied, broke}})
	if v.Level != Warn {
		t.Errorf("two failures around a denial: %+v", v)
	}
	rule := []Rule{{ID: "r", Text: "Always run the tests before pushing.", Strength: memory.StrengthHard, Trust: record.User}}
	v = Check(CheckInput{Action: planned("git push"), Rules: rule, Session: []Doing{did("bash", "go test <path>", trace.Denied, "")}})
	if v.Level != Warn {
		t.Errorf("tests that were denied: %+v", v)
	}
}

func TestRuleOf(t *testing.T) {
	t.Parallel()
	list := statement.Read("Never push to main directly. My timezone is CET.")
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	r, ok := RuleOf(&list[0], "spooled", 5)
	if !ok || r.Text != "Never push to main directly." || r.Strength != memory.StrengthHard || r.Trust != record.User || r.Said != 5 {
		t.Errorf("%+v, %v", r, ok)
	}
	if v := Check(CheckInput{Action: planned("git push origin main"), Rules: []Rule{r}}); v.Level != Stop || v.Reasons[0].Source != "spooled" {
		t.Errorf("%+v", v)
	}
	if _, ok := RuleOf(&list[1], "x", 0); ok {
		t.Error("a fact is a rule")
	}
	list[0].Retraction = true
	if _, ok := RuleOf(&list[0], "x", 0); ok {
		t.Error("a retraction is a rule")
	}
	for _, text := range []string{"Never push to main", "Never push to main."} {
		limited := Rule{Text: text}.Except(" Except on release branches. ")
		if limited.Text != "Never push to main. Except on release branches." {
			t.Errorf("%q", limited.Text)
		}
	}
	if (Rule{Text: "x"}).Except("").Text != "x" {
		t.Error("an empty exception changes the rule")
	}
}

func TestScopeText(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]string{
		"":                     nil,
		"project shop":         {"project: github.com/acme/shop"},
		"project b":            {"project: /home/a/b/"},
		"project c":            {`project: C:\a\c`},
		"environment staging":  {"environment: staging"},
		"after dark":           {"after dark"},
		"project x, release 2": {"project: x", "release: 2"},
	} {
		if got := ScopeText(list); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}
