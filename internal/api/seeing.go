package api

import (
	"context"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/operation"
)

// seeingOperations return statistics and the graph.
func seeingOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "stats", Group: operation.GroupKnowledge, Short: "Count events, memories, artifacts, sessions and agents, by day, and calls of tools with their outcomes.",
			Long:   "Only what the caller may see is counted. The same state gives the same answer.",
			Method: "GET", Path: "/v1/stats", Command: "stats", Tool: &operation.Tool{},
			Needs: reads,
		}, runStats),
		operation.Define(operation.Operation{
			Name: "graph", Group: operation.GroupKnowledge, Short: "Show records and their connections: around one of them, or the newest.",
			Method: "GET", Path: "/v1/graph", Command: "graph", Tool: &operation.Tool{},
			Needs: reads,
		}, runGraph),
	}
}

// timelineOperations return the timelines of sessions.
func timelineOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "timeline", Group: operation.GroupEvents, Short: "Show a session step by step: what was said and done, how it went, and what was learned from it.",
			Method: "GET", Path: "/v1/sessions/{session_id}/timeline", Command: "timeline", Tool: &operation.Tool{},
			Needs: reads,
		}, runTimeline),
	}
}

// storageOperations are about files.
func storageOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "storage", Group: operation.GroupAdmin, Short: "Show how much disk space the data directory takes.",
			Method: "GET", Path: "/v1/storage", Command: "stats", Without: "an agent has nothing to do with files",
			Needs: reads, Board: true,
		}, func(ctx context.Context, c *operation.Call, _ *nothing) (*answer.Storage, error) {
			s, err := c.Board.Storage(ctx)
			if err != nil {
				return nil, err
			}
			return answer.StorageOf(s), nil
		}),
	}
}

// statsIn selects the statistics.
type statsIn struct {
	Days    int    `query:"days" min:"1" max:"3660" usual:"14" doc:"growth over the latest days"`
	Top     int    `query:"top" min:"1" max:"1000" usual:"10" doc:"how many tools and agents are named"`
	AgentID string `query:"agent_id" doc:"as this agent sees it"`
}

func runStats(ctx context.Context, c *operation.Call, in *statsIn) (*answer.Stats, error) {
	v, err := c.HeadView(in.AgentID, hmx.Time{})
	if err != nil {
		return nil, err
	}
	q := lukasa.StatsQuery{Days: in.Days, Top: in.Top, View: v}
	if c.Progress != nil {
		q.Progress = func(done, total uint64) { c.Progress(done, total, "counting") }
	}
	s, err := c.Tenant().Stats(ctx, q)
	if err != nil {
		return nil, err
	}
	return answer.StatsOf(s), nil
}

// timelineIn names a session.
type timelineIn struct {
	SessionID string `path:"session_id"`
	Full      bool   `query:"full" doc:"with the full content of events"`
	Limit     int    `query:"limit" min:"1" max:"5000" usual:"500" doc:"events per page; fewer if they are large"`
	After     string `query:"after" doc:"next of the previous page"`
	AgentID   string `query:"agent_id" doc:"as this agent sees it"`
}

func runTimeline(ctx context.Context, c *operation.Call, in *timelineIn) (*answer.Timeline, error) {
	v, err := c.HeadView(in.AgentID, hmx.Time{})
	if err != nil {
		return nil, err
	}
	t, err := c.Tenant().Timeline(ctx, lukasa.TimelineQuery{Session: in.SessionID, Full: in.Full, Limit: in.Limit, After: in.After, View: v})
	if err != nil {
		return nil, err
	}
	return answer.TimelineOf(t), nil
}

// graphIn selects the part of the graph.
type graphIn struct {
	Around  string `query:"around" doc:"a key or a URI; default the newest records"`
	Depth   int    `query:"depth" min:"1" max:"6" usual:"2" doc:"steps from there"`
	Limit   int    `query:"limit" min:"1" max:"1000" usual:"60" doc:"nodes"`
	Tags    bool   `query:"tags" doc:"also tags that several have"`
	AgentID string `query:"agent_id" doc:"as this agent sees it"`
}

func runGraph(ctx context.Context, c *operation.Call, in *graphIn) (*answer.Graph, error) {
	v, err := c.HeadView(in.AgentID, hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	q := lukasa.GraphQuery{Depth: in.Depth, Limit: in.Limit, Tags: in.Tags, View: v}
	if in.Around != "" {
		if q.Around, err = uriOf(ctx, c, t, in.Around); err != nil {
			return nil, err
		}
	}
	g, err := t.Graph(ctx, q)
	if err != nil {
		return nil, err
	}
	return answer.GraphOf(g), nil
}
