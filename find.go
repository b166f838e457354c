package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/salience"
)

// What is looked for, and what is found.
type (
	// FindOptions says what is looked for.
	FindOptions = engine.FindOptions
	// Compare is a comparison of one field with a value.
	Compare = engine.Compare
	// Step leads from things to those that edges connect them with.
	Step = engine.Step
	// Direction is which way edges are followed.
	Direction = engine.Direction
	// EdgeType says what an edge means: supports, part_of, x-acme-blocks …
	EdgeType = memory.EdgeKind
	// FindOrder is by what hits are ordered.
	FindOrder = engine.FindOrder
	// Found is the answer to a find.
	Found = engine.Found
	// Hit is a thing or an event that was found.
	Hit = engine.Hit
	// Factors are what a salience is made of.
	Factors = salience.Factors
	// At says which past is meant.
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

// AtVersion means a version of a thing; 0 is the newest.
func AtVersion(v uint32) At { return engine.AtVersion(v) }

// AtPosition means the time when a position was the newest of its tenant.
func AtPosition(p uint64) At { return engine.AtPosition(p) }

// Find returns what all predicates hold for, and what the steps lead to from
// there, within a limit and a budget. What nothing narrows is refused, with
// advice.
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
