package compile

import (
	"testing"

	"lukasa.dev/hmx"
)

// Counts, rates and the order that they determine do not change the digest, and everything else
// does.
func TestSays(t *testing.T) {
	steps := func(optional bool, tasks hmx.Raw, names ...string) hmx.TaskSchema {
		var c hmx.TaskSchema
		for i, name := range names {
			c.Steps = append(c.Steps, hmx.TaskStep{Order: hmx.Some(int64(i)), Description: name, Optional: hmx.Some(optional), Extra: hmx.Extra{"tasks": tasks}})
		}
		return c
	}
	for name, c := range map[string]struct {
		a, b hmx.ArtifactContent
		same bool
	}{
		"how often a step": {steps(false, "3", "look", "ship"), steps(false, "9", "look", "ship"), true},
		"the order":        {steps(false, "3", "look", "ship"), steps(false, "3", "ship", "look"), false},
		"what is optional": {steps(false, "3", "look", "ship"), steps(true, "3", "look", "ship"), false},
		"counts in words": {
			hmx.FailurePlaybook{FailurePattern: "p", TriggerConditions: []string{"after look (3 of 4 times)"}, PreventionStrategies: []string{"Call a before b: done in 4 of 9 tasks"}},
			hmx.FailurePlaybook{FailurePattern: "p", TriggerConditions: []string{"after look (5 of 6 times)"}, PreventionStrategies: []string{"Call a before b: done in 12 of 14 tasks"}}, true,
		},
		"a way out":        {hmx.FailurePlaybook{RecoverySteps: []string{"Call a"}}, hmx.FailurePlaybook{RecoverySteps: []string{"Call b"}}, false},
		"how bad":          {hmx.FailurePlaybook{Severity: "low"}, hmx.FailurePlaybook{Severity: "high"}, false},
		"alternatives":     {hmx.DecisionPolicy{Condition: "c", Recommendation: "r"}, hmx.DecisionPolicy{Condition: "c", Recommendation: "r", Alternatives: []hmx.PolicyAlternative{{Description: "s"}}}, true},
		"telling words":    {hmx.DecisionPolicy{Condition: "When the talk is of x, y"}, hmx.DecisionPolicy{Condition: "When the talk is of y, x"}, true},
		"a number that is": {hmx.DecisionPolicy{Recommendation: "wait 3 days"}, hmx.DecisionPolicy{Recommendation: "wait 5 days"}, false},
		"strength":         {hmx.CausalPattern{Cause: "c", Effect: "e", Strength: hmx.Some(0.1)}, hmx.CausalPattern{Cause: "c", Effect: "e", Strength: hmx.Some(0.9), Counterexamples: []string{"x"}}, true},
		"direction":        {hmx.CausalPattern{Cause: "c", Direction: "forward"}, hmx.CausalPattern{Cause: "c", Direction: "bidirectional"}, false},
		"tools of a phase": {hmx.StrategyTemplate{Phases: []hmx.StrategyPhase{{Name: "n", ToolsUsed: []string{"a", "b"}}}}, hmx.StrategyTemplate{Phases: []hmx.StrategyPhase{{Name: "n", ToolsUsed: []string{"b", "a"}}}}, true},
		"phases":           {hmx.StrategyTemplate{Phases: []hmx.StrategyPhase{{Name: "n"}}}, hmx.StrategyTemplate{Phases: []hmx.StrategyPhase{{Name: "m"}}}, false},
		"parts":            {hmx.DecisionPolicy{Condition: "a b"}, hmx.DecisionPolicy{Condition: "a", Recommendation: "b"}, false},
	} {
		if got := says(c.a) == says(c.b); got != c.same {
			t.Errorf("%s: alike is %v, want %v", name, got, c.same)
		}
	}
	if saysOf(&hmx.Artifact{Metadata: "[]"}) != "" || saysOf(&hmx.Artifact{Metadata: `{"says":"x"}`}) != "x" {
		t.Error("what metadata says is not read")
	}
}
