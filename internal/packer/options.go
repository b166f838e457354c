package packer

import (
	"context"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/retrieval"
)

// PackOptions is the request for a pack. The zero value of all but Tenant and Query
// works.
type PackOptions struct {
	Tenant string
	// Query is the question that the context is for.
	Query string
	// Budget is the maximum number of tokens of the text. Zero means
	// [pack.DefaultBudget]; values above [pack.MaxBudget] are lowered to it.
	Budget int
	// Strategy is how entries are chosen. Empty means ranked.
	Strategy hmx.Strategy
	// Counter names the token counter: one of [pack.Counters]. Empty means the first.
	Counter string
	// Weights are the weights of the parts of a score, by name. Nil means those of the
	// strategy.
	Weights map[string]float64
	// SectionWeights are how the budget is shared. Nil means the default shares.
	SectionWeights map[hmx.Section]float64
	// MinRelevance is the minimum score relative to the best one.
	MinRelevance hmx.Opt[float64]
	// Sections are the requested sections. None means all.
	Sections []hmx.Section
	// Tags narrow the candidates to those with one of them, except for what is always
	// included. They are also the pack's tags.
	Tags []string
	// Session is the current session: its steps suggest the next ones.
	Session string
	// Priors say what was useful before, for the strategy fingerprint_guided.
	Priors hmx.Raw
	// AsOf is the state to read. Zero means the present.
	AsOf retrieval.AsOf
	// Embedder makes a vector of the question, as for a search.
	Embedder     embed.Provider
	EmbedTimeout time.Duration
	// View says who reads, and when. Its agent is the pack's.
	View board.View
}

// Packed is a context pack with its text and digest.
type Packed struct {
	Pack *hmx.Pack
	Text string // the pack as markdown: its tokens are counted
	// Digest covers everything in the pack except the duration.
	Digest string
	Root   board.Root // of the state that was read
	// Degraded says, in words, what could not be used.
	Degraded []string
	// Searched is the part of the pack's assembly_duration_ms that the search took.
	Searched time.Duration
}

// Pack returns the context for a question: the best of what is known, within a budget
// of tokens, with the sources of each entry and the reasons for what was left out. It
// reads one state and writes nothing. The same root and the same options give the same
// pack, bit for bit, except for the duration. A tenant without records has an empty
// pack.
//
// Records that a scope hides, and those private to other agents, have no influence, as
// in a search.
func (b *Packer) Pack(ctx context.Context, o PackOptions) (*Packed, error) {
	began := b.ticks()
	var out *Packed
	err := b.Assemble(ctx, &o, func(p *Assembly) error {
		res, err := p.Compose(ctx)
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
