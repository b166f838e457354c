package frame

import (
	"slices"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

const (
	tableCard     = 'c'
	tableRow      = 'r'
	tablePin      = 'p'
	tableUsage    = 'u'
	tableFeedback = 'f'
)

// Offsets within the key of a row.
const (
	rowFrame  = 6             // the verb, the reference
	rowObject = 6 + 1 + 16    // the object kind
	rowClass  = rowObject + 1 // the class
	rowTime   = rowClass + 1  // when it was created, bits inverted
	rowThing  = rowTime + 8   // the digest of its id
	rowSize   = rowThing + 16
)

func cardKey(room []byte, tenant uint32, k record.Kind, thing index.Digest) index.Key {
	return index.NewKey(room, Prefix, tableCard, tenant).Byte(byte(k)).Digest(thing)
}

func usageKey(room []byte, tenant uint32, k record.Kind, thing index.Digest) index.Key {
	return usagePrefix(room, tenant, k).Digest(thing)
}

// usagePrefix begins the keys of the counts of a kind; the digest follows at
// usageThing.
func usagePrefix(room []byte, tenant uint32, k record.Kind) index.Key {
	return index.NewKey(room, Prefix, tableUsage, tenant).Byte(byte(k))
}

const usageThing = 6 + 1

func feedbackKey(room []byte, tenant uint32, thing index.Digest) index.Key {
	return index.NewKey(room, Prefix, tableFeedback, tenant).Digest(thing)
}

func pinPrefix(room []byte, tenant uint32, rank Rank) index.Key {
	return index.NewKey(room, Prefix, tablePin, tenant).Byte(byte(rank))
}

// rowPrefix begins the keys of a frame. It is false for a frame without keys:
// an unknown verb or object kind, or an empty reference.
func rowPrefix(room []byte, tenant uint32, f memory.Frame) (index.Key, bool) {
	object := 1 + slices.Index(memory.ObjectKinds(), f.Kind)
	ref := kind.CleanRef(f.Kind, f.Ref)
	k, ok := refPrefix(room, tenant, f.Verb, ref)
	if !ok || object == 0 {
		return k, false
	}
	return k.Byte(byte(object)), true
}

// refPrefix begins the keys of a verb and a reference of any kind.
func refPrefix(room []byte, tenant uint32, v memory.Verb, ref string) (index.Key, bool) {
	verb := 1 + slices.Index(memory.Verbs(), v)
	k := index.NewKey(room, Prefix, tableRow, tenant).Byte(byte(verb)).Digest(index.DigestOf(ref))
	return k, verb > 0 && ref != ""
}

// layoutReference begins the value of a row without a card of its own: verb,
// reference and object kind of the row that has it follow. Their keys are
// otherwise the same.
const layoutReference = 2

// appendReference appends a reference to the row with a key.
func appendReference(dst, key []byte) []byte {
	return append(append(dst, layoutReference), key[rowFrame:rowClass]...)
}

// referred returns the key of the row that a reference points to.
func referred(room, key, value []byte) []byte {
	room = append(append(room[:0], key[:rowFrame]...), value[1:]...)
	return append(room, key[rowClass:]...)
}

// isReference reports whether the value of a row is a reference.
func isReference(key, value []byte) bool {
	return len(key) == rowSize && len(value) == 1+rowClass-rowFrame && value[0] == layoutReference
}

// damaged says that a value of the index is unreadable.
func damaged(what string, err error) error {
	return fault.Newf(fault.Damaged, "%s in the index of frames cannot be read: %w", what, err).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}
