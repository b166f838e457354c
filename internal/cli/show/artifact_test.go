package show

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Artifacts that no compile of a few sessions makes: causal patterns, policies written by
// hand, unknown types, and artifacts with errors.
func TestShowArtifact(t *testing.T) {
	detail := func(content hmx.ArtifactContent, change func(*lukasa.ArtifactDetail)) *lukasa.ArtifactDetail {
		t.Helper()
		a := &hmx.Artifact{ArtifactID: "x", Title: "A title", Summary: "In short.", Confidence: 0.5, Status: hmx.StatusActive, Version: 1, Metadata: "{}"}
		if content == nil {
			a.ArtifactType, a.Content = "x-acme-note", `{"note":"one"}`
		} else if err := a.SetContent(content); err != nil {
			t.Fatal(err)
		}
		d := &lukasa.ArtifactDetail{HashVerified: true, Events: 1}
		d.URI, d.Artifact, d.Actor, d.Trust = lukasa.URI{Tenant: "t", Kind: lukasa.ArtifactKind, ID: "x"}, a, "ann", lukasa.User
		d.Changes = []lukasa.ArtifactChange{{Status: hmx.StatusActive, Time: time.Unix(0, 0), Actor: "ann"}}
		if change != nil {
			change(d)
		}
		return d
	}
	for name, c := range map[string]struct {
		detail *lukasa.ArtifactDetail
		want   []string
	}{
		"a pattern": {detail(&hmx.CausalPattern{
			Cause: "look failed", Effect: "the task failed", Direction: "forward", Strength: hmx.Some(0.75), Conditions: []string{"of tasks whose outcome is known"},
			Counterexamples: []string{"e1", "e2"}, Extra: hmx.Extra{"counts": `{"both":9,"cause_only":2,"effect_only":1,"neither":20}`},
		}, nil), []string{"look failed → the task failed", "with the cause  9                2\nwithout         1                20", "counterexamples\n  - e1\n  - e2", "strength   0.750"}},
		"a pattern both ways": {detail(&hmx.CausalPattern{Cause: "a", Effect: "b", Direction: "bidirectional"}, nil), []string{"a ↔ b", "no counterexample"}},
		"a policy by hand": {detail(&hmx.DecisionPolicy{
			Condition: "Tables above 1 GB", Recommendation: "online", Alternatives: []hmx.PolicyAlternative{{Description: "ALTER", ChosenCount: hmx.Some(int64(3)), SuccessRate: hmx.Some(0.33)}},
			Outcomes: []hmx.PolicyOutcome{{Decision: "online", Outcome: "no downtime"}},
		}, nil), []string{"- Tables above 1 GB", "ALTER   3             33%", "- online: no downtime", "made       1970-01-01T00:00:00Z by ann"}},
		"a playbook by hand": {detail(&hmx.FailurePlaybook{FailurePattern: "it breaks", PreventionStrategies: []string{"look first"}}, nil), []string{"symptoms\n  - it breaks", "prevention\n  - look first"}},
		"a schema by hand":   {detail(&hmx.TaskSchema{Preconditions: []string{"a key"}, Steps: []hmx.TaskStep{{Description: "Sign", ToolsUsed: []string{"gpg"}}}}, nil), []string{"before\n  - a key", "[ ] 1. Sign\n         with gpg"}},
		"another type":       {detail(nil, nil), []string{"\"note\": \"one\"", "x-acme-note, version 1"}},
		"what is wrong": {detail(nil, func(d *lukasa.ArtifactDetail) {
			d.HashVerified, d.MissingCount, d.Events, d.Memories = false, 1, 2, 1
			d.Missing = []lukasa.URI{{Tenant: "t", Kind: lukasa.EventKind, ID: "e9"}}
			d.Conflicts = []lukasa.URI{{Tenant: "t", Kind: lukasa.ConflictKind, ID: "c"}}
			d.Changes[0].Reason = "\x1b[31mred"
		}), []string{"not that of the content", "2 events and 1 memory, 1 of them not on record, such as lukasa://t/event/e9", "conflict   lukasa://t/conflict/c", `\x1b[31mred`}},
		"no evidence": {detail(nil, func(d *lukasa.ArtifactDetail) { d.Events = 0 }), []string{"evidence   none"}},
	} {
		var out bytes.Buffer
		s := term.New(&out, &out, func(string) (string, bool) { return "", false }, func(any) term.Terminal { return term.Terminal{} })
		c.detail.Recorded = time.Unix(0, 0)
		Artifact(s, answer.ArtifactOf(c.detail))
		if err := s.Stdout.Finish(); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: there is no %q in\n%s", name, want, out.String())
			}
		}
	}
}
