package exports

import (
	"context"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/source"
)

// hmx reads events of HMX, one a line, as they are.
func (r export) hmx(ctx context.Context) error {
	return r.Lines(ctx, func(l source.Line) error {
		ev, _, err := hmx.DecodeEvent(l.Text)
		if err != nil {
			r.Refuse(l.Place(), l.Text, l.Last, err.Error())
			return nil
		}
		if r.Options.Move {
			ev.TenantID = r.Options.Tenant
		}
		return r.Take(ctx, source.Item{Event: ev, Line: l.Number})
	})
}
