package browse

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Resolved is what a URI names: an event or a versioned record.
type Resolved struct {
	Event *board.StoredEvent
	Thing *board.Thing
}

// Resolve returns what a URI names.
func (b *Browser) Resolve(ctx context.Context, u memory.URI, v access.View) (*Resolved, error) {
	if u.Kind == record.Event {
		ev, err := b.Event(ctx, u.Tenant, u.ID, v)
		return &Resolved{Event: ev}, err
	}
	thing, err := b.core.Get(ctx, board.RefOf(u), v)
	return &Resolved{Thing: thing}, err
}

// At names a past state: a version of a record, or the whole board when a position
// was the tenant's newest. The zero At is the present.
type At struct {
	version  uint32
	position uint64
	past     bool
}

// AtVersion means a version of a record; 0 is the newest.
func AtVersion(v uint32) At { return At{version: v} }

// AtPosition means the time when a position was the newest of its tenant.
func AtPosition(p uint64) At { return At{position: p, past: true} }

// ResolveAt returns what a URI named at a version or, as of a position, what
// [Browser.Resolve] would have returned then: forgotten records are returned with
// that state, and later ones are not found. What was erased since is erased at
// every position. A record must have been visible then and be visible now.
//
// Without a time in the view, expiry and validity as of a position are judged by
// the time of the record there.
func (b *Browser) ResolveAt(ctx context.Context, u memory.URI, at At, v access.View) (*Resolved, error) {
	switch {
	case at.version != 0 && u.Kind == record.Event:
		return nil, fault.New(fault.InvalidArgument, "version: an event has no versions").WithFix("leave the version out")
	case at.version != 0 && u.Version != 0 && u.Version != uint64(at.version):
		return nil, fault.Newf(fault.InvalidArgument, "version: %d is asked for, but the URI names version %d", at.version, u.Version).
			WithFix("leave one of them out")
	case at.past && u.Version != 0:
		return nil, fault.Newf(fault.InvalidArgument, "position: a position is asked for, but the URI names version %d", u.Version).
			WithFix("leave out # and what follows in the URI, or leave the position out")
	case at.version != 0:
		u.Version = uint64(at.version)
	}
	if !at.past {
		return b.Resolve(ctx, u, v)
	}
	var res *Resolved
	err := b.core.ReadAs(ctx, u.Tenant, v, func(s board.State) (err error) {
		header, err := b.core.HeaderAt(s, at.position)
		if err != nil {
			return err
		}
		// The tenant as it was then, as far as time is concerned.
		s.View = access.Passed(s.View, 0)
		then := *s.Tenant
		then.Time = header.Time
		if u.Kind == record.Event {
			res, err = b.eventBy(s, u.ID, at.position)
			return err
		}
		res, err = b.thingBy(board.State{Reader: s.Reader, Tenant: &then, View: s.View}, u, at.position)
		return err
	})
	return res, err
}

// eventBy returns an event that was recorded at a position or before.
func (b *Browser) eventBy(s board.State, id string, position uint64) (*Resolved, error) {
	ev, err := b.core.EventSeen(s, id)
	if err != nil {
		return nil, err
	}
	if ev.Position > position {
		return nil, fault.Newf(fault.NotFound, "tenant %q had no event %q at position %d", s.Tenant.Name, id, position)
	}
	return &Resolved{Event: ev}, nil
}

// thingBy returns a versioned record as it was when a position was the newest.
func (b *Browser) thingBy(s board.State, u memory.URI, position uint64) (*Resolved, error) {
	h, err := board.FindHead(s, board.RefOf(u))
	if err != nil {
		return nil, err
	}
	entries, err := catalog.Entries(s.Reader, s.Tenant.Number, h.Kind, catalog.ThingOf(s.Tenant.Name, h.Kind, h.ID))
	if err != nil {
		return nil, err
	}
	n, content := 0, -1
	for ; n < len(entries) && entries[n].Position <= position; n++ {
		if entries[n].Op == catalog.Put {
			content = n
		}
	}
	missing := fault.Newf(fault.NotFound, "tenant %q had no %s at position %d", s.Tenant.Name, board.RefOf(u).Name(), position)
	if n == 0 {
		return nil, missing
	}
	if content < 0 {
		return nil, fault.Newf(fault.Damaged, "%s %s has no content", h.Kind, h.ID)
	}
	body, err := b.core.BodyAt(s, h.Kind, entries[content].Position)
	if err != nil {
		return nil, err
	}
	past := catalog.Past(s.Tenant.Name, h.Kind, entries[:n], content, body)
	if !access.Sees(s.View, past) {
		return nil, missing
	}
	thing, err := b.core.ThingIn(s, past, 0)
	return &Resolved{Thing: thing}, err
}
