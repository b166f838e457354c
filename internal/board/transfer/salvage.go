package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// salvageFormat is the version of a salvage's lines.
const salvageFormat = 1

// maxLost is how many ranges of lost records are listed.
const maxLost = 1000

// Lost is a range of unreadable records of a tenant, and why.
type Lost struct {
	From    uint64 `json:"from"` // position of the first
	To      uint64 `json:"to"`   // position of the last
	Segment string `json:"segment,omitempty"`
	Offset  int64  `json:"offset"` // within the segment
	Why     string `json:"why"`
}

// Salvaged says what a salvage wrote, and what it could not read.
type Salvaged struct {
	Tenant      string
	Records     uint64 // records that were written
	LostRecords uint64
	Lost        []Lost // in order of positions; the first thousand
	// Behind says why there may have been more records after the last known one,
	// or is empty.
	Behind string
}

// Whole reports whether nothing is known to be missing.
func (s *Salvaged) Whole() bool { return s.LostRecords == 0 && s.Behind == "" }

// salvageHead is the first line of a salvage. It names no root: the remains of a
// tenant have none.
type salvageHead struct {
	Salvage     int    `json:"lukasa_salvage"`
	Tenant      string `json:"tenant"`
	Records     uint64 `json:"records"`
	LostRecords uint64 `json:"lost_records"`
	Lost        []Lost `json:"lost"`
	Behind      string `json:"behind,omitempty"`
	Directory   string `json:"directory"`
}

// Salvage is a damaged directory that is searched for readable records. It reads
// only the journal, and changes no file.
type Salvage struct {
	log       *journal.Log
	end       journal.LSN
	directory string // its id, as far as it is known
	index     kv.Reader
	close     func() error
}

// OpenSalvage opens a directory for a salvage, whatever is wrong with its index,
// its keys and its mark. No other process may have it open. It must be closed.
func OpenSalvage(fs disk.FS, dir string) (*Salvage, error) {
	if _, err := fs.Stat(fs.PathJoin(dir, "journal")); err != nil {
		return nil, fault.Newf(fault.NotFound, "there is no journal in %s", dir).WithCause(err).
			WithFix("name a data directory with --data")
	}
	held, err := disk.Peek(fs, fs.PathJoin(dir, board.NameLock))
	if err != nil {
		return nil, err
	}
	// What opening an index writes stays in memory.
	b := board.Unopened(dir, board.Options{FS: disk.Shadow(fs), CacheBytes: 16 << 20, MemTableBytes: 8 << 20})
	s := &Salvage{}
	if _, err := fs.Stat(b.Path(board.NameMark)); err == nil && b.Identify() == nil {
		s.directory = b.ID()
	}
	reached := s.ask(b)
	s.close = func() error {
		var errs []error
		if s.log != nil {
			errs = append(errs, s.log.Close())
		}
		if b.Store() != nil {
			errs = append(errs, b.Store().Close())
		}
		if held != nil {
			errs = append(errs, held.Close())
		}
		return errors.Join(errs...)
	}
	s.log, err = journal.Open(journal.Options{FS: fs, Dir: fs.PathJoin(dir, "journal"), ReadOnly: true, AtLeast: reached})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.end = s.log.End()
	return s, nil
}

// ask reads from the index how far it had come and how many records tenants had,
// as far as it is readable.
func (s *Salvage) ask(b *board.Board) journal.LSN {
	if _, err := b.FS().Stat(b.Path(board.NameIndex)); err != nil || s.directory == "" || b.OpenStore() != nil {
		return 0
	}
	s.index = b.Store()
	_, reached, err := apply.Cursor(b.Store())
	if err != nil {
		return 0
	}
	return reached
}

// size returns how many records a tenant had according to the index, or 0 if it is
// unknown.
func (s *Salvage) size(tenant string) uint64 {
	if s.index == nil {
		return 0
	}
	t, ok, err := ledger.Lookup(s.index, tenant)
	if err != nil || !ok {
		return 0
	}
	return t.Size
}

// gone reports whether a record was erased according to the index; the erasing
// record may be damaged.
func (s *Salvage) gone(tenant string, position uint64) bool {
	if s.index == nil {
		return false
	}
	t, ok, err := ledger.Lookup(s.index, tenant)
	if err != nil || !ok {
		return false
	}
	_, gone, err := ledger.Erased(s.index, t.Number, position)
	return err == nil && gone
}

// Close releases the directory.
func (s *Salvage) Close() error { return s.close() }

// Tenants returns the tenants with a recognizable record, in the order of their
// first ones, without [SystemTenant].
func (s *Salvage) Tenants(ctx context.Context) (names []string, err error) {
	seen := map[string]bool{board.SystemTenant: true}
	err = s.scan(ctx, nil, func(h *record.Header, _ *journal.Frame, _ *journal.Damage) error {
		if h != nil && !seen[h.Tenant] {
			seen[h.Tenant] = true
			names = append(names, h.Tenant)
		}
		return nil
	})
	return names, err
}

// SalvageTenant writes the readable records of a tenant, as [Salvage.Write] does.
func SalvageTenant(ctx context.Context, b *board.Board, tenant string, dst io.Writer, tell func(done, total uint64)) (*Salvaged, error) {
	if err := b.EnterTenant(tenant); err != nil {
		return nil, err
	}
	if err := b.Enter(ctx); err != nil {
		return nil, err
	}
	defer b.Leave()
	snap := b.Store().Snapshot()
	defer snap.Close()
	s := &Salvage{log: b.Log(), end: b.Log().End(), directory: b.ID(), index: snap}
	return s.Write(ctx, tenant, dst, tell)
}

// Write writes every readable record of a tenant as a line of JSON, at its
// position, under a head that says what is missing. What a readable record erases
// is erased. It calls tell, if not nil, with the progress through the journal.
func (s *Salvage) Write(ctx context.Context, tenant string, dst io.Writer, tell func(done, total uint64)) (*Salvaged, error) {
	if err := memory.CheckTenant(tenant); err != nil {
		return nil, err
	}
	x := &salvaging{Salvage: s, tenant: tenant, erased: make(map[uint64]bool)}
	steps := func(step uint64) func(done, total uint64) {
		return func(done, total uint64) {
			if tell != nil {
				tell((step*total+done)/3, total)
			}
		}
	}
	if err := x.erasures(ctx, steps(0)); err != nil {
		return nil, err
	}
	report := &Salvaged{Tenant: tenant}
	if err := x.walk(ctx, steps(1), report.lose, func(*exportRecord) error { report.Records++; return nil }); err != nil {
		return nil, err
	}
	if report.Records+report.LostRecords == 0 {
		return nil, fault.Newf(fault.NotFound, "no record of tenant %q can be made out here", tenant)
	}
	report.Behind = x.behind
	head := salvageHead{salvageFormat, tenant, report.Records, report.LostRecords, report.Lost, report.Behind, s.directory}
	if head.Lost == nil {
		head.Lost = []Lost{}
	}
	w := bufio.NewWriterSize(dst, 1<<16)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(head); err != nil {
		return nil, outputFailed(err)
	}
	written := uint64(0)
	err := x.walk(ctx, steps(2), func(Lost) {}, func(line *exportRecord) error {
		written++
		return outputFailed(enc.Encode(line))
	})
	if err == nil && written != report.Records {
		err = fault.Newf(fault.Damaged, "of %d records that could be read just now, %d could be read again", report.Records, written).
			WithFix("run it again; the disk is failing, so make a copy of the directory first")
	}
	if err != nil {
		return nil, err
	}
	return report, outputFailed(w.Flush())
}

// lose records what is unreadable.
func (s *Salvaged) lose(l Lost) {
	s.LostRecords += l.To - l.From + 1
	if len(s.Lost) < maxLost {
		s.Lost = append(s.Lost, l)
	}
}

// scan reads the journal to its end at the start of the salvage. It calls visit
// with each record whose header is readable, with the damage of its body, and
// without a header for other damage. Where the disk is unreadable, it continues
// with the next segment.
func (s *Salvage) scan(ctx context.Context, tell func(done, total uint64), visit func(h *record.Header, f *journal.Frame, d *journal.Damage) error) error {
	at := journal.LSN(0)
	for at < s.end {
		failed, err := s.scanFrom(ctx, &at, tell, visit)
		if err != nil || failed == nil {
			return err
		}
		d := s.place(at)
		d.Part, d.Detail = journal.PartSegment, fmt.Sprintf("the rest of the segment cannot be read: %v", failed)
		if d.To <= at {
			d.To = s.end
		}
		at = d.To
		if err := visit(nil, nil, d); err != nil {
			return err
		}
	}
	return nil
}

// scanFrom is scan from an address on, up to where the disk fails.
func (s *Salvage) scanFrom(ctx context.Context, at *journal.LSN, tell func(done, total uint64), visit func(h *record.Header, f *journal.Frame, d *journal.Damage) error) (failed, err error) {
	scan := s.log.Scan(*at)
	defer scan.Close()
	var f journal.Frame
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if tell != nil {
				tell(uint64(*at), uint64(s.end))
			}
		}
		err := scan.Next(&f)
		d, damaged := errors.AsType[*journal.Damage](err)
		switch {
		case err == io.EOF || err == nil && f.LSN >= s.end:
			return nil, nil
		case err != nil && !damaged:
			return err, nil
		case damaged && d.Part != journal.PartBody:
			*at = max(*at, d.To)
			if err := visit(nil, nil, d); err != nil {
				return nil, err
			}
			continue
		}
		*at = f.Next
		h, err := record.ParseHeader(f.Header)
		if err != nil {
			d := s.place(f.LSN)
			d.Part, d.To, d.Detail = journal.PartHead, f.Next, err.Error()
			if err := visit(nil, nil, d); err != nil {
				return nil, err
			}
			continue
		}
		if err := visit(&h, &f, d); err != nil {
			return nil, err
		}
	}
}

// place returns the segment and offset of an address, and the end of its segment.
func (s *Salvage) place(at journal.LSN) *journal.Damage {
	d := &journal.Damage{From: at}
	for _, seg := range s.log.Segments() {
		if seg.Base <= at {
			d.Segment, d.Offset, d.To = seg.Name, int64(at-seg.Base), seg.Base+journal.LSN(seg.Size)
		}
	}
	return d
}
