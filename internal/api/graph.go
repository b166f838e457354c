package api

import (
	"context"
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// graphOperations are about policies, entities, relations and neighbours.
func graphOperations() []*operation.Operation {
	const inAnswers = "answers to an agent draw on it"
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "put_policy", Group: operation.GroupKnowledge, Short: "Store a policy: an instruction or constraint for agents, or how long records are kept.",
			Method: "POST", Path: "/v1/policies", Without: "the command line has no files of policies yet; agents do not set policies",
			Needs: auth.Admin | auth.Write, Wrote: true,
		}, func(ctx context.Context, c *operation.Call, in *policyIn) (*answer.Write, error) {
			return putBody(ctx, c, lukasa.PolicyKind, in.Policy)
		}),
		operation.Define(operation.Operation{
			Name: "list_policies", Group: operation.GroupKnowledge, Short: "List policies, newest first.",
			Method: "GET", Path: "/v1/policies", Command: "list", Without: inAnswers,
			Needs: reads,
		}, func(ctx context.Context, c *operation.Call, in *listIn) (*answer.Policies, error) {
			list, next, err := listThings(ctx, c, lukasa.PolicyKind, in)
			return &answer.Policies{Policies: list, Next: next}, err
		}),
		operation.Define(operation.Operation{
			Name: "get_policy", Group: operation.GroupKnowledge, Short: "Show a policy.",
			Method: "GET", Path: "/v1/policies/{id}", Command: "resolve", Without: inAnswers,
			Needs: reads,
		}, runPolicy),
		operation.Define(operation.Operation{
			Name: "relate_memories", Group: operation.GroupKnowledge, Short: "Connect two records: one supports, contradicts, causes … the other.",
			Method: "POST", Path: "/v1/graph/edges", Without: "the command line follows edges with find --follow, and does not draw them", Tool: &operation.Tool{},
			Needs: writes, Wrote: true,
		}, runRelate),
		operation.Define(operation.Operation{
			Name: "list_edges", Group: operation.GroupKnowledge, Short: "List the edges between records, newest first.",
			Method: "GET", Path: "/v1/graph/edges", Command: "list", Without: inAnswers,
			Needs: reads,
		}, func(ctx context.Context, c *operation.Call, in *listIn) (*answer.Edges, error) {
			list, next, err := listThings(ctx, c, lukasa.EdgeKind, in)
			return &answer.Edges{Edges: list, Next: next}, err
		}),
		operation.Define(operation.Operation{
			Name: "put_entity", Group: operation.GroupKnowledge, Short: "Store an entity: a person, system or object that records mention.",
			Method: "POST", Path: "/v1/graph/entities", Without: "the command line reads the graph with find and list; an agent remembers facts",
			Needs: writes, Wrote: true,
		}, func(ctx context.Context, c *operation.Call, in *entityIn) (*answer.Write, error) {
			return putBody(ctx, c, lukasa.EntityKind, in.Entity)
		}),
		operation.Define(operation.Operation{
			Name: "list_entities", Group: operation.GroupKnowledge, Short: "List entities, newest first, or by name.",
			Method: "GET", Path: "/v1/graph/entities", Command: "list", Without: inAnswers,
			Needs: reads,
		}, runListEntities),
		operation.Define(operation.Operation{
			Name: "put_relation", Group: operation.GroupKnowledge, Short: "Store a relation between two entities.",
			Method: "POST", Path: "/v1/graph/relations", Without: "the command line reads the graph with find and list; an agent remembers facts",
			Needs: writes, Wrote: true,
		}, func(ctx context.Context, c *operation.Call, in *relationIn) (*answer.Write, error) {
			return putBody(ctx, c, lukasa.RelationKind, in.Relation)
		}),
		operation.Define(operation.Operation{
			Name: "list_relations", Group: operation.GroupKnowledge, Short: "List relations between entities, newest first.",
			Method: "GET", Path: "/v1/graph/relations", Command: "list", Without: inAnswers,
			Needs: reads,
		}, func(ctx context.Context, c *operation.Call, in *listIn) (*answer.Relations, error) {
			list, next, err := listThings(ctx, c, lukasa.RelationKind, in)
			return &answer.Relations{Relations: list, Next: next}, err
		}),
		operation.Define(operation.Operation{
			Name: "neighbours", Group: operation.GroupKnowledge, Short: "Show what refers to a record or an event: edges, relations, conflicts, feedback, what was derived from it.",
			Method: "GET", Path: "/v1/graph/neighbours", Without: "the command line follows edges with find --follow; " + inAnswers,
			Needs: reads,
		}, runNeighbours),
	}
}

// putBody writes a versioned record of a kind as docs/formats/memory.md describes it.
func putBody(ctx context.Context, c *operation.Call, kind lukasa.Kind, text json.RawMessage) (*answer.Write, error) {
	body, err := lukasa.DecodeBody(kind, text)
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	id, key := body.Identity()
	expect, err := c.Expect(ctx, t, lukasa.Ref{Kind: kind, ID: id, Key: key}, nil)
	if err != nil {
		return nil, err
	}
	put, err := t.Put(ctx, body, expect)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// policyIn, entityIn and relationIn are records as docs/formats/memory.md describes them.
type (
	policyIn struct {
		Policy json.RawMessage `body:"policy" doc:"a policy: kind, text, strength, scope, retention …"`
	}
	entityIn struct {
		Entity json.RawMessage `body:"entity" doc:"an entity: name, type, aliases, description …"`
	}
	relationIn struct {
		Relation json.RawMessage `body:"relation" doc:"a relation: from, to, predicate …"`
	}
)

// idIn names a record of a kind.
type idIn struct {
	ID string `path:"id"`
}

func runPolicy(ctx context.Context, c *operation.Call, in *idIn) (*answer.Thing, error) {
	v, err := c.View(hmx.Time{})
	if err != nil {
		return nil, err
	}
	thing, err := c.Tenant().Get(ctx, lukasa.Ref{Kind: lukasa.PolicyKind, ID: in.ID}, v)
	if err != nil {
		return nil, err
	}
	a, err := answer.ThingOf(thing)
	return &a, err
}

// relateIn connects two records.
type relateIn struct {
	From     string          `json:"from" doc:"a key or a URI"`
	To       string          `json:"to" doc:"a key or a URI"`
	Kind     lukasa.EdgeType `json:"kind" doc:"supports, contradicts, derived_from, supersedes, part_of, causes, relates_to or x-{vendor}-{kind}"`
	Weight   *float64        `json:"weight,omitempty" min:"0" max:"1"`
	ID       string          `json:"id,omitempty"`
	Sources  []lukasa.URI    `json:"sources,omitempty" doc:"the evidence for it"`
	Metadata json.RawMessage `json:"metadata,omitempty" type:"object"`
}

func runRelate(ctx context.Context, c *operation.Call, in *relateIn) (*answer.Write, error) {
	t := c.Tenant()
	e := &lukasa.Edge{ID: in.ID, EdgeKind: in.Kind, Sources: in.Sources, Metadata: hmx.Raw(in.Metadata)}
	var err error
	if e.From, err = uriOf(ctx, c, t, in.From); err != nil {
		return nil, err
	}
	if e.To, err = uriOf(ctx, c, t, in.To); err != nil {
		return nil, err
	}
	if in.Weight != nil {
		e.Weight = hmx.Some(*in.Weight)
	}
	expect, err := c.Expect(ctx, t, lukasa.Ref{Kind: lukasa.EdgeKind, ID: in.ID}, nil)
	if err != nil {
		return nil, err
	}
	put, err := t.Put(ctx, e, expect)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// listEntitiesIn selects the entities to list.
type listEntitiesIn struct {
	Name string `query:"name" doc:"with this name or alias, in any case"`
	listIn
}

func runListEntities(ctx context.Context, c *operation.Call, in *listEntitiesIn) (*answer.Entities, error) {
	if in.Name == "" {
		list, next, err := listThings(ctx, c, lukasa.EntityKind, &in.listIn)
		return &answer.Entities{Entities: list, Next: next}, err
	}
	if in.Type != "" || in.Tag != "" || in.Status != "" || in.After != "" || in.State != lukasa.Live {
		return nil, fault.New(fault.InvalidArgument, "name: it cannot be combined with another filter").WithFix("leave type, tag, status, state and after out")
	}
	v, err := c.View(in.Now)
	if err != nil {
		return nil, err
	}
	found, err := c.Tenant().Named(ctx, lukasa.EntityKind, in.Name, v)
	if err != nil {
		return nil, err
	}
	list, err := answer.ThingsOf(found)
	return &answer.Entities{Entities: list}, err
}

// neighboursIn names a record or an event.
type neighboursIn struct {
	Name string `query:"name,required" also:"key" doc:"key or URI"`
}

func runNeighbours(ctx context.Context, c *operation.Call, in *neighboursIn) (*answer.Referrers, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	u, err := uriOf(ctx, c, t, in.Name)
	if err != nil {
		return nil, err
	}
	found, err := t.Referrers(ctx, u, v)
	if err != nil {
		return nil, err
	}
	list, err := answer.ThingsOf(found)
	return &answer.Referrers{URI: u.Head().String(), Referrers: list}, err
}
