package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// Statistics of a tenant, and of a directory.
type (
	// StatsQuery selects the statistics.
	StatsQuery = engine.StatsQuery
	// Stats are the statistics of a tenant.
	Stats = engine.Stats
	// Count is the number of items of a kind.
	Count = engine.Count
	// Tally is the number of items of a type in a state.
	Tally = engine.Tally
	// Day is the growth of one day.
	Day = engine.Day
	// ToolCount is the calls and outcomes of a tool.
	ToolCount = engine.ToolCount
	// Storage is the size of a directory.
	Storage = engine.Storage
)

// Stats returns the statistics of the tenant. The same state gives the same answer. What the
// handle's scope hides is not counted.
func (t *Tenant) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Stats(ctx, q)
}

// Storage returns the size of the directory, for all tenants together.
func (b *Board) Storage(ctx context.Context) (*Storage, error) { return b.engine.Storage(ctx) }
