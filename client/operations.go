package client

import (
	"context"
	"encoding/json"

	"lukasa.dev/hmx"
)

// ask calls an operation and returns its answer.
func ask[T any](ctx context.Context, c *Client, operation string, in any) (*T, error) {
	out := new(T)
	if err := c.Ask(ctx, operation, in, out); err != nil {
		return nil, err
	}
	return out, nil
}

// Memory is something to remember.
type Memory struct {
	Type       string   `json:"type,omitempty"` // fact unless said
	Key        string   `json:"key,omitempty"`
	ID         string   `json:"id,omitempty"`
	Text       string   `json:"text"`
	Tags       []string `json:"tags,omitempty"`
	Importance *float64 `json:"importance,omitempty"`
	// IfVersion writes only if this is the current version; 0 if there is none.
	IfVersion *uint32 `json:"if_version,omitempty"`
}

// Remember keeps a memory, as a new one or as the next version of what has its key.
func (c *Client) Remember(ctx context.Context, m *Memory) (*Write, error) {
	return ask[Write](ctx, c, "remember", m)
}

// Recall returns what is remembered under a key.
func (c *Client) Recall(ctx context.Context, key string) (*Thing, error) {
	return ask[Thing](ctx, c, "recall", map[string]string{"key": key})
}

// ListRequest says which memories are listed.
type ListRequest struct {
	Type  string `json:"type,omitempty"`
	Tag   string `json:"tag,omitempty"`
	Limit int    `json:"limit,omitempty"`
	After string `json:"after,omitempty"` // the next of the page before
}

// List returns memories, newest first.
func (c *Client) List(ctx context.Context, r *ListRequest) (*Things, error) {
	return ask[Things](ctx, c, "list_memories", r)
}

// HistoryRequest says of what the versions are wanted.
type HistoryRequest struct {
	Key   string `json:"key"` // or a URI
	Limit int    `json:"limit,omitempty"`
	After string `json:"after,omitempty"` // the next of the page before
}

// History returns the versions of what a key or URI names, oldest first.
func (c *Client) History(ctx context.Context, r *HistoryRequest) (*History, error) {
	return ask[History](ctx, c, "memory_history", r)
}

// Forget puts a tombstone on what a key or URI names. Its history stays.
func (c *Client) Forget(ctx context.Context, name, reason string) (*Write, error) {
	in := map[string]string{"name": name}
	if reason != "" {
		in["reason"] = reason
	}
	return ask[Write](ctx, c, "forget", in)
}

// Restore brings back what is forgotten.
func (c *Client) Restore(ctx context.Context, name string) (*Write, error) {
	return ask[Write](ctx, c, "restore_memory", map[string]string{"name": name})
}

// PackRequest asks for what an agent needs to know for a question.
type PackRequest struct {
	Query          string                  `json:"query"`
	Budget         int                     `json:"budget,omitempty"`
	Strategy       hmx.Strategy            `json:"strategy,omitempty"`
	Counter        string                  `json:"counter,omitempty"`
	AgentID        string                  `json:"agent_id,omitempty"`
	SessionID      string                  `json:"session_id,omitempty"`
	Sections       []hmx.Section           `json:"sections,omitempty"`
	SectionWeights map[hmx.Section]float64 `json:"section_weights,omitempty"`
	Weights        map[string]float64      `json:"weights,omitempty"`
	MinRelevance   *float64                `json:"min_relevance,omitempty"`
	Tags           []string                `json:"tags,omitempty"`
	Conditions     []string                `json:"conditions,omitempty"`
	AsOf           string                  `json:"as_of,omitempty"`
	Now            string                  `json:"now,omitempty"`
}

// Pack returns what an agent needs to know for a question, within a budget of tokens.
func (c *Client) Pack(ctx context.Context, r *PackRequest) (*hmx.Pack, error) {
	return ask[hmx.Pack](ctx, c, "pack", r)
}

// PackText returns a pack as the markdown that its tokens are counted of, to put into a
// prompt.
func (c *Client) PackText(ctx context.Context, r *PackRequest) (string, error) {
	var out string
	err := c.Ask(ctx, "pack_text", r, &out)
	return out, err
}

// PackContext returns what is known about a topic as markdown for a prompt. A budget of 0
// is the usual one.
func (c *Client) PackContext(ctx context.Context, topic string, budget int) (string, error) {
	in := map[string]any{"topic": topic}
	if budget > 0 {
		in["budget_tokens"] = budget
	}
	var out string
	err := c.Ask(ctx, "pack_context", in, &out)
	return out, err
}

// ContextRequest says what an agent is about to do.
type ContextRequest struct {
	Verb         string            `json:"verb,omitempty"`
	Objects      map[string]string `json:"objects,omitempty"`
	BudgetTokens int               `json:"budget_tokens,omitempty"`
	IncludeTiers []string          `json:"include_tiers,omitempty"`
	OutcomeLimit int               `json:"outcome_limit,omitempty"`
	Form         string            `json:"form,omitempty"`
	AgentID      string            `json:"agent_id,omitempty"`
	Conditions   []string          `json:"conditions,omitempty"`
	Now          string            `json:"now,omitempty"`
}

// Context returns what an agent that starts has to know.
func (c *Client) Context(ctx context.Context, r *ContextRequest) (*Bundle, error) {
	return ask[Bundle](ctx, c, "context", r)
}

// SearchRequest is a question.
type SearchRequest struct {
	Query        string   `json:"query"`
	TopK         int      `json:"top_k,omitempty"`
	Kinds        []string `json:"kinds,omitempty"`
	Types        []string `json:"types,omitempty"`
	Agents       []string `json:"agents,omitempty"`
	Sessions     []string `json:"sessions,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Since        string   `json:"since,omitempty"`
	Until        string   `json:"until,omitempty"`
	MinTrust     string   `json:"min_trust,omitempty"`
	BudgetTokens int      `json:"budget_tokens,omitempty"`
	Form         string   `json:"form,omitempty"`
	AgentID      string   `json:"agent_id,omitempty"`
	AsOf         string   `json:"as_of,omitempty"`
	Now          string   `json:"now,omitempty"`
}

// Search returns what answers a question, best first.
func (c *Client) Search(ctx context.Context, r *SearchRequest) (*Searched, error) {
	return ask[Searched](ctx, c, "search", r)
}

// EventsRequest says whose events are wanted; one of the first five.
type EventsRequest struct {
	Session     string `json:"session,omitempty"`
	Agent       string `json:"agent,omitempty"`
	Trace       string `json:"trace,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	ChildrenOf  string `json:"children_of,omitempty"`
	Limit       int    `json:"limit,omitempty"`
	After       string `json:"after,omitempty"` // the next of the page before
}

// Events returns events in order.
func (c *Client) Events(ctx context.Context, r *EventsRequest) (*Events, error) {
	return ask[Events](ctx, c, "list_events", r)
}

// FeedbackRequest says how a task went and what it drew on.
type FeedbackRequest struct {
	Outcome   string   `json:"outcome"`
	Cited     []string `json:"cited"`
	AgentID   string   `json:"agent_id,omitempty"`
	SessionID string   `json:"session_id,omitempty"`
	Score     *float64 `json:"score,omitempty"`
	Note      string   `json:"note,omitempty"`
	ID        string   `json:"id,omitempty"`
}

// Feedback says how a task went.
func (c *Client) Feedback(ctx context.Context, r *FeedbackRequest) (*Write, error) {
	return ask[Write](ctx, c, "feedback", r)
}

// MemoryTool does a command of Anthropic's memory tool. Input is that of the tool_use block as
// the model wrote it, and the answer is for the tool_result.
func (c *Client) MemoryTool(ctx context.Context, input json.RawMessage) (*ToolResult, error) {
	return ask[ToolResult](ctx, c, "memory_tool", input)
}

// Root names the state of the tenant.
func (c *Client) Root(ctx context.Context) (*State, error) {
	return ask[State](ctx, c, "root", nil)
}
