package transfer

import (
	"context"
	"fmt"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/record"
)

// salvaging is a salvage of one tenant.
type salvaging struct {
	*Salvage
	tenant string
	erased map[uint64]bool // positions whose payload is erased
	behind string

	next uint64           // the next position
	hurt []journal.Damage // since the last record of the tenant
	lose func(Lost)
	keep func(*exportRecord) error
}

// erasures collects what the readable records erase.
func (x *salvaging) erasures(ctx context.Context, tell func(done, total uint64)) error {
	return x.scan(ctx, tell, func(h *record.Header, f *journal.Frame, d *journal.Damage) error {
		if h == nil || d != nil || h.Tenant != x.tenant || !apply.Alone(h.Kind) || x.flaw(h, f) != "" {
			return nil
		}
		r, err := apply.Decode(f)
		if err != nil {
			return err
		}
		targets, err := apply.Targets(&r)
		if err != nil {
			return err
		}
		for _, t := range targets {
			if t.Erases {
				x.erased[t.Position] = true
			}
		}
		return nil
	})
}

// walk visits the records of the tenant: readable ones are kept, the others are
// lost.
func (x *salvaging) walk(ctx context.Context, tell func(done, total uint64), lose func(Lost), keep func(*exportRecord) error) error {
	x.next, x.hurt, x.behind, x.lose, x.keep = 0, nil, "", lose, keep
	if err := x.scan(ctx, tell, x.visit); err != nil {
		return err
	}
	for _, d := range x.log.Damages() {
		if d.Part == journal.PartEnd {
			x.hurt = append(x.hurt, d)
		}
	}
	switch size := x.size(x.tenant); {
	case size > x.next:
		x.missing(size - 1)
	case size == 0 && len(x.hurt) > 0:
		x.behind = x.hurt[0].Error()
	}
	return nil
}

// visit handles the next frame or damage in the journal.
func (x *salvaging) visit(h *record.Header, f *journal.Frame, d *journal.Damage) error {
	if h == nil {
		x.hurt = append(x.hurt, *d)
		return nil
	}
	if h.Tenant != x.tenant || h.Position < x.next {
		return nil
	}
	if h.Position > x.next {
		x.missing(h.Position - 1)
	}
	x.next, x.hurt = h.Position+1, nil
	gone := x.erased[h.Position] || d == nil && apply.Blank(f) || x.gone(x.tenant, h.Position)
	if !gone {
		why := ""
		if d != nil {
			why = d.Detail
		} else {
			why = x.flaw(h, f)
		}
		if why != "" {
			at := x.place(f.LSN)
			x.lose(Lost{From: h.Position, To: h.Position, Segment: at.Segment, Offset: at.Offset, Why: why})
			return nil
		}
	}
	return x.keep(exportLineOf(h, f.Body, gone))
}

// missing reports that nothing was found of the positions up to last.
func (x *salvaging) missing(last uint64) {
	l := Lost{From: x.next, To: last, Why: "the journal has no trace of them"}
	for i, d := range x.hurt {
		switch i {
		case 0:
			l.Segment, l.Offset, l.Why = d.Segment, d.Offset, d.Detail
		case 1:
			l.Why += fmt.Sprintf("; so at %d more places", len(x.hurt)-1)
		}
	}
	x.lose(l)
	x.next, x.hurt = last+1, nil
}

// flaw returns the problem of a record that passed its check, or "". No import
// would accept the record.
func (x *salvaging) flaw(h *record.Header, f *journal.Frame) string {
	if apply.Blank(f) {
		return ""
	}
	if record.Commit(f.Body) != h.Commitment {
		return "it does not match its commitment"
	}
	r, err := apply.Decode(f)
	if err != nil {
		return err.Error()
	}
	if _, err := apply.Targets(&r); err != nil {
		return err.Error()
	}
	if err := checkOwn(&board.Entry{Header: *h, Body: f.Body, Record: r}); err != nil {
		return err.Error()
	}
	return ""
}
