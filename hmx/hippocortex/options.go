package hippocortex

import "lukasa.dev/hmx"

// Options is what older documents are read with. The zero value reads every
// document that has an envelope.
type Options struct {
	// Defaults stands in for what documents without an envelope do not say.
	Defaults Defaults

	// Sequencer numbers the events made of EpisodeTraces without an envelope,
	// and takes note of the numbers of those with one. Such traces are refused
	// without it.
	Sequencer *Sequencer
}

// Defaults is the caller's word for what an older document does not say. It is
// never used against what the document does say, nor for one with an envelope. A
// zero field stands for nothing.
type Defaults struct {
	// AgentID and TenantID are for traces whose metadata names none, and for
	// all artifacts and packs, where HMX allows them to be absent.
	AgentID  string
	TenantID string

	// CreatedAt is for artifacts: CompiledArtifact has no time.
	CreatedAt hmx.Time

	// Provenance is for entries of a pack that have none.
	Provenance hmx.Opt[hmx.Provenance]
}
