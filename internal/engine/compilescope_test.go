package engine_test

import (
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestWhatHoldsInOneEnvironment: knowledge from one environment only is advice there and
// where the environment is unknown, and nowhere else. Agents share it.
func TestWhatHoldsInOneEnvironment(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	in := func(environment, agent string, from, to int) {
		for i := from; i < to; i++ {
			events := worked(t, i)
			for _, ev := range events {
				if environment != "" {
					ev.Tags = []string{environment, "billing"}
				}
				ev.AgentID = agent
			}
			store(t, b, events...)
		}
	}
	count := func(session string, tags ...string) int {
		t.Helper()
		next, err := b.NextStep(ctx, engine.NextOptions{Tenant: "acme", Session: session, Tags: tags, View: engine.View{Agent: "somebody"}})
		if err != nil {
			t.Fatal(err)
		}
		return next.Artifacts
	}
	in("staging", "a1", 0, 6)
	compileNow(t, b, engine.CompileOptions{})
	for _, x := range listed(t, b, record.Artifact) {
		a := x.Body.(*memory.Artifact).HMX
		if got := a.ValidityScope.Value; len(got.Conditions) != 1 || got.Conditions[0] != "environment: staging" || len(got.Tags)+len(got.AgentIDs) > 0 {
			t.Errorf("%s holds in %+v", a.Title, got)
		}
		if hash, err := hmx.ContentHash(a.Content); err != nil || hash != a.ContentHash {
			t.Errorf("%s: %v", a.Title, err)
		}
	}
	all := count("new")
	if all == 0 {
		t.Fatal("nothing is known, so that this proves nothing")
	}
	if got := count("new", "staging"); got != all {
		t.Errorf("in staging %d artifacts of %d hold", got, all)
	}
	if got := count("new", "billing"); got != all {
		t.Errorf("where the environment is not said %d artifacts of %d hold", got, all)
	}
	if got := count("new", "env:prod"); got != 0 {
		t.Errorf("in production %d artifacts hold", got)
	}
	// A session states its environment itself.
	here := worked(t, 50)[:2]
	for _, ev := range here {
		ev.Tags = []string{"production"}
	}
	store(t, b, here...)
	if got := count("s050"); got != 0 {
		t.Errorf("in a session in production %d artifacts hold", got)
	}
	// Once it is known from several, it holds everywhere.
	in("production", "a2", 6, 12)
	compileNow(t, b, engine.CompileOptions{})
	if got := count("new", "production"); got == 0 {
		t.Error("what was done in both environments is no advice in one")
	}
	in("", "a2", 12, 20)
	compileNow(t, b, engine.CompileOptions{})
	for _, x := range listed(t, b, record.Artifact) {
		if a := x.Body.(*memory.Artifact).HMX; x.Status == "active" && a.ValidityScope.Set {
			t.Errorf("%s holds in %+v only", a.Title, a.ValidityScope.Value)
		}
	}
	sound(t, b)
}
