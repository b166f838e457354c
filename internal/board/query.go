package board

import (
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/record"
)

// StoredEvent is an event as it is recorded.
type StoredEvent struct {
	Event    *hmx.Event
	Position uint64
	Recorded time.Time
	Actor    string
	Trust    record.Trust
}

// EventsSeen returns events by their ids, in the order of the ids. A missing, erased or hidden
// event is nil.
func (b *Board) EventsSeen(s State, ids []string) ([]*StoredEvent, error) {
	out := make([]*StoredEvent, len(ids))
	read := b.FrameAt
	if whole, err := Unerased(s); err != nil {
		return nil, err
	} else if whole {
		read = b.wholeAt
	}
	for i, id := range ids {
		ev, err := b.eventIn(s, id, read)
		if code := fault.CodeOf(err); err != nil && code != fault.NotFound && code != fault.Erased {
			return nil, err
		}
		if err == nil {
			out[i] = ev
		}
	}
	return out, nil
}

// reading is a function that reads a frame of a tenant.
type reading func(s State, position uint64) (journal.Frame, error)

// EventSeen returns an event that a view shows.
func (b *Board) EventSeen(s State, id string) (*StoredEvent, error) {
	return b.eventIn(s, id, b.FrameAt)
}

// eventIn is EventSeen with a given reading.
func (b *Board) eventIn(s State, id string, read reading) (*StoredEvent, error) {
	digest := record.ID(s.Tenant.Name, record.Event, id)
	position, ok, err := ledger.Find(s.Reader, s.Tenant.Number, &digest)
	if err != nil {
		return nil, err
	}
	missing := fault.Newf(fault.NotFound, "tenant %q has no event %q", s.Tenant.Name, id)
	if !ok {
		return nil, missing
	}
	ev, err := b.eventRead(s, position, read)
	switch {
	case fault.CodeOf(err) == fault.Erased && s.View.Scope != "":
		return nil, missing // nothing is left that would show whether it was in scope
	case err != nil:
		return nil, err
	case !access.SeesEvent(s.View, ev.Event):
		return nil, missing
	}
	return ev, nil
}

// EventAt reads the event at a position.
func (b *Board) EventAt(s State, position uint64) (*StoredEvent, error) {
	return b.eventRead(s, position, b.FrameAt)
}

// eventRead is EventAt with a given reading.
func (b *Board) eventRead(s State, position uint64, read reading) (*StoredEvent, error) {
	f, err := read(s, position)
	if err != nil {
		return nil, err
	}
	if f.Erased {
		// The store and not the snapshot: it may have been erased since.
		by, _, err := ledger.Erased(b.store, s.Tenant.Number, position)
		if err != nil {
			return nil, err
		}
		return nil, fault.Newf(fault.Erased, "the event at position %d was erased, by the record at position %d", position, by)
	}
	rec, err := apply.Decode(&f)
	if err != nil {
		return nil, err
	}
	if rec.Event == nil {
		return nil, fault.Newf(fault.NotFound, "position %d of tenant %q is a %s, not an event", position, s.Tenant.Name, rec.Header.Kind)
	}
	return &StoredEvent{
		Event: rec.Event, Position: position, Recorded: TimeOf(rec.Header.Time), Actor: rec.Header.Actor, Trust: rec.Header.Trust,
	}, nil
}
