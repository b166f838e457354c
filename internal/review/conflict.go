package review

import (
	"context"
	"slices"
	"strings"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// ConflictOptions selects conflicts. With only Tenant set, it lists the open ones.
type ConflictOptions struct {
	Tenant string
	// Status is that of the conflicts. Empty means open; Any lists all.
	Status memory.ConflictStatus
	Any    bool
	Limit  int    // zero means 50, at most 1000
	After  string // the Next of the previous page
	View   board.View
}

// StoredConflict is a conflict with its sides.
type StoredConflict struct {
	*board.Thing
	Sides []ConflictSide
}

// ConflictSide is one of the records of a conflict.
type ConflictSide struct {
	URI memory.URI // as the conflict names it
	// Text is its text; empty if it is erased or hidden from the caller.
	Text  string
	State catalog.State // empty if there is nothing to show
	Trust record.Trust
}

// Conflict returns the body of the conflict.
func (c *StoredConflict) Conflict() *memory.Conflict { return c.Body.(*memory.Conflict) }

// ConflictPage is a part of a list, newest first.
type ConflictPage struct {
	Conflicts []*StoredConflict
	Next      string // empty at the end
}

// Conflicts returns conflicts, newest first.
func (b *Reviewer) Conflicts(ctx context.Context, o ConflictOptions) (*ConflictPage, error) {
	switch {
	case o.Any && o.Status != "":
		return nil, fault.New(fault.InvalidArgument, "status, any: one of the two may say which statuses are wanted").WithFix("leave one out")
	case o.Status == "" && !o.Any:
		o.Status = memory.ConflictOpen
	case o.Status != "" && !slices.Contains(memory.ConflictStatuses(), o.Status):
		return nil, fault.Newf(fault.InvalidArgument, "status: there is no status %s of conflicts", retrieval.Quoted(string(o.Status))).WithFix("use one of " + retrieval.Words(memory.ConflictStatuses()))
	}
	limit, after, err := browse.PageFrom(o.Limit, 50, 1000, o.After)
	if err != nil {
		return nil, err
	}
	page := &ConflictPage{}
	err = b.core.ReadAs(ctx, o.Tenant, o.View, func(s board.State) error {
		var things browse.Page
		list := browse.ListOptions{Tenant: o.Tenant, Kind: record.Conflict, State: catalog.Live, Status: string(o.Status), Limit: limit}
		if err := browse.ListIn(ctx, b.core, s, list, after, &things); err != nil {
			return err
		}
		page.Next = things.Next
		for _, x := range things.Things {
			c, err := b.conflict(s, x)
			if err != nil {
				return err
			}
			page.Conflicts = append(page.Conflicts, c)
		}
		return nil
	})
	return page, err
}

// Conflict returns a conflict with its sides.
func (b *Reviewer) Conflict(ctx context.Context, tenant, id string, v board.View) (*StoredConflict, error) {
	var out *StoredConflict
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		if err := memory.CheckID("conflict", id); err != nil {
			return err
		}
		h, err := board.FindHead(s, board.Ref{Kind: record.Conflict, ID: id})
		if err != nil {
			return noConflict(err)
		}
		x, err := b.core.ThingIn(s, h, 0)
		if err != nil {
			return err
		}
		out, err = b.conflict(s, x)
		return err
	})
	return out, err
}

// noConflict adds advice to the error for a missing conflict.
func noConflict(err error) error {
	if e := fault.From(err); e.Code == fault.NotFound {
		return e.WithFix("check the id and the tenant; `lukasa conflicts list --all` lists those there are")
	}
	return err
}

// conflict reads the sides of a conflict.
func (b *Reviewer) conflict(s board.State, x *board.Thing) (*StoredConflict, error) {
	body, ok := x.Body.(*memory.Conflict)
	if !ok {
		return nil, fault.Newf(fault.Damaged, "%s is no conflict", x.URI)
	}
	out := &StoredConflict{Thing: x}
	for _, u := range body.Between {
		side, err := b.conflictSide(s, u)
		if err != nil {
			return nil, err
		}
		out.Sides = append(out.Sides, side)
	}
	return out, nil
}

// conflictSide reads one of the records of a conflict.
func (b *Reviewer) conflictSide(s board.State, u memory.URI) (ConflictSide, error) {
	side := ConflictSide{URI: u}
	if u.Tenant != s.Tenant.Name {
		return side, nil
	}
	if u.Kind == record.Event {
		ev, err := b.core.EventSeen(s, u.ID)
		if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Erased {
			return side, nil
		}
		if err == nil {
			side.Text, side.State, side.Trust = retrieval.RenderEvent(ev.Event, memory.FormMedium, b.core.Tokens()), catalog.Live, ev.Trust
		}
		return side, err
	}
	h, err := board.FindHead(s, board.RefOf(u))
	if err == nil {
		var x *board.Thing
		if x, err = b.core.ThingIn(s, h, 0); err == nil {
			side.Text, side.State, side.Trust = retrieval.RenderBody(x.Body, memory.FormMedium, b.core.Tokens()), x.State, x.Trust
		}
	}
	if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Erased {
		err = nil
	}
	return side, err
}

// ConflictSettlement settles a conflict.
type ConflictSettlement struct {
	Tenant string
	ID     string
	// Winner is the side that holds, with or without its version. None means that no
	// side does more than the others.
	Winner memory.URI
	// Dismiss says that it is not a conflict.
	Dismiss bool
	// Resolution is how it was settled, in words.
	Resolution string
	Expect     board.Expect
}

// SettleConflict records how a conflict was settled, as its next version. Packs show the
// winner and leave out the others; nothing else changes, and no compile opens it again.
func (b *Reviewer) SettleConflict(ctx context.Context, w board.Writer, s ConflictSettlement) (*board.PutResult, error) {
	ref := board.Ref{Tenant: s.Tenant, Kind: record.Conflict, ID: s.ID}
	w, err := b.core.Entitled(ctx, s.Tenant, w, memory.OpPut, board.TargetOf(ref))
	if err != nil {
		return nil, err
	}
	s.Resolution = strings.TrimSpace(s.Resolution)
	switch {
	case s.Resolution == "":
		return nil, fault.New(fault.InvalidArgument, "resolution: there is none").WithFix("say how it was settled, for later readers")
	case s.Dismiss && !s.Winner.IsZero():
		return nil, fault.New(fault.InvalidArgument, "winner, dismiss: what is no conflict has no winner").WithFix("leave one out")
	}
	known, err := b.Conflict(ctx, s.Tenant, s.ID, board.View{})
	if board.Scoped(w) {
		hidden := err == nil
		if known, err = b.Conflict(ctx, s.Tenant, s.ID, board.ViewOf(w)); hidden && fault.CodeOf(err) == fault.NotFound {
			return nil, b.core.Refuse(ctx, w, board.Refusal{Op: memory.OpPut, Target: board.TargetOf(ref), Rule: memory.RuleExisting})
		}
	}
	if err != nil {
		return nil, err
	}
	if known.State != catalog.Live {
		return nil, fault.Newf(fault.NotFound, "conflict %s is %s", s.ID, known.State)
	}
	if err := board.CheckExpected(s.Expect, known.URI.Head(), &catalog.Head{Version: known.Version}); err != nil {
		return nil, err
	}
	body := *known.Conflict()
	body.Status, body.Resolution, body.Winner = memory.ConflictResolved, s.Resolution, memory.URI{}
	if s.Dismiss {
		body.Status = memory.ConflictDismissed
	}
	if !s.Winner.IsZero() {
		at := slices.IndexFunc(body.Between, func(u memory.URI) bool { return u == s.Winner || u.Head() == s.Winner })
		if at < 0 {
			return nil, fault.Newf(fault.InvalidArgument, "winner: conflict %s is not about %s", s.ID, s.Winner).WithFix("name one of " + uriList(body.Between))
		}
		body.Winner = body.Between[at]
	}
	return b.core.PutAs(ctx, w, s.Tenant, &body, board.Version(known.Version), memory.OpPut, record.Operator)
}

// uriList joins URIs for an error.
func uriList(list []memory.URI) string {
	names := make([]string, len(list))
	for i, u := range list {
		names[i] = u.String()
	}
	return strings.Join(names, ", ")
}
