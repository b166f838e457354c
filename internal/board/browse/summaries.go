package browse

import (
	"context"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/kv"
)

// SessionInfo summarizes a session, or an agent.
type SessionInfo struct {
	ID     string
	Events uint64
	First  time.Time // timestamp of its first event in order
	Last   time.Time
}

// Sessions returns the sessions of a tenant, ordered by id. Under a scope that
// does not show everything, the events are read one by one: sessions without a
// visible event are left out, and the others are summarized by their visible
// events.
func (b *Browser) Sessions(ctx context.Context, tenant string, v access.View) ([]SessionInfo, error) {
	return b.summaries(ctx, tenant, v, timeline.Sessions, func(s board.State, id string, visit EachPlace) error {
		if !access.Of(s.View).MayHoldSession(id) {
			return nil
		}
		return timeline.Session(s.Reader, s.Tenant.Number, id, nil, visit)
	})
}

// Agents returns the agents of a tenant, ordered by id, by the rules of
// Sessions.
func (b *Browser) Agents(ctx context.Context, tenant string, v access.View) ([]SessionInfo, error) {
	return b.summaries(ctx, tenant, v, timeline.Agents, func(s board.State, id string, visit EachPlace) error {
		return timeline.Follow(s.Reader, s.Tenant.Number, timeline.ByAgent, id, nil, visit)
	})
}

type (
	// EachPlace receives the places of events, in order.
	EachPlace func(key []byte, p timeline.Place) bool
	// walkSummaries walks over the summaries of sessions or agents.
	walkSummaries func(kv.Reader, uint32, []byte, func([]byte, *timeline.Summary) bool) error
	// walkEvents walks over the events of one of them.
	walkEvents func(s board.State, id string, visit EachPlace) error
)

func (b *Browser) summaries(ctx context.Context, tenant string, v access.View, walk walkSummaries, events walkEvents) ([]SessionInfo, error) {
	var list []SessionInfo
	err := b.core.ReadAs(ctx, tenant, v, func(st board.State) error {
		err := walk(st.Reader, st.Tenant.Number, nil, func(_ []byte, s *timeline.Summary) bool {
			list = append(list, SessionInfo{ID: s.ID, Events: s.Events, First: board.TimeOf(s.First.Timestamp), Last: board.TimeOf(s.Last.Timestamp)})
			return true
		})
		if err != nil || access.Of(st.View).Everything() {
			return err
		}
		kept := list[:0]
		for _, info := range list {
			seen, err := Recount(ctx, b.core, st, info.ID, events)
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

// Recount summarizes the events that a view shows.
func Recount(ctx context.Context, core *board.Board, s board.State, id string, events walkEvents) (SessionInfo, error) {
	info := SessionInfo{ID: id}
	var failed error
	err := events(s, id, func(_ []byte, p timeline.Place) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		var ev *board.StoredEvent
		if ev, failed = core.EventAt(s, p.Position); fault.CodeOf(failed) == fault.Erased {
			failed = nil // erased since the snapshot was taken
			return true
		}
		if failed != nil {
			return false
		}
		if access.SeesEvent(s.View, ev.Event) {
			if info.Events++; info.Events == 1 {
				info.First = board.TimeOf(p.Timestamp)
			}
			info.Last = board.TimeOf(p.Timestamp)
		}
		return true
	})
	return info, fault.First(failed, err)
}
