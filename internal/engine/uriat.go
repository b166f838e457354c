package engine

import (
	"context"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// URIAt returns what the record at a position is of: an event, or a thing without its
// version. What a view does not show, was erased or is neither is not found, in the same
// words: a position tells nothing of what is hidden.
func (b *Board) URIAt(ctx context.Context, tenant string, position uint64, v View) (memory.URI, error) {
	var u memory.URI
	err := b.see(ctx, tenant, v, func(r kv.Reader, t *ledger.Tenant, v View) error {
		missing := fault.Newf(fault.NotFound, "tenant %q has nothing at #%d", t.Name, position)
		if position >= t.Size {
			return missing
		}
		f, err := b.frameAt(r, t, position)
		if err != nil {
			return err
		}
		if f.Erased {
			return missing
		}
		rec, err := apply.Decode(&f)
		switch {
		case err != nil:
			return err
		case rec.Event != nil:
			if !v.seesEvent(&StoredEvent{Event: rec.Event}) {
				return missing
			}
			u = memory.URI{Tenant: t.Name, Kind: record.Event, ID: rec.Event.EventID}
			return nil
		case rec.Body == nil:
			return missing
		}
		id, _ := rec.Body.Identity()
		h, ok, err := catalog.HeadOf(r, t.Number, rec.Body.Kind(), catalog.ThingOf(t.Name, rec.Body.Kind(), id))
		if err != nil {
			return err
		}
		if !ok || h.State == catalog.Redacted || !v.sees(h) {
			return missing
		}
		u = memory.URI{Tenant: t.Name, Kind: h.Kind, ID: h.ID}
		return nil
	})
	return u, err
}
