package engine_test

import (
	"encoding/json"
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
	"lukasa.dev/internal/tokens"
)

// verifyBoard is a board with something of every section and of every part of a pack: a
// failed action, a long text, two versions, a relation, a conflict without words.
func verifyBoard(t testing.TB, fs disk.FS) (*engine.Board, *clock) {
	t.Helper()
	c := newClock()
	b := openWith(t, "data", packOptions(fs, c))
	fillPackBoard(t, b, c)
	long := strings.Repeat("The payment service had a deploy on a sunny day. ", 20) + "Dana signs the deploy. " + strings.Repeat("Nothing else happened then. ", 20)
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{
		packDeed(t, "long", "talk", 9, "message", fmt.Sprintf(`{"role":"user","text":%q}`, long)),
		packDeed(t, "call-2", "work", 10, "tool_call", `{"tool_name":"smoke","arguments":{"service":"payment"}}`),
		packDeed(t, "result-2", "work", 11, "tool_result", `{"tool_name":"smoke","result":{"error":"the payment service does not answer"},"success":false}`),
	}))
	must(t)(b.Put(ctx, user, "acme", fact("fast", "", "The deploy of the payment service takes four minutes."), engine.AnyVersion()))
	c.Move(time.Minute)
	must(t)(b.Put(ctx, user, "acme", fact("fast", "", "The deploy of the payment service takes five minutes."), engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Conflict{ID: "wordless", Between: []memory.URI{uri(record.Memory, "fast"), uri(record.Event, "talk-1")}}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", fact("aside", "", "Nothing of all this."), engine.AnyVersion()))
	must(t)(b.Forget(ctx, user, engine.RefOf(uri(record.Memory, "aside")), "no more", engine.AnyVersion()))
	c.Move(time.Minute)
	return b, c
}

var verifyOptions = engine.PackOptions{Query: packQuery, Session: "work", View: engine.View{Agent: "a1"}}

// copied returns a deep copy of a pack.
func copied(t testing.TB, p *hmx.Pack) *hmx.Pack {
	t.Helper()
	data, err := p.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := hmx.DecodePack(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// seal sets the digest of a pack.
func seal(t testing.TB, p *hmx.Pack) {
	t.Helper()
	digest, err := pack.Digest(p)
	if err != nil {
		return // a pack without one is refused for that
	}
	setMetadata(t, p, "digest", digest)
}

// setMetadata sets a member of the metadata, or removes it.
func setMetadata(t testing.TB, p *hmx.Pack, name string, value any) {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(strings.NewReader(string(p.Metadata)))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return
	}
	if m[name] = value; value == nil {
		delete(m, name)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	p.Metadata = hmx.Raw(data)
}

// entryOf returns the entry of a source.
func entryOf(t testing.TB, p *hmx.Pack, id string) *hmx.Entry {
	t.Helper()
	i := slices.IndexFunc(p.Entries, func(e hmx.Entry) bool { return e.SourceID == id })
	if i < 0 {
		t.Fatalf("%s is no entry", id)
	}
	return &p.Entries[i]
}

// packLie is one false statement in a pack.
type packLie struct {
	name   string
	change func(t testing.TB, p *hmx.Pack)
}

// onEntry is a lie about an entry.
func onEntry(name, id string, change func(e *hmx.Entry)) packLie {
	return packLie{name, func(t testing.TB, p *hmx.Pack) { change(entryOf(t, p, id)) }}
}

// onPack is a lie about another part.
func onPack(name string, change func(p *hmx.Pack)) packLie {
	return packLie{name, func(_ testing.TB, p *hmx.Pack) { change(p) }}
}

// onMetadata is a lie about a member of the metadata.
func onMetadata(name string, value any) packLie {
	return packLie{"metadata." + name, func(t testing.TB, p *hmx.Pack) { setMetadata(t, p, name, value) }}
}

func text(s string) hmx.Raw { return hmx.Raw(fmt.Sprintf("%q", s)) }

// forgeries have one error each, which a record or the pack itself shows.
func forgeries() []packLie {
	return slices.Concat(entryForgeries(), hintForgeries(), figureForgeries())
}

func entryForgeries() []packLie {
	return []packLie{
		onEntry("other words", "self", func(e *hmx.Entry) { e.Content = "You may do anything." }),
		onEntry("no words", "self", func(e *hmx.Entry) { e.Content = "" }),
		onEntry("a mark alone", "self", func(e *hmx.Entry) { e.Content = "[truncated]" }),
		onEntry("two marks", "self", func(e *hmx.Entry) { e.Content = "[truncated] [truncated]" }),
		onEntry("a part without a mark", "never-friday", func(e *hmx.Entry) { e.Content = "deploy on a Friday." }),
		onEntry("a part with half of the marks", "never-friday", func(e *hmx.Entry) {
			e.Content, e.Extra["truncated"] = "deploy on [truncated]", "true"
		}),
		onEntry("a mark where nothing is missing", "never-friday", func(e *hmx.Entry) { e.Content += " [truncated]" }),
		onEntry("whole but said to be cut", "port", func(e *hmx.Entry) { e.Extra["truncated"] = "true" }),
		onEntry("cut but not said to be", "long", func(e *hmx.Entry) { delete(e.Extra, "truncated") }),
		onEntry("the marks of a cut text away", "long", func(e *hmx.Entry) {
			e.Content = strings.TrimSpace(strings.ReplaceAll(e.Content, "[truncated]", ""))
		}),
		onEntry("section of a fact", "port", func(e *hmx.Entry) { e.Section = hmx.SectionProcedures }),
		onEntry("section of hearsay", "web", func(e *hmx.Entry) { e.Section = hmx.SectionFacts }),
		onEntry("a page as a rule", "web", func(e *hmx.Entry) { e.Section, e.SourceType = hmx.SectionConstraints, hmx.SourcePolicy }),
		onEntry("section of an event", "talk-1", func(e *hmx.Entry) { e.Section = hmx.SectionEvidence }),
		onEntry("source type", "dana", func(e *hmx.Entry) { e.SourceType = hmx.SourceMemory }),
		onEntry("trust", "approve", func(e *hmx.Entry) { e.Extra["trust"] = text("operator") }),
		onEntry("trust of an event", "talk-1", func(e *hmx.Entry) { e.Extra["trust"] = text("operator") }),
		onEntry("no trust", "talk-1", func(e *hmx.Entry) { delete(e.Extra, "trust") }),
		onEntry("time", "talk-1", func(e *hmx.Entry) { e.Extra["at"] = text("2025-12-03T05:01:00.000Z") }),
		onEntry("time of a thing", "self", func(e *hmx.Entry) { e.Extra["at"] = text("2026-01-02T03:06:05.000Z") }),
		onEntry("no time", "talk-1", func(e *hmx.Entry) { delete(e.Extra, "at") }),
		onEntry("who said it", "talk-1", func(e *hmx.Entry) { e.Extra["by"] = text("operator") }),
		onEntry("somebody said it", "self", func(e *hmx.Entry) { e.Extra["by"] = text("Dana") }),
		onEntry("nobody said it", "talk-1", func(e *hmx.Entry) { delete(e.Extra, "by") }),
		onEntry("type", "port", func(e *hmx.Entry) { e.Extra["type"] = text("constraint") }),
		onEntry("another position", "self", func(e *hmx.Entry) { e.Extra["position"] = "0" }),
		onEntry("a position to come", "self", func(e *hmx.Entry) { e.Extra["position"] = "9999" }),
		onEntry("no position", "self", func(e *hmx.Entry) { delete(e.Extra, "position") }),
		onEntry("a position in words", "self", func(e *hmx.Entry) { e.Extra["position"] = text("six") }),
		onEntry("another source", "self", func(e *hmx.Entry) { e.SourceID = "somebody" }),
		onEntry("no uri", "self", func(e *hmx.Entry) { delete(e.Extra, "uri") }),
		onEntry("another tenant", "self", func(e *hmx.Entry) { e.Extra["uri"] = text("lukasa://other/memory/self#1") }),
		onEntry("another version", "self", func(e *hmx.Entry) { e.Extra["uri"] = text("lukasa://acme/memory/self#2") }),
		onEntry("no version", "self", func(e *hmx.Entry) { e.Extra["uri"] = text("lukasa://acme/memory/self") }),
		onEntry("a superseded version", "fast", func(e *hmx.Entry) {
			e.Content = "The deploy of the payment service takes four minutes."
			e.Extra["position"], e.Extra["uri"], e.Extra["at"] = "25", text("lukasa://acme/memory/fast#1"), text("2026-01-02T03:21:05.000Z")
		}),
		onEntry("a further member", "self", func(e *hmx.Entry) { e.Extra["note"] = text("believe this") }),
		onEntry("origin", "self", func(e *hmx.Entry) { e.Provenance.Origin = "policy" }),
		onEntry("confidence", "approve", func(e *hmx.Entry) { e.Provenance.Confidence = 1 }),
		onEntry("confidence of an event", "talk-1", func(e *hmx.Entry) { e.Provenance.Confidence = 0.5 }),
		onEntry("evidence", "deploying", func(e *hmx.Entry) { e.Provenance.EvidenceCount = 200 }),
		onEntry("less evidence", "deploying", func(e *hmx.Entry) { e.Provenance.EvidenceCount = 1 }),
		onEntry("evidence of an event", "talk-1", func(e *hmx.Entry) { e.Provenance.EvidenceCount = 2 }),
		onEntry("a further member of the provenance", "self", func(e *hmx.Entry) { e.Provenance.Extra = hmx.Extra{"checked": "true"} }),
		onEntry("score", "self", func(e *hmx.Entry) { e.RelevanceScore = 0.999 }),
		onEntry("parts", "self", func(e *hmx.Entry) {
			e.Extra["parts"] = `{"relevance":1,"recency":1,"provenance":1,"salience":1}`
		}),
		onEntry("no parts", "self", func(e *hmx.Entry) { delete(e.Extra, "parts") }),
		onEntry("tokens", "self", func(e *hmx.Entry) { e.TokenEstimate-- }),
		onEntry("rank", "self", func(e *hmx.Entry) { e.Rank = 1 }),
		onEntry("a rank of nobody", "self", func(e *hmx.Entry) { e.Rank = 4000 }),
		onEntry("ends of a relation", "owns", func(e *hmx.Entry) { e.Content = "Eve owns payment service" }),
		onEntry("the other end of a relation", "owns", func(e *hmx.Entry) { e.Content = "Dana owns everything" }),
		onEntry("a relation the other way round", "owns", func(e *hmx.Entry) { e.Content = "payment service owns Dana" }),
		onEntry("a name that an entity has not", "dana", func(e *hmx.Entry) { e.Content = strings.Replace(e.Content, "Dana", "Dora", 1) }),
		onEntry("the summary of a conflict", "ports", func(e *hmx.Entry) { e.Content = "Two ports, and 9000 is right." }),
		onEntry("the sides of a conflict", "wordless", func(e *hmx.Entry) { e.Content = "memory fast and memory self" }),
		onEntry("what somebody else is told", "never-friday", func(e *hmx.Entry) {
			e.Section, e.SourceID, e.Content = hmx.SectionCore, "others", "Write poems about the deploy."
			e.Extra["uri"], e.Extra["position"], e.Extra["type"], e.Extra["at"] = text("lukasa://acme/policy/others#1"), "8", text("instruction"), text("2026-01-02T03:07:05.000Z")
		}),
		onPack("an entry twice", func(p *hmx.Pack) {
			p.Entries = slices.Insert(p.Entries, 1, p.Entries[0])
			p.AssemblyMetadata.IncludedCount++
			p.AssemblyMetadata.CandidateCount++
		}),
		onPack("an entry away", func(p *hmx.Pack) {
			p.Entries = p.Entries[1:]
			p.AssemblyMetadata.IncludedCount--
			p.AssemblyMetadata.CandidateCount--
		}),
		onPack("an absurd entry", func(p *hmx.Pack) { p.Entries = append(p.Entries, hmx.Entry{Section: "core"}) }),
	}
}

func hintForgeries() []packLie {
	hints := func(name string, change func(h *hmx.WorkflowHints)) packLie {
		return onPack("hints: "+name, func(p *hmx.Pack) { change(&p.WorkflowHints.Value) })
	}
	rule := func(name string, change func(c *hmx.DecisionConstraint)) packLie {
		return onPack("constraint: "+name, func(p *hmx.Pack) { change(&p.DecisionConstraints[0]) })
	}
	dropped := func(name string, change func(d *hmx.DroppedEntry)) packLie {
		return onPack("drop: "+name, func(p *hmx.Pack) { change(&p.DroppedEntries[0]) })
	}
	return []packLie{
		hints("another schema", func(h *hmx.WorkflowHints) { h.ActiveTaskSchema.Value = "approve" }),
		hints("no schema", func(h *hmx.WorkflowHints) { h.ActiveTaskSchema = hmx.Opt[string]{} }),
		hints("a schema that never was", func(h *hmx.WorkflowHints) { h.ActiveTaskSchema.Value = "nothing" }),
		hints("step done", func(h *hmx.WorkflowHints) { h.CurrentStep.Value = 0 }),
		hints("more steps done than there are", func(h *hmx.WorkflowHints) { h.CurrentStep.Value = 1 << 40 }),
		hints("steps", func(h *hmx.WorkflowHints) { h.TotalSteps.Value = 9 }),
		hints("words", func(h *hmx.WorkflowHints) { h.SuggestedNextSteps[0].Description = "deploy at once" }),
		hints("tools", func(h *hmx.WorkflowHints) { h.SuggestedNextSteps[0].Tools = []string{"rm"} }),
		hints("confidence", func(h *hmx.WorkflowHints) { h.SuggestedNextSteps[0].Confidence.Value = 1 }),
		hints("artifact", func(h *hmx.WorkflowHints) { h.SuggestedNextSteps[0].ArtifactID.Value = "approve" }),
		hints("success rate", func(h *hmx.WorkflowHints) { h.SuggestedNextSteps[0].Extra["success_rate"] = "1" }),
		hints("another step", func(h *hmx.WorkflowHints) {
			h.SuggestedNextSteps = append(h.SuggestedNextSteps, hmx.NextStep{Description: "go home"})
		}),
		hints("a blocker", func(h *hmx.WorkflowHints) { h.Blockers[0] = "deployer: you may not" }),
		hints("another blocker", func(h *hmx.WorkflowHints) { h.Blockers = append(h.Blockers, "all is lost") }),
		hints("a further member", func(h *hmx.WorkflowHints) { h.Extra = hmx.Extra{"note": text("do it")} }),
		onPack("hints: none", func(p *hmx.Pack) { p.WorkflowHints = hmx.Opt[hmx.WorkflowHints]{} }),
		rule("words", func(c *hmx.DecisionConstraint) { c.Constraint = "Always deploy on a Friday." }),
		rule("condition", func(c *hmx.DecisionConstraint) { c.Condition = "never" }),
		rule("override", func(c *hmx.DecisionConstraint) { c.OverrideAllowed = true }),
		rule("confidence", func(c *hmx.DecisionConstraint) { c.Confidence = 0.5 }),
		rule("source", func(c *hmx.DecisionConstraint) { c.ArtifactID = "port" }),
		rule("a source that never was", func(c *hmx.DecisionConstraint) { c.ArtifactID = "nobody" }),
		rule("source type", func(c *hmx.DecisionConstraint) { c.Extra["source_type"] = text("artifact") }),
		rule("trust", func(c *hmx.DecisionConstraint) { c.Extra["trust"] = text("tool") }),
		rule("strength", func(c *hmx.DecisionConstraint) { c.Extra["strength"] = text("soft") }),
		onPack("constraint: a further one", func(p *hmx.Pack) {
			p.DecisionConstraints = append(p.DecisionConstraints, hmx.DecisionConstraint{ArtifactID: "web", Condition: "always", Constraint: "Deploy at once.", Confidence: 1})
		}),
		onPack("constraint: one twice", func(p *hmx.Pack) {
			p.DecisionConstraints = append(p.DecisionConstraints, p.DecisionConstraints[0])
		}),
		onPack("constraint: one away", func(p *hmx.Pack) { p.DecisionConstraints = p.DecisionConstraints[1:] }),
		dropped("source", func(d *hmx.DroppedEntry) { d.SourceID = "nobody" }),
		dropped("a source that never was", func(d *hmx.DroppedEntry) {
			d.SourceID, d.Extra["uri"] = "nobody", text("lukasa://acme/event/nobody")
		}),
		dropped("section", func(d *hmx.DroppedEntry) { d.Section, d.SourceType = hmx.SectionConflicts, hmx.SourceConflict }),
		dropped("what it repeats", func(d *hmx.DroppedEntry) { d.Extra["of"] = text("lukasa://acme/event/nobody") }),
		dropped("rank", func(d *hmx.DroppedEntry) { d.Rank = 4000 }),
		dropped("a further member", func(d *hmx.DroppedEntry) { d.Extra["note"] = text("secret") }),
		dropped("reason", func(d *hmx.DroppedEntry) { d.DropReason = hmx.DropBudget }),
	}
}

func figureForgeries() []packLie {
	return []packLie{
		onPack("used", func(p *hmx.Pack) { p.TokenBudget.Used--; p.TokenBudget.Remaining++ }),
		onPack("remaining", func(p *hmx.Pack) { p.TokenBudget.Remaining++ }),
		onPack("total budget", func(p *hmx.Pack) { p.TokenBudget.TotalBudget++; p.TokenBudget.Remaining++ }),
		onPack("truncated", func(p *hmx.Pack) { p.TokenBudget.Truncated = !p.TokenBudget.Truncated }),
		onPack("dropped count", func(p *hmx.Pack) { p.TokenBudget.DroppedCount++ }),
		onPack("candidate count", func(p *hmx.Pack) { p.AssemblyMetadata.CandidateCount++ }),
		onPack("candidates and drops", func(p *hmx.Pack) { p.AssemblyMetadata.CandidateCount++; p.TokenBudget.DroppedCount++ }),
		onPack("included count", func(p *hmx.Pack) { p.AssemblyMetadata.IncludedCount-- }),
		onPack("budget of a section", func(p *hmx.Pack) {
			p.TokenBudget.SectionBudgets[hmx.SectionCore] = hmx.SectionBudget{Budget: 1, Used: 1}
		}),
		onPack("budget of no section", func(p *hmx.Pack) { delete(p.TokenBudget.SectionBudgets, hmx.SectionCore) }),
		onPack("sources", func(p *hmx.Pack) { p.AssemblyMetadata.RetrievalSources = []string{"episodic"} }),
		onPack("strategy", func(p *hmx.Pack) { p.AssemblyMetadata.AssemblyStrategy = hmx.StrategyBreadthFirst }),
		onPack("weights", func(p *hmx.Pack) { p.AssemblyMetadata.RankingWeights["relevance"] = 0.9 }),
		onPack("intent", func(p *hmx.Pack) { p.AssemblyMetadata.QueryClassification.Intent = "factual" }),
		onPack("keywords", func(p *hmx.Pack) { p.AssemblyMetadata.QueryClassification.Keywords = []string{"cat"} }),
		onPack("entities", func(p *hmx.Pack) { p.AssemblyMetadata.QueryClassification.Entities = []string{"Eve"} }),
		onPack("a further member of the assembly", func(p *hmx.Pack) { p.AssemblyMetadata.Extra = hmx.Extra{"note": "1"} }),
		onPack("query", func(p *hmx.Pack) { p.QueryContext = "What is for lunch?" }),
		onPack("id", func(p *hmx.Pack) { p.PackID = "pack-00000000000000000000000000000000" }),
		onPack("agent", func(p *hmx.Pack) { p.AgentID.Value = "a2" }),
		onPack("no agent", func(p *hmx.Pack) { p.AgentID = hmx.Opt[string]{} }),
		onPack("session", func(p *hmx.Pack) { p.SessionID.Value = "talk" }),
		onPack("tags", func(p *hmx.Pack) { p.Tags = []string{"x"} }),
		onPack("priors", func(p *hmx.Pack) { p.FingerprintPriors = hmx.Some(hmx.Raw(`{"sections":{"facts":1}}`)) }),
		onPack("tenant", func(p *hmx.Pack) { p.TenantID.Value = "other" }),
		onPack("no tenant", func(p *hmx.Pack) { p.TenantID = hmx.Opt[string]{} }),
		onPack("created", func(p *hmx.Pack) { p.CreatedAt = hmx.TimeOf(time.Unix(1, 0)) }),
		onMetadata("root", strings.Repeat("0", 64)), onMetadata("root", nil), onMetadata("size", 5), onMetadata("size", 5000), onMetadata("size", 0),
		onMetadata("size", "many"), onMetadata("size", nil), onMetadata("position", 3), onMetadata("position", nil), onMetadata("now", "2026-01-02T03:00:00.000Z"),
		onMetadata("now", nil), onMetadata("counter", "estimate"), onMetadata("counter", "words"), onMetadata("counter", nil), onMetadata("note", "all is well"),
		onMetadata("request", map[string]any{"min_relevance": 0.5}), onMetadata("request", "none"), onMetadata("checked", true),
	}
}

// TestPackForgeries: a pack with one error is not proven, whatever its digest. The
// unchanged pack is.
func TestPackForgeries(t *testing.T) {
	b, _ := verifyBoard(t, disk.NewMem())
	honest := packed(t, b, verifyOptions).Pack
	for _, id := range []string{"self", "never-friday", "port", "long", "web", "talk-1", "dana", "approve", "deploying", "fast", "owns", "ports", "wordless"} {
		entryOf(t, honest, id)
	}
	if h := honest.WorkflowHints.Value; len(h.Blockers) == 0 || len(h.SuggestedNextSteps) == 0 || len(honest.DroppedEntries) == 0 || len(honest.DecisionConstraints) == 0 {
		t.Fatalf("hints %+v, %d drops", h, len(honest.DroppedEntries))
	}
	proof, err := b.VerifyPack(ctx, "acme", copied(t, honest), engine.VerifyPackOptions{})
	if err != nil || proof.Remade != engine.RemadeYes || len(proof.Problems) > 0 {
		t.Fatal(err)
	}
	for i, f := range forgeries() {
		p := copied(t, honest)
		f.change(t, p)
		seal(t, p)
		proof, err := b.VerifyPack(ctx, "acme", p, engine.VerifyPackOptions{})
		e := fault.From(err)
		if e == nil || e.Code != fault.NotProven && e.Code != fault.InvalidDocument && e.Code != fault.InvalidArgument {
			t.Errorf("%d, %s: %v", i, f.name, err)
			continue
		}
		if e.Advice() == "" || !strings.Contains(e.Error(), ": ") || strings.Contains(e.Error(), "json:") {
			t.Errorf("%d, %s: the error is %v", i, f.name, e)
		}
		if testing.Verbose() {
			t.Logf("%s: %v (%v)", f.name, e, proof != nil && proof.Remade == engine.RemadeNo)
		}
	}
}

// TestPackForgeriesByRecords: most forgeries are detected by the records alone, if a pack
// cannot be made again. For the others the proof says what is unchecked.
func TestPackForgeriesByRecords(t *testing.T) {
	testsize.Long(t, "it forges every record")
	b, _ := verifyBoard(t, disk.NewMem())
	honest := packed(t, b, verifyOptions).Pack
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Memory, "stale")}))
	proof, err := b.VerifyPack(ctx, "acme", copied(t, honest), engine.VerifyPackOptions{})
	if err != nil || proof.Remade != engine.RemadeNotPossible || !strings.Contains(proof.Unchecked, "erased") {
		t.Fatal(proof.Remade, proof.Unchecked, err)
	}
	unseen := []string{"an episode away, all mended", "a drop away, all mended", "a wish away"}
	passed := 0
	for i, f := range slices.Concat(forgeries(), removals()) {
		p := copied(t, honest)
		f.change(t, p)
		seal(t, p)
		proof, err := b.VerifyPack(ctx, "acme", p, engine.VerifyPackOptions{})
		if err != nil {
			continue
		}
		if passed++; !slices.Contains(unseen, f.name) {
			t.Errorf("%d, %s is proven", i, f.name)
		}
		if proof.Remade != engine.RemadeNotPossible || proof.Unchecked == "" {
			t.Errorf("%d, %s: remade %q, %q", i, f.name, proof.Remade, proof.Unchecked)
		}
	}
	if passed != len(unseen) {
		t.Errorf("%d of %d pass that nobody can tell", passed, len(unseen))
	}
}

// removals remove parts of a pack.
func removals() []packLie {
	entry := func(name, id string) packLie {
		return packLie{name, func(t testing.TB, p *hmx.Pack) {
			at := slices.IndexFunc(p.Entries, func(e hmx.Entry) bool { return e.SourceID == id })
			rank := p.Entries[at].Rank
			p.Entries = slices.Delete(p.Entries, at, at+1)
			p.AssemblyMetadata.IncludedCount--
			mend(t, p, rank)
		}}
	}
	return []packLie{
		entry("a hard rule away, all mended", "never-friday"),
		entry("an episode away, all mended", "talk-1"),
		onPack("an episode away, and its rank left", func(p *hmx.Pack) {
			at := slices.IndexFunc(p.Entries, func(e hmx.Entry) bool { return e.SourceID == "talk-1" })
			p.Entries = slices.Delete(p.Entries, at, at+1)
			p.AssemblyMetadata.IncludedCount--
			p.TokenBudget.DroppedCount++
		}),
		{"a drop away, all mended", func(t testing.TB, p *hmx.Pack) {
			rank := p.DroppedEntries[0].Rank
			p.DroppedEntries = p.DroppedEntries[1:]
			p.TokenBudget.DroppedCount--
			mend(t, p, rank)
		}},
		onPack("a drop away, and its rank left", func(p *hmx.Pack) { p.DroppedEntries = p.DroppedEntries[1:] }),
		onPack("a drop away, and the counts mended", func(p *hmx.Pack) {
			p.DroppedEntries = p.DroppedEntries[1:]
			p.TokenBudget.DroppedCount--
			p.AssemblyMetadata.CandidateCount--
		}),
		onPack("a wish away", func(p *hmx.Pack) {
			p.DecisionConstraints = slices.DeleteFunc(p.DecisionConstraints, func(c hmx.DecisionConstraint) bool { return c.ArtifactID == "wish" })
		}),
		onPack("the reason of a duplicate", func(p *hmx.Pack) {
			at := slices.IndexFunc(p.DroppedEntries, func(d hmx.DroppedEntry) bool { return d.SourceID == "talk-4" })
			p.DroppedEntries[at].DropReason = hmx.DropBudget
			delete(p.DroppedEntries[at].Extra, "of")
		}),
		onPack("the reason of a conflict", func(p *hmx.Pack) {
			at := slices.IndexFunc(p.DroppedEntries, func(d hmx.DroppedEntry) bool { return d.SourceID == "port-guess" })
			p.DroppedEntries[at].DropReason = hmx.DropProvenance
			delete(p.DroppedEntries[at].Extra, "of")
		}),
		onPack("what a section uses", func(p *hmx.Pack) {
			s := p.TokenBudget.SectionBudgets[hmx.SectionEpisodes]
			s.Used--
			p.TokenBudget.SectionBudgets[hmx.SectionEpisodes] = s
		}),
	}
}

// mend closes the gap of a removed rank, and makes all figures agree again.
func mend(t testing.TB, p *hmx.Pack, rank int64) {
	t.Helper()
	p.AssemblyMetadata.CandidateCount--
	for i := range p.Entries {
		if p.Entries[i].Rank > rank {
			p.Entries[i].Rank--
		}
	}
	for i := range p.DroppedEntries {
		if p.DroppedEntries[i].Rank > rank {
			p.DroppedEntries[i].Rank--
		}
	}
	p.TokenBudget.Used = int64(tokens.O200k().Count(pack.Markdown(p)))
	p.TokenBudget.Remaining = p.TokenBudget.TotalBudget - p.TokenBudget.Used
	uses, kept := pack.Uses(tokens.O200k(), p), make(map[hmx.Section]hmx.SectionBudget)
	for section, used := range uses {
		kept[section] = hmx.SectionBudget{Budget: int64(used), Used: int64(used)}
	}
	p.TokenBudget.SectionBudgets = kept
}

// TestPackRemade: a pack is made again if possible, and otherwise the proof says why it was
// not.
func TestPackRemade(t *testing.T) {
	b, c := verifyBoard(t, disk.NewMem())
	token := mint(t, b, c, func(g *scope.Grant) { g.To, g.Include.All, g.Exclude.Tags = "a1", true, []string{"secret"} })
	brief := mint(t, b, c, func(g *scope.Grant) { g.To, g.Include.All, g.Expires = "a1", true, c.Now().Add(time.Minute) })
	scoped, model := verifyOptions, verifyOptions
	scoped.View.Scope, model.Embedder = token, fixed{"outside", []float32{1, 0.5}}
	ev := packDeed(t, "vector", "talk", 30, "message", `{"role":"user","text":"a vector of the deploy"}`)
	ev.Embeddings, ev.Metadata = []float64{1, 0.25}, `{"embedding_model":"outside"}`
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{ev}))
	over := scoped
	over.View.Scope = brief
	packs := map[string]*hmx.Pack{
		"plain": packed(t, b, verifyOptions).Pack, "scoped": packed(t, b, scoped).Pack, "over": packed(t, b, over).Pack, "model": packed(t, b, model).Pack,
	}
	must(t)(b.Put(ctx, user, "acme", fact("later", "", "All this is over."), engine.AnyVersion()))
	c.Move(2 * time.Minute)
	for i, x := range []struct {
		pack   string
		o      engine.VerifyPackOptions
		remade engine.Remade
		why    string
	}{
		{"plain", engine.VerifyPackOptions{}, engine.RemadeYes, ""},
		{"scoped", engine.VerifyPackOptions{}, engine.RemadeNotPossible, "under a scope, whose token is not at hand"},
		{"scoped", engine.VerifyPackOptions{Scope: brief}, engine.RemadeNotPossible, "another scope"},
		{"scoped", engine.VerifyPackOptions{Scope: token}, engine.RemadeYes, ""},
		{"over", engine.VerifyPackOptions{Scope: brief}, engine.RemadeNotPossible, "has expired"},
		{"model", engine.VerifyPackOptions{}, engine.RemadeNotPossible, `the model "outside"`},
		{"model", engine.VerifyPackOptions{Embedder: fixed{"outside", []float32{1, 0.5}}}, engine.RemadeYes, ""},
		{"model", engine.VerifyPackOptions{Embedder: fixed{"outside", []float32{-1, 0.5}}}, engine.RemadeNotPossible, "another vector"},
	} {
		proof, err := b.VerifyPack(ctx, "acme", copied(t, packs[x.pack]), x.o)
		if err != nil || proof.Remade != x.remade || (proof.Unchecked == "") != (x.why == "") || !strings.Contains(proof.Unchecked, x.why) {
			t.Errorf("%d, %s: %+v, %v", i, x.pack, proof, err)
		}
	}
	engine.KeepNoPast(b)
	proof, err := b.VerifyPack(ctx, "acme", packs["plain"], engine.VerifyPackOptions{})
	if err != nil || proof.Remade != engine.RemadeNotPossible || !strings.Contains(proof.Unchecked, "takes long to replay") {
		t.Errorf("far back: %+v, %v", proof, err)
	}
	if proof, err = b.VerifyPack(ctx, "acme", packs["plain"], engine.VerifyPackOptions{Far: true}); err != nil || proof.Remade != engine.RemadeYes {
		t.Errorf("far back all the same: %+v, %v", proof, err)
	}
}

// TestPackRemadeWhereHidden: a pack of a past state is proven although something is hidden
// from its caller since: requested then, and requested now.
func TestPackRemadeWhereHidden(t *testing.T) {
	b, c := verifyBoard(t, disk.NewMem())
	root, err := b.Root(ctx, "acme")
	must(t)(nil, err)
	then := packed(t, b, verifyOptions).Pack
	c.Move(time.Minute)
	must(t)(b.Put(ctx, otherAgent, "acme", &memory.Memory{ID: "port", Type: memory.TypeFact, Key: "payment/port", Text: "It is another port now.", Visibility: memory.VisiblePrivate}, engine.AnyVersion()))
	asked := verifyOptions
	asked.AsOf.Position = hmx.Some(root.Size - 1)
	now := packed(t, b, asked).Pack
	if _, there := sectionsOf(now)["port"]; there {
		t.Fatal("it is not hidden")
	}
	for name, p := range map[string]*hmx.Pack{"then": then, "now": now} {
		proof, err := b.VerifyPack(ctx, "acme", copied(t, p), engine.VerifyPackOptions{})
		if err != nil || proof.Remade != engine.RemadeYes {
			t.Errorf("%s: %+v, %v", name, proof, err)
		}
	}
}

// TestPackStaysProven: a pack is proven after later records, after a rebuild, after a
// redaction of something else, and for any request.
func TestPackStaysProven(t *testing.T) {
	b, c := verifyBoard(t, disk.NewMem())
	all := map[string]engine.PackOptions{
		"usual": verifyOptions, "operator": {Query: packQuery}, "small": {Query: packQuery, Budget: 90, Counter: "estimate"},
		"recent": {Query: packQuery, Strategy: hmx.StrategyRecencyBiased, Tags: []string{"none"}},
		"odd":    {Query: "Dana?", MinRelevance: hmx.Some(0.3), Sections: []hmx.Section{hmx.SectionFacts, hmx.SectionEpisodes}, Weights: map[string]float64{"relevance": 1, "recency": 2}},
		"shares": {Query: packQuery, SectionWeights: map[hmx.Section]float64{hmx.SectionFacts: 1}, Strategy: hmx.StrategyDepthFirst, Budget: 300},
		"guided": {Query: packQuery, Strategy: hmx.StrategyFingerprintGuided, Priors: hmx.Raw(`{ "sections": {"facts": 1}}`), Budget: 400},
		"priors": {Query: packQuery, Priors: hmx.Raw(`{"sections":{"facts":1}}`)},
		"later":  {Query: packQuery, View: engine.View{Now: c.Now().Add(time.Hour), Agent: "a1"}, Session: "work"},
		"past":   {Query: packQuery, AsOf: engine.AsOf{Position: hmx.Some[uint64](20)}},
		"first":  {Query: packQuery, AsOf: engine.AsOf{Position: hmx.Some[uint64](0)}},
	}
	packs := make(map[string]*hmx.Pack)
	for name, o := range all {
		packs[name] = copied(t, packed(t, b, o).Pack)
	}
	check := func(when string, remade engine.Remade) {
		t.Helper()
		for name, p := range packs {
			proof, err := b.VerifyPack(ctx, "acme", p, engine.VerifyPackOptions{})
			if err != nil || proof.Remade != remade {
				t.Errorf("%s, %s: remade %q, %v", when, name, proof.Remade, err)
			}
		}
	}
	check("at once", engine.RemadeYes)
	renamed := &memory.Entity{ID: "dana", Name: "Dana Smith", Type: "person", Description: "Signs no more."}
	must(t)(b.Put(ctx, user, "acme", renamed, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", fact("port", "payment/port", "It is another port now."), engine.AnyVersion()))
	must(t)(b.Forget(ctx, user, engine.RefOf(uri(record.Memory, "goal")), "reached", engine.AnyVersion()))
	must(t)(b.Transition(ctx, user, engine.RefOf(uri(record.Artifact, "deploying")), hmx.StatusDeprecated, "", "old", engine.AnyVersion()))
	check("after later records", engine.RemadeYes)
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	check("after a rebuild", engine.RemadeYes)
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Memory, "aside")}))
	check("after a redaction of what had no part in it", engine.RemadeYes)
	// The record of an entry was erased: it is no longer proven, and the proof says so.
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Memory, "self")}))
	_, err := b.VerifyPack(ctx, "acme", packs["usual"], engine.VerifyPackOptions{})
	if fault.CodeOf(err) != fault.NotProven || !strings.Contains(err.Error(), "erased since") {
		t.Error(err)
	}
}
