package excerpt_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// TestPlacesTakeTrust: what a source below the trust of a user said is neither a rule nor a goal
// nor in the core, and below that of an agent it is evidence, whatever it calls itself.
func TestPlacesTakeTrust(t *testing.T) {
	t.Parallel()
	heads := []catalog.Head{
		{Kind: record.Entity, ID: "coder", Names: []string{"coder"}},
		{Kind: record.Artifact, Class: string(hmx.TypeDecisionPolicy)},
		{Kind: record.Artifact, Class: string(hmx.TypeStrategyTemplate)},
	}
	for _, class := range []memory.Type{memory.TypeFact, memory.TypeIdentity, memory.TypeConstraint, memory.TypeGoal, memory.TypePattern, memory.TypeEvent} {
		heads = append(heads, catalog.Head{Kind: record.Memory, Class: string(class), Status: string(memory.GoalActive)})
	}
	for _, class := range []memory.PolicyKind{memory.PolicyConstraint, memory.PolicyInstruction, memory.PolicyRetention} {
		heads = append(heads, catalog.Head{Kind: record.Policy, Class: string(class)})
	}
	r := &excerpt.Reading{Question: retrieval.Question{View: board.View{Agent: "coder"}}}
	r.SetGoals("ship it")
	strategy := &memory.Artifact{HMX: hmx.Artifact{ArtifactType: hmx.TypeStrategyTemplate, Content: `{"goal":"Ship  it","phases":[]}`}}
	binding := map[hmx.Section]bool{hmx.SectionCore: true, hmx.SectionConstraints: true, hmx.SectionGoals: true}
	bound := map[hmx.Section]int{}
	for _, h := range heads {
		for trust := record.External; trust <= record.Operator; trust++ {
			h.Trust = trust
			var body memory.Body
			if h.Class == string(hmx.TypeStrategyTemplate) {
				body = strategy
			}
			p, err := r.PlaceOf(t.Context(), &h, body)
			if err != nil {
				t.Fatal(err)
			}
			if binding[p.Section] {
				bound[p.Section]++
				if trust < record.User {
					t.Errorf("%s %s of trust %s is in %s", h.Kind, h.Class, trust, p.Section)
				}
			}
			if h.Kind == record.Memory && trust < record.Agent && p.Section != hmx.SectionEvidence {
				t.Errorf("%s %s of trust %s is in %s", h.Kind, h.Class, trust, p.Section)
			}
		}
	}
	for section := range binding {
		if bound[section] == 0 {
			t.Errorf("nothing is in %s, however trusted", section)
		}
	}
	if got := excerpt.EventPlace(0); got.Section != hmx.SectionEvidence {
		t.Errorf("an event of an unknown type is in %s", got.Section)
	}
}
