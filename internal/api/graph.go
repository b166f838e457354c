package api

import (
	"context"
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// graphOperations are about policies, entities, relations and neighbours.
func graphOperations() []*Operation {
	const inAnswers = "answers to an agent draw on it"
	return []*Operation{
		define(Operation{
			Name: "put_policy", Group: groupKnowledge, Short: "Decree something: what agents are told, or how long things are kept.",
			Method: "POST", Path: "/v1/policies", Without: "the command line has no files of policies yet; over MCP nobody decrees",
			Needs: auth.Admin | auth.Write, Wrote: true,
		}, func(ctx context.Context, c *Call, in *policyIn) (*answer.Write, error) {
			return c.put(ctx, lukasa.PolicyKind, in.Policy)
		}),
		define(Operation{
			Name: "list_policies", Group: groupKnowledge, Short: "List policies, newest first.",
			Method: "GET", Path: "/v1/policies", Command: "list", Without: inAnswers,
			Needs: reads,
		}, func(ctx context.Context, c *Call, in *listIn) (*answer.Policies, error) {
			list, next, err := c.things(ctx, lukasa.PolicyKind, in)
			return &answer.Policies{Policies: list, Next: next}, err
		}),
		define(Operation{
			Name: "get_policy", Group: groupKnowledge, Short: "Show a policy.",
			Method: "GET", Path: "/v1/policies/{id}", Command: "resolve", Without: inAnswers,
			Needs: reads,
		}, runPolicy),
		define(Operation{
			Name: "relate_memories", Group: groupKnowledge, Short: "Connect two things: one supports, contradicts, causes … the other.",
			Method: "POST", Path: "/v1/graph/edges", Without: "the command line follows edges with find --follow, and does not draw them", Tool: &Tool{},
			Needs: writes, Wrote: true,
		}, runRelate),
		define(Operation{
			Name: "list_edges", Group: groupKnowledge, Short: "List the edges between things, newest first.",
			Method: "GET", Path: "/v1/graph/edges", Command: "list", Without: inAnswers,
			Needs: reads,
		}, func(ctx context.Context, c *Call, in *listIn) (*answer.Edges, error) {
			list, next, err := c.things(ctx, lukasa.EdgeKind, in)
			return &answer.Edges{Edges: list, Next: next}, err
		}),
		define(Operation{
			Name: "put_entity", Group: groupKnowledge, Short: "Keep somebody or something that is spoken of.",
			Method: "POST", Path: "/v1/graph/entities", Without: "the command line reads the graph with find and list; an agent remembers facts",
			Needs: writes, Wrote: true,
		}, func(ctx context.Context, c *Call, in *entityIn) (*answer.Write, error) {
			return c.put(ctx, lukasa.EntityKind, in.Entity)
		}),
		define(Operation{
			Name: "list_entities", Group: groupKnowledge, Short: "List who and what is spoken of, newest first, or by name.",
			Method: "GET", Path: "/v1/graph/entities", Command: "list", Without: inAnswers,
			Needs: reads,
		}, runListEntities),
		define(Operation{
			Name: "put_relation", Group: groupKnowledge, Short: "Keep how two entities are connected.",
			Method: "POST", Path: "/v1/graph/relations", Without: "the command line reads the graph with find and list; an agent remembers facts",
			Needs: writes, Wrote: true,
		}, func(ctx context.Context, c *Call, in *relationIn) (*answer.Write, error) {
			return c.put(ctx, lukasa.RelationKind, in.Relation)
		}),
		define(Operation{
			Name: "list_relations", Group: groupKnowledge, Short: "List how entities are connected, newest first.",
			Method: "GET", Path: "/v1/graph/relations", Command: "list", Without: inAnswers,
			Needs: reads,
		}, func(ctx context.Context, c *Call, in *listIn) (*answer.Relations, error) {
			list, next, err := c.things(ctx, lukasa.RelationKind, in)
			return &answer.Relations{Relations: list, Next: next}, err
		}),
		define(Operation{
			Name: "neighbours", Group: groupKnowledge, Short: "Show what refers to a thing or an event: edges, relations, conflicts, feedback, what was derived from it.",
			Method: "GET", Path: "/v1/graph/neighbours", Without: "the command line follows edges with find --follow; " + inAnswers,
			Needs: reads,
		}, runNeighbours),
	}
}

// put writes a versioned record of a kind as docs/formats/memory.md describes it.
func (c *Call) put(ctx context.Context, kind lukasa.Kind, text json.RawMessage) (*answer.Write, error) {
	body, err := lukasa.DecodeBody(kind, text)
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	id, key := body.Identity()
	expect, err := c.expect(ctx, t, lukasa.Ref{Kind: kind, ID: id, Key: key}, nil)
	if err != nil {
		return nil, err
	}
	put, err := t.Put(ctx, body, expect)
	if err != nil {
		return nil, err
	}
	return c.wrote(ctx, t, put)
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

func runPolicy(ctx context.Context, c *Call, in *idIn) (*answer.Thing, error) {
	v, err := c.view(hmx.Time{})
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
	Sources  []lukasa.URI    `json:"sources,omitempty" doc:"what says so"`
	Metadata json.RawMessage `json:"metadata,omitempty" type:"object"`
}

func runRelate(ctx context.Context, c *Call, in *relateIn) (*answer.Write, error) {
	t := c.Tenant()
	e := &lukasa.Edge{ID: in.ID, EdgeKind: in.Kind, Sources: in.Sources, Metadata: hmx.Raw(in.Metadata)}
	var err error
	if e.From, err = c.uriOf(ctx, t, in.From); err != nil {
		return nil, err
	}
	if e.To, err = c.uriOf(ctx, t, in.To); err != nil {
		return nil, err
	}
	if in.Weight != nil {
		e.Weight = hmx.Some(*in.Weight)
	}
	expect, err := c.expect(ctx, t, lukasa.Ref{Kind: lukasa.EdgeKind, ID: in.ID}, nil)
	if err != nil {
		return nil, err
	}
	put, err := t.Put(ctx, e, expect)
	if err != nil {
		return nil, err
	}
	return c.wrote(ctx, t, put)
}

// listEntitiesIn selects the entities to list.
type listEntitiesIn struct {
	Name string `query:"name" doc:"with this name or alias, whatever its case"`
	listIn
}

func runListEntities(ctx context.Context, c *Call, in *listEntitiesIn) (*answer.Entities, error) {
	if in.Name == "" {
		list, next, err := c.things(ctx, lukasa.EntityKind, &in.listIn)
		return &answer.Entities{Entities: list, Next: next}, err
	}
	if in.Type != "" || in.Tag != "" || in.Status != "" || in.After != "" || in.State != lukasa.Live {
		return nil, fault.New(fault.InvalidArgument, "name: it goes with no other filter").WithFix("leave type, tag, status, state and after away")
	}
	v, err := c.view(in.Now)
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

func runNeighbours(ctx context.Context, c *Call, in *neighboursIn) (*answer.Referrers, error) {
	v, err := c.headView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	u, err := c.uriOf(ctx, t, in.Name)
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
