package board

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Forget puts a tombstone on a versioned record: reads no longer return it, and its
// history stays. Forgetting it again changes nothing.
func (b *Board) Forget(ctx context.Context, w Writer, ref Ref, reason string, expect Expect) (*PutResult, error) {
	w, err := b.Entitled(ctx, ref.Tenant, w, memory.OpForget, TargetOf(ref))
	if err != nil {
		return nil, err
	}
	reason, scrubbed := b.ScrubText(reason)
	var res *PutResult
	err = b.change(ctx, w, memory.OpForget, ref, expect, func(g *Group, t *ledger.Tenant, h *catalog.Head) (memory.Control, error) {
		if h.State != catalog.Live {
			res = unchangedResult(t, h)
			return nil, nil
		}
		return &memory.Tombstone{Target: h.Kind, ID: h.ID, Version: uint64(h.Version), Reason: reason}, nil
	}, &res)
	return res.scrubbed(scrubbed), err
}

// scrubbed adds the number of secrets that were scrubbed.
func (r *PutResult) scrubbed(found int) *PutResult {
	if r != nil {
		r.Scrubbed = found
	}
	return r
}

// Transition changes the status of an artifact, by the rules of HMX-A for the
// artifact and for its chain.
func (b *Board) Transition(ctx context.Context, w Writer, ref Ref, to hmx.Status, supersededBy, reason string, expect Expect) (*PutResult, error) {
	ref.Kind = record.Artifact
	w, err := b.Entitled(ctx, ref.Tenant, w, memory.OpTransition, TargetOf(ref))
	if err != nil {
		return nil, err
	}
	reason, scrubbed := b.ScrubText(reason)
	var res *PutResult
	err = b.change(ctx, w, memory.OpTransition, ref, expect, func(g *Group, t *ledger.Tenant, h *catalog.Head) (memory.Control, error) {
		if h.State != catalog.Live {
			return nil, fault.Newf(fault.NotFound, "artifact %s is %s", h.ID, h.State)
		}
		if supersededBy != "" {
			next, ok, err := catalog.HeadOf(g.tx, t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, supersededBy))
			if err != nil {
				return nil, g.Stop(err)
			}
			if !ok || next.State != catalog.Live || w.access != nil && !access.Sees(ViewOf(w), next) {
				return nil, fault.Newf(fault.NotFound, "superseded_by: tenant %q has no artifact %s", t.Name, supersededBy)
			}
		}
		if err := g.transition(w, t, h, to, supersededBy); err != nil {
			return nil, err
		}
		return &memory.Transition{ArtifactID: h.ID, From: hmx.Status(h.Status), To: to, SupersededBy: supersededBy, Reason: reason}, nil
	}, &res)
	return res.scrubbed(scrubbed), err
}

func unchangedResult(t *ledger.Tenant, h *catalog.Head) *PutResult {
	uri := memory.URI{Tenant: t.Name, Kind: h.Kind, ID: h.ID, Version: uint64(h.Version)}
	return &PutResult{URI: uri, Position: h.Position, Trust: h.Trust, Unchanged: true}
}

// TargetOf names the record of a reference.
func TargetOf(r Ref) string { return targetOf(r.Tenant, r.Kind, r.ID, r.Key) }

// change writes a control about one record, by a writer whose scope is verified. The
// function may return nil to write nothing.
func (b *Board) change(ctx context.Context, w Writer, op memory.ViolationOp, ref Ref, expect Expect,
	decide func(*Group, *ledger.Tenant, *catalog.Head) (memory.Control, error), res **PutResult) error {
	if err := memory.CheckTenant(ref.Tenant); err != nil {
		return err
	}
	if err := memory.CheckActor(w.Actor); err != nil {
		return err
	}
	id, err := b.ids.Next()
	if err != nil {
		return err
	}
	return b.Submit(ctx, &Request{Indexed: true, Admit: func(g *Group) error {
		t, err := g.Tenant(ref.Tenant)
		if err != nil {
			return err
		}
		h, err := g.Changeable(w, op, t, ref)
		if err != nil {
			return err
		}
		uri := memory.URI{Tenant: t.Name, Kind: h.Kind, ID: h.ID}
		if err := CheckExpected(expect, uri, h); err != nil {
			return err
		}
		if err := Outranks(w, h); err != nil {
			return err
		}
		control, err := decide(g, t, h)
		if err != nil || control == nil {
			return err
		}
		e, err := g.b.ControlEntry(w, ref.Tenant, id, control)
		if err != nil {
			return err
		}
		uri.Version = uint64(h.Version) + 1
		r := &PutResult{URI: uri, Trust: h.Trust}
		if r.Position, err = g.Put(e); err != nil {
			return err
		}
		*res = r
		return nil
	}})
}

// Changeable returns the head of the record that a writer wants to change. A record
// that its scope hides is refused as out of scope, and an erased one does not exist
// for it.
func (g *Group) Changeable(w Writer, op memory.ViolationOp, t *ledger.Tenant, ref Ref) (*catalog.Head, error) {
	h, err := FindHead(State{Reader: g.tx, Tenant: t, View: access.View{}}, ref)
	if err == nil && (h.Kind == record.Embedding || h.Kind == record.Refinement) && w.access == nil {
		return nil, fault.Newf(fault.InvalidArgument, "%s: what a model made of something is there as long as that is", TargetOf(ref)).
			WithFix("redact it, or what it is of")
	}
	if w.access == nil {
		return h, err
	}
	if err := w.timely(t); err != nil {
		return nil, err
	}
	if fault.CodeOf(err) == fault.Erased {
		return FindHead(State{Reader: g.tx, Tenant: t, View: ViewOf(w)}, ref)
	}
	if err == nil && !w.mayChange(h) {
		return nil, g.refuse(w, Refusal{op, TargetOf(ref), memory.RuleExisting})
	}
	if err == nil && boundless(h.Kind, h.Class) {
		return nil, g.refuse(w, Refusal{op, TargetOf(ref), memory.RuleOperation})
	}
	return h, err
}

// ControlEntry returns the entry of a control.
func (b *Board) ControlEntry(w Writer, tenant, id string, control memory.Control) (*Entry, error) {
	if err := control.Validate(); err != nil {
		return nil, err
	}
	payload, err := control.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	e, err := b.NewEntry(w, tenant, control.Kind(), id, payload)
	if err != nil {
		return nil, err
	}
	e.Record.Control = control
	return e, nil
}

// Restore writes the content of an earlier version as the newest one. Without a
// version it is the last content, which brings back a forgotten record. Its trust is
// at most that of the original.
func (b *Board) Restore(ctx context.Context, w Writer, ref Ref, expect Expect) (*PutResult, error) {
	w, err := b.Entitled(ctx, ref.Tenant, w, memory.OpRestore, TargetOf(ref))
	if err != nil {
		return nil, err
	}
	old, err := b.Get(ctx, ref, access.View{})
	if w.access != nil {
		hidden := err == nil
		if old, err = b.Get(ctx, ref, ViewOf(w)); hidden && fault.CodeOf(err) == fault.NotFound {
			return nil, b.Refuse(ctx, w, Refusal{memory.OpRestore, TargetOf(ref), memory.RuleExisting})
		}
	}
	if err != nil {
		return nil, err
	}
	if ref.Version == 0 && old.State == catalog.Live {
		return nil, fault.Newf(fault.InvalidArgument, "version: %s is not forgotten, so it must be said which version to bring back", old.URI).
			WithFix("name a version; `lukasa history` lists them")
	}
	var tier record.Trust
	err = b.Read(ctx, ref.Tenant, func(s State) error {
		f, err := b.FrameAt(s, old.Position)
		if err != nil {
			return err
		}
		h, err := record.ParseHeader(f.Header)
		tier = h.Trust
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.PutAs(ctx, w, ref.Tenant, old.Body, expect, memory.OpRestore, tier)
}
