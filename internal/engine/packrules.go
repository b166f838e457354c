package engine

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/advise"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// Bounds of what is looked at to find rules and tasks.
const (
	policiesSeen  = 1000 // of each kind, the newest
	decisionsSeen = 256
	schemasSeen   = 64
	deedsSeen     = 64
	deedsPassed   = 4096 // events of the session that are not shown
)

// decisionRelevance is how near to the question a compiled decision policy must be, if
// its condition is not in the question's words.
const decisionRelevance = 0.35

// ruleOf makes a rule of a candidate that is a constraint in memory, once: one whose section
// is not wanted may be found again.
func (p *packing) ruleOf(c *pack.Candidate, x seen) {
	m, ok := x.body.(*memory.Memory)
	if !ok || c.Section != hmx.SectionConstraints {
		return
	}
	if rule := memoryRule(x.head, m); !slices.Contains(p.rules, rule) {
		p.rules = append(p.rules, rule)
	}
}

// memoryRule returns the rule that a constraint in memory is.
func memoryRule(h *catalog.Head, m *memory.Memory) pack.Rule {
	condition := learn.Always
	if len(m.Frames) > 0 {
		texts := make([]string, len(m.Frames))
		for i, f := range m.Frames {
			texts[i] = f.String()
		}
		condition = strings.Join(texts, "; ")
	}
	return pack.Rule{
		ID: m.ID, Source: hmx.SourcePolicy, Condition: condition, Constraint: m.Text, Confidence: h.Confidence,
		Strength: memory.Strength(h.Status), Trust: h.Trust,
	}
}

// addRules finds the policies and the compiled decisions that hold for the question and
// for the caller.
func (p *packing) addRules() error {
	for _, class := range []memory.PolicyKind{memory.PolicyConstraint, memory.PolicyInstruction} {
		err := p.each(record.Policy, record.User, string(class), policiesSeen, func(x seen) {
			if b, ok := x.body.(*memory.Policy); ok {
				p.addPolicy(x.head, b)
			}
		})
		if err != nil {
			return err
		}
	}
	terms := make(map[text.Term]bool)
	for _, t := range text.ParseQuery(p.request.Query).Terms {
		terms[t.Term] = true
	}
	list, err := p.inUse(hmx.TypeDecisionPolicy)
	if err != nil {
		return err
	}
	list = p.foremost(list, decisionsSeen, func(h *catalog.Head) float64 { return p.relevance(h.Position) })
	return p.visit(list, func(x seen) {
		if b, ok := x.body.(*memory.Artifact); ok {
			p.addDecision(x.head, &b.HMX, terms)
		}
	})
}

// inUse returns the active artifacts of a type that hold and are shown, the newest first.
// Versions that are put aside crowd nothing out.
func (p *packing) inUse(of hmx.ArtifactType) ([]*catalog.Head, error) {
	active, err := p.From.Active(p.Reader, p.Tenant)
	if err != nil {
		return nil, err
	}
	var list []*catalog.Head
	for _, h := range active.Heads {
		if h.Class != string(of) || p.overNow(h) != "" {
			continue
		}
		shown, err := p.Shows(h)
		if err != nil {
			return nil, err
		}
		if shown {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *catalog.Head) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(b.Position, a.Position))
	})
	return list, nil
}

// foremost returns that many of a list, in its order: those that count most, and of those
// alike the first.
func (p *packing) foremost(list []*catalog.Head, most int, count func(*catalog.Head) float64) []*catalog.Head {
	if len(list) <= most {
		return list
	}
	ranked := slices.Clone(list)
	slices.SortStableFunc(ranked, func(a, b *catalog.Head) int { return cmp.Compare(count(b), count(a)) })
	kept := make(map[string]bool, most)
	for _, h := range ranked[:most] {
		kept[h.ID] = true
	}
	return slices.DeleteFunc(list, func(h *catalog.Head) bool { return !kept[h.ID] })
}

// each calls visit with what holds of the newest things of a class that are trusted so
// far, newest first.
func (p *packing) each(k record.Kind, least record.Trust, class string, most int, visit func(seen)) error {
	list, err := p.heads(k, least, func(visit func(catalog.Thing) bool) error {
		return catalog.List(p.Reader, p.Tenant.Number, catalog.OfClass(k, class), nil, func(_ []byte, d catalog.Thing) bool { return visit(d) })
	}, most)
	if err != nil {
		return err
	}
	return p.visit(slices.DeleteFunc(list, func(h *catalog.Head) bool { return p.overNow(h) != "" }), visit)
}

// visit calls visit with what things say, in their order.
func (p *packing) visit(list []*catalog.Head, visit func(seen)) error {
	found, err := p.bodies(list)
	if err != nil {
		return err
	}
	for i, h := range list {
		if found[i] != nil {
			visit(seen{h, found[i]})
		}
	}
	return nil
}

// bodies reads what things say, nil for what was erased meanwhile, as what it was derived
// from may be, or cannot be read.
func (p *packing) bodies(list []*catalog.Head) ([]memory.Body, error) {
	found := make([]memory.Body, len(list))
	return found, p.share(len(list), func(i int) error {
		rec, err := p.Record(list[i].Position)
		if err != nil || rec == nil || rec.Body == nil {
			return p.Passed(err)
		}
		spoiled, err := p.spoiled(rec.Body)
		if err == nil && !spoiled {
			found[i] = rec.Body
		}
		return err
	})
}

// relevance returns how relevant the search found what is at a position.
func (p *packing) relevance(position uint64) float64 {
	if i, ok := p.at[position]; ok {
		return p.list[i].Relevance
	}
	return 0
}

// addPolicy makes a rule of a policy, if it applies.
func (p *packing) addPolicy(h *catalog.Head, b *memory.Policy) {
	s := &b.Scope
	narrow := false
	if len(s.Agents) > 0 && p.View.Agent != "" {
		if !board.Addressed(s.Agents, p.View.Agent) {
			return
		}
		narrow = true
	}
	if len(s.Tags) > 0 {
		if !s.CoversTags(p.request.Tags) {
			return
		}
		narrow = true
	}
	if (len(s.Types) > 0 || s.KeyPrefix != "") && !p.remembers(s) {
		return
	}
	if b.Strength != memory.StrengthHard && !narrow && p.relevance(h.Position) < ruleRelevance {
		return
	}
	p.rules = append(p.rules, policyRule(h, b))
}

// policyRule returns the rule that a policy is.
func policyRule(h *catalog.Head, b *memory.Policy) pack.Rule {
	return pack.Rule{
		ID: h.ID, Source: hmx.SourcePolicy, Condition: learn.ConditionOf(&b.Scope), Constraint: b.Text, Confidence: h.Confidence,
		Strength: b.Strength, Trust: h.Trust,
	}
}

// remembers reports whether a memory that a scope covers is among the candidates.
func (p *packing) remembers(s *memory.Scope) bool {
	return slices.ContainsFunc(p.seen, func(x seen) bool {
		return x.head != nil && x.head.Kind == record.Memory && s.CoversType(memory.Type(x.head.Class)) && s.CoversKey(x.head.Key)
	})
}

// addDecision makes a rule of a compiled decision policy, if its condition is about what
// is asked, and its scope holds.
func (p *packing) addDecision(h *catalog.Head, a *hmx.Artifact, asked map[text.Term]bool) {
	d, ok := a.DecisionPolicy()
	if !ok || d.Recommendation == "" {
		return
	}
	near := p.relevance(h.Position) >= decisionRelevance
	if !near && !mostlyIn(d.Condition, asked) {
		return
	}
	named := func(name string) bool {
		return name == p.View.Agent && name != "" || slices.Contains(p.request.Tags, name) || mostlyIn(name, asked)
	}
	if len(d.Scope) > 0 && !slices.ContainsFunc(d.Scope, named) {
		return
	}
	if !p.holds(a) {
		return
	}
	p.rules = append(p.rules, decisionRule(h, a, d))
}

// decisionRule returns the rule that a compiled decision policy is.
func decisionRule(h *catalog.Head, a *hmx.Artifact, d hmx.DecisionPolicy) pack.Rule {
	condition, strength := d.Condition, memory.StrengthSoft
	if condition == "" {
		condition = learn.Always
	}
	if h.Trust >= record.User && fixed(a.Metadata) {
		strength = memory.StrengthHard
	}
	return pack.Rule{
		ID: h.ID, Source: hmx.SourceArtifact, Condition: condition, Constraint: d.Recommendation, Confidence: h.Confidence,
		Strength: strength, Trust: h.Trust,
	}
}

// holds reports whether an artifact's own scope holds for the caller.
func (p *packing) holds(a *hmx.Artifact) bool {
	return board.Applies(p.View, &a.ValidityScope.Value, p.Tenant.Name, p.request.Tags, p.Now)
}

// inScope reports whether a record holds for the caller, apart from the time.
func (p *packing) inScope(body memory.Body) bool {
	return board.AppliesBody(p.View, body, p.Tenant.Name, p.request.Tags, p.Now)
}

// fixed reports whether metadata says that a rule may not be overridden.
func fixed(metadata hmx.Raw) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal([]byte(metadata), &m) == nil && string(m["override_allowed"]) == "false"
}

// mostlyIn reports whether half of the words of a text or more are among terms.
func mostlyIn(said string, terms map[text.Term]bool) bool {
	in, all := 0, 0
	for _, t := range text.ParseQuery(said).Terms {
		if all++; terms[t.Term] {
			in++
		}
	}
	return all > 0 && 2*in >= all
}

// task returns what is known of what the session is doing: how such tasks are done, and
// what it did last.
func (p *packing) task() (pack.Task, error) {
	var task pack.Task
	deeds, err := p.deeds()
	if err != nil {
		return task, err
	}
	task.Deeds = deeds
	if task.Next, err = p.next(); err != nil {
		return task, err
	}
	if len(deeds) == 0 && len(p.schemas) == 0 {
		return task, nil // nothing tells which it could be
	}
	list, err := p.inUse(hmx.TypeTaskSchema)
	if err != nil {
		return task, err
	}
	list = slices.DeleteFunc(list, func(h *catalog.Head) bool { return len(deeds) == 0 && p.schemas[h.ID] == 0 })
	slices.SortStableFunc(list, func(a, b *catalog.Head) int { return cmp.Compare(p.schemas[b.ID], p.schemas[a.ID]) }) // else newest first
	list = list[:min(len(list), schemasSeen)]
	found, err := p.bodies(list)
	if err != nil {
		return task, err
	}
	for i, h := range list {
		a, ok := found[i].(*memory.Artifact)
		if !ok {
			continue
		}
		if s, ok := a.HMX.TaskSchema(); ok && len(s.Steps) > 0 && p.holds(&a.HMX) {
			task.Schemas = append(task.Schemas, schemaOf(h, &a.HMX, s, p.schemas[h.ID]))
		}
	}
	return task, nil
}

// next returns the tools that the session may call next.
func (p *packing) next() (list []pack.Next, err error) {
	if p.request.Session == "" {
		return nil, nil
	}
	found, err := p.engine.adviser.Foresee(p.Ctx, board.State{Reader: p.Reader, Tenant: p.Tenant, View: p.View}, p.request.Session, p.request.Tags, advise.DefaultNextSteps)
	if err != nil {
		return nil, err
	}
	for _, s := range found.Suggestions {
		if len(s.Artifacts) == 0 {
			continue
		}
		spoiled, err := p.spoiledArtifact(s.Artifacts[0])
		if err != nil {
			return nil, err
		}
		if !spoiled {
			list = append(list, pack.Next{Tool: s.Tool, Reason: s.Reason, ArtifactID: s.Artifacts[0], Chance: s.Probability})
		}
	}
	return list, nil
}

// schemaOf returns a task schema as a composer reads it.
func schemaOf(h *catalog.Head, a *hmx.Artifact, s hmx.TaskSchema, relevance float64) pack.Schema {
	out := pack.Schema{
		ArtifactID: h.ID, Title: a.Title, Confidence: h.Confidence, SuccessRate: a.SuccessRate, Observed: a.ObservedCount, Relevance: relevance,
	}
	steps := slices.Clone(s.Steps)
	slices.SortStableFunc(steps, func(a, b hmx.TaskStep) int {
		return cmp.Compare(a.Order.Or(math.MaxInt64), b.Order.Or(math.MaxInt64))
	})
	for _, step := range steps {
		out.Steps = append(out.Steps, pack.Step{Description: step.Description, Tools: step.ToolsUsed, Optional: step.Optional.Or(false)})
	}
	return out
}

// deeds returns what the session did last, oldest first.
func (p *packing) deeds() ([]pack.Deed, error) {
	if p.request.Session == "" {
		return nil, nil
	}
	w, err := timeline.NewWalker(p.Reader, p.Tenant.Number)
	if err != nil {
		return nil, err
	}
	end := timeline.Place{Sequence: math.MaxInt64, Timestamp: math.MaxInt64, Position: math.MaxUint64}
	session := index.DigestOf(p.request.Session)
	var list []pack.Deed
	for most := deedsSeen; ; most *= 4 {
		var positions []uint64
		if positions, _, err = w.Around(nil, session, end, most, 0); err != nil {
			break
		}
		if list, err = p.done(positions); err != nil || len(list) >= deedsSeen || len(positions) < most || most >= deedsPassed {
			break
		}
	}
	return list[max(0, len(list)-deedsSeen):], fault.First(err, w.Close())
}

// deed is something that the session did, and the call that it was or answers.
type deed struct {
	pack.Deed
	call     string
	is, told bool // it is a call, or what came of one
}

// done returns what the events at positions did, of those that are shown. A call and
// what came of it are one.
func (p *packing) done(positions []uint64) ([]pack.Deed, error) {
	found := make([]*deed, len(positions))
	if err := p.share(len(positions), func(i int) error {
		rec, err := p.Record(positions[i])
		if err != nil || rec == nil || rec.Event == nil || !board.SeesEvent(p.View, &board.StoredEvent{Event: rec.Event}) {
			return p.Passed(err)
		}
		found[i] = deedOf(rec.Event)
		return nil
	}); err != nil {
		return nil, err
	}
	var list []pack.Deed
	calls := make(map[string]int) // where in the list one is that nothing is known to have come of
	for _, d := range found {
		if d == nil {
			continue
		}
		if i, ok := calls[d.call]; ok && d.told {
			list[i].Outcome, list[i].Text = d.Outcome, d.Text
			delete(calls, d.call)
			continue
		}
		if d.is {
			calls[d.call] = len(list)
		}
		list = append(list, d.Deed)
	}
	return list, nil
}

// deedOf returns what an event did.
func deedOf(ev *hmx.Event) *deed {
	x := kind.Read(ev)
	d := &deed{Deed: pack.Deed{Outcome: x.Outcome, Text: x.Text}, is: ev.EventType == hmx.TypeToolCall, told: ev.EventType == hmx.TypeToolResult}
	for _, f := range x.Frames {
		if f.Kind == memory.ObjTool {
			d.Tool = strings.ToLower(f.Ref)
			break
		}
	}
	if d.is || d.told {
		d.call = "id " + x.Call
		if x.Call == "" {
			d.call = "tool " + d.Tool
		}
	}
	return d
}
