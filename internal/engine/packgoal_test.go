package engine_test

import (
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
)

// TestPackGoals: an active goal is a goal. A paused, achieved or abandoned one is a fact
// with its status.
func TestPackGoals(t *testing.T) {
	b := openWith(t, "data", packOptions(disk.NewMem(), newClock()))
	for _, status := range memory.GoalStatuses() {
		m := &memory.Memory{ID: string(status), Type: memory.TypeGoal, Text: "Ship the " + string(status) + " payment service.", Data: &memory.Goal{Status: status}}
		must(t)(b.Put(ctx, user, "acme", m, engine.AnyVersion()))
	}
	got := packed(t, b, engine.PackOptions{Query: "Which payment service do we ship?"})
	in := sectionsOf(got.Pack)
	for _, status := range memory.GoalStatuses() {
		section, line := hmx.SectionFacts, "- ("+string(status)+") Ship the "+string(status)+" payment service.\n"
		if status == memory.GoalActive {
			section, line = hmx.SectionGoals, "- Ship the active payment service.\n"
		}
		if in[string(status)] != section || !strings.Contains(got.Text, line) {
			t.Errorf("the goal that is %s is in %q:\n%s", status, in[string(status)], got.Text)
		}
	}
}
