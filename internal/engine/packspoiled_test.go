package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestPackDerivedForgets: what was derived from a redacted record is included nowhere, not
// as an entry, a rule, a hint or in a block of context, now or as of before; what was
// derived from remaining or merely expired records is.
func TestPackDerivedForgets(t *testing.T) {
	clock := newClock()
	b := openWith(t, t.TempDir()+"/data", engine.Options{Clock: clock.Now})
	for i := range 6 {
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{packDeed(t, fmt.Sprint("e", i), "talk", int64(i), "message", fmt.Sprintf(`{"role":"user","text":"About shipping walruses, %d."}`, i))}))
	}
	short := packDeed(t, "short", "talk", 7, "message", `{"role":"user","text":"Walruses are shipped on ice."}`)
	short.TTLSeconds = hmx.Some[int64](60)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{short}))
	policy := func(id, says string, events ...string) *memory.Artifact {
		return compiled(t, id, "Shipping walruses", &hmx.DecisionPolicy{Condition: "shipping walruses", Recommendation: says}, events...)
	}
	steps := []hmx.TaskStep{{Description: "secretstep one"}, {Description: "secretstep two"}}
	rule := ruleOf("rule", "Never ship walruses by secretmail.", memory.StrengthHard)
	rule.Sources = []memory.URI{uri(record.Event, "e0")}
	for _, body := range []memory.Body{
		policy("some", "use the secretcrate", "e0", "e1"),
		policy("none", "use the secretbarrel", "e0"),
		policy("left", "use the large sledge", "e1", "e2"),
		policy("aged", "use the oldest harness", "short", "e2"),
		compiled(t, "way", "Shipping walruses", &hmx.TaskSchema{Steps: steps}, "e0", "e3"),
		rule,
	} {
		must(t)(b.Put(ctx, user, "acme", body, engine.AnyVersion()))
	}
	root, err := b.Root(ctx, "acme")
	must(t)(nil, err)
	tell := func(as engine.AsOf) string {
		t.Helper()
		got, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "shipping walruses", Budget: 8000, Session: "talk", AsOf: as})
		must(t)(nil, err)
		if _, err := b.VerifyPack(ctx, "acme", got.Pack, engine.VerifyPackOptions{Far: true}); err != nil {
			t.Errorf("as of %v: %v", as.Position, err)
		}
		data, err := got.Pack.AppendJSON(nil)
		must(t)(nil, err)
		about := ""
		if as.Position == (hmx.Opt[uint64]{}) {
			about, err = b.PackContext(ctx, engine.PackContextOptions{Tenant: "acme", BlockRequest: block.Request{Topic: "shipping walruses", Budget: hmx.Some(8000)}})
			must(t)(nil, err)
		}
		return string(data) + got.Text + about
	}
	secrets := []string{"secretcrate", "secretbarrel", "secretstep", "secretmail"}
	if said := tell(engine.AsOf{}); !containsAll(said, append(secrets, "sledge", "harness")...) {
		t.Fatalf("not all of it is told: %s", said)
	}
	clock.Move(24 * time.Hour)
	gone, err := b.Expire(ctx, user, "acme", clock.Now())
	if err != nil || gone.Events != 1 {
		t.Fatalf("%+v %v", gone, err)
	}
	if _, err := b.Redact(ctx, user, []memory.URI{uri(record.Event, "e0")}); err != nil {
		t.Fatal(err)
	}
	for _, as := range []engine.AsOf{{}, {Position: hmx.Some(root.Size - 1)}} {
		said := tell(as)
		for _, secret := range secrets {
			if strings.Contains(said, secret) {
				t.Errorf("as of %v %s is told: %s", as.Position, secret, said)
			}
		}
		if !containsAll(said, "sledge", "harness") {
			t.Errorf("as of %v what is left is not told: %s", as.Position, said)
		}
	}
}

// containsAll reports whether a text contains all of some words.
func containsAll(text string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// TestPackRulesOnce: a rule whose section is not requested is included once, whether it is
// found by its words, because it is always included, or both; and the pack verifies.
func TestPackRulesOnce(t *testing.T) {
	b := openWith(t, t.TempDir()+"/data", engine.Options{})
	for i := range 20 {
		must(t)(b.Put(ctx, user, "acme", ruleOf(fmt.Sprint("r", i), fmt.Sprintf("Never deploy on a Friday of month %d.", i), memory.StrengthHard), engine.AnyVersion()))
	}
	must(t)(b.Put(ctx, user, "acme", &memory.Memory{ID: "f", Key: "f", Type: memory.TypeFact, Text: "A deploy takes five minutes."}, engine.AnyVersion()))
	for _, sections := range [][]hmx.Section{nil, {hmx.SectionFacts}, {hmx.SectionWorkflow}} {
		got, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "deploy on a Friday", Budget: 4000, Sections: sections})
		must(t)(nil, err)
		told := make(map[string]bool)
		for _, c := range got.Pack.DecisionConstraints {
			told[c.ArtifactID] = true
		}
		if len(told) != 20 || len(got.Pack.DecisionConstraints) != 20 {
			t.Errorf("sections %q: %d rules are told, of which %d are others", sections, len(got.Pack.DecisionConstraints), len(told))
		}
		if _, err := b.VerifyPack(ctx, "acme", got.Pack, engine.VerifyPackOptions{}); err != nil {
			t.Errorf("sections %q: %v", sections, err)
		}
	}
}

// TestVerifyPackWhileErased: an erasure during the verification does not make a pack look
// changed.
func TestVerifyPackWhileErased(t *testing.T) {
	b, _ := verifyBoard(t, disk.NewMem())
	honest := packed(t, b, verifyOptions).Pack
	must(t)(b.Put(ctx, user, "acme", fact("unrelated", "", "Something else."), engine.AnyVersion()))
	erased := false
	proof, err := b.VerifyPack(ctx, "acme", copied(t, honest), engine.VerifyPackOptions{Progress: func(_, _ uint64) {
		if !erased {
			erased = true
			must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Memory, "port")}))
		}
	}})
	if err != nil || !erased || proof.Remade != engine.RemadeNotPossible {
		t.Errorf("erased %v: %+v %v", erased, proof, err)
	}
}

// TestPackUnguided: without priors a pack equals a ranked one.
func TestPackUnguided(t *testing.T) {
	c := newClock()
	b := openWith(t, "data", packOptions(disk.NewMem(), c))
	fillPackBoard(t, b, c)
	for _, budget := range []int{25, 100, 400} {
		o := engine.PackOptions{Tenant: "acme", Query: "deploy of the payment service", Budget: budget}
		ranked := packed(t, b, o)
		o.Strategy = hmx.StrategyFingerprintGuided
		o.Priors = map[int]hmx.Raw{100: `{}`}[budget] // which are empty priors
		guided := packed(t, b, o)
		if ranked.Text != guided.Text || ranked.Pack.AssemblyMetadata.CandidateCount != guided.Pack.AssemblyMetadata.CandidateCount {
			t.Errorf("%d tokens: %d candidates, ranked %d:\n%s\n%s", budget, guided.Pack.AssemblyMetadata.CandidateCount, ranked.Pack.AssemblyMetadata.CandidateCount, guided.Text, ranked.Text)
		}
		if ranked.Pack.TokenBudget.Used*4 < int64(budget)*3 && ranked.Pack.AssemblyMetadata.CandidateCount < 10 {
			t.Errorf("%d tokens: %d used of few candidates", budget, ranked.Pack.TokenBudget.Used)
		}
	}
}

// TestPackNowInRange: a time that no record can have is refused.
func TestPackNowInRange(t *testing.T) {
	b := openWith(t, "data", engine.Options{FS: disk.NewMem()})
	must(t)(b.Put(ctx, user, "acme", fact("f", "", "A deploy takes five minutes."), engine.AnyVersion()))
	for _, year := range []int{-1, 1600, 2263, 9999} {
		_, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "deploy", View: engine.View{Now: time.Date(year, 5, 1, 0, 0, 0, 0, time.UTC)}})
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "now: ") {
			t.Errorf("year %d: %v", year, err)
		}
	}
}

// TestPackForgetsManySources: a record with more sources than are proven is gone with the
// last of them, and not before.
func TestPackForgetsManySources(t *testing.T) {
	b := openWith(t, t.TempDir()+"/data", engine.Options{})
	many := ruleOf("many", "Never ship walruses by secretmail.", memory.StrengthHard)
	for i := range 70 {
		id := fmt.Sprint("e", i)
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{packDeed(t, id, "talk", int64(i), "message", `{"role":"user","text":"About walruses."}`)}))
		many.Sources = append(many.Sources, uri(record.Event, id))
	}
	must(t)(b.Put(ctx, user, "acme", many, engine.AnyVersion()))
	rules := func() int {
		return len(packed(t, b, engine.PackOptions{Tenant: "acme", Query: "shipping walruses", Budget: 2000}).Pack.DecisionConstraints)
	}
	for _, gone := range [][]memory.URI{many.Sources[:69], many.Sources[69:]} {
		if rules() != 1 {
			t.Errorf("with %d to go the rule is not told", len(gone))
		}
		must(t)(b.Redact(ctx, user, gone))
	}
	if rules() != 0 {
		t.Error("the rule is told still")
	}
}
