// Package hippocortex maps HMX documents to the older Hippocortex types and back:
// events to EpisodeTrace (HMX-E section 10), artifacts to CompiledArtifact (HMX-A
// section 11), context packs to ContextPack (HMX-C section 9).
//
// # The forms
//
// Each older type is one JSON object with documented members:
//
//	EpisodeTrace      {id, eventType, sessionId, timestamp, payload, salienceScore,
//	                   source, provenanceRef, metadata}
//	CompiledArtifact  {id, type, title, summary, …content…, confidence, status,
//	                   evidenceRefs, sourceMemoryIds, supersededBy, tags, metadata}
//	ContextPack       {id, queryContext, entries, tokenBudget, createdAt, metadata,
//	                   assemblyResult: {…assembly_metadata…, droppedItems}}
//
// What HMX has and the older type has no place for is carried in one reserved
// member, metadata.hmx, here called the envelope:
//
//	"metadata": {"channel": "slack", "agent_id": "a", "tenant_id": "t",
//	             "hmx": {"hmx_version": "HMX-1.0", "sequence": 7}}
//
// An HMX object whose members mingle with documented ones (metadata everywhere,
// content in an artifact, assembly_metadata in a pack) may have a member of the
// same name. That one is carried in the envelope too, under shadowed and the HMX
// field it belongs to: {"hmx": {"shadowed": {"metadata": {"agent_id": 5}}}}.
//
// # What is guaranteed
//
//   - HMX to older and back gives the same canonical JSON, and every number
//     keeps its digits and every string its escapes in between: values are copied as
//     text and never pass through a Go number.
//   - Older to HMX and back keeps every member of the original.
//   - What comes out is valid. Results are held against every rule of HMX; the
//     problems come back as one *[hmx.InvalidError] whose pointers and offsets are
//     those of the older document. Rules HMX-E/10, HMX-A/11 and HMX-C/9 are
//     the mapping's own.
//   - Reading is strict: no name twice, no unknown member at the top of an
//     EpisodeTrace or a ContextPack, nothing in metadata.hmx that is not defined.
//   - No clock, no randomness, no I/O. What an older document does not say comes
//     from [Options], or is refused with the name of what is missing.
//
// # What is not
//
// A document with an envelope is one of ours, and nothing is filled in for it: what
// the envelope lacks is a problem. A document without one is completed; which
// values are, and from where, stands with [DecodeEpisodeTrace],
// [DecodeCompiledArtifact] and [DecodeContextPack].
//
// Order of members is not kept. White space is not kept either: output is
// one line. A value that the envelope would push below the deepest nesting strict
// JSON allows here, 64, is refused rather than cut.
package hippocortex
