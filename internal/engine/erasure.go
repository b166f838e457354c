package engine

import (
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// erasure is what became of a record.
type erasure int

const (
	onRecord    erasure = iota
	wasExpired          // its time was over
	wasRedacted         // somebody wants it gone
)

// erasure returns what became of the record at a position.
func (b *Board) erasure(r kv.Reader, t *ledger.Tenant, position uint64) (erasure, error) {
	by, gone, err := ledger.Erased(r, t.Number, position)
	if err != nil || !gone {
		return onRecord, err
	}
	later := *t
	later.Size = max(t.Size, by+1) // the reader may be ahead of the tenant
	f, err := b.frameAt(r, &later, by)
	if err != nil {
		return wasRedacted, err
	}
	h, err := record.ParseHeader(f.Header)
	if err == nil && h.Kind == record.Expiry {
		return wasExpired, nil
	}
	return wasRedacted, err
}
