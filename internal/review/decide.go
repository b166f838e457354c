package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// ArtifactDecision is a decision about an artifact.
type ArtifactDecision struct {
	Tenant string
	ID     string
	// To is active, archived or deprecated.
	To hmx.Status
	// Reason is the reason, in words. It is required to archive or deprecate.
	Reason string
	Expect board.Expect
}

// ArtifactDecided is the result of a decision.
type ArtifactDecided struct {
	board.PutResult
	From, To hmx.Status
	// Superseded is the version that it replaced; zero for none.
	Superseded memory.URI
}

// DecideArtifact sets the status of an artifact by hand: it approves a draft, or archives
// or deprecates an artifact in use. The decision stays: no compile undoes it.
//
// A draft is approved if its hash matches its content, all its sources are on record, and
// no conflict counts against it. The active version that it supersedes is superseded in
// the same step. It is refused if another version is active that it does not name, or if
// another one replaced the one it names.
func (b *Reviewer) DecideArtifact(ctx context.Context, w board.Writer, d ArtifactDecision) (*ArtifactDecided, error) {
	ref := board.Ref{Tenant: d.Tenant, Kind: record.Artifact, ID: d.ID}
	w, err := b.core.Entitled(ctx, d.Tenant, w, memory.OpTransition, board.TargetOf(ref))
	if err != nil {
		return nil, err
	}
	d.Reason, _ = b.core.ScrubText(d.Reason)
	if err := d.check(); err != nil {
		return nil, err
	}
	for range learn.Tries {
		erasures := b.core.Erasures()
		if d.To == hmx.StatusActive {
			if err := b.approvable(ctx, w, d); err != nil {
				return nil, err
			}
		}
		out, err := b.decide(ctx, w, ref, d, erasures)
		if err != learn.ErrErased {
			return out, err
		}
	}
	return nil, fault.New(fault.VersionConflict, "something was erased each time that the evidence was looked up").WithFix("approve it when no erasure is under way")
}

// check validates what does not depend on the state.
func (d *ArtifactDecision) check() error {
	if err := memory.CheckID("artifact", d.ID); err != nil {
		return err
	}
	if d.Reason = strings.TrimSpace(d.Reason); len(d.Reason) > memory.MaxReason {
		return fault.Newf(fault.InvalidArgument, "reason: has %d bytes, but may have at most %d", len(d.Reason), memory.MaxReason).WithFix("say it in fewer words")
	}
	switch d.To {
	case hmx.StatusActive:
		return nil
	case hmx.StatusArchived, hmx.StatusDeprecated:
		if d.Reason == "" {
			return fault.New(fault.InvalidArgument, "reason: there is none").WithFix("say why, for later readers")
		}
		return nil
	}
	return fault.Newf(fault.InvalidArgument, "to: is %s, which cannot be set by hand", retrieval.Quoted(string(d.To))).WithFix("use one of active, archived, deprecated")
}

// approvable refuses a draft that would not pass the validation of a compile.
func (b *Reviewer) approvable(ctx context.Context, w board.Writer, d ArtifactDecision) error {
	v := board.View{}
	if board.Scoped(w) {
		v = board.ViewOf(w)
	}
	return b.core.ReadAs(ctx, d.Tenant, v, func(s board.State) error {
		h, err := findArtifact(s, d.ID)
		if fault.CodeOf(err) == fault.NotFound && board.Scoped(w) {
			return nil // a caller that may not see it is refused where that is journaled
		}
		if err != nil {
			return err
		}
		if hmx.Status(h.Status) != hmx.StatusDraft {
			return notAllowed(h, d.To)
		}
		x, err := b.artifactDetail(ctx, s, h)
		if err != nil {
			return err
		}
		if err := x.flaw(); err != nil {
			return err
		}
		return b.onlyVersion(s, x.Artifact)
	})
}

// flaw returns what prevents the approval of a draft.
func (x *ArtifactDetail) flaw() error {
	id := x.Artifact.ArtifactID
	switch {
	case !x.HashVerified:
		return fault.Newf(fault.InvalidArgument, "artifact %s: its content has another hash than it states", id).
			WithFix("deprecate it, and write it again with the hash of its content: `lukasa hash`")
	case x.Events+x.Memories == 0:
		return fault.Newf(fault.InvalidArgument, "artifact %s names nothing that it was made of", id).
			WithFix("write it again with the source_events or source_memory_ids that support it")
	case x.MissingCount > 0:
		return fault.Newf(fault.InvalidArgument, "artifact %s: %d of the %d records that it was made of are not on record, such as %s", id, x.MissingCount, x.Events+x.Memories, x.Missing[0]).
			WithFix("deprecate it; `lukasa compile` makes it again from the records that are left")
	case len(x.Conflicts) > 0:
		return fault.Newf(fault.InvalidArgument, "artifact %s is contradicted: %s", id, x.Conflicts[0]).
			WithFix("`lukasa conflicts show " + x.Conflicts[0].ID + "` tells by what; resolve it in favour of the artifact or dismiss it first")
	}
	return nil
}

// onlyVersion refuses a draft of a compiler if another version of it is active that it
// does not supersede.
func (b *Reviewer) onlyVersion(s board.State, a *hmx.Artifact) error {
	key, ok := compile.KeyOf(a)
	if !ok {
		return nil
	}
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, catalog.OfClass(record.Artifact, string(a.ArtifactType)), nil, func(_ []byte, d catalog.Thing) bool {
		var h *catalog.Head
		if h, _, failed = catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, d); failed != nil || h == nil {
			return failed == nil
		}
		if h.Status != string(hmx.StatusActive) || h.Actor != learn.Compiler || h.ID == a.Supersedes.Or("") {
			return true
		}
		var other *StoredArtifact
		if other, failed = b.artifactOf(s, h); failed != nil {
			if code := fault.CodeOf(failed); code == fault.Erased || code == fault.Damaged {
				failed = nil
			}
			return failed == nil
		}
		if same, _ := compile.KeyOf(other.Artifact); same == key {
			failed = fault.Newf(fault.InvalidArgument, "artifact %s: another version of it is active, %s, which it does not supersede", a.ArtifactID, h.ID).
				WithFix("archive or deprecate that one first, or deprecate this one")
		}
		return failed == nil
	})
	return fault.First(failed, err)
}

// notAllowed is the error for a transition that HMX-A does not have, with the allowed
// ones.
func notAllowed(h *catalog.Head, to hmx.Status) error {
	from := hmx.Status(h.Status)
	err := from.Transition(to)
	e := fault.Newf(fault.InvalidArgument, "artifact %s: %w", h.ID, err)
	wrong, ok := errors.AsType[*hmx.TransitionError](err)
	switch {
	case from == to:
		e = fault.Newf(fault.InvalidArgument, "artifact %s is %s already", h.ID, to)
		return e.WithFix("there is nothing to do")
	case !ok || len(wrong.Allowed) == 0:
		return e.WithFix("what is " + string(from) + " stays so; `lukasa artifacts chain` shows the versions, and a new draft can take its place")
	case from == hmx.StatusDraft:
		return e.WithFix("approve or deprecate it: `lukasa artifacts approve`, `lukasa artifacts deprecate`")
	}
	return e.WithFix("deprecate or archive it: `lukasa artifacts deprecate`, `lukasa artifacts archive`")
}

// decide writes the transitions of an artifact, and of the one that it supersedes.
func (b *Reviewer) decide(ctx context.Context, w board.Writer, ref board.Ref, d ArtifactDecision, erasures uint64) (*ArtifactDecided, error) {
	if err := memory.CheckActor(w.Actor); err != nil {
		return nil, err
	}
	var out *ArtifactDecided
	err := b.core.Submit(ctx, &board.Request{Indexed: true, Records: 2, Admit: func(g *board.Group) (err error) {
		if d.To == hmx.StatusActive && g.Board().Erasures() != erasures {
			return learn.ErrErased
		}
		out, err = decideIn(g, w, ref, d)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// decideIn is decide in log order.
func decideIn(g *board.Group, w board.Writer, ref board.Ref, d ArtifactDecision) (*ArtifactDecided, error) {
	t, err := g.Tenant(ref.Tenant)
	if err != nil {
		return nil, err
	}
	h, err := decidable(g, w, t, ref, d.To)
	if err != nil {
		return nil, err
	}
	if err := board.CheckExpected(d.Expect, memory.URI{Tenant: t.Name, Kind: record.Artifact, ID: h.ID}, h); err != nil {
		return nil, err
	}
	var old *catalog.Head
	if d.To == hmx.StatusActive {
		if old, err = replacedBy(g, w, t, h); err != nil {
			return nil, err
		}
	}
	out := &ArtifactDecided{From: hmx.Status(h.Status), To: d.To}
	if old != nil {
		out.Superseded = memory.URI{Tenant: t.Name, Kind: record.Artifact, ID: old.ID}
		by := &memory.Transition{ArtifactID: old.ID, From: hmx.Status(old.Status), To: hmx.StatusSuperseded, SupersededBy: h.ID, Reason: d.Reason}
		if _, err := turnTo(g, w, t, by); err != nil {
			return nil, err
		}
	}
	out.Position, err = turnTo(g, w, t, &memory.Transition{ArtifactID: h.ID, From: out.From, To: d.To, Reason: d.Reason})
	out.URI = memory.URI{Tenant: t.Name, Kind: record.Artifact, ID: h.ID, Version: uint64(h.Version) + 1}
	out.Trust = h.Trust
	return out, err
}

// decidable returns the head of an artifact whose status a writer may set.
func decidable(g *board.Group, w board.Writer, t *ledger.Tenant, ref board.Ref, to hmx.Status) (*catalog.Head, error) {
	h, err := g.Changeable(w, memory.OpTransition, t, ref)
	if err != nil {
		return nil, noArtifact(err)
	}
	if h.State != catalog.Live {
		return nil, fault.Newf(fault.NotFound, "artifact %s is %s", h.ID, h.State)
	}
	if err := board.Outranks(w, h); err != nil {
		return nil, err
	}
	if hmx.Status(h.Status).Transition(to) != nil {
		return nil, notAllowed(h, to)
	}
	return h, nil
}

// replacedBy returns the active version that a draft supersedes, or nil, and refuses what
// would break a rule of chains.
func replacedBy(g *board.Group, w board.Writer, t *ledger.Tenant, h *catalog.Head) (*catalog.Head, error) {
	next, err := artifactIn(g, t, h)
	if err != nil {
		return nil, err
	}
	if next == nil {
		return nil, fault.Newf(fault.Damaged, "artifact %s cannot be read", h.ID)
	}
	next.Status = hmx.StatusActive
	changed := []*hmx.Artifact{next}
	var old *catalog.Head
	if id := learn.Linked(h, "supersedes"); id != "" {
		before, ok, err := catalog.HeadOf(g.Tx(), t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, id))
		if err != nil {
			return nil, g.Stop(err)
		}
		if ok && before.State == catalog.Live && before.Status == string(hmx.StatusActive) {
			old = before
		}
	}
	if old != nil {
		if old, err = decidable(g, w, t, board.Ref{Tenant: t.Name, Kind: record.Artifact, ID: old.ID}, hmx.StatusSuperseded); err != nil {
			return nil, fmt.Errorf("the version that it supersedes: %w", err)
		}
		a, err := artifactIn(g, t, old)
		if err != nil {
			return nil, err
		}
		if a != nil {
			a.Status, a.SupersededBy = hmx.StatusSuperseded, hmx.Some(h.ID)
			changed = append(changed, a)
		}
	}
	heads, err := chainOf(context.Background(), g.State(t), h, everything)
	if err != nil {
		return nil, g.Stop(err)
	}
	return old, checkChain(g, w, t, heads, changed...)
}

// turnTo admits a transition.
func turnTo(g *board.Group, w board.Writer, t *ledger.Tenant, c *memory.Transition) (uint64, error) {
	id, err := g.Board().NewID()
	if err != nil {
		return 0, err
	}
	e, err := g.Board().ControlEntry(w, t.Name, id, c)
	if err != nil {
		return 0, err
	}
	return g.Put(e)
}
