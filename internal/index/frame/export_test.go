package frame

import (
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// CardOf returns the card of a live memory or policy.
func CardOf(r kv.Reader, tenant uint32, kind record.Kind, thing index.Digest) (*Card, bool, error) {
	c, ok, err := cardAt(r, tenant, kind, thing)
	if err != nil || !ok || c.gone {
		return nil, false, err
	}
	return c, true, nil
}

// Pinned calls visit with pinned cards: identities, then constraints and
// instructions, then goals, each newest first. The visitor may keep a card.
func Pinned(r kv.Reader, tenant uint32, visit func(*Card) bool) error {
	c := Look(r, tenant)
	more := true
	for _, rank := range Ranks() {
		err := c.Pinned(rank, func(card *Card) bool {
			more = visit(card)
			return more
		})
		if err != nil || !more {
			return first(err, c.Close())
		}
	}
	return c.Close()
}

// Outcomes is [Cursor.Outcomes] with a cursor for this call.
func Outcomes(r kv.Reader, tenant uint32, verb memory.Verb, ref string, visit func(*Card) bool) error {
	c := Look(r, tenant)
	return first(c.Outcomes(verb, ref, visit), c.Close())
}
