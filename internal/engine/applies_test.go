package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// scopedRule is a hard rule with a validity scope.
func scopedRule(id, text string, scope hmx.ValidityScope) *memory.Memory {
	m := ruleOf(id, text, memory.StrengthHard)
	m.ValidityScope = scope
	return m
}

func inProject(ids ...string) hmx.ValidityScope {
	var s hmx.ValidityScope
	for _, id := range ids {
		s.Conditions = append(s.Conditions, "project: "+id)
	}
	return s
}

// toldIn returns in which of the reads that act on rules a text is found.
func toldIn(t testing.TB, b *engine.Board, text string, action guide.Action, v engine.View, tags ...string) (in []string) {
	t.Helper()
	note := func(name string, is bool, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if is {
			in = append(in, name)
		}
	}
	packed, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: text, Tags: tags, View: v})
	if err != nil {
		t.Fatal(err)
	}
	note("pack", strings.Contains(packed.Text, text), nil)
	note("constraints", slices.ContainsFunc(packed.Pack.DecisionConstraints, func(c hmx.DecisionConstraint) bool { return c.Constraint == text }), nil)
	if proof, err := b.VerifyPack(ctx, "acme", packed.Pack, engine.VerifyPackOptions{}); err != nil || proof.Remade != engine.RemadeYes {
		t.Errorf("the pack does not verify: %v %+v", err, proof)
	}
	if len(tags) == 0 { // these reads take none
		block, err := b.PackContext(ctx, engine.PackContextOptions{Tenant: "acme", BlockRequest: block.Request{Topic: text}, View: v})
		note("block", strings.Contains(block, "(hard) "+text), err)
		bundled, err := b.Context(ctx, engine.ContextOptions{Tenant: "acme", View: v})
		if err != nil {
			t.Fatal(err)
		}
		found := bundled.Trimmed > 0 || len(bundled.ReachableURIs) > 0
		for _, e := range slices.Concat(bundled.Pinned, bundled.Outcomes, bundled.FrameRelevant) {
			found = found || strings.Contains(e.Text, text)
		}
		note("context", found, nil)
	}
	verdict, err := b.CheckAction(ctx, engine.CheckOptions{Tenant: "acme", Action: action, Tags: tags, View: v})
	note("check", err == nil && verdict.Level == guide.Stop, err)
	return in
}

// TestRulesHoldInTheirScope: every read that acts on rules judges their scopes the same way.
func TestRulesHoldInTheirScope(t *testing.T) {
	t.Parallel()
	const text = "Never push to main directly."
	push := guide.Action{Command: "git push origin main"}
	everywhere := []string{"pack", "constraints", "block", "context", "check"}
	at := func(list ...string) engine.View { return engine.View{Conditions: list} }
	for name, c := range map[string]struct {
		scope hmx.ValidityScope
		view  engine.View
		tags  []string
		holds bool
	}{
		"no scope":              {hmx.ValidityScope{}, at("project: b"), nil, true},
		"nothing is stated":     {inProject("a"), at(), nil, true},
		"the same project":      {inProject("a"), at("project: a"), nil, true},
		"one of several ids":    {inProject("a"), at("project: /srv/a", "project: a"), nil, true},
		"another project":       {inProject("a"), at("project: b"), nil, false},
		"a name in capitals":    {inProject("a"), at("Project: b"), nil, false},
		"another name":          {inProject("a"), at("environment: staging"), nil, true},
		"in words":              {hmx.ValidityScope{Conditions: []string{"when it is dark"}}, at("project: b"), nil, true},
		"the environment":       {hmx.ValidityScope{Conditions: []string{"environment: staging"}}, at("environment: production"), nil, false},
		"an environment by tag": {hmx.ValidityScope{Conditions: []string{"environment: staging"}}, at("project: b"), []string{"env:production"}, false},
		"both must hold":        {hmx.ValidityScope{Conditions: []string{"project: a", "environment: staging"}}, at("project: a", "environment: production"), nil, false},
		"an agent":              {hmx.ValidityScope{AgentIDs: []string{"coder"}}, engine.View{Agent: "coder"}, nil, true},
		"below an agent":        {hmx.ValidityScope{AgentIDs: []string{"coder"}}, engine.View{Agent: "coder/tests"}, nil, true},
		"another agent":         {hmx.ValidityScope{AgentIDs: []string{"coder"}}, engine.View{Agent: "writer"}, nil, false},
		"an operator":           {hmx.ValidityScope{AgentIDs: []string{"coder"}}, engine.View{}, nil, true},
		"another tenant":        {hmx.ValidityScope{TenantIDs: []string{"other"}}, engine.View{}, nil, false},
		"a time that is over":   {hmx.ValidityScope{TimeRange: hmx.Some(hmx.TimeRange{End: hmx.Some(hmx.TimeOf(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)))})}, engine.View{}, nil, false},
		"without its tag":       {hmx.ValidityScope{Tags: []string{"git"}}, engine.View{}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, disk.NewMem(), "data")
			must(t)(b.Put(ctx, user, "acme", scopedRule("r", text, c.scope), engine.AnyVersion()))
			want := everywhere
			if len(c.tags) > 0 {
				want = []string{"pack", "constraints", "check"}
			}
			if !c.holds {
				want = nil
			}
			if got := toldIn(t, b, text, push, c.view, c.tags...); !slices.Equal(got, want) {
				t.Errorf("it is told in %q, want %q", got, want)
			}
			if list := listed(t, b, record.Memory); len(list) != 1 {
				t.Errorf("%d memories are listed", len(list))
			}
		})
	}
}

// TestConditionsAreOfTheRequest: conditions are part of the identity of a pack, and are validated.
func TestConditionsAreOfTheRequest(t *testing.T) {
	t.Parallel()
	b := open(t, disk.NewMem(), "data")
	must(t)(b.Put(ctx, user, "acme", ruleOf("r", "Never push to main directly.", memory.StrengthHard), engine.AnyVersion()))
	id := func(list ...string) string {
		p, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "push", View: engine.View{Conditions: list}})
		if err != nil {
			t.Fatal(err)
		}
		return p.Pack.PackID
	}
	if id() == id("project: a") || id("project: a", "project: b") != id("project: b", "project: a", "project: b") {
		t.Error("the id of a pack does not say which conditions it was asked for under")
	}
	many := make([]string, memory.MaxSelectors+1)
	for i := range many {
		many[i] = "project: a"
	}
	for _, bad := range [][]string{{""}, {" a"}, {"a\x00"}, {strings.Repeat("x", memory.MaxCondition+1)}, many} {
		v := engine.View{Conditions: bad}
		if _, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "push", View: v}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "conditions") {
			t.Errorf("%.20q: %v", bad, err)
		}
		if _, err := b.CheckAction(ctx, engine.CheckOptions{Tenant: "acme", Action: guide.Action{Command: "ls"}, View: v}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

// TestOtherProjectsCrowdNothingOut has more rules of another project than are read.
func TestOtherProjectsCrowdNothingOut(t *testing.T) {
	t.Parallel()
	testsize.Long(t, "it writes thousands of memories")
	b := open(t, disk.NewMem(), "data")
	const text = "Never push to main directly."
	must(t)(b.Put(ctx, user, "acme", scopedRule("ours", text, inProject("a")), engine.AnyVersion()))
	var wait sync.WaitGroup
	for i := range 1100 {
		wait.Go(func() {
			m := scopedRule(fmt.Sprint("theirs-", i), fmt.Sprintf("Never deploy number %d on a Friday.", i), inProject("b"))
			if _, err := b.Put(ctx, user, "acme", m, engine.AnyVersion()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := toldIn(t, b, text, guide.Action{Command: "git push origin main"}, engine.View{Conditions: []string{"project: a"}}); len(got) != 5 {
		t.Errorf("it is told in %q", got)
	}
}
