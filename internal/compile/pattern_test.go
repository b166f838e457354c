package compile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
	"lukasa.dev/internal/trace/provenance"
)

// the returns the only draft of a type.
func the(t *testing.T, drafts []Draft, kind hmx.ArtifactType) *Draft {
	t.Helper()
	found := of(drafts, kind)
	if len(found) != 1 {
		for _, d := range found {
			t.Log(d.Key, d.Artifact.Title)
		}
		t.Fatalf("%d drafts of %s", len(found), kind)
	}
	return &found[0]
}

func TestSchema(t *testing.T) {
	var traces []*trace.Trace
	for i := range 8 {
		steps := "get_order pay ship"
		switch {
		case i%4 == 1:
			steps = "get_order ask pay ship" // a quarter asks
		case i == 6:
			steps = "get_order get_order pay ship pay" // repetitions count once, a second time is rare
		}
		outcome := trace.Succeeded
		if i > 4 {
			outcome = trace.Failed
		}
		s := shop(i, outcome, steps)
		s.Tasks[0].Steps[0].Args = []trace.Arg{{Name: "order", From: provenance.FromGoal}}
		s.Tasks[0].Steps[0].Shape = "order=<id>"
		traces = append(traces, s)
	}
	// Another procedure, and one that occurred only once.
	for i := range 3 {
		traces = append(traces, shop(20+i, trace.Failed, "plan dig plant water"))
	}
	traces = append(traces, shop(30, trace.Failed, "sing dance"))
	drafts := of(mine(t, traces, Options{}), hmx.TypeTaskSchema)
	if len(drafts) != 2 {
		t.Fatalf("%d schemas", len(drafts))
	}
	i := slices.IndexFunc(drafts, func(d Draft) bool { return d.Support == 8 })
	c, ok := drafts[i].Artifact.TaskSchema()
	if !ok {
		t.Fatal(drafts[i])
	}
	var lines []string
	for _, s := range c.Steps {
		lines = append(lines, fmt.Sprintf("%d %s %v %s", s.Order.Value, s.Description, s.Optional.Value, s.Extra["tasks"]))
	}
	want := []string{"1 Call get_order with order=<id> false 8", "2 Call ask true 2", "3 Call pay false 8", "4 Call ship false 8"}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if got := string(c.Steps[0].Extra["next"]); got != `[{"count":6,"tool":"pay"},{"count":2,"tool":"ask"}]` {
		t.Error(got)
	}
	if !slices.Equal(c.Preconditions, []string{"the user has given order for get_order"}) || !slices.Equal(c.Postconditions, []string{"ship has worked"}) ||
		c.EstimatedComplexity != "low" || drafts[i].Artifact.Title != "order send: get_order, pay, ship" || drafts[i].Artifact.SuccessRate.Value != 0.625 {
		t.Errorf("%+v %+v", c, drafts[i].Artifact)
	}
	if drafts[i].Against != "" || drafts[1-i].Against != "" {
		t.Error("three failures speak against a schema")
	}
	// Once most such tasks have failed, it is no advice.
	traces = append(traces, shop(40, trace.Failed, "plan dig plant water"))
	for _, d := range of(mine(t, traces, Options{}), hmx.TypeTaskSchema) {
		if (d.Against != "") != (d.Support == 4) {
			t.Errorf("%s: %q", d.Artifact.Title, d.Against)
		}
	}
}

func TestPlaybook(t *testing.T) {
	var traces []*trace.Trace
	for i := range 8 {
		traces = append(traces, shop(i, trace.Failed, "look ship!"))
		traces = append(traces, shop(10+i, trace.Succeeded, "look ship! restock ship"))
	}
	for i := range 16 { // sessions that count first lack this error
		traces = append(traces, shop(100-i, trace.Succeeded, "look count ship"))
	}
	for i := range traces {
		// Compared tasks must precede the last counted error.
		at := uint64(1000 * (i%16*2 + i/16))
		task := &traces[i].Tasks[0]
		task.From.Position = at
		for j := range task.Steps {
			task.Steps[j].Call.Position = at + uint64(j)
		}
	}
	d := the(t, mine(t, traces, Options{}), hmx.TypeFailurePlaybook)
	c, _ := d.Artifact.FailurePlaybook()
	if c.FailurePattern != `ship fails and says "no stock of <id>"` || !slices.Equal(c.Symptoms, []string{`the result of ship reads "no stock of <id>"`}) {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.TriggerConditions, []string{"after look (16 of 16 times)"}) || !slices.Equal(c.RecoverySteps, []string{"Call restock", "Call ship again"}) {
		t.Errorf("%+v", c)
	}
	if len(c.PreventionStrategies) != 1 || !strings.HasPrefix(c.PreventionStrategies[0], "Call count before ship: done in ") || !strings.HasSuffix(c.PreventionStrategies[0], "and in 0 of 16 with it") {
		t.Errorf("%q", c.PreventionStrategies)
	}
	if c.Severity != "high" || string(c.Extra["recovered"]) != "8" || string(c.Extra["recoveries"]) != `[{"count":8,"tools":["restock","ship"]}]` {
		t.Errorf("%+v", c)
	}
	if strings.Contains(d.Artifact.Title+d.Artifact.Summary+d.Key, "stock of") {
		t.Errorf("what the tool said is in %q, %q or %q", d.Artifact.Title, d.Artifact.Summary, d.Key)
	}
}

// Severity depends on failed tasks and on the recovery.
func TestSeverity(t *testing.T) {
	for want, b := range map[string]book{
		"critical": {counted: 8, recovered: 1, ended: tally{8, 8, 0}, spared: tally{8, 8, 8}},
		"high":     {counted: 8, recovered: 8, ended: tally{8, 8, 5}, spared: tally{8, 8, 8}},
		"medium":   {counted: 8, recovered: 8, lost: 30},
		"low":      {counted: 8, recovered: 8, lost: 8},
	} {
		if got := b.severity(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestCauses(t *testing.T) {
	var traces []*trace.Trace
	for i := range 20 {
		traces = append(traces, shop(4*i, trace.Failed, "look! ship"), shop(4*i+1, trace.Succeeded, "look ship"), shop(4*i+2, trace.Succeeded, "ship"))
	}
	traces = append(traces, shop(900, trace.Succeeded, "look! ship")) // a counterexample
	d := the(t, mine(t, traces, Options{}), hmx.TypeCausalPattern)
	c, _ := d.Artifact.CausalPattern()
	if c.Cause != "look failed" || c.Effect != "the task failed" || c.Direction != "forward" || c.Strength.Value != 1 ||
		!slices.Equal(c.Counterexamples, []string{"s0900-0"}) || string(c.Extra["counts"]) != `{"both":20,"cause_only":1,"effect_only":0,"neither":40}` {
		t.Errorf("%+v", c)
	}
	// One tool that fails after another.
	traces = nil
	for i := range 20 {
		traces = append(traces, shop(2*i, trace.Unknown, "look! ship!"), shop(2*i+1, trace.Unknown, "look ship"))
	}
	c, _ = the(t, mine(t, traces, Options{}), hmx.TypeCausalPattern).Artifact.CausalPattern()
	if c.Cause != "look failed" || c.Effect != "ship failed" || c.Direction != "forward" || c.Conditions[0] != "of tasks that called ship" {
		t.Errorf("%+v", c)
	}
	// And vice versa.
	for i := range 20 {
		traces = append(traces, shop(100+2*i, trace.Unknown, "ship! look!"), shop(101+2*i, trace.Unknown, "ship look"))
	}
	c, _ = the(t, mine(t, traces, Options{}), hmx.TypeCausalPattern).Artifact.CausalPattern()
	if c.Direction != "bidirectional" {
		t.Errorf("%+v", c)
	}
}

// Without causes, almost nothing is found.
func TestNoCauses(t *testing.T) {
	found := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		var traces []*trace.Trace
		for i := range 200 {
			var steps []string
			for range 3 + r.IntN(6) {
				step := string(rune('a' + r.IntN(12)))
				if r.IntN(5) == 0 {
					step += "!"
				}
				steps = append(steps, step)
			}
			traces = append(traces, shop(i, trace.Outcome(1+r.IntN(2)), strings.Join(steps, " ")))
		}
		found += len(of(mine(t, traces, Options{}), hmx.TypeCausalPattern))
	}
	if found > 1 {
		t.Errorf("%d patterns by chance in 20 histories", found)
	}
}

func TestStrategy(t *testing.T) {
	var traces []*trace.Trace
	for i, steps := range []string{
		"get_order find_user updateOrder run_tests", "get_order updateOrder verify_order", "find_user updateOrder run_tests",
		"updateOrder get_order", "get_order updateOrder",
	} {
		outcome := trace.Succeeded
		if i == 4 {
			outcome = trace.Failed
		}
		traces = append(traces, shop(i, outcome, steps))
	}
	known := roles()
	for name, want := range map[string]role{"get_order": roleLook, "updateOrder": roleChange, "verify-order": roleCheck, "transfer_to_human": roleTell, "Think": roleThink, "xyz": roleOther, "command_exec": roleChange, "file_edit": roleChange, "test_run": roleCheck, "run_tests": roleCheck, "api_request": roleChange, "read_file": roleLook, "": roleOther} {
		if got := roleOf(known, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	d := the(t, mine(t, traces, Options{}), hmx.TypeStrategyTemplate)
	c, _ := d.Artifact.StrategyTemplate()
	var phases []string
	for _, p := range c.Phases {
		phases = append(phases, p.Name+": "+strings.Join(p.ToolsUsed, " ")+"; "+strings.Join(p.SuccessCriteria, " "))
	}
	want := []string{"Look up: find_user get_order; ", "Change: updateOrder; updateOrder has worked", "Check: run_tests verify_order; "}
	if d := cmp.Diff(want, phases); d != "" {
		t.Error(d)
	}
	if c.Goal != "order send" || !slices.Equal(c.ApplicabilityConditions, []string{"the goal speaks of order, send"}) || d.Support != 5 {
		t.Errorf("%+v", c)
	}
}

// Evidence is the newest distinct events, and only as many as an artifact has room for.
func TestEvidence(t *testing.T) {
	var e evidence
	for i := range 5 * hmx.MaxSourceEvents {
		e.add(&trace.Step{Trust: record.Agent, Call: trace.Ref{ID: fmt.Sprint(i / 2), Position: uint64(i / 2)}})
	}
	got := e.inOrder()
	if len(got) != hmx.MaxSourceEvents || got[0].ref.ID != "15000" || got[len(got)-1].ref.ID != "24999" {
		t.Errorf("%d events from %s", len(got), got[0].ref.ID)
	}
	long := []string{strings.Repeat("x", 100), strings.Repeat("\x01", 10), "last"}
	if ids := lastFitting(long, 70); !slices.Equal(ids, []string{strings.Repeat("\x01", 10), "last"}) {
		t.Errorf("%q", ids)
	}
	if ids := lastFitting(long, 69); !slices.Equal(ids, []string{"last"}) {
		t.Errorf("%q", ids)
	}
}
