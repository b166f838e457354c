package lukasa

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/pack"
)

// What an agent is given before it thinks. docs/packs.md describes it.
type (
	// PackOptions says what a pack is for, how large it may be and how it is made.
	PackOptions = engine.PackOptions
	// AsOf says which state a pack is of. The zero value is the present.
	AsOf = engine.AsOf
	// Packed is a context pack, as data and as text.
	Packed = engine.Packed
	// Pack is an HMX context pack.
	Pack = hmx.Pack
	// PackSection is a part of a pack that holds one type of knowledge.
	PackSection = hmx.Section
	// Strategy is how the entries of a pack are chosen.
	Strategy = hmx.Strategy
	// PackContextOptions says what a block of context is about, and who looks.
	PackContextOptions = engine.PackContextOptions
	// BlockRequest says what a block of context is about.
	BlockRequest = pack.BlockRequest
	// Ordering is what comes first in a block of context.
	Ordering = pack.Ordering
	// VerifyPackOptions says how a pack is verified.
	VerifyPackOptions = engine.VerifyPackOptions
	// PackProof says what was found of what a pack states.
	PackProof = engine.PackProof
	// EntryProof is what was found of one entry.
	EntryProof = engine.EntryProof
	// Remade says whether the same root and request gave the same pack once more.
	Remade = engine.Remade
	// Explanation says why something is in a pack, or is not.
	Explanation = engine.Explanation
	// PackVerdict is what became of a candidate of a pack.
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

// Whether a pack was made again when it was verified.
const (
	RemadeYes         = engine.RemadeYes
	RemadeNo          = engine.RemadeNo
	RemadeNotPossible = engine.RemadeNotPossible
)

// The orderings of a block of context.
const (
	OrderByRelevance           = pack.ByRelevance
	OrderByRecency             = pack.ByRecency
	OrderByRelevanceAndRecency = pack.ByRelevanceAndRecency
)

// Budgets of packs and of blocks of context, in tokens.
const (
	DefaultPackBudget  = pack.DefaultBudget
	MaxPackBudget      = pack.MaxBudget
	DefaultBlockBudget = pack.DefaultBlockBudget
	MaxBlockBudget     = pack.MaxBlockBudget
)

// LeastRootPrefix is how many hexadecimal digits of a root name it at least.
const LeastRootPrefix = engine.LeastRootPrefix

// Pack returns what an agent is given for a question: the best of what is known, as
// far as it fits into a budget of tokens, with reasons. It writes nothing. The same
// root and the same options give the same pack, all but how long it took.
func (t *Tenant) Pack(ctx context.Context, o PackOptions) (*Packed, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.Pack(ctx, o)
}

// PackContext returns a markdown block of what is known of a topic. It never counts
// more than its budget, at four characters a token.
func (t *Tenant) PackContext(ctx context.Context, o PackContextOptions) (string, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.PackContext(ctx, o)
}

// VerifyPack proves what a pack says, entry by entry, down to the journal. What is
// found is returned with the error, too, if there is anything.
func (t *Tenant) VerifyPack(ctx context.Context, p *Pack, o VerifyPackOptions) (*PackProof, error) {
	if err := t.unscoped(ctx, "verify"); err != nil {
		return nil, err
	}
	return t.engine.VerifyPack(ctx, t.name, p, o)
}

// ExplainPack says why something is in the pack that the options ask for, or is not.
// It is named by its source id or by its URI.
func (t *Tenant) ExplainPack(ctx context.Context, o PackOptions, what string) (*Explanation, error) {
	o.Tenant, o.View = t.name, t.view(o.View)
	return t.engine.ExplainPack(ctx, o, what)
}

// PackText returns a pack as the markdown that its tokens were counted of.
func PackText(p *Pack) string { return pack.Markdown(p) }

// PackDigest returns the digest of a pack: it covers everything but how long it took,
// and the pack states it in its metadata.
func PackDigest(p *Pack) (string, error) { return pack.Digest(p) }
