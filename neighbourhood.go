package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
)

// A session as a story, and what is known as a graph.
type (
	// TimelineQuery says which session is told of.
	TimelineQuery = engine.TimelineQuery
	// Timeline is a session, or a page of it, as a story.
	Timeline = engine.Timeline
	// Moment is what happened at one time of a session.
	Moment = engine.Moment
	// MomentSort is what a moment of a session is.
	MomentSort = engine.MomentSort
	// Made is something that came of a session.
	Made = engine.Made
	// GraphQuery says which part of what is known is wanted as a graph.
	GraphQuery = engine.GraphQuery
	// Graph is things, and how they are connected.
	Graph = engine.Graph
	// GraphNode is a thing, an event, or a name that several of them mention.
	GraphNode = engine.GraphNode
	// GraphEdge is how a node is connected with another.
	GraphEdge = engine.GraphEdge
)

// The sorts of moments.
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

// Timeline tells a session as a story, a page at a time.
func (t *Tenant) Timeline(ctx context.Context, q TimelineQuery) (*Timeline, error) {
	q.Tenant, q.View = t.name, t.view(q.View)
	return t.engine.Timeline(ctx, q)
}

// Graph returns a part of what is known as a graph: around a thing, or the newest.
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
