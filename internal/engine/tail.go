package engine

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
)

// A part of a tail is at most so many events, so many positions passed over, and so
// many bytes.
const (
	tailEvents    = 64
	tailPositions = 4096
	tailBytes     = 64 << 10
)

// TailQuery says which new events are wanted.
type TailQuery struct {
	Tenant  string
	From    uint64        // the first position to look at
	Session string        // empty for all
	Agent   string        // empty for all
	Type    hmx.EventType // empty for all
	View    View
}

// Tailed is a part of a tail.
type Tailed struct {
	Events []*StoredEvent // in the order in which they were recorded
	// Next is where to go on. It is Size when there is no more for now.
	Next uint64
	Size uint64 // of the tenant
}

// Tail returns events in the order in which they were recorded, from a position on: a
// part of them, which takes a bounded time and memory. A tenant without records has
// none yet.
func (b *Board) Tail(ctx context.Context, q TailQuery) (*Tailed, error) {
	if err := memory.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	part := &Tailed{Next: q.From}
	err := b.see(ctx, q.Tenant, q.View, func(r kv.Reader, t *ledger.Tenant, v View) error {
		q.View, part.Size = v, t.Size
		return b.tail(ctx, r, t, &q, part)
	})
	if fault.CodeOf(err) == fault.NotFound {
		err = nil // no record yet
	}
	return part, err
}

// tail fills a part.
func (b *Board) tail(ctx context.Context, r kv.Reader, t *ledger.Tenant, q *TailQuery, part *Tailed) error {
	bytes := 0
	for passed := 0; part.Next < t.Size && passed < tailPositions && len(part.Events) < tailEvents && bytes < tailBytes; passed++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		ev, err := b.eventAt(r, t, part.Next)
		switch code := fault.CodeOf(err); {
		case code == fault.Erased, code == fault.NotFound: // or no event
		case err != nil:
			return err
		case q.wants(ev):
			part.Events = append(part.Events, ev)
			bytes += ev.Event.Size()
		}
		part.Next++
	}
	return nil
}

// wants reports whether an event is one of those that are asked for.
func (q *TailQuery) wants(ev *StoredEvent) bool {
	e := ev.Event
	return (q.Session == "" || e.SessionID == q.Session) && (q.Agent == "" || e.AgentID == q.Agent) &&
		(q.Type == "" || e.EventType == q.Type) && q.View.seesEvent(ev)
}
