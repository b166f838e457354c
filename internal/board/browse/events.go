package browse

import (
	"context"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/record"
)

// Event returns an event by its id.
func (b *Browser) Event(ctx context.Context, tenant, id string, v access.View) (*board.StoredEvent, error) {
	var ev *board.StoredEvent
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) (err error) {
		ev, err = b.core.EventSeen(s, id)
		return err
	})
	return ev, err
}

// EventsOf returns events by their ids, in the order of the ids, of one state. A missing, erased or hidden
// event is nil.
func (b *Browser) EventsOf(ctx context.Context, tenant string, ids []string, v access.View) (list []*board.StoredEvent, err error) {
	err = b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		list, err = b.core.EventsSeen(s, ids)
		return err
	})
	return list, err
}

// EventQuery selects events: those of exactly one of session, agent, trace, correlation, or the children of
// an event.
type EventQuery struct {
	Tenant      string
	Session     string // in the order of the session
	Agent       string // by timestamp
	Trace       string // by timestamp
	Correlation string // by timestamp
	ChildrenOf  string // in the order in which they were recorded
	Limit       int    // zero means 100, at most 10,000
	After       string // the Next of the previous page
	View        access.View
}

// EventPage is a part of an answer.
type EventPage struct {
	Events []*board.StoredEvent
	Next   string // empty at the end
}

// Events returns events in order.
func (b *Browser) Events(ctx context.Context, q EventQuery) (*EventPage, error) {
	limit, after, err := PageFrom(q.Limit, 100, 10_000, q.After)
	if err != nil {
		return nil, err
	}
	q.Limit = limit
	page := &EventPage{}
	err = b.core.ReadAs(ctx, q.Tenant, q.View, func(s board.State) error {
		return EventsIn(ctx, b.core, s, q, after, page)
	})
	return page, err
}

// EventsIn fills a page with what the view of a state shows. Events of a session with the same sequence and
// timestamp stay on one page, so that they can be sorted by id.
func EventsIn(ctx context.Context, core *board.Board, s board.State, q EventQuery, after []byte, page *EventPage) error {
	walk, err := q.walk(s)
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
		if full && s.View.Scope == "" {
			page.Next = cursorAt(after)
			return false
		}
		var ev *board.StoredEvent
		ev, failed = core.EventAt(s, p.Position)
		if fault.CodeOf(failed) == fault.Erased {
			failed = nil // erased since the snapshot was taken
			return true
		}
		if failed != nil {
			return false
		}
		if !access.SeesEvent(s.View, ev.Event) {
			return true
		}
		if full {
			// Under a scope there is a next page only if it is not empty.
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
		slices.SortStableFunc(page.Events, func(a, b *board.StoredEvent) int { return hmx.CompareEvents(a.Event, b.Event) })
	}
	return nil
}

// walk returns the walk over the timeline for the query.
func (q EventQuery) walk(s board.State) (func(after []byte, visit func([]byte, timeline.Place) bool) error, error) {
	given := 0
	for _, name := range []string{q.Session, q.Agent, q.Trace, q.Correlation, q.ChildrenOf} {
		if name != "" {
			given++
		}
	}
	if given != 1 {
		return nil, fault.New(fault.InvalidArgument, "session, agent, trace, correlation, children_of: exactly one must be given").
			WithFix("name whose events to list")
	}
	follow := func(by timeline.By, name string) func([]byte, func([]byte, timeline.Place) bool) error {
		return func(after []byte, visit func([]byte, timeline.Place) bool) error {
			return timeline.Follow(s.Reader, s.Tenant.Number, by, name, after, visit)
		}
	}
	switch {
	case q.Session != "":
		return func(after []byte, visit func([]byte, timeline.Place) bool) error {
			return timeline.Session(s.Reader, s.Tenant.Number, q.Session, after, visit)
		}, nil
	case q.Agent != "":
		return follow(timeline.ByAgent, q.Agent), nil
	case q.Trace != "":
		return follow(timeline.ByTrace, q.Trace), nil
	case q.Correlation != "":
		return follow(timeline.ByCorrelation, q.Correlation), nil
	}
	parent := record.ID(s.Tenant.Name, record.Event, q.ChildrenOf)
	return func(after []byte, visit func([]byte, timeline.Place) bool) error {
		return timeline.Children(s.Reader, s.Tenant.Number, &parent, after, visit)
	}, nil
}

// Ancestors returns the chain of parents of an event, nearest first. It ends at a parent that is not
// recorded, is erased, is out of scope, or was in the chain before.
func (b *Browser) Ancestors(ctx context.Context, tenant, id string, v access.View) ([]*board.StoredEvent, error) {
	var chain []*board.StoredEvent
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		ev, err := b.core.EventSeen(s, id)
		if err != nil {
			return err
		}
		seen := map[string]bool{id: true}
		for ev.Event.ParentEventID.Value != "" && !seen[ev.Event.ParentEventID.Value] {
			parent := ev.Event.ParentEventID.Value
			seen[parent] = true
			ev, err = b.core.EventSeen(s, parent)
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
