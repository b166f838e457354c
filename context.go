package lukasa

import (
	"context"

	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
)

// What an agent receives when it starts.
type (
	// ContextOptions is the task, the budget and the reader of a bundle. The zero value returns
	// what is pinned.
	ContextOptions = engine.ContextOptions
	// Bundle is three tiers within a budget, and links to the rest.
	Bundle = bundle.Bundle
	// BundleEntry is one entry of a bundle: a memory, a policy or an event.
	BundleEntry = bundle.Entry
	// Tier is a part of a bundle.
	Tier = bundle.Tier
	// Form is how much of a record is shown.
	Form = memory.Form
	// Verb is what an agent is about to do.
	Verb = memory.Verb
)

// The tiers.
const (
	// TierPinned is the agent's identity, hard constraints and goals.
	TierPinned = bundle.TierPinned
	// TierFrameRelevant is what matters for this action on this object.
	TierFrameRelevant = bundle.TierFrameRelevant
	// TierOutcomes is the outcomes of earlier such actions.
	TierOutcomes = bundle.TierOutcomes
)

// The forms.
const (
	FormShort  = memory.FormShort  // at most 50 tokens
	FormMedium = memory.FormMedium // at most 200 tokens
	FormFull   = memory.FormFull   // everything
)

// Budgets and limits of a bundle.
const (
	DefaultBudgetTokens = bundle.DefaultBudgetTokens
	MaxBudgetTokens     = bundle.MaxBudgetTokens
	DefaultOutcomeLimit = bundle.DefaultOutcomeLimit
	MaxReachableURIs    = bundle.MaxReachableURIs
)

// Causes of errors about a [ContextOptions], for errors.Is.
const (
	ErrInvalidVerb    = memory.ErrInvalidVerb
	ErrInvalidObjKind = memory.ErrInvalidObjKind
)

// Context returns what an agent receives when it starts: its identity, constraints and goals,
// what matters for the task, and the outcomes of earlier such tasks, within a budget of tokens.
// It writes nothing and counts no access. The same state and options give the same bundle,
// except for its latency.
func (t *Tenant) Context(ctx context.Context, o ContextOptions) (*Bundle, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Context(ctx, o)
}
