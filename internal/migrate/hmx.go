package migrate

import (
	"context"

	"lukasa.dev/hmx"
)

// hmx reads events of HMX, one a line, as they are.
func (r *run) hmx(ctx context.Context, src *text) error {
	return r.lines(ctx, src, func(l line) error {
		p := place{l.number, -1}
		ev, _, err := hmx.DecodeEvent(l.text)
		if err != nil {
			if l.last && !balanced(l.text) {
				r.leave(p, Unfinished, "the last line is not finished yet")
			} else {
				r.leave(p, Broken, err.Error())
			}
			return nil
		}
		if r.o.Move {
			ev.TenantID = r.o.Tenant
		}
		return r.sink.Take(ctx, Item{Event: ev, Line: l.number})
	})
}
