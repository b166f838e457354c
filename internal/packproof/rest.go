package packproof

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
)

// same reports whether two parts of a pack are equal as JSON.
func same(a, b json.Marshaler) bool {
	x, err := a.MarshalJSON()
	y, wrong := b.MarshalJSON()
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// hints says what of the hints is not that of a record, or nothing. How far the session
// has come is taken from the pack.
func (v *verifying) hints(ctx context.Context) (string, error) {
	const field = "workflow_hints"
	if !v.p.WorkflowHints.Set {
		return "", nil
	}
	h := v.p.WorkflowHints.Value
	if problem, err := v.blockers(ctx, h.Blockers); err != nil || problem != "" {
		return problem, err
	}
	problem, observed, err := v.observed(h.SuggestedNextSteps)
	if err != nil || problem != "" {
		return problem, err
	}
	shown := h.SuggestedNextSteps
	if observed {
		h.SuggestedNextSteps = nil
	}
	if !h.ActiveTaskSchema.Set {
		if h.CurrentStep.Set || h.TotalSteps.Set || len(h.SuggestedNextSteps) > 0 || len(h.Extra) > 0 {
			return field + ".active_task_schema: there is none, but steps of one", nil
		}
		return "", nil
	}
	x, problem, err := v.then(record.Artifact, h.ActiveTaskSchema.Value)
	if err == nil && problem == "" {
		problem = v.holds1(x)
	}
	if err != nil || problem != "" {
		return field + ".active_task_schema: " + problem, err
	}
	a, _ := x.Body.(*memory.Artifact)
	s, ok := a.HMX.TaskSchema()
	if !ok {
		return field + ".active_task_schema: " + x.Head.ID + " is no task schema", nil
	}
	schema := excerpt.SchemaOf(x.Head, &a.HMX, s, 0)
	if at := h.CurrentStep.Value; !h.CurrentStep.Set || at > int64(len(schema.Steps)) {
		return fmt.Sprintf("%s.current_step: it is %d of %d steps", field, at, len(schema.Steps)), nil
	}
	want := schema.Hints(int(h.CurrentStep.Value))
	for i := range h.SuggestedNextSteps {
		if i >= len(want.SuggestedNextSteps) || !same(h.SuggestedNextSteps[i], want.SuggestedNextSteps[i]) {
			return fmt.Sprintf("%s.suggested_next_steps[%d]: it is not the step that artifact %s has there", field, i, x.Head.ID), nil
		}
	}
	h.SuggestedNextSteps = shown
	if want.SuggestedNextSteps, want.Blockers = shown, h.Blockers; !same(h, *want) {
		return fmt.Sprintf("%s: current_step and total_steps are not those of artifact %s", field, x.Head.ID), nil
	}
	return "", nil
}

// observed returns the observed step that its artifact does not contain, or "", and
// whether all steps are observed ones. The probabilities depend on the session, and are
// not checked.
func (v *verifying) observed(steps []hmx.NextStep) (problem string, all bool, err error) {
	n := 0
	for i := range steps {
		s := &steps[i]
		if !pack.Observed(s) {
			continue
		}
		n++
		field := fmt.Sprintf("workflow_hints.suggested_next_steps[%d]: ", i)
		x, problem, err := v.then(record.Artifact, s.ArtifactID.Value)
		if err == nil && problem == "" {
			problem = v.holds1(x)
		}
		if err != nil || problem != "" {
			return field + problem, false, err
		}
		a, ok := x.Body.(*memory.Artifact)
		if !ok || len(s.Tools) != 1 || !names(a.HMX.Content, s.Tools[0]) {
			return field + "artifact " + x.Head.ID + " does not name its tool", false, nil
		}
	}
	if n > 0 && n < len(steps) {
		return "workflow_hints.suggested_next_steps: some were observed and some are of a schema", false, nil
	}
	return "", n > 0, nil
}

// names reports whether a text is a string somewhere in JSON.
func names(content hmx.Raw, text string) bool {
	quoted, err := json.Marshal(text)
	return err == nil && bytes.Contains([]byte(content), quoted)
}

// blockers says which is none that an event of the session in the pack's state tells of,
// or nothing.
func (v *verifying) blockers(ctx context.Context, list []string) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	w, err := timeline.NewWalker(v.Reader, v.Tenant.Number)
	if err != nil {
		return "", err
	}
	end := timeline.Place{Sequence: math.MaxInt64, Timestamp: math.MaxInt64, Position: math.MaxUint64}
	positions, _, err := w.Around(nil, index.DigestOf(v.request.Session), end, packer.MaxSessionEvents, 0)
	if err := fault.First(err, w.Close()); err != nil {
		return "", err
	}
	positions = slices.DeleteFunc(positions, func(position uint64) bool { return position >= v.size })
	deeds, err := v.Deeds(ctx, positions)
	if err != nil {
		return "", err
	}
	failed := pack.Blockers(deeds)
	for i, text := range list {
		if !slices.Contains(failed, text) {
			return fmt.Sprintf("workflow_hints.blockers[%d]: no event of the session tells of it", i), nil
		}
	}
	return "", nil
}

// constraints says which of them is not that of a record, or nothing.
func (v *verifying) constraints(context.Context) (string, error) {
	seen := make(map[string]bool)
	for i := range v.p.DecisionConstraints {
		c := &v.p.DecisionConstraints[i]
		problem, err := v.constraint(c)
		if err != nil {
			return "", err
		}
		if name := string(c.Extra["source_type"]) + c.ArtifactID; problem == "" && seen[name] {
			problem = "it is there twice"
		} else {
			seen[name] = true
		}
		if problem != "" {
			return fmt.Sprintf("decision_constraints[%d] (%s): %s", i, c.ArtifactID, problem), nil
		}
	}
	return "", nil
}

// constraint returns why a constraint does not come from a record, or "".
func (v *verifying) constraint(c *hmx.DecisionConstraint) (problem string, err error) {
	for _, k := range []record.Kind{record.Policy, record.Memory, record.Artifact} {
		x, unknown, err := v.then(k, c.ArtifactID)
		if err != nil {
			return "", err
		}
		if unknown != "" {
			problem = cmp.Or(problem, unknown)
			continue
		}
		rule, ok := v.ruleThen(x)
		switch over := v.holds1(x); {
		case !ok:
			problem = fmt.Sprintf("%s %s is no rule", k, c.ArtifactID)
		case over != "":
			problem = over
		case !same(*c, pack.Constraint(rule)):
			problem = fmt.Sprintf("it is not what %s %s says", k, c.ArtifactID)
		default:
			return "", nil
		}
	}
	return problem, nil
}

// ruleThen returns the rule of a record in the state of the pack.
func (v *verifying) ruleThen(x excerpt.Item) (pack.Rule, bool) {
	switch b := x.Body.(type) {
	case *memory.Policy:
		binds := b.PolicyKind == memory.PolicyConstraint || b.PolicyKind == memory.PolicyInstruction
		covers := len(b.Scope.Tags) == 0 || b.Scope.CoversTags(v.request.Tags)
		return excerpt.PolicyRule(x.Head, b), x.Head.Trust >= record.User && binds && covers
	case *memory.Memory:
		return excerpt.MemoryRule(x.Head, b), x.Head.Trust >= record.User && memory.Type(x.Head.Class) == memory.TypeConstraint
	case *memory.Artifact:
		d, ok := b.HMX.DecisionPolicy()
		return excerpt.DecisionRule(x.Head, &b.HMX, d), ok && d.Recommendation != ""
	}
	return pack.Rule{}, false
}

// identity checks the figures of a pack, and whether its id matches the stated request
// and state.
func (v *verifying) identity(tenant string, m *packer.Metadata, proof *PackProof) error {
	id, err := v.request.ID(&pack.State{Tenant: tenant, Size: m.Size, Root: proof.Root})
	if err != nil {
		return err
	}
	note := func(problem string) {
		if problem != "" {
			proof.Problems = append(proof.Problems, problem)
		}
	}
	if id != v.p.PackID {
		note(fmt.Sprintf("pack_id: it is %q, but the request and the state that the pack states make it %s", v.p.PackID, id))
	}
	note(v.metadata(m))
	note(v.budget())
	note(v.ranks())
	note(v.listed())
	note(v.origins())
	return nil
}

// metadata returns the member of the metadata that is unknown, or does not agree with the
// rest.
func (v *verifying) metadata(m *packer.Metadata) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(v.p.Metadata), &all); err != nil {
		return "metadata: it is no object"
	}
	text := func(s string) string { return strconv.Quote(s) }
	want := map[string]string{"now": text(v.p.CreatedAt.String())}
	if v.request.Now.Set {
		want["now"] = text(v.request.Now.Value.String())
	}
	if m.Size > 0 {
		want["position"] = strconv.FormatUint(m.Size-1, 10)
	}
	if v.request.Strategy == hmx.StrategyFingerprintGuided && !v.p.FingerprintPriors.Set {
		want["note"] = text("no fingerprint priors")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch name {
		case "counter", "digest", "request", "root", "size":
			continue
		}
		if string(all[name]) != want[name] {
			return fmt.Sprintf("metadata.%s: it is not what the rest of the pack makes it", name)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		return fmt.Sprintf("metadata.%s: it is missing", slices.Sorted(maps.Keys(want))[0])
	}
	if v.p.CreatedAt.String() != hmx.TimeOf(v.p.CreatedAt.Time()).String() || v.request.Now.Set && v.request.Now.Value.String() != v.p.CreatedAt.String() {
		return "created_at: it is not the time that the pack was made for"
	}
	var entities func(text string) []string
	if m.Size > 0 { // a tenant without records names none
		entities = questionNames
	}
	class := recall.Classify(v.request.Query, v.p.CreatedAt.Time(), entities).Classification()
	if !same(v.p.AssemblyMetadata.QueryClassification, class) {
		return "assembly_metadata.query_classification: it is not that of the query"
	}
	return ""
}

// questionNames returns the names in a question, as a search reads it.
func questionNames(query string) (names []string) {
	for _, x := range kind.TextEntities(query) {
		names = append(names, x.Name)
	}
	return names
}

// budget returns the figure of the budget that differs from the text and the entries, or
// "".
func (v *verifying) budget() string {
	b := &v.p.TokenBudget
	if n := int64(v.counter.Count(pack.Markdown(v.p))); b.Used != n {
		return fmt.Sprintf("token_budget.used: it is %d, but the text of the pack has %d tokens", b.Used, n)
	}
	used, cut := pack.Uses(v.counter, v.p), false
	for i := range v.p.Entries {
		cut = cut || string(v.p.Entries[i].Extra["truncated"]) == "true"
	}
	if b.Truncated != cut {
		return fmt.Sprintf("token_budget.truncated: it is %v, but of the entries it is %v", b.Truncated, cut)
	}
	if n := v.p.AssemblyMetadata.CandidateCount - v.p.AssemblyMetadata.IncludedCount; b.DroppedCount != n {
		return fmt.Sprintf("token_budget.dropped_count: it is %d, but %d candidates are no entries", b.DroppedCount, n)
	}
	if len(b.Extra) > 0 || len(v.p.AssemblyMetadata.Extra) > 0 {
		return "token_budget, assembly_metadata: a pack has no further members there"
	}
	total := int64(0)
	for _, name := range hmx.Sections() {
		s, there := b.SectionBudgets[name]
		if total += s.Budget; there != (used[name] > 0) || s.Used != int64(used[name]) || s.Budget < s.Used || len(s.Extra) > 0 {
			return fmt.Sprintf("token_budget.section_budgets.%s: it is not that of entries which use %d tokens", name, used[name])
		}
	}
	if len(b.SectionBudgets) > len(used) || total > b.TotalBudget {
		return "token_budget.section_budgets: they are not shares of the budget for the sections that have entries"
	}
	return ""
}

// origins returns where the list of sources differs from the candidates, or "".
func (v *verifying) origins() string {
	of := make(map[string]bool)
	note := func(extra hmx.Extra) {
		var uri string
		if json.Unmarshal([]byte(extra["uri"]), &uri) == nil {
			if u, err := memory.ParseURI(uri); err == nil {
				of[pack.OriginOf(u.Kind)] = true
			}
		}
	}
	for i := range v.p.Entries {
		note(v.p.Entries[i].Extra)
	}
	for i := range v.p.DroppedEntries {
		note(v.p.DroppedEntries[i].Extra)
	}
	listed := v.p.AssemblyMetadata.RetrievalSources
	if last := len(listed) - 1; v.p.FingerprintPriors.Set {
		if last < 0 || listed[last] != pack.SourcePriors {
			return "assembly_metadata.retrieval_sources: the priors had a part in it and are not the last of them"
		}
		listed = listed[:last]
	}
	all := int64(len(v.p.Entries)+len(v.p.DroppedEntries)) == v.p.AssemblyMetadata.CandidateCount
	order := pack.Origins()
	at := -1
	for _, name := range listed {
		place := slices.Index(order, name)
		if place <= at || all && !of[name] {
			return fmt.Sprintf("assembly_metadata.retrieval_sources: %q is not where a candidate comes from", name)
		}
		at = place
		delete(of, name)
	}
	if len(of) > 0 {
		return "assembly_metadata.retrieval_sources: not all that candidates come from are listed"
	}
	return ""
}
