package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestPackRulesAreNotCrowdedOut: however many policies untrusted writers add, the rules
// of an operator are included.
func TestPackRulesAreNotCrowdedOut(t *testing.T) {
	c := newClock()
	b := openWith(t, "data", packOptions(disk.NewMem(), c))
	must(t)(b.Put(ctx, operator, "acme", &memory.Policy{ID: "friday", PolicyKind: memory.PolicyConstraint, Text: "Never deploy on a Friday.", Strength: memory.StrengthHard}, engine.AnyVersion()))
	for i := range 1100 {
		c.Move(time.Second)
		p := &memory.Policy{ID: fmt.Sprint("junk", i), PolicyKind: memory.PolicyConstraint, Text: fmt.Sprint("junk number ", i), Strength: memory.StrengthSoft}
		if _, err := b.Put(ctx, engine.Writer{Actor: "a2", Trust: record.Agent}, "acme", p, engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	got := packed(t, b, engine.PackOptions{Query: packQuery, View: engine.View{Agent: "a1"}})
	if list := got.Pack.DecisionConstraints; len(list) != 1 || list[0].ArtifactID != "friday" {
		t.Errorf("constraints: %v", list)
	}
}

// TestPackPrivateGoalsHaveNoInfluence: private goals of others crowd out no goal, which
// decides the place of a strategy.
func TestPackPrivateGoalsHaveNoInfluence(t *testing.T) {
	var sections [2]hmx.Section
	for i, hidden := range []int{0, 300} {
		b := openWith(t, "data", packOptions(disk.NewMem(), newClock()))
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e0", 1, "deploy of the payment service begins")}))
		must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "goal", Type: memory.TypeGoal, Text: "Ship the payment service"}, engine.AnyVersion()))
		strategy := hmx.StrategyTemplate{Goal: "Ship the payment service", Phases: []hmx.StrategyPhase{{Name: "one", Description: "deploy"}}}
		must(t)(b.Put(ctx, user, "acme", compiled(t, "strat", "Deploy of the payment service", strategy, "e0"), engine.AnyVersion()))
		for k := range hidden {
			m := &memory.Memory{ID: fmt.Sprint("pg", k), Type: memory.TypeGoal, Text: fmt.Sprint("zebra ", k), Visibility: memory.VisiblePrivate}
			must(t)(b.Put(ctx, engine.Writer{Actor: "other", Trust: record.Agent}, "acme", m, engine.AnyVersion()))
		}
		sections[i] = sectionsOf(packed(t, b, engine.PackOptions{Query: packQuery, View: engine.View{Agent: "a1"}}).Pack)["strat"]
	}
	if sections[0] != hmx.SectionGoals || sections[1] != sections[0] {
		t.Errorf("the strategy is in %v", sections)
	}
}

// TestPackLooksFarEnough: a pack considers as many of the best as fill it, and if texts
// are so short that this is more than usual, as many as before.
func TestPackLooksFarEnough(t *testing.T) {
	testsize.Long(t, "it makes packs of large boards")
	const events, budget = 600, 4000
	most := engine.HitsFor(budget)
	for _, tc := range []struct {
		name string
		text func(i int) string
		full bool
	}{
		{"short", func(i int) string { return fmt.Sprint("port ", i) }, false},
		{"usual", func(i int) string {
			return fmt.Sprintf("the port of service number %d%s", i, strings.Repeat(fmt.Sprintf(" was moved by team %d and is watched", 7*i), 4))
		}, true},
	} {
		b := openWith(t, "data", packOptions(disk.NewMem(), newClock()))
		for i := range events {
			must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", fmt.Sprint("e", i), int64(i+1), tc.text(i))}))
		}
		got := packed(t, b, engine.PackOptions{Query: "which port", Budget: budget}).Pack
		looked, used := int(got.AssemblyMetadata.CandidateCount), got.TokenBudget.Used
		if tc.full && (looked >= most || used < budget*9/10) || !tc.full && looked < most {
			t.Errorf("%s: of %d at most %d were looked at, for %d of %d tokens", tc.name, most, looked, used, budget)
		}
		wide := packed(t, b, engine.PackOptions{Query: "which port", Budget: budget, Strategy: hmx.StrategyBreadthFirst}).Pack
		if n := int(wide.AssemblyMetadata.CandidateCount); n < most {
			t.Errorf("%s: breadth first looked at %d of %d", tc.name, n, most)
		}
	}
}

// TestPackLooksBehindCopies: repeated text is in a pack once, and takes no room from what
// is behind it, whether the search or only the read shows the repetition.
func TestPackLooksBehindCopies(t *testing.T) {
	for _, tc := range []struct{ copies, times, budget, used int }{{100, 2, 4000, 3600}, {250, 6, 8000, 3600}} {
		b := openWith(t, "data", packOptions(disk.NewMem(), newClock()))
		for i := range tc.copies + 300 {
			text := strings.Repeat("which port is it, which port is open, which port was moved and is watched by the team that moved it, asked the monitor of ports; ", tc.times)
			if i >= tc.copies {
				text = fmt.Sprintf("the port of service number %d%s", i, strings.Repeat(fmt.Sprintf(" was moved by team %d and is watched", 7*i), 4))
			}
			must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", fmt.Sprint("e", i), int64(i+1), text)}))
		}
		got := packed(t, b, engine.PackOptions{Query: "which port", Budget: tc.budget}).Pack
		if used, looked := got.TokenBudget.Used, got.AssemblyMetadata.CandidateCount; used < int64(tc.used) {
			t.Errorf("%d copies: %d of %d tokens are used, for %d candidates", tc.copies, used, tc.budget, looked)
		}
	}
}
