package engine

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
func (b *Board) Event(ctx context.Context, tenant, id string) (*StoredEvent, error) {
	var ev *StoredEvent
	err := b.read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) (err error) {
		ev, err = b.event(r, t, id)
		return err
	})
	return ev, err
}

func (b *Board) event(r kv.Reader, t *ledger.Tenant, id string) (*StoredEvent, error) {
	digest := record.ID(t.Name, record.Event, id)
	position, ok, err := ledger.Find(r, t.Number, &digest)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.Newf(fault.NotFound, "tenant %q has no event %q", t.Name, id)
	}
	return b.eventAt(r, t, position)
}

// eventAt reads the event at a position.
func (b *Board) eventAt(r kv.Reader, t *ledger.Tenant, position uint64) (*StoredEvent, error) {
	f, err := b.frameAt(r, t, position)
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
		Event: rec.Event, Position: position, Recorded: at(rec.Header.Time), Actor: rec.Header.Actor, Trust: rec.Header.Trust,
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
}

// EventPage is a part of an answer.
type EventPage struct {
	Events []*StoredEvent
	Next   string // empty at the end
}

// Events returns events in order.
func (b *Board) Events(ctx context.Context, q EventQuery) (*EventPage, error) {
	limit, after, err := pageFrom(q.Limit, 100, 10_000, q.After)
	if err != nil {
		return nil, err
	}
	q.Limit = limit
	page := &EventPage{}
	err = b.read(ctx, q.Tenant, func(r kv.Reader, t *ledger.Tenant) error {
		return b.events(ctx, r, t, q, after, page)
	})
	return page, err
}

// events fills a page. Events of a session that are equal in sequence and
// timestamp stay on one page, so that they can be put in the order of their
// ids.
func (b *Board) events(ctx context.Context, r kv.Reader, t *ledger.Tenant, q EventQuery, after []byte, page *EventPage) error {
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
		if len(page.Events) >= q.Limit && !tied {
			page.Next = cursorAt(after)
			return false
		}
		var ev *StoredEvent
		ev, failed = b.eventAt(r, t, p.Position)
		if fault.CodeOf(failed) == fault.Erased {
			failed = nil // since the snapshot was taken
			return true
		}
		if failed != nil {
			return false
		}
		page.Events = append(page.Events, ev)
		after, last = append(after[:0:0], key...), p
		return true
	})
	if err := first(failed, err); err != nil {
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
// where a parent is not recorded, is erased, or was in the chain before.
func (b *Board) Ancestors(ctx context.Context, tenant, id string) ([]*StoredEvent, error) {
	var chain []*StoredEvent
	err := b.read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		ev, err := b.event(r, t, id)
		if err != nil {
			return err
		}
		seen := map[string]bool{id: true}
		for ev.Event.ParentEventID.Set && !seen[ev.Event.ParentEventID.Value] {
			parent := ev.Event.ParentEventID.Value
			seen[parent] = true
			ev, err = b.event(r, t, parent)
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

// Sessions returns the sessions of a tenant, ordered by id.
func (b *Board) Sessions(ctx context.Context, tenant string) ([]SessionInfo, error) {
	return b.summaries(ctx, tenant, timeline.Sessions)
}

// Agents returns the agents of a tenant, ordered by id.
func (b *Board) Agents(ctx context.Context, tenant string) ([]SessionInfo, error) {
	return b.summaries(ctx, tenant, timeline.Agents)
}

func (b *Board) summaries(ctx context.Context, tenant string, walk func(kv.Reader, uint32, []byte, func([]byte, *timeline.Summary) bool) error) ([]SessionInfo, error) {
	var list []SessionInfo
	err := b.read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		return walk(r, t.Number, nil, func(_ []byte, s *timeline.Summary) bool {
			list = append(list, SessionInfo{ID: s.ID, Events: s.Events, First: at(s.First.Timestamp), Last: at(s.Last.Timestamp)})
			return true
		})
	})
	slices.SortFunc(list, func(a, b SessionInfo) int { return strings.Compare(a.ID, b.ID) })
	return list, err
}

// Resolved is what a URI names: an event or a thing.
type Resolved struct {
	Event *StoredEvent
	Thing *Thing
}

// Resolve returns what a URI names.
func (b *Board) Resolve(ctx context.Context, u memory.URI, v View) (*Resolved, error) {
	if u.Kind == record.Event {
		ev, err := b.Event(ctx, u.Tenant, u.ID)
		return &Resolved{Event: ev}, err
	}
	thing, err := b.Get(ctx, RefOf(u), v)
	return &Resolved{Thing: thing}, err
}
