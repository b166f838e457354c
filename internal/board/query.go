package board

import (
	"context"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
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

// Event returns an event by its id.
func (b *Board) Event(ctx context.Context, tenant, id string, v View) (*StoredEvent, error) {
	var ev *StoredEvent
	err := b.ReadAs(ctx, tenant, v, func(s State) (err error) {
		ev, err = b.EventSeen(s, id)
		return err
	})
	return ev, err
}

// EventsOf returns events by their ids, in the order of the ids, of one state. In the place of
// one that is not there, was erased, or that the view does not show is nil.
func (b *Board) EventsOf(ctx context.Context, tenant string, ids []string, v View) ([]*StoredEvent, error) {
	out := make([]*StoredEvent, len(ids))
	err := b.ReadAs(ctx, tenant, v, func(s State) error {
		read := b.FrameAt
		if whole, err := Unerased(s.Reader, s.Tenant); err != nil {
			return err
		} else if whole {
			read = b.wholeAt
		}
		for i, id := range ids {
			ev, err := b.eventIn(s, id, read)
			if code := fault.CodeOf(err); err != nil && code != fault.NotFound && code != fault.Erased {
				return err
			}
			if err == nil {
				out[i] = ev
			}
		}
		return nil
	})
	return out, err
}

// reading is how a frame of a tenant is read.
type reading func(r kv.Reader, t *ledger.Tenant, position uint64) (journal.Frame, error)

// EventSeen returns an event that a view shows.
func (b *Board) EventSeen(s State, id string) (*StoredEvent, error) {
	return b.eventIn(s, id, b.FrameAt)
}

// eventIn is event with a way to read.
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
	ev, err := b.eventRead(s.Reader, s.Tenant, position, read)
	switch {
	case fault.CodeOf(err) == fault.Erased && s.View.Scope != "":
		return nil, missing // nothing is left that would tell whether it was in scope
	case err != nil:
		return nil, err
	case !SeesEvent(s.View, ev):
		return nil, missing
	}
	return ev, nil
}

// SeesEvent reports whether a view shows an event.
func SeesEvent(v View, ev *StoredEvent) bool {
	return v.access == nil && v.Scope == "" || Allows(v, subjectOfEvent(ev))
}

// EventAt reads the event at a position.
func (b *Board) EventAt(r kv.Reader, t *ledger.Tenant, position uint64) (*StoredEvent, error) {
	return b.eventRead(r, t, position, b.FrameAt)
}

// eventRead is EventAt with a way to read.
func (b *Board) eventRead(r kv.Reader, t *ledger.Tenant, position uint64, read reading) (*StoredEvent, error) {
	f, err := read(r, t, position)
	if err != nil {
		return nil, err
	}
	if f.Erased {
		// The store and not the snapshot: it may have been erased since.
		by, _, err := ledger.Erased(b.store, t.Number, position)
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
		return nil, fault.Newf(fault.NotFound, "position %d of tenant %q is a %s, not an event", position, t.Name, rec.Header.Kind)
	}
	return &StoredEvent{
		Event: rec.Event, Position: position, Recorded: TimeOf(rec.Header.Time), Actor: rec.Header.Actor, Trust: rec.Header.Trust,
	}, nil
}

// EventQuery says which events are wanted: those of exactly one of session,
// agent, trace, correlation, or the children of an event.
type EventQuery struct {
	Tenant      string
	Session     string // in the order of the session
	Agent       string // by timestamp
	Trace       string // by timestamp
	Correlation string // by timestamp
	ChildrenOf  string // in the order in which they were recorded
	Limit       int    // zero means 100, at most 10,000
	After       string // the Next of the page before
	View        View
}

// EventPage is a part of an answer.
type EventPage struct {
	Events []*StoredEvent
	Next   string // empty at the end
}

// Events returns events in order.
func (b *Board) Events(ctx context.Context, q EventQuery) (*EventPage, error) {
	limit, after, err := PageFrom(q.Limit, 100, 10_000, q.After)
	if err != nil {
		return nil, err
	}
	q.Limit = limit
	page := &EventPage{}
	err = b.ReadAs(ctx, q.Tenant, q.View, func(s State) error {
		q.View = s.View
		return b.EventsIn(ctx, s.Reader, s.Tenant, q, after, page)
	})
	return page, err
}

// EventsIn fills a page. Events of a session that are equal in sequence and
// timestamp stay on one page, so that they can be put in the order of their
// ids.
func (b *Board) EventsIn(ctx context.Context, r kv.Reader, t *ledger.Tenant, q EventQuery, after []byte, page *EventPage) error {
	walk, err := q.walk(r, t)
	if err != nil {
		return err
	}
	var failed error
	var last timeline.Place
	err = walk(after, func(key []byte, p timeline.Place) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		tied := q.Session != "" && len(page.Events) > 0 && p.Sequence == last.Sequence && p.Timestamp == last.Timestamp
		full := len(page.Events) >= q.Limit && !tied
		if full && q.View.Scope == "" {
			page.Next = cursorAt(after)
			return false
		}
		var ev *StoredEvent
		ev, failed = b.EventAt(r, t, p.Position)
		if fault.CodeOf(failed) == fault.Erased {
			failed = nil // since the snapshot was taken
			return true
		}
		if failed != nil {
			return false
		}
		if !SeesEvent(q.View, ev) {
			return true
		}
		if full {
			// Under a scope there is a next page only if something is on it.
			page.Next = cursorAt(after)
			return false
		}
		page.Events = append(page.Events, ev)
		after, last = append(after[:0:0], key...), p
		return true
	})
	if err := fault.First(failed, err); err != nil {
		return err
	}
	if q.Session != "" {
		slices.SortStableFunc(page.Events, func(a, b *StoredEvent) int { return hmx.CompareEvents(a.Event, b.Event) })
	}
	return nil
}

// walk returns the walk over the timeline that answers the query.
func (q EventQuery) walk(r kv.Reader, t *ledger.Tenant) (func(after []byte, visit func([]byte, timeline.Place) bool) error, error) {
	given := 0
	for _, name := range []string{q.Session, q.Agent, q.Trace, q.Correlation, q.ChildrenOf} {
		if name != "" {
			given++
		}
	}
	if given != 1 {
		return nil, fault.New(fault.InvalidArgument, "session, agent, trace, correlation, children_of: exactly one must be given").
			WithFix("say whose events are wanted")
	}
	follow := func(by timeline.By, name string) func([]byte, func([]byte, timeline.Place) bool) error {
		return func(after []byte, visit func([]byte, timeline.Place) bool) error {
			return timeline.Follow(r, t.Number, by, name, after, visit)
		}
	}
	switch {
	case q.Session != "":
		return func(after []byte, visit func([]byte, timeline.Place) bool) error {
			return timeline.Session(r, t.Number, q.Session, after, visit)
		}, nil
	case q.Agent != "":
		return follow(timeline.ByAgent, q.Agent), nil
	case q.Trace != "":
		return follow(timeline.ByTrace, q.Trace), nil
	case q.Correlation != "":
		return follow(timeline.ByCorrelation, q.Correlation), nil
	}
	parent := record.ID(t.Name, record.Event, q.ChildrenOf)
	return func(after []byte, visit func([]byte, timeline.Place) bool) error {
		return timeline.Children(r, t.Number, &parent, after, visit)
	}, nil
}

// Ancestors returns the chain of parents of an event, nearest first. It ends
// where a parent is not recorded, is erased, is out of scope, or was in the
// chain before.
func (b *Board) Ancestors(ctx context.Context, tenant, id string, v View) ([]*StoredEvent, error) {
	var chain []*StoredEvent
	err := b.ReadAs(ctx, tenant, v, func(s State) error {
		ev, err := b.EventSeen(s, id)
		if err != nil {
			return err
		}
		seen := map[string]bool{id: true}
		for ev.Event.ParentEventID.Set && !seen[ev.Event.ParentEventID.Value] {
			parent := ev.Event.ParentEventID.Value
			seen[parent] = true
			ev, err = b.EventSeen(s, parent)
			if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Erased {
				return nil
			}
			if err != nil {
				return err
			}
			chain = append(chain, ev)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return chain, err
}

// SessionInfo is what is known of a session, or of an agent, as a whole.
type SessionInfo struct {
	ID     string
	Events uint64
	First  time.Time // timestamp of its first event in order
	Last   time.Time
}

// Sessions returns the sessions of a tenant, ordered by id. Under a scope that
// does not show everything, the events are looked at one by one: sessions
// without one in scope are left out, and the others are told of by those in it.
func (b *Board) Sessions(ctx context.Context, tenant string, v View) ([]SessionInfo, error) {
	return b.summaries(ctx, tenant, v, timeline.Sessions, func(s State, id string, visit EachPlace) error {
		if !s.View.access.MayHoldSession(id) {
			return nil
		}
		return timeline.Session(s.Reader, s.Tenant.Number, id, nil, visit)
	})
}

// Agents returns the agents of a tenant, ordered by id, by the rules of
// Sessions.
func (b *Board) Agents(ctx context.Context, tenant string, v View) ([]SessionInfo, error) {
	return b.summaries(ctx, tenant, v, timeline.Agents, func(s State, id string, visit EachPlace) error {
		return timeline.Follow(s.Reader, s.Tenant.Number, timeline.ByAgent, id, nil, visit)
	})
}

type (
	// EachPlace is told of the places of events, in order.
	EachPlace func(key []byte, p timeline.Place) bool
	// walkSummaries walks over the summaries of sessions or agents.
	walkSummaries func(kv.Reader, uint32, []byte, func([]byte, *timeline.Summary) bool) error
	// walkEvents walks over the events of one of them.
	walkEvents func(s State, id string, visit EachPlace) error
)

func (b *Board) summaries(ctx context.Context, tenant string, v View, walk walkSummaries, events walkEvents) ([]SessionInfo, error) {
	var list []SessionInfo
	err := b.ReadAs(ctx, tenant, v, func(st State) error {
		err := walk(st.Reader, st.Tenant.Number, nil, func(_ []byte, s *timeline.Summary) bool {
			list = append(list, SessionInfo{ID: s.ID, Events: s.Events, First: TimeOf(s.First.Timestamp), Last: TimeOf(s.Last.Timestamp)})
			return true
		})
		if err != nil || st.View.access.Everything() {
			return err
		}
		kept := list[:0]
		for _, info := range list {
			seen, err := b.Recount(ctx, st, info.ID, events)
			if err != nil {
				return err
			}
			if seen.Events > 0 {
				kept = append(kept, seen)
			}
		}
		list = kept
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b SessionInfo) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// Recount makes a summary of the events that a view shows.
func (b *Board) Recount(ctx context.Context, s State, id string, events walkEvents) (SessionInfo, error) {
	info := SessionInfo{ID: id}
	var failed error
	err := events(s, id, func(_ []byte, p timeline.Place) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		var ev *StoredEvent
		if ev, failed = b.EventAt(s.Reader, s.Tenant, p.Position); fault.CodeOf(failed) == fault.Erased {
			failed = nil // since the snapshot was taken
			return true
		}
		if failed != nil {
			return false
		}
		if SeesEvent(s.View, ev) {
			if info.Events++; info.Events == 1 {
				info.First = TimeOf(p.Timestamp)
			}
			info.Last = TimeOf(p.Timestamp)
		}
		return true
	})
	return info, fault.First(failed, err)
}

// Resolved is what a URI names: an event or a thing.
type Resolved struct {
	Event *StoredEvent
	Thing *Thing
}

// Resolve returns what a URI names.
func (b *Board) Resolve(ctx context.Context, u memory.URI, v View) (*Resolved, error) {
	if u.Kind == record.Event {
		ev, err := b.Event(ctx, u.Tenant, u.ID, v)
		return &Resolved{Event: ev}, err
	}
	thing, err := b.Get(ctx, RefOf(u), v)
	return &Resolved{Thing: thing}, err
}
