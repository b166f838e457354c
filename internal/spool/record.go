package spool

import (
	"context"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/recorder"
)

// Record appends events to a board. An event that is refused because an event of another session
// has its id, as with agents that number tool calls from the start in each session, gets a new
// id, which is the same on every attempt. An event that an import of its transcript recorded
// before gets the id of that one.
func Record(ctx context.Context, b Board, w lukasa.Writer, events ...*hmx.Event) (*lukasa.AppendResult, error) {
	tenant := func(name string) *lukasa.Tenant { return b.Tenant(name, lukasa.Writer{}) }
	if err := recorder.Retell(ctx, tenant, events); err != nil {
		return nil, err
	}
	res, err := b.Append(ctx, w, events...)
	if err != nil {
		return res, err
	}
	for i, r := range res.Receipts {
		if r.Disposition != lukasa.Refused || r.Fault.Code != fault.IDConflict {
			continue
		}
		ev := events[i]
		there, err := b.Tenant(ev.TenantID, lukasa.Writer{}).Event(ctx, ev.EventID)
		if err != nil || there.Event.SessionID == ev.SessionID {
			continue // the first version stands
		}
		foreign.Apart(ev)
		again, err := b.Append(ctx, w, ev)
		if err != nil {
			return res, err
		}
		res.Accepted += again.Accepted
		res.Duplicates += again.Duplicates
		res.Refused += again.Refused - 1
		res.Receipts[i] = again.Receipts[0]
	}
	return res, nil
}
