package api

import (
	"context"
	"strconv"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// conflictOperations are about conflicts.
func conflictOperations() []*operation.Operation {
	const inPacks = "packs show conflicts to an agent"
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "list_conflicts", Group: operation.GroupKnowledge, Short: "List conflicts between records, newest first.",
			Method: "GET", Path: "/v1/conflicts", Command: "conflicts list", Without: inPacks,
			Needs: reads,
		}, runListConflicts),
		operation.Define(operation.Operation{
			Name: "get_conflict", Group: operation.GroupKnowledge, Short: "Show a conflict and its sides.",
			Method: "GET", Path: "/v1/conflicts/{id}", Command: "conflicts show", Without: inPacks,
			Needs: reads,
		}, runConflict),
		operation.Define(operation.Operation{
			Name: "resolve_conflict", Group: operation.GroupKnowledge, Short: "Settle a conflict, and name the side that holds.",
			Method: "POST", Path: "/v1/conflicts/{id}/resolve", Command: "conflicts resolve", Without: inPacks,
			Needs: writes, Wrote: true,
		}, runResolveConflict),
		operation.Define(operation.Operation{
			Name: "dismiss_conflict", Group: operation.GroupKnowledge, Short: "Dismiss a conflict: its sides do not contradict each other.",
			Method: "POST", Path: "/v1/conflicts/{id}/dismiss", Command: "conflicts dismiss", Without: inPacks,
			Needs: writes, Wrote: true,
		}, runDismissConflict),
	}
}

// listConflictsIn selects the conflicts to list.
type listConflictsIn struct {
	Status lukasa.ConflictStatus `query:"status" doc:"default open"`
	All    bool                  `query:"all" doc:"of every status"`
	pageIn
}

func runListConflicts(ctx context.Context, c *operation.Call, in *listConflictsIn) (*answer.Conflicts, error) {
	if in.All && in.Status != "" {
		return nil, fault.New(fault.InvalidArgument, "all: it cannot be combined with status").WithFix("leave one out")
	}
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	found, err := c.Tenant().Conflicts(ctx, lukasa.ConflictOptions{Status: in.Status, Any: in.All, Limit: in.Limit, After: in.After, View: v})
	if err != nil {
		return nil, err
	}
	return answer.ConflictsOf(found)
}

// conflictIn names a conflict.
type conflictIn struct {
	ID string `path:"id"`
}

func runConflict(ctx context.Context, c *operation.Call, in *conflictIn) (*answer.Conflict, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	x, err := c.Tenant().Conflict(ctx, in.ID, v)
	if err != nil {
		return nil, err
	}
	a, err := answer.ConflictOf(x)
	return &a, err
}

// settleIn says how to settle a conflict.
type settleIn struct {
	ID     string `path:"id"`
	Reason string `json:"reason" doc:"how it was settled, for later readers"`
	Keep   string `json:"keep,omitempty" doc:"the side that holds: its URI, or its number from 1; without it, all sides stay"`
}

func runResolveConflict(ctx context.Context, c *operation.Call, in *settleIn) (*answer.Write, error) {
	t := c.Tenant()
	winner, err := sideOf(ctx, c, t, in.ID, in.Keep)
	if err != nil {
		return nil, err
	}
	put, err := t.ResolveConflict(ctx, in.ID, winner, in.Reason)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// sideOf returns what a URI or a number names among the sides of a conflict, and nothing for none.
func sideOf(ctx context.Context, c *operation.Call, t *lukasa.Tenant, id, keep string) (u lukasa.URI, err error) {
	if keep == "" {
		return u, nil
	}
	n, err := strconv.Atoi(keep)
	if err != nil {
		if u, err = lukasa.ParseURI(keep); err != nil {
			e := fault.From(err)
			err = fault.New(fault.InvalidArgument, "keep: "+strings.TrimPrefix(e.Error(), "uri: ")).WithCause(err).WithFix(e.Advice())
		}
		return u, err
	}
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return u, err
	}
	x, err := t.Conflict(ctx, id, v)
	if err != nil {
		return u, err
	}
	if n < 1 || n > len(x.Sides) {
		return u, fault.Newf(fault.InvalidArgument, "keep: %d is not between 1 and %d", n, len(x.Sides)).WithFix("give the number of a side, or its URI")
	}
	return x.Sides[n-1].URI, nil
}

// dismissIn dismisses a conflict, with the reason.
type dismissIn struct {
	ID     string `path:"id"`
	Reason string `json:"reason" doc:"why, for later readers"`
}

func runDismissConflict(ctx context.Context, c *operation.Call, in *dismissIn) (*answer.Write, error) {
	t := c.Tenant()
	put, err := t.DismissConflict(ctx, in.ID, in.Reason)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}
