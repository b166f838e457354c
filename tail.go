package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// New events of a tenant.
type (
	// TailQuery selects new events.
	TailQuery = engine.TailQuery
	// Tailed is a page of them, and where to continue.
	Tailed = engine.Tailed
)

// Tail returns events in the order in which they were recorded, from a position on, a page at a
// time. A tenant without records has none yet. [Tenant.Watch] signals when to call again.
func (t *Tenant) Tail(ctx context.Context, q TailQuery) (*Tailed, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Tail(ctx, q)
}

// Watch signals when the tenant gets records: grew has an item after that, one for all records
// since it was last received. Records before the call are not signalled, so read after it. The
// caller must call stop. Nothing is polled, and a tenant without a watch costs nothing.
func (t *Tenant) Watch() (grew <-chan struct{}, stop func()) { return t.engine.Watch(t.name) }
