package answer

import (
	"encoding/hex"

	"lukasa.dev"
	"lukasa.dev/internal/memory"
)

// Entry is an entry of a bundle.
type Entry struct {
	URI       lukasa.URI   `json:"uri"`
	ID        string       `json:"id"`
	Kind      lukasa.Kind  `json:"kind"`
	Type      string       `json:"type"`
	Key       string       `json:"key,omitempty"`
	Status    string       `json:"status,omitempty"`
	Version   uint32       `json:"version,omitempty"` // absent for an event
	Trust     lukasa.Trust `json:"trust"`
	Actor     string       `json:"actor"`
	Agent     string       `json:"agent,omitempty"`
	Session   string       `json:"session,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
	CreatedAt string       `json:"created_at"`
	UpdatedAt string       `json:"updated_at"`
	Text      string       `json:"text"`
}

// Bundle is what an agent receives when it starts.
type Bundle struct {
	Pinned        []Entry            `json:"pinned"`
	FrameRelevant []Entry            `json:"frame_relevant"`
	Outcomes      []Entry            `json:"outcomes"`
	Rendered      map[string]string  `json:"rendered"`
	Tokens        map[string]int     `json:"tokens"`
	Scores        map[string]float32 `json:"scores"`
	ReachableURIs []lukasa.URI       `json:"reachable_uris"`
	TotalTokens   int                `json:"total_tokens"`
	Trimmed       int                `json:"trimmed"`
	LatencyMS     int64              `json:"latency_ms"`
	Form          memory.Form        `json:"form"`
	BudgetTokens  int                `json:"budget_tokens"`
	Counter       string             `json:"counter"`
	Tenant        string             `json:"tenant"`
	Size          uint64             `json:"size"`
	Root          string             `json:"root"`
}

// BundleOf converts a bundle.
func BundleOf(b *lukasa.Bundle) *Bundle {
	a := &Bundle{
		Pinned: entriesOf(b.Pinned), FrameRelevant: entriesOf(b.FrameRelevant), Outcomes: entriesOf(b.Outcomes),
		Rendered: map[string]string{}, Tokens: map[string]int{}, Scores: map[string]float32{}, ReachableURIs: []lukasa.URI{},
		TotalTokens: b.TotalTokens, Trimmed: b.Trimmed, LatencyMS: b.LatencyMS, Form: b.Form,
		BudgetTokens: b.Budget, Counter: b.Counter, Tenant: b.Tenant, Size: b.Size, Root: hex.EncodeToString(b.Root[:]),
	}
	if b.Rendered != nil {
		a.Rendered = b.Rendered
	}
	if b.Tokens != nil {
		a.Tokens = b.Tokens
	}
	if b.Scores != nil {
		a.Scores = b.Scores
	}
	if b.ReachableURIs != nil {
		a.ReachableURIs = b.ReachableURIs
	}
	return a
}

func entriesOf(entries []*lukasa.BundleEntry) []Entry {
	list := make([]Entry, len(entries))
	for i, e := range entries {
		list[i] = Entry{
			URI: e.URI, ID: e.ID, Kind: e.Kind, Type: e.Type, Key: e.Key, Status: e.Status, Version: e.Version,
			Trust: e.Trust, Actor: e.Actor, Agent: e.Agent, Session: e.Session, Tags: e.Tags,
			CreatedAt: Instant(e.Created), UpdatedAt: Instant(e.Updated), Text: e.Text,
		}
	}
	return list
}
