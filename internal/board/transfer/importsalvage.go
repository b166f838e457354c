package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// salvageBegins is the beginning of a salvage.
const salvageBegins = `{"lukasa_salvage":`

// ImportedSalvage says what is missing of a tenant from a damaged directory.
type ImportedSalvage struct {
	Lost    uint64    // records that were unreadable there
	LeftOut uint64    // records that are useless without those
	Rewrote uint64    // records that were rewritten, since they name others
	Reasons []LeftOut // of the first thousand
}

// LeftOut is a record that was not imported, and why.
type LeftOut struct {
	Position uint64 // in the original directory
	Kind     record.Kind
	Why      string
}

// importSalvage imports the output of [Salvage.Write]. Records keep their
// content, time, writer and trust, and follow each other without gaps, so that
// their positions and proofs are new. Records that depend on a lost one are left
// out. It returns the tenant.
func importSalvage(ctx context.Context, b *board.Board, first io.Reader, again func() (io.Reader, error), report *ImportReport, tell func(done, total uint64)) (string, error) {
	erased := make(map[uint64]bool)
	head, err := readSalvage(ctx, b, first, func(e *board.Entry) error {
		targets, err := apply.Targets(&e.Record)
		for _, t := range targets {
			erased[t.Position] = erased[t.Position] || t.Erases
		}
		return err
	})
	if err != nil {
		return "", err
	}
	second, err := again()
	if err != nil {
		return "", err
	}
	report.Salvage = &ImportedSalvage{Lost: head.LostRecords}
	s := &salvaged{board: b, report: report, erased: erased}
	put := func(entries []*board.Entry) error { return s.group(ctx, entries) }
	err = inGroups(head.Records, tell, put, func(visit func(*board.Entry) error) error {
		_, err := readSalvage(ctx, b, second, visit)
		return err
	})
	if err == nil && s.placed == 0 && s.there > 0 {
		err = fault.Newf(fault.IDConflict, "tenant %q has records of its own here", head.Tenant).
			WithFix("import into a directory where this tenant has no records of its own")
	}
	return head.Tenant, err
}

// readSalvage reads a whole salvage, applies every rule that needs no state, and
// calls visit with each record.
func readSalvage(ctx context.Context, b *board.Board, src io.Reader, visit func(*board.Entry) error) (head salvageHead, err error) {
	lines := bufio.NewReaderSize(src, 1<<16)
	text, err := readLine(lines)
	if err != nil {
		return head, fault.First(notEOF(err), badLine(0, "there is no head"))
	}
	if head, err = parseSalvageHead(text); err != nil {
		return head, err
	}
	if err := b.EnterTenant(head.Tenant); err != nil {
		return head, err
	}
	latest := b.Now().Add(aheadOfUs).UnixNano()
	last := record.Header{}
	for n := uint64(0); ; n++ {
		if err := ctx.Err(); err != nil {
			return head, err
		}
		text, err := readLine(lines)
		if err == io.EOF {
			if n != head.Records {
				err = fault.Newf(fault.InvalidDocument, "the salvage ends after %d of %d records", n, head.Records).WithFix("import the whole file")
			} else {
				err = nil
			}
			return head, err
		}
		if err != nil {
			return head, err
		}
		e, err := parseRecord(text, head.Tenant)
		switch {
		case err != nil:
		case n > 0 && e.Header.Position <= last.Position:
			err = fmt.Errorf("position: records are not in order")
		case n > 0 && e.Header.Time < last.Time:
			err = fmt.Errorf("time: it is before that of the record in front of it")
		case e.Header.Time > latest:
			err = fmt.Errorf("time: it is more than a day after this board's clock")
		}
		if err != nil {
			return head, badLine(n+1, err.Error())
		}
		last = e.Header
		if err := visit(e); err != nil {
			return head, err
		}
	}
}

// parseSalvageHead reads the first line. Its list of lost records is for people.
func parseSalvageHead(text []byte) (head salvageHead, err error) {
	var l exportLine
	l.parse(text)
	head.Salvage = int(min(l.count("lukasa_salvage"), 1<<30))
	if l.err == nil && head.Salvage > salvageFormat {
		return head, fault.Newf(fault.NewerFormat, "the salvage has format %d; this program knows formats up to %d", head.Salvage, salvageFormat)
	}
	l.only("lukasa_salvage", "tenant", "records", "lost_records", "lost", "behind", "directory")
	l.member("lost", canon.Array)
	l.member("behind", canon.String)
	head.Tenant, head.Records, head.LostRecords, head.Directory = l.text("tenant"), l.count("records"), l.count("lost_records"), l.text("directory")
	if l.err == nil && head.Salvage == 0 {
		l.err = fmt.Errorf("lukasa_salvage: there is no format 0")
	}
	if l.err != nil {
		return head, badLine(0, l.err.Error())
	}
	return head, memory.CheckTenant(head.Tenant)
}

// salvaged is a running import of a salvage.
type salvaged struct {
	board  *board.Board
	report *ImportReport
	erased map[uint64]bool // positions that a record of the salvage erases
	moves  moves
	begun  bool
	there  uint64 // records that the tenant had at first
	placed uint64 // records of the salvage that it has now
}

// group puts the records that fit, all of those or none.
func (s *salvaged) group(ctx context.Context, entries []*board.Entry) error {
	return s.board.Submit(ctx, &board.Request{Alone: true, Records: len(entries), Admit: func(g *board.Group) error {
		for _, e := range entries {
			t, err := g.Tenant(e.Header.Tenant)
			if err != nil {
				return err
			}
			if !s.begun {
				s.begun, s.there = true, t.Size
			}
			if err := s.record(g, t, e); err != nil {
				return g.Stop(err)
			}
		}
		return nil
	}})
}

// record puts the next record, finds it already present, or leaves it out.
func (s *salvaged) record(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	was := e.Header.Position
	if s.placed < s.there {
		same, err := salvagedBefore(g, t, s.placed, e)
		if err != nil {
			return err
		}
		if !same {
			s.leave(e, "it was left out before, or the tenant has other records here")
			return nil
		}
		s.report.Present++
		s.place(was)
		return nil
	}
	if t.Size != s.placed {
		return fault.Newf(fault.IDConflict, "tenant %q was written to while the import ran", t.Name).
			WithFix("import into a directory that no other process writes to")
	}
	rewrote, err := s.adapt(g, t, e)
	if err == nil {
		err = fitsState(g, t, e)
	}
	if bad, ok := errors.AsType[misfit](err); ok {
		e.Header.Position = was
		s.leave(e, bad.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if err := g.PutVerbatim(e); err != nil {
		return err
	}
	s.report.Imported++
	if rewrote {
		s.report.Salvage.Rewrote++
	}
	s.place(was)
	return nil
}

// place records that the record at an old position comes next.
func (s *salvaged) place(was uint64) {
	s.moves.add(was, s.placed)
	s.placed++
}

// leave records that a record is not imported.
func (s *salvaged) leave(e *board.Entry, why string) {
	x := s.report.Salvage
	x.LeftOut++
	if len(x.Reasons) < maxLost {
		x.Reasons = append(x.Reasons, LeftOut{e.Header.Position, e.Header.Kind, why})
	}
}

// salvagedBefore reports whether the record at a position is what an earlier
// import made of this one: salts are kept, and no two records have the same.
func salvagedBefore(g *board.Group, t *ledger.Tenant, position uint64, e *board.Entry) (bool, error) {
	at, ok, err := ledger.At(g.Tx(), t.Number, position)
	if err != nil || !ok {
		return false, err
	}
	f, err := g.Board().Log().Read(at.LSN, nil)
	if err != nil {
		return false, err
	}
	h, err := record.ParseHeader(f.Header)
	if err != nil {
		return false, err
	}
	if h.Kind != e.Header.Kind || h.Time != e.Header.Time {
		return false, nil
	}
	if h.Commitment == e.Header.Commitment {
		return true, nil
	}
	return len(e.Body) > 0 && len(f.Body) >= record.SaltSize && bytes.Equal(f.Body[:record.SaltSize], e.Body[:record.SaltSize]), nil
}
