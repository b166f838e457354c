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
// HMX fields without a place in the older type are in one reserved member, metadata.hmx, here
// called the envelope:
//
//	"metadata": {"channel": "slack", "agent_id": "a", "tenant_id": "t",
//	             "hmx": {"hmx_version": "HMX-1.0", "sequence": 7}}
//
// An HMX object whose members are mixed with documented ones (metadata everywhere, content in
// an artifact, assembly_metadata in a pack) may have a member of the same name. That member is
// also in the envelope, under shadowed and its HMX field: {"hmx": {"shadowed": {"metadata":
// {"agent_id": 5}}}}.
//
// # What is guaranteed
//
//   - HMX to older and back gives the same canonical JSON, and every number
//     keeps its digits and every string its escapes in between: values are copied as
//     text and never pass through a Go number.
//   - Older to HMX and back keeps every member of the original.
//   - Output is valid. Results are checked against every rule of HMX; the problems
//     are returned as one *[hmx.InvalidError] whose pointers and offsets are those
//     of the older document. Rules HMX-E/10, HMX-A/11 and HMX-C/9 are the mapping's
//     own.
//   - Reading is strict: no duplicate names, no unknown member at the top of an
//     EpisodeTrace or a ContextPack, nothing undefined in metadata.hmx.
//   - No clock, no randomness, no I/O. What an older document lacks comes from
//     [Options], or the document is refused with the name of what is missing.
//
// # What is not
//
// A document with an envelope is one of ours, and nothing is filled in: what the envelope lacks
// is a problem. A document without one is completed; [DecodeEpisodeTrace],
// [DecodeCompiledArtifact] and [DecodeContextPack] describe which values, and from where.
//
// Neither the order of members nor white space is kept: output is one line. A value that the
// envelope would nest deeper than the limit of 64 is refused rather than cut.
package hippocortex
