package pack

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

func release() Schema {
	return Schema{ArtifactID: "art-1", Confidence: 0.8, SuccessRate: hmx.Some(0.5), Observed: hmx.Some(int64(12)), Steps: []Step{
		{Description: "Run the tests", Tools: []string{"go"}},
		{Description: "Read the changelog", Tools: []string{"less"}, Optional: true},
		{Description: "Build the image", Tools: []string{"Docker", "podman"}},
		{Description: "Announce the release in writing"},
		{Description: "Watch the graphs", Tools: []string{"grafana"}},
	}}
}

func did(tools ...string) (deeds []Deed) {
	for _, tool := range tools {
		tool, text, _ := strings.Cut(tool, ":")
		d := Deed{Tool: strings.TrimSuffix(tool, "!"), Text: text, Outcome: memory.OutcomeSuccess}
		if strings.HasSuffix(tool, "!") {
			d.Outcome = memory.OutcomeFailure
		}
		deeds = append(deeds, d)
	}
	return deeds
}

// TestWalk: the place of a session in a task, by its deeds.
func TestWalk(t *testing.T) {
	for deeds, want := range map[string]string{
		"":                                   "0 0",
		"go":                                 "1 1",
		"go docker":                          "3 2", // an optional step is skipped
		"go less DOCKER":                     "3 3",
		"docker":                             "3 1", // and one required step
		"grafana":                            "0 0", // but not more
		"go :announce_release_in_plain_text": "4 2", // two of the three long words
		"go docker grafana":                  "5 3",
		"ls cat go vim go":                   "1 1", // a step is done once
		"go docker :announce_the_release_in_writing grafana": "5 4",
	} {
		schema := release()
		tools := strings.Fields(deeds)
		for i := range tools {
			tools[i] = strings.ReplaceAll(tools[i], "_", " ")
		}
		done := did(tools...)
		said := make([]map[string]bool, len(done))
		for i := range done {
			said[i] = longWords(done[i].Text)
		}
		w := schema.walk(len(done), schema.matcher(done, said))
		if got := fmt.Sprint(w.at, w.matched); got != want {
			t.Errorf("%q: %s, should be %s", deeds, got, want)
		}
	}
}

// TestWalkIsShort: a deed is compared with few steps, however many are optional, and the words
// of each step are read once.
func TestWalkIsShort(t *testing.T) {
	schema := Schema{Steps: make([]Step, 20_000)}
	for i := range schema.Steps {
		schema.Steps[i] = Step{Description: "Nothing of the kind", Optional: i%3 != 0}
	}
	schema.Steps[10].Description = "Announce the release"
	pairs := 0
	w := schema.walk(500, func(deed, step int) bool {
		pairs++
		return deed > 0 && step <= deed && schema.Steps[step].Description == "Announce the release"
	})
	if w.at != 0 || w.matched != 0 || pairs > 500*(maxOptional+3) {
		t.Errorf("%+v after %d pairs", w, pairs)
	}
	for i := range schema.Steps {
		schema.Steps[i].Optional = true
	}
	said := []map[string]bool{{"kind": true, "nothing": true}}
	matches := schema.matcher(did(":x"), said)
	if !matches(0, 3) {
		t.Fatal("a step is not known by its words")
	}
	schema.Steps[3].Description = "Something else"
	if !matches(0, 3) {
		t.Error("the words of a step are read again")
	}
	// Limits: the last deeds, the beginning of a long text and the first tools count.
	deeds := did(strings.Split(strings.Repeat("go!:first ", 500)+"docker!:last", " ")...)
	long := Task{Deeds: deeds, Schemas: []Schema{{ArtifactID: "a", Relevance: 1, Steps: []Step{
		{Description: strings.Repeat("x", 1<<20), Tools: slices.Repeat([]string{strings.Repeat("tool", 1<<10)}, 5000)}}}}}
	h := long.hints()
	if len(long.last()) != maxDeeds || len(h.Blockers) != 2 || h.Blockers[0] != "docker: last" {
		t.Errorf("%q", h.Blockers)
	}
	step := h.SuggestedNextSteps[0]
	if len(step.Description) > ruleBytes || len(step.Tools) != maxTools || len(step.Tools[0]) > toolBytes {
		t.Errorf("%d bytes, %d tools", len(step.Description), len(step.Tools))
	}
	if words := longWords(strings.Repeat("word ", 1000) + "late"); len(words) != 1 {
		t.Errorf("%v", words)
	}
}

func TestHints(t *testing.T) {
	other := Schema{ArtifactID: "art-2", Confidence: 0.9, Relevance: 0.9, Steps: []Step{{Description: "Write", Tools: []string{"vim"}}, {Description: "Send", Tools: []string{"mail"}}}}
	task := Task{Schemas: []Schema{other, release()}, Deeds: did("go", "docker!: no space left", "git!: rejected", "git: pushed")}
	h := task.hints()
	if h.ActiveTaskSchema.Value != "art-1" || h.CurrentStep.Value != 3 || h.TotalSteps.Value != 5 || len(h.SuggestedNextSteps) != 2 {
		t.Fatalf("%+v", h)
	}
	first, second := h.SuggestedNextSteps[0], h.SuggestedNextSteps[1]
	if first.Description != "Announce the release in writing" || first.Confidence.Value != 0.4 || second.Confidence.Value != 0.36 || second.Tools[0] != "grafana" ||
		first.ArtifactID.Value != "art-1" || first.Extra["step"] != "4" || first.Extra["success_rate"] != "0.5" || first.Extra["observed_count"] != "12" {
		t.Errorf("%+v", h.SuggestedNextSteps)
	}
	if len(h.Blockers) != 1 || h.Blockers[0] != "docker:  no space left" {
		t.Errorf("%q", h.Blockers)
	}
	task.Deeds = nil // the one that the query names
	if h := task.hints(); h.ActiveTaskSchema.Value != "art-2" || h.CurrentStep.Value != 0 || len(h.SuggestedNextSteps) != 2 {
		t.Errorf("%+v", h)
	}
	task.Schemas[0].Relevance = 0.4
	if h := task.hints(); h != nil {
		t.Errorf("%+v", h)
	}
	task.Deeds = did("git!: " + strings.Repeat("ä", 300))
	if h := task.hints(); h == nil || h.ActiveTaskSchema.Set || len(h.Blockers) != 1 || len(h.Blockers[0]) > blockerBytes {
		t.Errorf("%+v", h)
	}
	task = Task{Schemas: []Schema{release()}, Deeds: did("go", "docker", "grafana")}
	if h := task.hints(); h.CurrentStep.Value != 5 || len(h.SuggestedNextSteps) != 0 {
		t.Errorf("done: %+v", h)
	}
	var failed []string
	for i := range 9 {
		failed = append(failed, fmt.Sprintf("tool%d!:x", i))
	}
	if list := (&Task{Deeds: did(failed...)}).blockers(); len(list) != maxBlockers || list[0] != "tool8: x" {
		t.Errorf("%q", list)
	}
	long := Schema{ArtifactID: "a", Relevance: 1, Steps: make([]Step, 30)}
	if h := (&Task{Schemas: []Schema{long}}).hints(); len(h.SuggestedNextSteps) != hmx.MaxNextSteps {
		t.Errorf("%d steps", len(h.SuggestedNextSteps))
	}
}

// TestHintsInText: hints are in the JSON of every pack, and take at most a tenth of the text of
// a pack that has room for them.
func TestHintsInText(t *testing.T) {
	for budget, want := range map[int]bool{399: false, 1000: true} {
		b := newBoard(t, Request{Query: "q", Budget: budget})
		schema := release()
		schema.Relevance = 1
		b.in.Task = Task{Schemas: []Schema{schema}, Deeds: did("go")}
		procedure := b.add(Candidate{Section: hmx.SectionProcedures}, "How to release.")
		b.in.Candidates[procedure].Thing = "art-1"
		for i := range 100 {
			b.add(Candidate{}, fmt.Sprintf("item%04d alpha%04d beta%04d gamma%04d", i, i, i, i))
		}
		res := b.compose()
		at := strings.Index(res.Text, "## Next steps\n")
		if !res.Pack.WorkflowHints.Set || (at >= 0) != want || at >= 0 && b.in.Counter.Count(res.Text[at:]) > budget/hintShare {
			t.Errorf("%d tokens:\n%s", budget, res.Text)
		}
		if reason, _ := drop(res, procedure); reason != "" || res.Pack.TokenBudget.SectionBudgets[hmx.SectionWorkflow].Used == 0 {
			t.Errorf("the schema is not in the workflow: %s", reason)
		}
	}
}

func TestConstraints(t *testing.T) {
	var rules []Rule
	for i := range 30 {
		rules = append(rules, Rule{ID: fmt.Sprintf("r-%02d", i), Source: hmx.SourcePolicy, Condition: "always", Constraint: "x", Confidence: float64(i%3) / 2,
			Strength: memory.Strengths()[2-i%3], Trust: record.Trust(1 + i%5)})
	}
	b := newBoard(t, Request{Query: "q"})
	b.in.Rules = rules
	list := b.compose().Pack.DecisionConstraints
	if len(list) != hmx.MaxDecisionConstraints {
		t.Fatalf("%d", len(list))
	}
	for i, c := range list {
		hard, tier := c.Extra["strength"] == `"hard"`, c.Extra["trust"]
		if hard != (i < 10) || c.OverrideAllowed == (hard && (tier == `"user"` || tier == `"operator"`)) || c.Extra["source_type"] != `"policy"` {
			t.Errorf("%d: %+v", i, c)
		}
		if i > 0 && i != 10 && list[i-1].Confidence == c.Confidence && list[i-1].ArtifactID > c.ArtifactID {
			t.Errorf("%d: %s after %s", i, c.ArtifactID, list[i-1].ArtifactID)
		}
	}
}
