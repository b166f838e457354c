package lukasa

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/pack"
)

// Context for an agent. docs/packs.md describes it.
type (
	// PackOptions is the question, the budget and the strategy of a pack.
	PackOptions = engine.PackOptions
	// AsOf names the state of a pack. The zero value is the present.
	AsOf = engine.AsOf
	// Packed is a context pack, as data and as text.
	Packed = engine.Packed
	// Pack is an HMX context pack.
	Pack = hmx.Pack
	// PackSection is a part of a pack that holds one type of knowledge.
	PackSection = hmx.Section
	// Strategy is how the entries of a pack are chosen.
	Strategy = hmx.Strategy
	// PackContextOptions is the request for a block of context, with its reader.
	PackContextOptions = engine.PackContextOptions
	// BlockRequest is the topic and the size of a block of context.
	BlockRequest = block.Request
	// Ordering says which entries come first in a block of context.
	Ordering = block.Ordering
	// VerifyPackOptions configures the verification of a pack.
	VerifyPackOptions = engine.VerifyPackOptions
	// PackProof is the result of verifying a pack.
	PackProof = engine.PackProof
	// EntryProof is the result for one entry.
	EntryProof = engine.EntryProof
	// Remade says whether the same root and request gave the same pack again.
	Remade = engine.Remade
	// Explanation says why a record is in a pack, or is not.
	Explanation = engine.Explanation
	// PackVerdict is the decision about a candidate of a pack.
	PackVerdict = pack.Verdict
)

// The strategies.
const (
	Ranked            = hmx.StrategyRanked
	RecencyBiased     = hmx.StrategyRecencyBiased
	BreadthFirst      = hmx.StrategyBreadthFirst
	DepthFirst        = hmx.StrategyDepthFirst
	FingerprintGuided = hmx.StrategyFingerprintGuided
)

// Whether a pack was composed again when it was verified.
const (
	RemadeYes         = engine.RemadeYes
	RemadeNo          = engine.RemadeNo
	RemadeNotPossible = engine.RemadeNotPossible
)

// The orderings of a block of context.
const (
	OrderByRelevance           = block.ByRelevance
	OrderByRecency             = block.ByRecency
	OrderByRelevanceAndRecency = block.ByRelevanceAndRecency
)

// Budgets of packs and of blocks of context, in tokens.
const (
	DefaultPackBudget  = pack.DefaultBudget
	MaxPackBudget      = pack.MaxBudget
	DefaultBlockBudget = block.DefaultBudget
	MaxBlockBudget     = block.MaxBudget
)

// LeastRootPrefix is the minimum number of hexadecimal digits that name a root.
const LeastRootPrefix = engine.LeastRootPrefix

// Pack returns the context for a question: the best records, cut to a budget of tokens, with
// reasons. It writes nothing. The same root and options give the same pack, except for its
// assembly time.
func (t *Tenant) Pack(ctx context.Context, o PackOptions) (*Packed, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Pack(ctx, o)
}

// PackContext returns a markdown block about a topic. It never exceeds its budget, at four
// characters a token.
func (t *Tenant) PackContext(ctx context.Context, o PackContextOptions) (string, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.PackContext(ctx, o)
}

// VerifyPack proves a pack, entry by entry, down to the journal. It returns the findings with
// an error as well, if there are any.
func (t *Tenant) VerifyPack(ctx context.Context, p *Pack, o VerifyPackOptions) (*PackProof, error) {
	if err := t.unscoped(ctx, "verify"); err != nil {
		return nil, err
	}
	return t.engine.VerifyPack(ctx, t.name, p, o)
}

// ExplainPack says why a record is in the pack of the options, or is not. what is its source id
// or its URI.
func (t *Tenant) ExplainPack(ctx context.Context, o PackOptions, what string) (*Explanation, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.ExplainPack(ctx, o, what)
}

// PackText returns a pack as markdown. The tokens of a pack are those of this text.
func PackText(p *Pack) string { return pack.Markdown(p) }

// PackDigest returns the digest of a pack: it covers everything except the assembly time, and
// is in the metadata of the pack.
func PackDigest(p *Pack) (string, error) { return pack.Digest(p) }
