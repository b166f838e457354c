package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// Timelines of sessions, and graphs of records.
type (
	// TimelineQuery names the session of a timeline.
	TimelineQuery = engine.TimelineQuery
	// Timeline is the timeline of a session, or a page of it.
	Timeline = engine.Timeline
	// Moment is one moment of a session.
	Moment = engine.Moment
	// MomentSort is the kind of a moment.
	MomentSort = engine.MomentSort
	// Made is a record that a session produced.
	Made = engine.Made
	// GraphQuery selects the part of the graph.
	GraphQuery = engine.GraphQuery
	// Graph is records and their connections.
	Graph = engine.Graph
	// GraphNode is a record, an event, or a name that several of them mention.
	GraphNode = engine.GraphNode
	// GraphEdge is a connection between two nodes.
	GraphEdge = engine.GraphEdge
)

// The kinds of moments.
const (
	MomentPrompt   = engine.MomentPrompt
	MomentReply    = engine.MomentReply
	MomentMessage  = engine.MomentMessage
	MomentCall     = engine.MomentCall
	MomentResult   = engine.MomentResult
	MomentDeed     = engine.MomentDeed
	MomentEdit     = engine.MomentEdit
	MomentDecision = engine.MomentDecision
	MomentError    = engine.MomentError
	MomentFeedback = engine.MomentFeedback
	MomentState    = engine.MomentState
	MomentOther    = engine.MomentOther
)

// Timeline returns the timeline of a session, a page at a time.
func (t *Tenant) Timeline(ctx context.Context, q TimelineQuery) (*Timeline, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Timeline(ctx, q)
}

// Graph returns a part of the graph: around a record, or the newest.
func (t *Tenant) Graph(ctx context.Context, q GraphQuery) (*Graph, error) {
	if !q.Around.IsZero() {
		var err error
		if q.Around, err = t.ownURI(q.Around); err != nil {
			return nil, err
		}
	}
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Graph(ctx, q)
}
