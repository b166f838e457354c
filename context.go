package lukasa

import (
	"context"

	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
)

// What an agent is told when it starts.
type (
	// ContextOptions says for which task, how much, and to whom. The zero value
	// asks for what is pinned.
	ContextOptions = engine.ContextOptions
	// Bundle is what is told: three tiers within a budget, and links to the rest.
	Bundle = bundle.Bundle
	// BundleEntry is one thing of a bundle: a memory, a policy or an event.
	BundleEntry = bundle.Entry
	// Tier is a part of a bundle.
	Tier = bundle.Tier
	// Form is how much of a thing is shown.
	Form = memory.Form
	// Verb is what an agent is about to do.
	Verb = memory.Verb
)

// The tiers.
const (
	// TierPinned is who the agent is, what it must never do, what it is to reach.
	TierPinned = bundle.TierPinned
	// TierFrameRelevant is what matters for doing this with that.
	TierFrameRelevant = bundle.TierFrameRelevant
	// TierOutcomes is how it went when the same was done before.
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

// What errors about a [ContextOptions] can be asked for with errors.Is.
const (
	ErrInvalidVerb    = memory.ErrInvalidVerb
	ErrInvalidObjKind = memory.ErrInvalidObjKind
)

// Context returns what an agent is told when it starts: who it is, what it must
// not do and what it is after, what matters for the task at hand, and how it went
// when the same was done before, within a budget of tokens. It writes nothing and
// counts nothing. The same state and the same options give the same bundle, all
// but its latency.
func (t *Tenant) Context(ctx context.Context, o ContextOptions) (*Bundle, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Context(ctx, o)
}
