package frame

import (
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Class distinguishes the rows of a frame.
type Class byte

// The classes.
const (
	Events        Class = 'e' // HMX events
	EventMemories Class = 'v' // memories of type event
	Memories      Class = 'm' // all other memories
)

// ThingOf returns the digest of an id of a kind within a tenant, events included.
func ThingOf(tenant string, kind record.Kind, id string) index.Digest {
	sum := record.ID(tenant, kind, id)
	return index.Digest(sum[:16])
}

// cardAt returns the card of a memory or policy, or the remains of one that
// has ended.
func cardAt(r kv.Reader, tenant uint32, kind record.Kind, thing index.Digest) (*Card, bool, error) {
	v, ok, err := r.Get(cardKey(nil, tenant, kind, thing), nil)
	if err != nil || !ok {
		return nil, false, err
	}
	c := new(Card)
	if err := c.decode(v); err != nil {
		return nil, false, damaged("a card", err)
	}
	c.Thing = thing
	return c, true, nil
}

// Usage returns how often feedback cited a record or an event, and how often
// with success and failure.
func Usage(r kv.Reader, tenant uint32, kind record.Kind, thing index.Digest) (uses, wins, losses uint64, err error) {
	n, err := countsOf(r, tenant, kind, thing)
	return n.uses, n.wins, n.losses, err
}

// Used reports whether feedback cited anything of a kind.
func Used(r kv.Reader, tenant uint32, kind record.Kind) (bool, error) {
	prefix := usagePrefix(nil, tenant, kind)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return false, err
	}
	used := it.First()
	return used, it.Close()
}

// Scan is [Cursor.Scan] with a cursor for this call.
func Scan(r kv.Reader, tenant uint32, f memory.Frame, class Class, visit func(*Card) bool) error {
	c := Look(r, tenant)
	return first(c.Scan(f, class, visit), c.Close())
}

// first returns the first non-nil error.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
