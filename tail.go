package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// New events of a tenant.
type (
	// TailQuery says which new events are wanted.
	TailQuery = engine.TailQuery
	// Tailed is a part of them, and where to go on.
	Tailed = engine.Tailed
)

// Tail returns events in the order in which they were recorded, from a position on, a
// part at a time. A tenant without records has none yet. [Tenant.Watch] tells when to
// ask again.
func (t *Tenant) Tail(ctx context.Context, q TailQuery) (*Tailed, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Tail(ctx, q)
}

// Watch tells when the tenant gets records: grew has an item after it did, one for all
// that came since it was last taken. What was there before the call is not told of, so
// read after it. Stop ends it, and must be called. Nothing is polled, and a tenant that
// nobody watches costs nothing.
func (t *Tenant) Watch() (grew <-chan struct{}, stop func()) { return t.engine.Watch(t.name) }
