package packer

import (
	"context"
	"encoding/hex"
	"iter"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/trace"
)

// FingerprintOptions selects the input of a fingerprint. The zero value of all but Tenant
// works.
type FingerprintOptions struct {
	Tenant string
	// Agent narrows it to what one agent learned: its sessions, the artifacts derived from
	// them, its feedback, and the names in its documents. Empty means all agents.
	Agent string
	// Progress receives how many of the events were read. It may be nil.
	Progress func(done, all int)
}

// Fingerprint returns a digest of what the agents of a tenant learned, without any text of
// events; see package fingerprint for its content. It depends on one state: the same root
// gives the same bytes, here, after a rebuild and wherever the tenant is imported. Erased
// records have no part in it, nor do records private to another agent than the named one.
//
// It reads only sessions that have new events since the last compile or fingerprint. One
// fingerprint or compile runs at a time.
func (b *Packer) Fingerprint(ctx context.Context, o FingerprintOptions) (*fingerprint.Fingerprint, error) {
	if o.Agent != "" {
		if err := access.CheckName("agent", o.Agent); err != nil {
			return nil, err
		}
	}
	done, err := b.learner.Alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	for range learn.Tries {
		f, err := b.fingerprintOnce(ctx, o)
		if err != learn.ErrErased {
			return f, err
		}
	}
	return nil, fault.New(fault.VersionConflict, "something was erased each time that this was read").WithFix("export when no erasure is under way")
}

// printing is a fingerprint in progress.
type printing struct {
	b    *Packer
	s    board.State
	o    FingerprintOptions
	in   fingerprint.Input
	all  *sessions.Traced
	read int // sessions that had new events
}

func (b *Packer) fingerprintOnce(ctx context.Context, o FingerprintOptions) (*fingerprint.Fingerprint, error) {
	erasures := b.core.Erasures()
	p := &printing{b: b, o: o}
	err := b.core.Read(ctx, o.Tenant, func(s board.State) error {
		p.s = s
		return p.gather(ctx)
	})
	if err != nil {
		return nil, err
	}
	if b.core.Erasures() != erasures {
		return nil, learn.ErrErased
	}
	if err := p.keep(ctx, erasures); err != nil {
		return nil, err
	}
	return fingerprint.Make(p.in)
}

// gather reads the input.
func (p *printing) gather(ctx context.Context) error {
	old, err := p.b.sessions.KeptTraces(p.s)
	if err != nil {
		return err
	}
	if p.all, p.read, _, err = p.b.sessions.TraceAll(ctx, p.s, old, p.o.Progress); err != nil {
		return err
	}
	p.all.Artifacts = old.Artifacts
	root := board.RootOf(p.s.Tenant)
	p.in = fingerprint.Input{
		Tenant: p.s.Tenant.Name, Agent: p.o.Agent, Root: hex.EncodeToString(root.Hash[:]), Size: int64(root.Size), Traces: p.traces(),
	}
	if err := p.artifacts(ctx); err != nil {
		return err
	}
	if err := p.uses(ctx); err != nil {
		return err
	}
	if err := p.known(ctx); err != nil {
		return err
	}
	return p.slip()
}

// slip refuses the name of an unknown agent.
func (p *printing) slip() error {
	if p.o.Agent == "" || len(p.in.Artifacts)+len(p.in.Uses.Things)+len(p.in.Entities) > 0 {
		return nil
	}
	for range p.in.Traces {
		return nil
	}
	return fault.Newf(fault.NotFound, "tenant %q has no records of the agent %q", p.s.Tenant.Name, p.o.Agent).
		WithFix("name an agent as its events do, or none for all of them")
}

// traces returns the traces of the sessions of the fingerprint.
func (p *printing) traces() iter.Seq[*trace.Trace] {
	return func(yield func(*trace.Trace) bool) {
		for _, parts := range p.all.Traces {
			if p.o.Agent != "" && parts[0].Agent != p.o.Agent {
				continue
			}
			for _, x := range parts {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// keep caches the traces beside the index, as a compile does. A failed write is ignored.
func (p *printing) keep(ctx context.Context, erasures uint64) error {
	if p.read == 0 {
		return nil
	}
	if err := p.b.core.Enter(ctx); err != nil {
		return err
	}
	defer p.b.core.Leave()
	_ = p.b.sessions.KeepTraces(p.o.Tenant, p.all, erasures)
	return nil
}

// artifacts reads the active artifacts. One without an agent belongs to an agent if it was
// derived from its sessions.
func (p *printing) artifacts(ctx context.Context) error {
	var shared []*hmx.Artifact
	sources := make(map[string][]int) // event → indexes in shared
	err := p.each(ctx, catalog.All(record.Artifact, catalog.Live), record.Artifact, func(h *catalog.Head) error {
		if h.Status != string(hmx.StatusActive) || !learn.HoldsAt(h, p.s.Tenant.Time) {
			return nil
		}
		body, err := p.b.core.BodyAt(p.s, record.Artifact, h.Position)
		if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
			return nil
		}
		if err != nil {
			return err
		}
		a := body.(*memory.Artifact).HMX
		if !a.ObservedCount.Set {
			a.ObservedCount = hmx.Some(int64(len(a.SourceEvents)))
		}
		switch agent := a.AgentID.Or(""); {
		case p.o.Agent == "" || agent == p.o.Agent:
			p.in.Artifacts = append(p.in.Artifacts, &a)
		case agent == "":
			for _, id := range a.SourceEvents {
				sources[id] = append(sources[id], len(shared))
			}
			shared = append(shared, &a)
		}
		a.SourceEvents = nil // no longer needed, and they are many
		return nil
	})
	if err != nil || len(shared) == 0 {
		return err
	}
	own := make([]bool, len(shared))
	for x := range p.traces() {
		for i := range x.Tasks {
			eachRef(&x.Tasks[i], func(id string) {
				for _, k := range sources[id] {
					own[k] = true
				}
			})
		}
	}
	for k, a := range shared {
		if own[k] {
			p.in.Artifacts = append(p.in.Artifacts, a)
		}
	}
	return nil
}

// eachRef calls visit with the ids of the source events of a task.
func eachRef(t *trace.Task, visit func(id string)) {
	for _, r := range []trace.Ref{t.From, t.To, t.GoalRef, t.Judge} {
		visit(r.ID)
	}
	for i := range t.Steps {
		visit(t.Steps[i].Call.ID)
		visit(t.Steps[i].Result.ID)
	}
}

// each calls visit with the heads of a list, newest first.
func (p *printing) each(ctx context.Context, way catalog.Way, k record.Kind, visit func(*catalog.Head) error) error {
	var failed error
	err := catalog.List(p.s.Reader, p.s.Tenant.Number, way, nil, func(_ []byte, d catalog.Thing) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		h, ok, err := catalog.HeadOf(p.s.Reader, p.s.Tenant.Number, k, d)
		if failed = err; err == nil && ok {
			failed = visit(h)
		}
		return failed == nil
	})
	return fault.First(failed, err)
}

// fingerprintRule refuses a body whose document is not a fingerprint, or was changed since
// its export.
func fingerprintRule() board.Rule {
	return board.Rule{Validate: func(body memory.Body) error { return fingerprint.Check([]byte(body.(*memory.Fingerprint).Document)) }}
}
