package engine

import (
	"context"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// At says which past is meant: a version of a thing, or the whole board as it
// was when a position was the tenant's newest. The zero At is the present.
type At struct {
	version  uint32
	position uint64
	past     bool
}

// AtVersion means a version of a thing; 0 is the newest.
func AtVersion(v uint32) At { return At{version: v} }

// AtPosition means the time when a position was the newest of its tenant.
func AtPosition(p uint64) At { return At{position: p, past: true} }

// ResolveAt returns what a URI named at a version or, as of a position, what
// [Board.Resolve] would have returned then: forgotten things are returned and say
// so, what was not there yet is not found. What was erased since is erased
// whatever the position. What may not be seen now is not there, and what could
// not be seen then neither.
//
// Without a time in the view, what had expired and what was valid as of a
// position is judged by the time of the record there.
func (b *Board) ResolveAt(ctx context.Context, u memory.URI, at At, v View) (*Resolved, error) {
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
	err := b.see(ctx, u.Tenant, v, func(r kv.Reader, t *ledger.Tenant, v View) (err error) {
		header, err := b.headerAt(r, t, at.position)
		if err != nil {
			return err
		}
		// The tenant as it was then, as far as time is concerned.
		then := *t
		then.Time = header.Time
		if u.Kind == record.Event {
			res, err = b.eventBy(r, t, u.ID, at.position, v)
			return err
		}
		res, err = b.thingBy(r, &then, u, at.position, v)
		return err
	})
	return res, err
}

// headerAt reads the header of the record at a position.
func (b *Board) headerAt(r kv.Reader, t *ledger.Tenant, position uint64) (record.Header, error) {
	f, err := b.frameAt(r, t, position)
	if err != nil && !apply.Bodiless(err) {
		return record.Header{}, err
	}
	return record.ParseHeader(f.Header)
}

// eventBy returns an event that was recorded at a position or before.
func (b *Board) eventBy(r kv.Reader, t *ledger.Tenant, id string, position uint64, v View) (*Resolved, error) {
	ev, err := b.event(r, t, id, v)
	if err != nil {
		return nil, err
	}
	if ev.Position > position {
		return nil, fault.Newf(fault.NotFound, "tenant %q had no event %q at position %d", t.Name, id, position)
	}
	return &Resolved{Event: ev}, nil
}

// thingBy returns a thing as it was when a position was the newest.
func (b *Board) thingBy(r kv.Reader, t *ledger.Tenant, u memory.URI, position uint64, v View) (*Resolved, error) {
	h, err := find(r, t, RefOf(u), v)
	if err != nil {
		return nil, err
	}
	entries, err := catalog.Entries(r, t.Number, h.Kind, catalog.ThingOf(t.Name, h.Kind, h.ID))
	if err != nil {
		return nil, err
	}
	n, content := 0, -1
	for ; n < len(entries) && entries[n].Position <= position; n++ {
		if entries[n].Op == catalog.Put {
			content = n
		}
	}
	missing := fault.Newf(fault.NotFound, "tenant %q had no %s at position %d", t.Name, RefOf(u).name(), position)
	if n == 0 {
		return nil, missing
	}
	if content < 0 {
		return nil, fault.Newf(fault.Damaged, "%s %s has no content", h.Kind, h.ID)
	}
	body, err := b.bodyAt(r, t, h.Kind, entries[content].Position)
	if err != nil {
		return nil, err
	}
	past := catalog.Past(t.Name, h.Kind, entries[:n], content, body)
	if !v.sees(past) {
		return nil, missing
	}
	thing, err := b.thing(r, t, past, 0, v)
	return &Resolved{Thing: thing}, err
}
