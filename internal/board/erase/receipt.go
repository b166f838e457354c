package erase

import (
	"context"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

// receipt signs a receipt for the redaction at a position.
func (b *Eraser) receipt(s board.State, position uint64) (notary.Signed, error) {
	f, err := b.core.FrameAt(s, position)
	if err != nil {
		return notary.Signed{}, err
	}
	rec, err := apply.Decode(&f)
	if err != nil {
		return notary.Signed{}, err
	}
	out := notary.Receipt{Time: time.Unix(0, rec.Header.Time).UTC(), Redaction: position}
	switch c := rec.Control.(type) {
	case *memory.Redaction:
		for _, target := range c.Targets {
			out.Erased = add(out.Erased, target.Kind, target.ID, target.Position)
		}
	case *memory.Expiry:
		for _, target := range c.Targets {
			if target.Kind != record.Event {
				continue // a versioned record keeps its history
			}
			g, err := b.core.HeadAt(s, target.Position)
			if err != nil {
				return notary.Signed{}, err
			}
			h, err := record.ParseHeader(g.Header)
			if err != nil {
				return notary.Signed{}, err
			}
			out.Erased = add(out.Erased, target.Kind, h.ID, target.Position)
		}
	default:
		return notary.Signed{}, fault.Newf(fault.NotFound, "position %d of tenant %q is a %s, not a redaction", position, s.Tenant.Name, rec.Header.Kind)
	}
	if len(out.Erased) == 0 {
		return notary.Signed{}, fault.Newf(fault.NotFound, "position %d of tenant %q is an expiry that erased nothing: an expired record keeps its history", position, s.Tenant.Name)
	}
	if err := b.core.CheckErased(s, out.Erased); err != nil {
		return notary.Signed{}, err
	}
	return b.core.Notary().SignReceipt(s.Tenant.Name, out, b.core.TreeIn(s))
}

// add adds a position to the erased ones of an id.
func add(list []notary.Erased, kind record.Kind, id record.Hash, position uint64) []notary.Erased {
	for i := range list {
		if list[i].ID == id && list[i].Kind == kind {
			list[i].Positions = append(list[i].Positions, position)
			return list
		}
	}
	return append(list, notary.Erased{Kind: kind, ID: id, Positions: []uint64{position}})
}

// Receipt returns the signed receipt of the redaction at a position.
func (b *Eraser) Receipt(ctx context.Context, tenant string, redaction uint64) (notary.Signed, error) {
	var signed notary.Signed
	err := b.core.Read(ctx, tenant, func(s board.State) (err error) {
		signed, err = b.receipt(s, redaction)
		return err
	})
	return signed, err
}
