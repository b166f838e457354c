package browse

import (
	"context"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// URIAt returns the URI of the record at a position: an event, or a versioned record
// without its version. Hidden, erased and other records give the same not-found error: a
// position reveals nothing about what is hidden.
func (b *Browser) URIAt(ctx context.Context, tenant string, position uint64, v access.View) (memory.URI, error) {
	var u memory.URI
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		missing := fault.Newf(fault.NotFound, "tenant %q has nothing at #%d", s.Tenant.Name, position)
		if position >= s.Tenant.Size {
			return missing
		}
		f, err := b.core.FrameAt(s, position)
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
			if !access.SeesEvent(s.View, rec.Event) {
				return missing
			}
			u = memory.URI{Tenant: s.Tenant.Name, Kind: record.Event, ID: rec.Event.EventID}
			return nil
		case rec.Body == nil:
			return missing
		}
		id, _ := rec.Body.Identity()
		h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, rec.Body.Kind(), catalog.ThingOf(s.Tenant.Name, rec.Body.Kind(), id))
		if err != nil {
			return err
		}
		if !ok || h.State == catalog.Redacted || !access.Sees(s.View, h) {
			return missing
		}
		u = memory.URI{Tenant: s.Tenant.Name, Kind: h.Kind, ID: h.ID}
		return nil
	})
	return u, err
}
