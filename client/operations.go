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

// Memory is a memory to write.
type Memory struct {
	Type       string   `json:"type,omitempty"` // default fact
	Key        string   `json:"key,omitempty"`
	ID         string   `json:"id,omitempty"`
	Text       string   `json:"text"`
	Tags       []string `json:"tags,omitempty"`
	Importance *float64 `json:"importance,omitempty"`
	// IfVersion writes only if this is the current version; 0 means that there must be none.
	IfVersion *uint32 `json:"if_version,omitempty"`
}

// Remember writes a memory, as a new one or as the next version of the one with its key.
func (c *Client) Remember(ctx context.Context, m *Memory) (*Write, error) {
	return ask[Write](ctx, c, "remember", m)
}

// Recall returns the memory with a key.
func (c *Client) Recall(ctx context.Context, key string) (*Thing, error) {
	return ask[Thing](ctx, c, "recall", map[string]string{"key": key})
}

// ListRequest selects the memories to list.
type ListRequest struct {
	Type  string `json:"type,omitempty"`
	Tag   string `json:"tag,omitempty"`
	Limit int    `json:"limit,omitempty"`
	After string `json:"after,omitempty"` // Next of the previous page
}

// List returns memories, newest first.
func (c *Client) List(ctx context.Context, r *ListRequest) (*Things, error) {
	return ask[Things](ctx, c, "list_memories", r)
}

// HistoryRequest names the record whose versions are wanted.
type HistoryRequest struct {
	Key   string `json:"key"` // or a URI
	Limit int    `json:"limit,omitempty"`
	After string `json:"after,omitempty"` // Next of the previous page
}

// History returns the versions of a record, by key or URI, oldest first.
func (c *Client) History(ctx context.Context, r *HistoryRequest) (*History, error) {
	return ask[History](ctx, c, "memory_history", r)
}

// Forget writes a tombstone for a key or URI. The history stays.
func (c *Client) Forget(ctx context.Context, name, reason string) (*Write, error) {
	in := map[string]string{"name": name}
	if reason != "" {
		in["reason"] = reason
	}
	return ask[Write](ctx, c, "forget", in)
}

// Restore restores a forgotten record.
func (c *Client) Restore(ctx context.Context, name string) (*Write, error) {
	return ask[Write](ctx, c, "restore_memory", map[string]string{"name": name})
}

// PackRequest is the request for a pack.
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

// Pack returns the pack for a question, within a budget of tokens.
func (c *Client) Pack(ctx context.Context, r *PackRequest) (*hmx.Pack, error) {
	return ask[hmx.Pack](ctx, c, "pack", r)
}

// PackText returns a pack as markdown for a prompt. The tokens of a pack are those of this
// text.
func (c *Client) PackText(ctx context.Context, r *PackRequest) (string, error) {
	var out string
	err := c.Ask(ctx, "pack_text", r, &out)
	return out, err
}

// PackContext returns what is known about a topic as markdown for a prompt. A budget of 0 means
// the default.
func (c *Client) PackContext(ctx context.Context, topic string, budget int) (string, error) {
	in := map[string]any{"topic": topic}
	if budget > 0 {
		in["budget_tokens"] = budget
	}
	var out string
	err := c.Ask(ctx, "pack_context", in, &out)
	return out, err
}

// ContextRequest describes what an agent is about to do.
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

// Context returns the bundle for an agent that starts.
func (c *Client) Context(ctx context.Context, r *ContextRequest) (*Bundle, error) {
	return ask[Bundle](ctx, c, "context", r)
}

// SearchRequest is the request of a search.
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

// Search returns the hits for a question, best first.
func (c *Client) Search(ctx context.Context, r *SearchRequest) (*Searched, error) {
	return ask[Searched](ctx, c, "search", r)
}

// EventsRequest selects events, by one of the first five fields.
type EventsRequest struct {
	Session     string `json:"session,omitempty"`
	Agent       string `json:"agent,omitempty"`
	Trace       string `json:"trace,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	ChildrenOf  string `json:"children_of,omitempty"`
	Limit       int    `json:"limit,omitempty"`
	After       string `json:"after,omitempty"` // Next of the previous page
}

// Events returns events in order.
func (c *Client) Events(ctx context.Context, r *EventsRequest) (*Events, error) {
	return ask[Events](ctx, c, "list_events", r)
}

// FeedbackRequest is the outcome of a task and the records it used.
type FeedbackRequest struct {
	Outcome   string   `json:"outcome"`
	Cited     []string `json:"cited"`
	AgentID   string   `json:"agent_id,omitempty"`
	SessionID string   `json:"session_id,omitempty"`
	Score     *float64 `json:"score,omitempty"`
	Note      string   `json:"note,omitempty"`
	ID        string   `json:"id,omitempty"`
}

// Feedback records the outcome of a task.
func (c *Client) Feedback(ctx context.Context, r *FeedbackRequest) (*Write, error) {
	return ask[Write](ctx, c, "feedback", r)
}

// MemoryTool runs a command of Anthropic's memory tool. input is that of the tool_use block as
// the model wrote it, and the answer is for the tool_result.
func (c *Client) MemoryTool(ctx context.Context, input json.RawMessage) (*ToolResult, error) {
	return ask[ToolResult](ctx, c, "memory_tool", input)
}

// Root returns the state of the tenant.
func (c *Client) Root(ctx context.Context) (*State, error) {
	return ask[State](ctx, c, "root", nil)
}
