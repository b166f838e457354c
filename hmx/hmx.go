// Package hmx is the Hippocortex Memory Protocol, HMX-1.0: events (HMX-E),
// artifacts (HMX-A) and context packs (HMX-C) as Go values, with everything the
// three documents say about them.
//
// # What is guaranteed
//
//   - Strict decoding. Names are exact and case-sensitive, a name occurs once in an
//     object at every depth, text is UTF-8 without lone surrogates, nothing
//     follows, nesting ends at 64, unknown top-level fields are refused, integers
//     are not rounded.
//   - All problems at once. An invalid document gives one [InvalidError] with a
//     [Problem] for each place: JSON Pointer, rule code such as HMX-E/6.5, what was
//     found and what is allowed. [Rules] lists every code.
//   - Nothing is lost. Content and metadata are kept as the text they came in
//     ([Raw]); typed views such as [Message] read them and keep unknown members in
//     Extra. Decoding and encoding again gives the same canonical JSON.
//   - One meaning. The decoder and the published JSON Schemas ([Schema]) are made
//     from one table, and [ContentHash] is SHA-256 over RFC 8785.
//   - Purity. No clock, no randomness, no I/O: a caller that needs an id passes
//     time and entropy to [NewID].
//
// # What is not
//
// Validation considers one document alone. Whether a sequence number grows within its session,
// an event's parent exists or an artifact's chain is complete is checked by code that has the
// other documents: see [Chain], package reorder and the engine. Package wire has the stream
// forms, package hippocortex the mappings to the older types.
package hmx

import "fmt"

// Version is the protocol version this package writes.
const Version = "HMX-1.0"

// Kind is which of the three documents a JSON object is.
type Kind string

// The kinds.
const (
	KindEvent    Kind = "event"
	KindArtifact Kind = "artifact"
	KindPack     Kind = "pack"
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{KindEvent, KindArtifact, KindPack} }

// ParseKind returns the kind called name.
func ParseKind(name string) (Kind, error) {
	for _, k := range Kinds() {
		if string(k) == name {
			return k, nil
		}
	}
	return "", fmt.Errorf("unknown kind %q: allowed are event, artifact, pack", name)
}

// Document returns the name of the document that defines the kind.
func (k Kind) Document() string {
	switch k {
	case KindEvent:
		return "HMX-E"
	case KindArtifact:
		return "HMX-A"
	case KindPack:
		return "HMX-C"
	}
	return "HMX"
}
