package board

import (
	"context"
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// maxViolations is the maximum number of live violations of one scope on record,
// so that a scope cannot be used to fill the disk. Beyond that, writes are still
// refused.
const maxViolations = 256

// Refusal is a write that a scope does not allow.
type Refusal struct {
	Op     memory.ViolationOp
	Target string // the target of the write; any text
	Rule   memory.ViolationRule
}

// fault describes the refusal, and reveals nothing about what exists.
func (r Refusal) fault() *fault.Error {
	why := map[memory.ViolationRule]string{
		memory.RuleReadOnly:  "the scope only reads",
		memory.RuleContent:   "what was to be written is out of scope",
		memory.RuleExisting:  "the existing record is out of scope",
		memory.RuleCited:     "what it draws on is out of scope, or is not there",
		memory.RuleTenant:    "it is another tenant's",
		memory.RuleAgent:     "it is in the name of another agent than the scope's",
		memory.RuleOperation: "no scope may do this",
	}[r.Rule]
	return fault.Newf(fault.OutOfScope, "%s: %s", r.Op, why)
}

// scoped returns the writer with its verified scope: its actor is the holder of
// the token, and its ceiling at most that of the token.
func (b *Board) scoped(tenant string, w Writer) (Writer, error) {
	if w.Scope == "" {
		return w, nil
	}
	if err := w.check(); err != nil {
		return w, err
	}
	a, err := b.authority.Access(tenant, w.Scope, b.o.Clock())
	if err != nil {
		return w, err
	}
	return w.under(a)
}

// under returns the writer with the rights of its verified token.
func (w Writer) under(a *scope.Access) (Writer, error) {
	if w.Actor != "" && w.Actor != a.Agent() {
		return w, access.WrongAgent("actor")
	}
	w.Actor, w.Trust, w.access = a.Agent(), min(w.Ceiling(), a.Trust()), a
	return w, nil
}

// Entitled is scoped for a write. It refuses a read-only scope.
func (b *Board) Entitled(ctx context.Context, tenant string, w Writer, op memory.ViolationOp, target string) (Writer, error) {
	w, err := b.scoped(tenant, w)
	if err != nil {
		return w, err
	}
	return w, b.mayWrite(ctx, w, op, target)
}

// mayWrite refuses a read-only scope.
func (b *Board) mayWrite(ctx context.Context, w Writer, op memory.ViolationOp, target string) error {
	if w.access.MayWrite() {
		return nil
	}
	return b.Refuse(ctx, w, Refusal{op, target, memory.RuleReadOnly})
}

// RefuseScope refuses a writer with any scope.
func (b *Board) RefuseScope(ctx context.Context, tenant string, w Writer, op memory.ViolationOp, target string) error {
	w, err := b.scoped(tenant, w)
	if err == nil && w.access != nil {
		err = b.Refuse(ctx, w, Refusal{op, target, memory.RuleOperation})
	}
	return err
}

// EventWriter is Entitled for events, which name their tenants themselves. Under
// a scope the only tenant is that of the token.
func (b *Board) EventWriter(ctx context.Context, w Writer) (Writer, error) {
	w.system = b.system
	if err := w.check(); err != nil || w.Scope == "" {
		return w, err
	}
	a, err := b.authority.Verify(w.Scope, b.o.Clock())
	if err != nil {
		return w, err
	}
	if w, err = w.under(a); err != nil {
		return w, err
	}
	return w, b.mayWrite(ctx, w, memory.OpAppend, "events")
}

// ViewOf returns the view of a writer with a verified scope.
func ViewOf(w Writer) access.View { return access.Granted(w.Actor, w.Scope, w.access) }

// mayChange reports whether the writer's scope allows changing a record.
func (w Writer) mayChange(h *catalog.Head) bool {
	subject := access.Subject(h)
	return access.Sees(ViewOf(w), h) && w.access.AllowsWrite(&subject)
}

// timely refuses a scope that had ended when the tenant's newest record was
// written.
func (w Writer) timely(t *ledger.Tenant) error { return w.access.NotOver(TimeOf(t.Time)) }

// Refuse journals refusals and returns the first of them as an error. It ignores
// the cancellation of ctx.
func (b *Board) Refuse(ctx context.Context, w Writer, list ...Refusal) error {
	err := b.Submit(context.WithoutCancel(ctx), &Request{Indexed: true, Records: len(list), Admit: func(g *Group) error {
		for _, r := range list {
			if err := g.journal(w, r); err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		return fmt.Errorf("%s, and that could not be journaled: %w", list[0].fault(), err)
	}
	return list[0].fault()
}

// refuse journals a refusal and returns it as the request's error.
func (g *Group) refuse(w Writer, r Refusal) error {
	if err := g.journal(w, r); err != nil {
		return err
	}
	return r.fault()
}

// journal records a refusal as a violation, unless the same is on record.
func (g *Group) journal(w Writer, r Refusal) error {
	t, err := g.Tenant(w.access.Tenant())
	if err != nil {
		return err
	}
	v := memory.NewViolation(w.access.ID(), w.access.Agent(), r.Op, r.Target, r.Rule)
	_, known, err := catalog.HeadOf(g.tx, t.Number, record.Violation, catalog.ThingOf(t.Name, record.Violation, v.ID))
	if err != nil {
		return g.Stop(err)
	}
	if known {
		return nil
	}
	count := 0
	err = catalog.List(g.tx, t.Number, catalog.OfClass(record.Violation, v.ScopeID), nil, func([]byte, catalog.Thing) bool {
		count++
		return count < maxViolations
	})
	if err != nil {
		return g.Stop(err)
	}
	if count >= maxViolations {
		return nil
	}
	payload, err := v.AppendJSON(nil)
	if err != nil {
		return err
	}
	// A replay must accept the payload.
	if _, err := memory.Decode(record.Violation, payload); err != nil {
		return err
	}
	// The board is its author, and only an operator can withdraw it.
	e, err := g.b.NewEntry(Writer{Actor: w.Actor, Trust: record.Operator}, t.Name, record.Violation, v.ID+"#1", payload)
	if err != nil {
		return err
	}
	e.Record.Body = v
	_, err = g.Put(e)
	return err
}

// targetOf names the target of a write.
func targetOf(tenant string, kind record.Kind, id, key string) string {
	switch {
	case id != "":
		return memory.URI{Tenant: tenant, Kind: kind, ID: id}.String()
	case key != "":
		return kind.String() + " with the key " + key
	}
	return "a new " + kind.String()
}

// judge returns why the scope of a writer does not allow a version: because of
// its content, the record under its id or key, or its sources. It reads the state
// in log order. The error is for failures of the store.
func (g *Group) judge(w Writer, t *ledger.Tenant, body memory.Body, fresh string, op memory.ViolationOp) (*Refusal, error) {
	if w.access == nil {
		return nil, nil
	}
	id, key := body.Identity()
	r := &Refusal{Op: op, Target: targetOf(t.Name, body.Kind(), id, key)}
	subject := access.BodySubject(body)
	if boundless(subject.Kind, subject.Type) {
		r.Rule = memory.RuleOperation
		return r, nil
	}
	if f, ok := body.(*memory.Feedback); ok && !scope.Below(f.AgentID, w.access.Agent()) {
		r.Rule = memory.RuleAgent
		return r, nil
	}
	if key != "" {
		thing, held, err := catalog.Holder(g.tx, t.Number, body.Kind(), key)
		if err != nil {
			return nil, g.Stop(err)
		}
		if held {
			head, ok, err := catalog.HeadOf(g.tx, t.Number, body.Kind(), thing)
			if err != nil {
				return nil, g.Stop(err)
			}
			if ok && head.State != catalog.Redacted && !w.mayChange(head) {
				r.Rule = memory.RuleExisting
				return r, nil
			}
			if ok && id == "" {
				subject.ID = head.ID
			}
		}
	}
	if id != "" {
		head, ok, err := catalog.HeadOf(g.tx, t.Number, body.Kind(), catalog.ThingOf(t.Name, body.Kind(), id))
		if err != nil {
			return nil, g.Stop(err)
		}
		if ok && head.State != catalog.Redacted && !w.mayChange(head) {
			r.Rule = memory.RuleExisting
			return r, nil
		}
	}
	if subject.ID == "" {
		subject.ID = fresh
	}
	if !w.access.AllowsWrite(&subject) {
		r.Rule = memory.RuleContent
		return r, nil
	}
	return g.judgeCited(w, t, body, r)
}

// boundless reports whether a record has effects that no scope can limit: a
// retention policy removes whatever it names.
func boundless(k record.Kind, class string) bool {
	return k == record.Policy && class == string(memory.PolicyRetention)
}

// judgeCited refuses feedback about records out of scope: it would change their
// ranking, and reveal it.
func (g *Group) judgeCited(w Writer, t *ledger.Tenant, body memory.Body, r *Refusal) (*Refusal, error) {
	if body.Kind() != record.Feedback {
		return nil, nil
	}
	for _, l := range body.Facets().Links {
		ok, err := g.sees(ViewOf(w), t, l.To)
		if err != nil {
			return nil, err
		}
		if !ok {
			r.Rule = memory.RuleCited
			return r, nil
		}
	}
	return nil, nil
}

// sees reports whether a record exists and a view shows it.
func (g *Group) sees(v access.View, t *ledger.Tenant, u memory.URI) (bool, error) {
	if u.Kind != record.Event {
		head, ok, err := catalog.HeadOf(g.tx, t.Number, u.Kind, catalog.ThingOf(t.Name, u.Kind, u.ID))
		if err != nil {
			return false, g.Stop(err)
		}
		return ok && head.State != catalog.Redacted && access.Sees(v, head), nil
	}
	id := record.ID(t.Name, record.Event, u.ID)
	position, ok, err := ledger.Find(g.tx, t.Number, &id)
	if err != nil {
		return false, g.Stop(err)
	}
	if !ok {
		return false, nil
	}
	return g.seesEventAt(v, t, position)
}

// seesEventAt reports whether a view shows the event at a position. An unreadable
// one is hidden.
func (g *Group) seesEventAt(v access.View, t *ledger.Tenant, position uint64) (bool, error) {
	payload, erased, err := g.PayloadAt(t, position)
	if fault.CodeOf(err) == fault.Damaged {
		return false, nil
	}
	if err != nil {
		return false, g.Stop(err)
	}
	if erased {
		return false, nil
	}
	ev, _, err := hmx.DecodeEvent(payload)
	if err != nil {
		return false, nil
	}
	return access.Allows(v, access.EventSubject(ev)), nil
}

// judgeEvent returns why the scope of a writer does not allow an event. Events
// that fail for the same reason are one violation: per session and type.
func judgeEvent(w Writer, ev *hmx.Event) *Refusal {
	if w.access == nil {
		return nil
	}
	r := &Refusal{Op: memory.OpAppend, Target: eventTarget(ev)}
	if ev.TenantID != w.access.Tenant() {
		r.Target, r.Rule = "events of another tenant", memory.RuleTenant
		return r
	}
	if !scope.Below(ev.AgentID, w.access.Agent()) {
		r.Rule = memory.RuleAgent
		return r
	}
	if subject := access.EventSubject(ev); !w.access.AllowsWrite(&subject) {
		r.Rule = memory.RuleContent
		return r
	}
	return nil
}

func eventTarget(ev *hmx.Event) string {
	return "events of type " + string(ev.EventType) + " in the session " + ev.SessionID
}
