package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/salience"
)

// Options and results of Find.
type (
	// FindOptions is the query of Find.
	FindOptions = engine.FindOptions
	// Compare compares one field with a value.
	Compare = engine.Compare
	// Step follows edges from records to connected ones.
	Step = engine.Step
	// Direction is the direction in which edges are followed.
	Direction = engine.Direction
	// EdgeType is the meaning of an edge: supports, part_of, x-acme-blocks …
	EdgeType = memory.EdgeKind
	// FindOrder is the order of hits.
	FindOrder = engine.FindOrder
	// Found is the result of Find.
	Found = engine.Found
	// Hit is a record or an event that was found.
	Hit = engine.Hit
	// Factors are the factors of a salience.
	Factors = salience.Factors
	// At names a past state.
	At = engine.At
)

// The orders of hits.
const (
	BySalience  = engine.BySalience
	ByTime      = engine.ByTime
	ByRelevance = engine.ByRelevance
)

// The directions of a step.
const (
	Outward = engine.Outward
	Inward  = engine.Inward
	BothWay = engine.BothWay
)

// AtVersion is a version of a record; 0 is the newest.
func AtVersion(v uint32) At { return engine.AtVersion(v) }

// AtPosition is the state in which a position was the newest of its tenant.
func AtPosition(p uint64) At { return engine.AtPosition(p) }

// Find returns the records for which all predicates hold, and those that the steps reach from
// there, within a limit and a budget. It refuses a query without predicates, with advice.
func (t *Tenant) Find(ctx context.Context, o FindOptions) (*Found, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Find(ctx, o)
}

// ResolveAt returns what a URI named at a version, or as of a position.
func (t *Tenant) ResolveAt(ctx context.Context, u URI, at At, v View) (*Resolved, error) {
	u, err := t.ownURI(u)
	if err != nil {
		return nil, err
	}
	return t.engine.ResolveAt(ctx, u, at, t.view(v))
}
