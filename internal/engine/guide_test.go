package engine_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
)

// nextOf returns the suggestions for a session, by name.
func nextOf(t testing.TB, b *engine.Board, o engine.NextOptions) (tools []string) {
	t.Helper()
	o.Tenant = "acme"
	next, err := b.NextStep(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, s := range next.Suggestions {
		if s.Probability < 0 || s.Probability > 1 || s.Reason == "" {
			t.Errorf("%+v", s)
		}
		sum += s.Probability
		tools = append(tools, s.Tool)
	}
	if sum > 1.000001 {
		t.Errorf("the probabilities sum to %v", sum)
	}
	return tools
}

func TestNextStep(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	for i := range 12 {
		store(t, b, worked(t, i)...)
	}
	if got := nextOf(t, b, engine.NextOptions{Session: "s001"}); len(got) > 0 {
		t.Errorf("before anything was compiled it suggests %v", got)
	}
	compileNow(t, b, engine.CompileOptions{})
	all := worked(t, 99) // fails once, since 99 is divisible by 3
	if got := nextOf(t, b, engine.NextOptions{Session: "s099"}); len(got) != engine.DefaultNextSteps {
		t.Errorf("for a session without events: %v", got)
	}
	// The suggestion after that many events.
	want := map[int]string{1: "read_config", 3: "deploy", 5: "push_image", 7: "deploy", 9: "check_health"}
	for i, ev := range all {
		store(t, b, ev)
		got := nextOf(t, b, engine.NextOptions{Session: "s099", Limit: 4})
		if len(foreseen(t, b, "s099").Suggestions[0].Artifacts) == 0 {
			t.Errorf("after %d events nothing stands behind the first", i+1)
		}
		if first := want[i+1]; first != "" && got[0] != first {
			t.Errorf("after %d events it suggests %v, want %s first", i+1, got, first)
		}
	}
	for _, o := range []engine.NextOptions{{Tenant: "acme", Session: "s", Limit: -1}, {Tenant: "acme", Session: "s", Limit: 101}, {Tenant: "acme"}} {
		if _, err := b.NextStep(ctx, o); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
	before, _ := b.Root(ctx, "acme")
	nextOf(t, b, engine.NextOptions{Session: "s099"})
	if after, err := b.Root(ctx, "acme"); err != nil || after != before {
		t.Errorf("a question wrote something: %v", err)
	}
}

// TestNextStepReadsOn compares the suggestions for a growing session, also with inserted
// events and events of the same sequence and time, with those of a board that reads it
// from the start.
func TestNextStepReadsOn(t *testing.T) {
	testsize.OneGoroutine(t)
	fs := disk.NewMem()
	b := open(t, fs, "data")
	for i := range 9 {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	all := worked(t, 99)
	late := all[3] // the first deploy
	same := all[len(all)-2]
	same.Sequence, same.Timestamp = all[len(all)-3].Sequence, all[len(all)-3].Timestamp
	grown := slices.Concat(all[:3], all[4:6], []*hmx.Event{late}, all[6:])
	for i, ev := range grown {
		store(t, b, ev)
		got := fmt.Sprintf("%+v", foreseen(t, b, "s099"))
		if want := fmt.Sprintf("%+v", foreseen(t, uncached(t, b), "s099")); got != want {
			t.Fatalf("after %d events it says %s, and read anew %s", i+1, got, want)
		}
	}
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "s099-5"}}))
	got := fmt.Sprintf("%+v", foreseen(t, b, "s099"))
	if want := fmt.Sprintf("%+v", foreseen(t, uncached(t, b), "s099")); got != want {
		t.Errorf("after an erasure it says %s, and read anew %s", got, want)
	}
}

// uncached returns a board with the same records and empty caches.
func uncached(t testing.TB, b *engine.Board) *engine.Board {
	t.Helper()
	var out bytes.Buffer
	must(t)(b.Export(ctx, "acme", &out, nil))
	c := open(t, disk.NewMem(), "data")
	must(t)(c.Import(ctx, &out, nil))
	return c
}

// foreseen returns all suggestions.
func foreseen(t testing.TB, b *engine.Board, session string) *engine.NextSteps {
	t.Helper()
	next, err := b.NextStep(ctx, engine.NextOptions{Tenant: "acme", Session: session, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestNextStepKeepsToScopes asks as callers to whom artifacts do not apply, or who may
// not see them.
func TestNextStepKeepsToScopes(t *testing.T) {
	clock := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	for i := range 6 {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	none := mint(t, b, clock, func(g *scope.Grant) { g.Include.Tags = []string{"nothing"} })
	if got := nextOf(t, b, engine.NextOptions{Session: "s001", View: engine.View{Scope: none}}); len(got) > 0 {
		t.Errorf("under a scope that shows nothing it suggests %v", got)
	}
	every := mint(t, b, clock, func(g *scope.Grant) { g.Include.All = true })
	if got := nextOf(t, b, engine.NextOptions{Session: "s001", View: engine.View{Scope: every}}); len(got) == 0 {
		t.Error("under a scope that shows everything it suggests nothing")
	}
	// All artifacts are archived, and one that applies to one agent only replaces them.
	operator := engine.Writer{Actor: "boss", Trust: record.Operator}
	var model hmx.Artifact
	for _, x := range listed(t, b, record.Artifact) {
		a := x.Body.(*memory.Artifact).HMX
		if x.Status == "active" {
			must(t)(b.Transition(ctx, operator, engine.RefOf(x.URI.Head()), hmx.StatusArchived, "", "", engine.AnyVersion()))
		}
		if a.Title == "What follows read_config" {
			model = a
		}
	}
	if got := nextOf(t, b, engine.NextOptions{Session: "s001"}); len(got) > 0 {
		t.Errorf("without active artifacts it suggests %v", got)
	}
	model.ArtifactID, model.Status = "mine", hmx.StatusActive
	model.ValidityScope = hmx.Some(hmx.ValidityScope{
		AgentIDs: []string{"a7"}, Tags: []string{"ops"}, TimeRange: hmx.Some(hmx.TimeRange{End: hmx.Some(hmx.TimeOf(clock.Now().Add(time.Hour)))}),
	})
	must(t)(b.Put(ctx, operator, "acme", &memory.Artifact{HMX: model}, engine.AnyVersion()))
	for _, c := range []struct {
		name string
		o    engine.NextOptions
		want bool
	}{
		{"the agent", engine.NextOptions{Tags: []string{"ops"}, View: engine.View{Agent: "a7"}}, true},
		{"another agent", engine.NextOptions{Tags: []string{"ops"}, View: engine.View{Agent: "a8"}}, false},
		{"without the tag", engine.NextOptions{View: engine.View{Agent: "a7"}}, false},
		{"too late", engine.NextOptions{Tags: []string{"ops"}, View: engine.View{Agent: "a7", Now: clock.Now().Add(2 * time.Hour)}}, false},
	} {
		c.o.Session = "s001"
		if got := nextOf(t, b, c.o); (len(got) > 0) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestPacksHintAtNextSteps: packs contain the suggestions of NextStep, and prove them.
func TestPacksHintAtNextSteps(t *testing.T) {
	testsize.OneGoroutine(t)
	b := open(t, disk.NewMem(), "data")
	for i := range 12 {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	store(t, b, worked(t, 99)[:5]...) // the first deploy failed
	o := engine.PackOptions{Tenant: "acme", Query: "deploy the billing service", Session: "s099", Budget: 4000}
	packed, err := b.Pack(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	steps := packed.Pack.WorkflowHints.Value.SuggestedNextSteps
	want := foreseen(t, b, "s099").Suggestions
	if len(steps) == 0 || steps[0].Tools[0] != want[0].Tool || steps[0].ArtifactID.Value != want[0].Artifacts[0] {
		t.Fatalf("%+v, want %+v", steps, want)
	}
	if steps[0].Tools[0] != "push_image" || !strings.Contains(packed.Text, "push_image") {
		t.Errorf("after an error it suggests %+v", steps[0])
	}
	proof, err := b.VerifyPack(ctx, "acme", packed.Pack, engine.VerifyPackOptions{})
	if err != nil || proof.Remade != engine.RemadeYes {
		t.Errorf("%+v %v", proof, err)
	}
	// Later, its state is in the past.
	store(t, b, worked(t, 99)[5:]...)
	if proof, err = b.VerifyPack(ctx, "acme", packed.Pack, engine.VerifyPackOptions{}); err != nil || proof.Remade != engine.RemadeYes {
		t.Errorf("later: %+v %v", proof, err)
	}
	forged := *packed.Pack
	forged.WorkflowHints.Value.SuggestedNextSteps = slices.Clone(steps)
	forged.WorkflowHints.Value.SuggestedNextSteps[0].Tools = []string{"rm_rf"}
	if _, err := b.VerifyPack(ctx, "acme", &forged, engine.VerifyPackOptions{}); err == nil {
		t.Error("a tool that no artifact names is proven")
	}
	o.Session = ""
	if packed, err = b.Pack(ctx, o); err != nil {
		t.Fatal(err)
	}
	for _, s := range packed.Pack.WorkflowHints.Value.SuggestedNextSteps {
		if pack.Observed(&s) {
			t.Errorf("without a session it suggests %+v", s)
		}
	}
}
