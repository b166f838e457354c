package packer

import (
	"context"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/retrieval"
)

// PackOptions says what a pack is for, how large it may be and how it is made. The
// zero value of all but Tenant and Query works.
type PackOptions struct {
	Tenant string
	// Query is the question that the context is for.
	Query string
	// Budget is how many tokens the text has at most. Zero means
	// [pack.DefaultBudget]; more than [pack.MaxBudget] is taken for that.
	Budget int
	// Strategy is how entries are chosen. Empty means ranked.
	Strategy hmx.Strategy
	// Counter names what tokens are counted with: one of [pack.Counters]. Empty means
	// the first.
	Counter string
	// Weights are what the parts of a score count, by name. Nil means those of the
	// strategy.
	Weights map[string]float64
	// SectionWeights are how the budget is shared. Nil means the usual shares.
	SectionWeights map[hmx.Section]float64
	// MinRelevance is what part of the best score something must have.
	MinRelevance hmx.Opt[float64]
	// Sections are those that are wanted. None means all.
	Sections []hmx.Section
	// Tags narrow the candidates to what has one of them, but for what is always told.
	// They are the pack's tags, too.
	Tags []string
	// Session is the one under way: what it did tells what comes next.
	Session string
	// Priors say what was of use before, for the strategy fingerprint_guided.
	Priors hmx.Raw
	// AsOf is the state that is looked at. Zero means the present.
	AsOf retrieval.AsOf
	// Embedder makes a vector of the question, as for a search.
	Embedder     embed.Provider
	EmbedTimeout time.Duration
	// View says who looks, and when. Its agent is the pack's.
	View board.View
}

// Packed is a context pack, and what belongs to it.
type Packed struct {
	Pack *hmx.Pack
	Text string // the pack as markdown: what its tokens are counted of
	// Digest covers everything in the pack but how long it took.
	Digest string
	Root   board.Root // of the state that was looked at
	// Degraded says, in words, what could not be used.
	Degraded []string
	// Searched is how long finding took of the pack's assembly_duration_ms.
	Searched time.Duration
}

// Pack returns what an agent is given for a question: the best of what is known, as
// far as it fits into a budget of tokens, with what stands behind each entry and why
// the rest was left out. It reads one state and writes nothing. The same root and the
// same options give the same pack, bit by bit, but for how long it took. A tenant
// without records has an empty pack.
//
// What a scope does not show, and what is private to other agents than the one that
// looks, has no influence on it, as in a search.
func (b *Packer) Pack(ctx context.Context, o PackOptions) (*Packed, error) {
	began := b.ticks()
	var out *Packed
	err := b.Assemble(ctx, &o, func(p *Assembly) error {
		res, err := p.Compose()
		if err != nil {
			return err
		}
		out = &Packed{Pack: res.Pack, Text: res.Text, Root: p.root, Degraded: p.degraded, Searched: p.searched}
		out.Digest, err = StatedDigest(res.Pack)
		return err
	})
	if err != nil {
		return nil, err
	}
	// The digest does not cover it.
	out.Pack.AssemblyMetadata.AssemblyDurationMS = float64(b.ticks().Sub(began).Microseconds()) / 1000
	return out, nil
}
