package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// What is in a tenant, and in a directory.
type (
	// StatsQuery says what is to be counted.
	StatsQuery = engine.StatsQuery
	// Stats is what is in a tenant.
	Stats = engine.Stats
	// Count is how many there are of something.
	Count = engine.Count
	// Tally is how many there are of a type that are in a state.
	Tally = engine.Tally
	// Day is what came on one day.
	Day = engine.Day
	// ToolCount is how a tool fared.
	ToolCount = engine.ToolCount
	// Storage is how much room a directory takes.
	Storage = engine.Storage
)

// Stats counts what is in the tenant. The same state gives the same answer. What the
// handle's scope does not show is counted nowhere.
func (t *Tenant) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Stats(ctx, q)
}

// Storage returns how much room the directory takes: that of all tenants together.
func (b *Board) Storage(ctx context.Context) (*Storage, error) { return b.engine.Storage(ctx) }
