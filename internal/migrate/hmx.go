package migrate

import "lukasa.dev/hmx"

// hmx reads events of HMX, one a line, as they are.
func (r *run) hmx(src *text) error {
	return r.lines(src, func(l line) error {
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
		return r.sink.Take(Item{Event: ev, Line: l.number})
	})
}
