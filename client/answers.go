package client

import (
	"encoding/json"

	"lukasa.dev/hmx"
)

// State names the state of a tenant.
type State struct {
	Tenant string `json:"tenant"`
	Size   uint64 `json:"size"`
	Root   string `json:"root"`
	Time   string `json:"time,omitempty"` // of the newest record
}

// Rejected is an event that was not recorded.
type Rejected struct {
	Index  int    `json:"index"`          // in what was sent, from 0
	Line   int    `json:"line,omitempty"` // in a stream of lines, from 1
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Intake is the result for events that were sent together.
type Intake struct {
	Accepted   int        `json:"accepted"`
	Duplicates int        `json:"duplicates"`
	Late       int        `json:"late"`
	Rejected   []Rejected `json:"rejected"`
	Omitted    int        `json:"omitted"` // rejected, but not listed
	Warnings   int        `json:"warnings"`
	Scrubbed   int        `json:"scrubbed,omitempty"` // secrets removed from what was accepted
	Own        int        `json:"own,omitempty"`      // text that Lukasa had handed out, which is not recorded
	Position   *uint64    `json:"position,omitempty"` // of the newest record, if one tenant was written to
	Root       string     `json:"root,omitempty"`
	Tenants    []State    `json:"tenants"`
}

// Traced is the result for the spans of a request.
type Traced struct {
	// Rejected is how many spans were not recorded, and Message why the first was not.
	Rejected int64
	Message  string
}

// ToolResult is the answer to a model's call.
type ToolResult struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error"`
}

// Write is the result of a write.
type Write struct {
	URI       string `json:"uri"`
	Version   uint64 `json:"version"`
	Position  uint64 `json:"position"`
	Trust     string `json:"trust"`
	Unchanged bool   `json:"unchanged"`
	Size      uint64 `json:"size"`
	Root      string `json:"root"`
}

// Thing is a memory or another versioned record.
type Thing struct {
	URI       string          `json:"uri"`
	Kind      string          `json:"kind"`
	Version   uint32          `json:"version"`
	State     string          `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Status    string          `json:"status,omitempty"`
	Trust     string          `json:"trust"`
	Actor     string          `json:"actor"`
	CreatedAt string          `json:"created_at"`
	UpdatedAt string          `json:"updated_at"`
	ExpiresAt string          `json:"expires_at,omitempty"`
	Valid     bool            `json:"valid"`
	Position  uint64          `json:"position"`
	Form      string          `json:"form,omitempty"`
	Rendered  string          `json:"rendered,omitempty"`
	Body      json.RawMessage `json:"body"`
}

// Things is a page of memories.
type Things struct {
	Memories []Thing `json:"memories"`
	Next     *string `json:"next"`
}

// Change is one version in a history.
type Change struct {
	Version  uint32          `json:"version"`
	Op       string          `json:"op"`
	Position uint64          `json:"position"`
	Time     string          `json:"time"`
	Actor    string          `json:"actor"`
	Trust    string          `json:"trust"`
	Reason   string          `json:"reason,omitempty"` // of a tombstone, an expiry or a transition
	Body     json.RawMessage `json:"body,omitempty"`
}

// History is a page of the versions of a record, oldest first.
type History struct {
	URI      string   `json:"uri"`
	Versions []Change `json:"versions"`
	Next     *string  `json:"next"`
}

// Recorded is an event with its position.
type Recorded struct {
	URI        string          `json:"uri"`
	Kind       string          `json:"kind"`
	Position   uint64          `json:"position"`
	RecordedAt string          `json:"recorded_at"`
	Actor      string          `json:"actor"`
	Trust      string          `json:"trust"`
	Event      json.RawMessage `json:"event"`
}

// Events is a page of events.
type Events struct {
	Events []Recorded `json:"events"`
	Next   *string    `json:"next"`
}

// Hit is a hit of a search.
type Hit struct {
	ID          string             `json:"id"`
	URI         string             `json:"uri"`
	Kind        string             `json:"kind"`
	SourceType  hmx.SourceType     `json:"source_type"`
	Score       float64            `json:"score"`
	Parts       map[string]float64 `json:"parts"`
	Text        string             `json:"text"`
	Tokens      int                `json:"tokens"`
	DuplicateOf *string            `json:"duplicate_of,omitempty"`
	Thing       *Thing             `json:"thing,omitempty"`
	Event       *Recorded          `json:"event,omitempty"`
}

// Searched is the result of a search.
type Searched struct {
	Query        string   `json:"query"`
	Hits         []Hit    `json:"hits"`
	Degraded     []string `json:"degraded,omitempty"`
	Candidates   int      `json:"candidates"`
	Trimmed      int      `json:"trimmed"`
	TotalTokens  int      `json:"total_tokens"`
	BudgetTokens int      `json:"budget_tokens,omitempty"`
	Form         string   `json:"form"`
	Counter      string   `json:"counter"`
	State
}

// Entry is an entry of a bundle.
type Entry struct {
	URI       string   `json:"uri"`
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	Type      string   `json:"type"`
	Key       string   `json:"key,omitempty"`
	Status    string   `json:"status,omitempty"`
	Version   uint32   `json:"version,omitempty"`
	Trust     string   `json:"trust"`
	Actor     string   `json:"actor"`
	Agent     string   `json:"agent,omitempty"`
	Session   string   `json:"session,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
	Text      string   `json:"text"`
}

// Bundle is what an agent needs to know when it starts.
type Bundle struct {
	Pinned        []Entry            `json:"pinned"`
	FrameRelevant []Entry            `json:"frame_relevant"`
	Outcomes      []Entry            `json:"outcomes"`
	Rendered      map[string]string  `json:"rendered"`
	Tokens        map[string]int     `json:"tokens"`
	Scores        map[string]float32 `json:"scores"`
	ReachableURIs []string           `json:"reachable_uris"`
	TotalTokens   int                `json:"total_tokens"`
	Trimmed       int                `json:"trimmed"`
	LatencyMS     int64              `json:"latency_ms"`
	Form          string             `json:"form"`
	BudgetTokens  int                `json:"budget_tokens"`
	Counter       string             `json:"counter"`
	Tenant        string             `json:"tenant"`
	Size          uint64             `json:"size"`
	Root          string             `json:"root"`
}
