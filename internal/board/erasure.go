package board

import (
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/record"
)

// Fate is what happened to a record.
type Fate int

const (
	OnRecord    Fate = iota
	WasExpired       // it expired
	WasRedacted      // it was redacted
)

// ErasureOf returns the fate of the record at a position.
func (b *Board) ErasureOf(s State, position uint64) (Fate, error) {
	by, gone, err := ledger.Erased(s.Reader, s.Tenant.Number, position)
	if err != nil || !gone {
		return OnRecord, err
	}
	later := *s.Tenant
	later.Size = max(s.Tenant.Size, by+1) // the reader may be ahead of the tenant
	f, err := b.FrameAt(State{Reader: s.Reader, Tenant: &later}, by)
	if err != nil {
		return WasRedacted, err
	}
	h, err := record.ParseHeader(f.Header)
	if err == nil && h.Kind == record.Expiry {
		return WasExpired, nil
	}
	return WasRedacted, err
}
