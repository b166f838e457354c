package api

import (
	"context"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// searchOperations search and find.
func searchOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "search", Group: operation.GroupContext, Short: "Find what answers a question, the best first.",
			Method: "POST", Path: "/v1/search", Command: "find", Tool: &operation.Tool{
				Name: "search_memories", Default: true, Few: []string{"query", "since", "until", "budget_tokens"}, Idempotent: true, Run: telling(tellSearch),
				Doc: "Search what was said, done and learned in earlier sessions. Use it when the user refers to something from before, or before you redo work.",
			},
			Needs: reads,
		}, runSearch),
		operation.Define(operation.Operation{
			Name: "find", Group: operation.GroupContext, Short: "Find records that match all predicates, and follow edges from them.",
			Method: "POST", Path: "/v1/find", Command: "find", Without: "an agent has search_memories",
			Needs: reads,
		}, runFind),
	}
}

// searchIn is a search request.
type searchIn struct {
	Query        string        `json:"query" doc:"the question, in words" told:"in words; put a phrase in double quotes"`
	TopK         int           `json:"top_k,omitempty" min:"1" max:"1000" usual:"20"`
	Kinds        []lukasa.Kind `json:"kinds,omitempty" doc:"of these kinds"`
	Types        []string      `json:"types,omitempty" doc:"memory or event types"`
	Agents       []string      `json:"agents,omitempty"`
	Sessions     []string      `json:"sessions,omitempty"`
	Tags         []string      `json:"tags,omitempty" doc:"with one of these"`
	Since        hmx.Time      `json:"since,omitempty"`
	Until        hmx.Time      `json:"until,omitempty"`
	MinTrust     *lukasa.Trust `json:"min_trust,omitempty"`
	Only         string        `json:"only,omitempty" enum:"words,meaning" doc:"candidates from this source only"`
	BudgetTokens int           `json:"budget_tokens,omitempty" doc:"the most tokens of all texts together; default no limit" told:"of the answer, default 800" min:"0"`
	Form         lukasa.Form   `json:"form,omitempty"`
	Explain      bool          `json:"explain,omitempty" doc:"with the parts of each score" told:"with scores and times"`
	AgentID      string        `json:"agent_id,omitempty" doc:"the agent that reads"`
	AsOf         string        `json:"as_of,omitempty"`
	Now          hmx.Time      `json:"now,omitempty"`
}

// options returns the request in the form of the library.
func (in *searchIn) options(c *operation.Call) (o lukasa.SearchOptions, err error) {
	o = lukasa.SearchOptions{
		Query: in.Query, TopK: in.TopK, Kinds: in.Kinds, Types: in.Types, Agents: in.Agents, Sessions: in.Sessions, Tags: in.Tags,
		BudgetTokens: in.BudgetTokens, Form: in.Form, Embedder: c.Embedder, Since: moment(in.Since), Until: moment(in.Until),
	}
	if in.MinTrust != nil {
		o.MinTrust = *in.MinTrust
	}
	o.Sources = map[string]lukasa.Sources{"words": lukasa.FromWords, "meaning": lukasa.FromMeaning}[in.Only]
	if o.AsOf, err = c.AsOf(in.AsOf); err != nil {
		return o, err
	}
	o.View, err = c.HeadView(in.AgentID, in.Now)
	return o, err
}

func runSearch(ctx context.Context, c *operation.Call, in *searchIn) (*answer.Searched, error) {
	o, err := in.options(c)
	if err != nil {
		return nil, err
	}
	found, err := c.Tenant().Search(ctx, o)
	if err != nil {
		return nil, err
	}
	return answer.SearchedOf(in.Query, found, in.Explain)
}

// findIn is a find request.
type findIn struct {
	Kinds        []lukasa.Kind    `json:"kinds,omitempty" doc:"of these kinds; default all that hold knowledge"`
	Types        []string         `json:"types,omitempty" doc:"of these types"`
	Tags         []string         `json:"tags,omitempty" doc:"with one of these"`
	KeyPrefix    string           `json:"key_prefix,omitempty" doc:"the key is this, or below it"`
	Agent        string           `json:"agent,omitempty" doc:"the agent of the event, or the writer or subject of the record"`
	Session      string           `json:"session,omitempty"`
	After        hmx.Time         `json:"after,omitempty" doc:"only results at or after this time"`
	Before       hmx.Time         `json:"before,omitempty"`
	Frame        string           `json:"frame,omitempty" doc:"verb:kind=ref, or verb:kind"`
	Status       string           `json:"status,omitempty"`
	State        lukasa.State     `json:"state,omitempty" doc:"default live"`
	HeldAt       hmx.Time         `json:"held_at,omitempty" doc:"only what was on record and valid at this time"`
	Where        []compareIn      `json:"where,omitempty" doc:"comparisons that must hold"`
	Text         string           `json:"text,omitempty" doc:"with one of these words"`
	Follow       []stepIn         `json:"follow,omitempty" doc:"follow edges"`
	Seeds        int              `json:"seeds,omitempty" doc:"how many hits to follow edges from; default half of limit" min:"0"`
	Order        lukasa.FindOrder `json:"order,omitempty"`
	Limit        int              `json:"limit,omitempty" min:"1" max:"500" usual:"20"`
	BudgetTokens int              `json:"budget_tokens,omitempty" min:"0"`
	Form         lukasa.Form      `json:"form,omitempty" usual:"\"medium\""`
	AgentID      string           `json:"agent_id,omitempty" doc:"the agent that reads"`
	AsOf         string           `json:"as_of,omitempty"`
	Now          hmx.Time         `json:"now,omitempty"`
}

// compareIn compares one field with a value.
type compareIn struct {
	Field string `json:"field" doc:"text, key, id, actor, type, status, trust, importance, confidence, created, updated, data.NAME or metadata.NAME"`
	Op    string `json:"op" enum:"=,!=,<,<=,>,>=,contains,prefix"`
	Value string `json:"value"`
}

// stepIn is one step along edges.
type stepIn struct {
	Kinds     []lukasa.EdgeType `json:"kinds" doc:"of these kinds"`
	Direction lukasa.Direction  `json:"direction,omitempty"`
	Hops      int               `json:"hops,omitempty" min:"1" usual:"1"`
}

func runFind(ctx context.Context, c *operation.Call, in *findIn) (*answer.Found, error) {
	o := lukasa.FindOptions{
		Kinds: in.Kinds, Types: in.Types, Tags: in.Tags, KeyPrefix: in.KeyPrefix, Agent: in.Agent, Session: in.Session,
		After: moment(in.After), Before: moment(in.Before), Frame: in.Frame, Status: in.Status, State: in.State, HeldAt: moment(in.HeldAt),
		Text: in.Text, Seeds: in.Seeds, Order: in.Order, Limit: in.Limit, BudgetTokens: in.BudgetTokens, Form: in.Form,
	}
	for _, w := range in.Where {
		o.Where = append(o.Where, lukasa.Compare(w))
	}
	for _, s := range in.Follow {
		if len(s.Kinds) == 0 {
			return nil, fault.New(fault.InvalidArgument, "follow: a step has no kinds").WithFix("name kinds of edges, such as supports")
		}
		o.Follow = append(o.Follow, lukasa.Step(s))
	}
	var err error
	if o.AsOf, err = c.AsOf(in.AsOf); err != nil {
		return nil, err
	}
	if o.View, err = c.HeadView(in.AgentID, in.Now); err != nil {
		return nil, err
	}
	found, err := c.Tenant().Find(ctx, o)
	if err != nil {
		return nil, err
	}
	return answer.FoundOf(found)
}
