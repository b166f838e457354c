package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestOnlyActiveIsFound queries artifacts of every status in every way that agents use:
// inactive ones are found only by their status.
func TestOnlyActiveIsFound(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	store(t, b, stated(t, "e1", 1, "Ship it."))
	put := func(id, supersedes string, version int64) {
		t.Helper()
		a := compiled(t, id, "How to ship walruses "+id, &hmx.DecisionPolicy{Condition: "shipping walruses", Recommendation: "use crate " + id}, "e1")
		a.HMX.Status, a.HMX.Version, a.HMX.Tags = hmx.StatusDraft, version, []string{"walrus"}
		if supersedes != "" {
			a.HMX.Supersedes = hmx.Some(supersedes)
		}
		must(t)(b.Put(ctx, user, "acme", a, engine.AnyVersion()))
	}
	for _, id := range []string{"superseded", "archived", "deprecated"} {
		put(id, "", 1)
		decided(t, b, id, hmx.StatusActive)
	}
	put("active", "superseded", 2)
	decided(t, b, "active", hmx.StatusActive)
	decided(t, b, "archived", hmx.StatusArchived)
	decided(t, b, "deprecated", hmx.StatusDeprecated)
	put("draft", "", 1)
	same := func(how string, got []string, want ...string) {
		t.Helper()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", how, got, want)
		}
	}
	for _, tags := range [][]string{nil, {"walrus"}} {
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "how to ship walruses", Kinds: []record.Kind{record.Artifact}, Tags: tags})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range found.Hits {
			ids = append(ids, h.URI.ID)
		}
		same(fmt.Sprint("search ", tags), ids, "active")
	}
	find := func(o engine.FindOptions) (ids []string) {
		t.Helper()
		o.Tenant, o.Tags = "acme", []string{"walrus"}
		found, err := b.Find(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			ids = append(ids, h.URI.ID)
		}
		return ids
	}
	same("find", find(engine.FindOptions{}), "active")
	same("find with words", find(engine.FindOptions{Text: "walruses"}), "active")
	for _, status := range hmx.Statuses() {
		same("find "+string(status), find(engine.FindOptions{Status: string(status)}), string(status))
	}
	same("find where", find(engine.FindOptions{Where: []engine.Compare{{Field: "status", Op: "!=", Value: "active"}}}), "archived", "deprecated", "draft", "superseded")
	packed, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "how to ship walruses", Budget: 4000})
	if err != nil {
		t.Fatal(err)
	}
	block, err := b.PackContext(ctx, engine.PackContextOptions{Tenant: "acme", BlockRequest: block.Request{Topic: "how to ship walruses"}})
	if err != nil {
		t.Fatal(err)
	}
	for how, text := range map[string]string{"pack": packed.Text, "block": block} {
		if !strings.Contains(text, "crate active") {
			t.Errorf("%s: %s", how, text)
		}
		for _, id := range []string{"superseded", "archived", "deprecated", "draft"} {
			if strings.Contains(text, "crate "+id) {
				t.Errorf("%s tells what is %s: %s", how, id, text)
			}
		}
	}
	for _, c := range packed.Pack.DecisionConstraints {
		if c.ArtifactID != "active" {
			t.Errorf("%+v", c)
		}
	}
}

// TestVersionsCrowdNothingOut writes more versions than a pack reads after an active
// policy and an active task schema: both are still in the pack.
func TestVersionsCrowdNothingOut(t *testing.T) {
	testsize.OneGoroutine(t)
	b := open(t, disk.NewMem(), "data")
	store(t, b, stated(t, "e1", 1, "Ship it."))
	store(t, b, worked(t, 1)...)
	must(t)(b.Put(ctx, user, "acme", compiled(t, "rule", "Crates", &hmx.DecisionPolicy{Condition: "shipping walruses", Recommendation: "use the large crate"}, "e1"), engine.AnyVersion()))
	steps := []hmx.TaskStep{{Description: "Read the config", ToolsUsed: []string{"read_config"}}, {Description: "Deploy", ToolsUsed: []string{"deploy"}}, {Description: "Look", ToolsUsed: []string{"check_health"}}, {Description: "Tell", ToolsUsed: []string{"notify"}}}
	must(t)(b.Put(ctx, user, "acme", compiled(t, "way", "Deploying", &hmx.TaskSchema{Steps: steps}, "e1"), engine.AnyVersion()))
	for i := range 300 {
		for name, content := range map[string]hmx.ArtifactContent{
			"policy": &hmx.DecisionPolicy{Condition: "painting fences", Recommendation: "use a brush"}, "schema": &hmx.TaskSchema{Steps: []hmx.TaskStep{{Description: "Paint", ToolsUsed: []string{"brush"}}}},
		} {
			a := compiled(t, fmt.Sprint(name, i), "Fences", content, "e1")
			a.HMX.Status = hmx.StatusDeprecated
			must(t)(b.Put(ctx, user, "acme", a, engine.AnyVersion()))
		}
	}
	packed, err := b.Pack(ctx, engine.PackOptions{Tenant: "acme", Query: "shipping walruses", Session: "s001", Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(packed.Pack.DecisionConstraints, func(c hmx.DecisionConstraint) bool { return c.ArtifactID == "rule" }) {
		t.Errorf("the policy fell out: %+v", packed.Pack.DecisionConstraints)
	}
	if hints := packed.Pack.WorkflowHints; hints.Value.ActiveTaskSchema.Value != "way" {
		t.Errorf("the schema fell out: %+v", hints)
	}
}

// TestActiveIsKnownAtOnce queries right after each change of an artifact, so that the
// cache of active ones is never stale.
func TestActiveIsKnownAtOnce(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	store(t, b, stated(t, "e1", 1, "Ship it."))
	seen := func() bool {
		t.Helper()
		found, err := b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "shipping walruses", Kinds: []record.Kind{record.Artifact}})
		if err != nil {
			t.Fatal(err)
		}
		return len(found.Hits) > 0
	}
	var a *memory.Artifact
	for i := range 5 {
		a = compiled(t, fmt.Sprint("a", i), "Shipping walruses", &hmx.DecisionPolicy{Condition: "c", Recommendation: "r"}, "e1")
		a.HMX.Status = hmx.StatusDraft
		must(t)(b.Put(ctx, user, "acme", a, engine.AnyVersion()))
		if seen() {
			t.Error("a draft is found")
		}
		decided(t, b, a.HMX.ArtifactID, hmx.StatusActive)
		if !seen() {
			t.Error("what is active is not found")
		}
		decided(t, b, a.HMX.ArtifactID, hmx.StatusArchived)
		if seen() {
			t.Error("what is archived is found")
		}
	}
}
