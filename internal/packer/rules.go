package packer

import (
	"cmp"
	"context"
	"math"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/advise"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/text"
)

// Limits of the search for rules and tasks.
const (
	decisionsSeen = 256
	schemasSeen   = 64
	deedsSeen     = 64
)

// MaxPolicies is how many policies of each kind a pack reads, the newest.
const MaxPolicies = 1000

// MaxSessionEvents is how many events of a session are read to find its last actions: some may be
// hidden.
const MaxSessionEvents = 4096

// decisionRelevance is the minimum relevance of a compiled decision policy, if its condition does
// not occur in the words of the question.
const decisionRelevance = 0.35

// ruleOf makes a rule of a candidate that is a constraint, once: if its section is not requested,
// it may be found again.
func (p *Assembly) ruleOf(c *pack.Candidate, x excerpt.Item) {
	m, ok := x.Body.(*memory.Memory)
	if !ok || c.Section != hmx.SectionConstraints {
		return
	}
	if rule := excerpt.MemoryRule(x.Head, m); !slices.Contains(p.rules, rule) {
		p.rules = append(p.rules, rule)
	}
}

// addRules finds the policies and the compiled decisions that hold for the question and
// for the caller.
func (p *Assembly) addRules(ctx context.Context) error {
	for _, class := range []memory.PolicyKind{memory.PolicyConstraint, memory.PolicyInstruction} {
		err := p.each(ctx, record.Policy, record.User, string(class), MaxPolicies, func(x excerpt.Item) {
			if b, ok := x.Body.(*memory.Policy); ok {
				p.addPolicy(x.Head, b)
			}
		})
		if err != nil {
			return err
		}
	}
	terms := make(map[text.Term]bool)
	for _, t := range text.ParseQuery(p.Request.Query).Terms {
		terms[t.Term] = true
	}
	list, err := p.inUse(hmx.TypeDecisionPolicy)
	if err != nil {
		return err
	}
	list = p.foremost(list, decisionsSeen, func(h *catalog.Head) float64 { return p.relevance(h.Position) })
	return p.visit(ctx, list, func(x excerpt.Item) {
		if b, ok := x.Body.(*memory.Artifact); ok {
			p.addDecision(x.Head, &b.HMX, terms)
		}
	})
}

// inUse returns the visible and valid active artifacts of a type, newest first. Inactive versions
// do not count for the limit.
func (p *Assembly) inUse(of hmx.ArtifactType) ([]*catalog.Head, error) {
	active, err := p.From.Active(p.State())
	if err != nil {
		return nil, err
	}
	var list []*catalog.Head
	for _, h := range active.Heads {
		if h.Class != string(of) || p.WhyOver(h) != "" {
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

// foremost returns at most most items of a list, in order: those with the highest counts, and of
// equal ones the first.
func (p *Assembly) foremost(list []*catalog.Head, most int, count func(*catalog.Head) float64) []*catalog.Head {
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
func (p *Assembly) each(ctx context.Context, k record.Kind, least record.Trust, class string, most int, visit func(excerpt.Item)) error {
	list, err := p.Heads(ctx, k, least, func(visit func(catalog.Thing) bool) error {
		return catalog.List(p.Reader, p.Tenant.Number, catalog.OfClass(k, class), nil, func(_ []byte, d catalog.Thing) bool { return visit(d) })
	}, most)
	if err != nil {
		return err
	}
	return p.visit(ctx, slices.DeleteFunc(list, func(h *catalog.Head) bool { return p.WhyOver(h) != "" }), visit)
}

// visit calls visit with what things say, in their order.
func (p *Assembly) visit(ctx context.Context, list []*catalog.Head, visit func(excerpt.Item)) error {
	found, err := p.bodies(ctx, list)
	if err != nil {
		return err
	}
	for i, h := range list {
		if found[i] != nil {
			visit(excerpt.Item{Head: h, Body: found[i]})
		}
	}
	return nil
}

// bodies reads what things say, nil for what was erased meanwhile, as what it was derived
// from may be, or cannot be read.
func (p *Assembly) bodies(ctx context.Context, list []*catalog.Head) ([]memory.Body, error) {
	found := make([]memory.Body, len(list))
	return found, p.Parallel(ctx, len(list), func(i int) error {
		rec, err := p.Record(list[i].Position)
		if err != nil || rec == nil || rec.Body == nil {
			return p.Passed(err)
		}
		erased, err := p.DerivedFromErased(rec.Body)
		if err == nil && !erased {
			found[i] = rec.Body
		}
		return err
	})
}

// relevance returns the relevance of a position by the search.
func (p *Assembly) relevance(position uint64) float64 {
	if i, ok := p.at[position]; ok {
		return p.list[i].Relevance
	}
	return 0
}

// addPolicy makes a rule of a policy, if it applies.
func (p *Assembly) addPolicy(h *catalog.Head, b *memory.Policy) {
	s := &b.Scope
	narrow := false
	if len(s.Agents) > 0 && p.View.Agent != "" {
		if !access.Addressed(s.Agents, p.View.Agent) {
			return
		}
		narrow = true
	}
	if len(s.Tags) > 0 {
		if !s.CoversTags(p.Request.Tags) {
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
	p.rules = append(p.rules, excerpt.PolicyRule(h, b))
}

// remembers reports whether a memory covered by a scope is among the candidates.
func (p *Assembly) remembers(s *memory.Scope) bool {
	return slices.ContainsFunc(p.seen, func(x excerpt.Item) bool {
		return x.Head != nil && x.Head.Kind == record.Memory && s.CoversType(memory.Type(x.Head.Class)) && s.CoversKey(x.Head.Key)
	})
}

// addDecision makes a rule of a compiled decision policy, if its condition is about the question,
// and its scope applies.
func (p *Assembly) addDecision(h *catalog.Head, a *hmx.Artifact, asked map[text.Term]bool) {
	d, ok := a.DecisionPolicy()
	if !ok || d.Recommendation == "" {
		return
	}
	near := p.relevance(h.Position) >= decisionRelevance
	if !near && !mostlyIn(d.Condition, asked) {
		return
	}
	named := func(name string) bool {
		return name == p.View.Agent && name != "" || slices.Contains(p.Request.Tags, name) || mostlyIn(name, asked)
	}
	if len(d.Scope) > 0 && !slices.ContainsFunc(d.Scope, named) {
		return
	}
	if !p.ArtifactApplies(a) {
		return
	}
	p.rules = append(p.rules, excerpt.DecisionRule(h, a, d))
}

// mostlyIn reports whether at least half of the words of a text are among terms.
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
func (p *Assembly) task(ctx context.Context) (pack.Task, error) {
	var task pack.Task
	deeds, err := p.deeds(ctx)
	if err != nil {
		return task, err
	}
	task.Deeds = deeds
	if task.Next, err = p.next(ctx); err != nil {
		return task, err
	}
	if len(deeds) == 0 && len(p.schemas) == 0 {
		return task, nil // nothing identifies the task
	}
	list, err := p.inUse(hmx.TypeTaskSchema)
	if err != nil {
		return task, err
	}
	list = slices.DeleteFunc(list, func(h *catalog.Head) bool { return len(deeds) == 0 && p.schemas[h.ID] == 0 })
	slices.SortStableFunc(list, func(a, b *catalog.Head) int { return cmp.Compare(p.schemas[b.ID], p.schemas[a.ID]) }) // otherwise newest first
	list = list[:min(len(list), schemasSeen)]
	found, err := p.bodies(ctx, list)
	if err != nil {
		return task, err
	}
	for i, h := range list {
		a, ok := found[i].(*memory.Artifact)
		if !ok {
			continue
		}
		if s, ok := a.HMX.TaskSchema(); ok && len(s.Steps) > 0 && p.ArtifactApplies(&a.HMX) {
			task.Schemas = append(task.Schemas, excerpt.SchemaOf(h, &a.HMX, s, p.schemas[h.ID]))
		}
	}
	return task, nil
}

// next returns the tools that the session may call next.
func (p *Assembly) next(ctx context.Context) (list []pack.Next, err error) {
	if p.Request.Session == "" {
		return nil, nil
	}
	found, err := p.packer.adviser.Foresee(ctx, board.State{Reader: p.Reader, Tenant: p.Tenant, View: p.View}, p.Request.Session, p.Request.Tags, advise.DefaultNextSteps)
	if err != nil {
		return nil, err
	}
	for _, s := range found.Suggestions {
		if len(s.Artifacts) == 0 {
			continue
		}
		erased, err := p.ArtifactDerivedFromErased(s.Artifacts[0])
		if err != nil {
			return nil, err
		}
		if !erased {
			list = append(list, pack.Next{Tool: s.Tool, Reason: s.Reason, ArtifactID: s.Artifacts[0], Chance: s.Probability})
		}
	}
	return list, nil
}

// deeds returns what the session did last, oldest first.
func (p *Assembly) deeds(ctx context.Context) ([]pack.Deed, error) {
	if p.Request.Session == "" {
		return nil, nil
	}
	w, err := timeline.NewWalker(p.Reader, p.Tenant.Number)
	if err != nil {
		return nil, err
	}
	end := timeline.Place{Sequence: math.MaxInt64, Timestamp: math.MaxInt64, Position: math.MaxUint64}
	session := index.DigestOf(p.Request.Session)
	var list []pack.Deed
	for most := deedsSeen; ; most *= 4 {
		var positions []uint64
		if positions, _, err = w.Around(nil, session, end, most, 0); err != nil {
			break
		}
		if list, err = p.Deeds(ctx, positions); err != nil || len(list) >= deedsSeen || len(positions) < most || most >= MaxSessionEvents {
			break
		}
	}
	return list[max(0, len(list)-deedsSeen):], fault.First(err, w.Close())
}
