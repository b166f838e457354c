package hippocortex

import "lukasa.dev/hmx"

// Options configures the decoding of older documents. The zero value decodes every document
// with an envelope.
type Options struct {
	// Defaults supplies what documents without an envelope lack.
	Defaults Defaults

	// Sequencer numbers the events of EpisodeTraces without an envelope, and observes the
	// numbers of those with one. Without it, traces without an envelope are refused.
	Sequencer *Sequencer
}

// Defaults are the caller's values for what an older document lacks. They never override the
// document, nor apply to one with an envelope. Zero fields are ignored.
type Defaults struct {
	// AgentID and TenantID are for traces whose metadata has none, and for all artifacts and
	// packs, where HMX allows them to be absent.
	AgentID  string
	TenantID string

	// CreatedAt is for artifacts: CompiledArtifact has no time.
	CreatedAt hmx.Time

	// Provenance is for entries of a pack without provenance.
	Provenance hmx.Opt[hmx.Provenance]
}
