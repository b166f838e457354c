// Package audit verifies a board: that journal, index, keys and trees agree, and that nothing
// is left of erased records. It reports problems and repairs nothing.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Finding is a problem that a verification found.
type Finding struct {
	Where  string // journal, index, keys, tenant
	Detail string
}

// VerifyReport is the scope and the result of a verification.
type VerifyReport struct {
	Deep     bool
	Tenants  int    // without [SystemTenant], which is verified as well
	Records  uint64 // of these
	Erased   uint64
	Bytes    int64 // of the journal
	Findings []Finding
}

// OK reports whether nothing was found.
func (r *VerifyReport) OK() bool { return len(r.Findings) == 0 }

func (r *VerifyReport) find(where, format string, args ...any) {
	const enough = 1000
	if len(r.Findings) < enough {
		r.Findings = append(r.Findings, Finding{where, fmt.Sprintf(format, args...)})
	}
}

// VerifyOptions configures a verification.
type VerifyOptions struct {
	// Deep recomputes every checksum, leaf, commitment and tree, and rebuilds the index to
	// compare it with the one in use.
	Deep bool
	// Progress receives the current step and its progress.
	Progress func(step string, done, total uint64)
}

func (o VerifyOptions) tell(step string, done, total uint64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

// Verify checks the directory. The error says why it could not check; problems are in the
// report. A deep verification blocks all other operations, reads too.
func Verify(ctx context.Context, b *board.Board, o VerifyOptions) (*VerifyReport, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Deep {
		if err := b.EnterAlone(); err != nil {
			return nil, err
		}
		defer b.LeaveAlone()
	} else {
		if err := b.Enter(ctx); err != nil {
			return nil, err
		}
		defer b.Leave()
	}
	report := &VerifyReport{Deep: o.Deep}
	for _, d := range b.KnownDamages() {
		report.find("journal", "%v", &d)
	}
	for _, s := range b.Log().Segments() {
		report.Bytes += s.Size
	}
	if err := b.Failed(); err != nil {
		report.find("journal", "writes are refused: %v", err)
	}
	if err := b.Notary().Check(); err != nil {
		report.find("keys", "%v", err)
	}
	if err := verifyTenants(ctx, b, o, report); err != nil {
		return report, err
	}
	if !o.Deep {
		return report, nil
	}
	return report, verifyDeep(ctx, b, o, report)
}

// verifyTenants checks that every tenant's tree and newest record agree.
func verifyTenants(ctx context.Context, b *board.Board, o VerifyOptions, report *VerifyReport) error {
	total, err := ledger.Count(b.Store())
	if err != nil {
		report.find("index", "%v", err)
		return nil
	}
	seen := 0
	for t, err := range ledger.Tenants(b.Store(), 0) {
		if err != nil {
			report.find("index", "%v", err)
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		seen++
		if t.Name != board.SystemTenant {
			report.Tenants++
			report.Records += t.Size
		}
		o.tell("tenants", uint64(seen), uint64(total))
		root, err := board.RootWhen(board.State{Reader: b.Store(), Tenant: t}, t.Size)
		if err != nil {
			report.find("index", "tenant %q: %v", t.Name, err)
		} else if root != t.Tree.Root() {
			report.find("index", "tenant %q: the stored nodes make another root than its state", t.Name)
		}
		if _, err := b.FrameAt(board.State{Reader: b.Store(), Tenant: t}, t.Size-1); err != nil {
			report.find("tenant "+t.Name, "%v", err)
		}
		if err := b.Notary().Agrees(t.Name, board.TreeOf(board.State{Reader: b.Store(), Tenant: t})); err != nil {
			report.find("keys", "%v", err)
		}
	}
	if seen != total {
		report.find("index", "there are %d tenants, but %d are counted", seen, total)
	}
	return nil
}

// verifyDeep reads every byte of the journal and rebuilds the index.
func verifyDeep(ctx context.Context, b *board.Board, o VerifyOptions, report *VerifyReport) error {
	damages, err := b.Log().Check(ctx, func(p journal.Progress) { o.tell("journal", uint64(p.Done), uint64(p.Total)) })
	if err != nil {
		return err
	}
	for _, d := range damages {
		report.find("journal", "%v", &d)
	}
	found, err := b.Store().Check(ctx)
	if err != nil {
		return err
	}
	for _, d := range found {
		report.find("index", "%v", d)
	}
	if err := b.FS().RemoveAll(b.Path(board.NameVerify)); err != nil {
		return disk.Fault(err)
	}
	scratch, err := b.OpenIndex(board.NameVerify)
	if err != nil {
		return err
	}
	defer func() {
		_ = scratch.Close() // it is removed right away
		_ = b.FS().RemoveAll(b.Path(board.NameVerify))
	}()
	passed, err := apply.New(scratch, b.Log()).CatchUp(ctx, func(done, end journal.LSN, _ uint64) { o.tell("index", uint64(done), uint64(end)) })
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report.find("journal", "it cannot be replayed to its end: %v", err)
		return nil
	}
	for _, d := range passed {
		if !slices.ContainsFunc(damages, func(known journal.Damage) bool { return known.From == d.From }) {
			report.find("journal", "%v", &d)
		}
	}
	if err := verifyRecords(ctx, b, o, scratch, report); err != nil {
		return err
	}
	if err := verifyErased(ctx, b, scratch, report); err != nil {
		return err
	}
	return compare(ctx, b.Store(), scratch, report)
}

// verifyRecords checks the commitment of every record, that no record is blank without an
// erasure, and the rules that the engine enforces on write.
func verifyRecords(ctx context.Context, b *board.Board, o VerifyOptions, r kv.Reader, report *VerifyReport) error {
	scan := b.Log().Scan(0)
	defer scan.Close()
	var f journal.Frame
	times := make(map[string]int64) // of each tenant's newest record so far
	for n := uint64(0); ; n++ {
		err := scan.Next(&f)
		if err == io.EOF {
			return nil
		}
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			o.tell("records", uint64(f.LSN), uint64(b.Log().End()))
		}
		if _, ok := errors.AsType[*journal.Damage](err); ok {
			continue // the check of the journal reports it
		}
		if err != nil {
			return err
		}
		h, err := record.ParseHeader(f.Header)
		if err != nil {
			report.find("journal", "the record at LSN %d: %v", f.LSN, err)
			continue
		}
		if last, ok := times[h.Tenant]; ok && h.Time < last {
			report.find("tenant "+h.Tenant, "position %d is older than the one before it", h.Position)
		}
		times[h.Tenant] = max(times[h.Tenant], h.Time)
		if !apply.Blank(&f) {
			if record.Commit(f.Body) != h.Commitment {
				report.find("journal", "position %d of tenant %q does not match its commitment", h.Position, h.Tenant)
			}
			if err := verifyRecord(b, &f, r, report); err != nil {
				return err
			}
			continue
		}
		report.Erased++
		t, ok, err := ledger.Lookup(r, h.Tenant)
		if err != nil {
			return err
		}
		if ok {
			_, ok, err = ledger.Erased(r, t.Number, h.Position)
			if err != nil {
				return err
			}
		}
		if !ok {
			report.find("journal", "position %d of tenant %q is blank on the disk, but no redaction erased it", h.Position, h.Tenant)
		}
	}
}

// verifyRecord checks the content of a record and its references.
func verifyRecord(b *board.Board, f *journal.Frame, r kv.Reader, report *VerifyReport) error {
	rec, err := apply.Decode(f)
	if err != nil {
		report.find("journal", "%v", err)
		return nil
	}
	h := &rec.Header
	where := "tenant " + h.Tenant
	if ev := rec.Event; ev != nil {
		if record.ID(h.Tenant, record.Event, ev.EventID) != h.ID {
			report.find(where, "position %d has the header of another event than %q", h.Position, ev.EventID)
		}
		if ev.TenantID != h.Tenant {
			report.find(where, "position %d is an event of tenant %q", h.Position, ev.TenantID)
		}
	}
	var targets []memory.RedactionTarget
	switch c := rec.Control.(type) {
	case *memory.Redaction:
		targets = c.Targets
	case *memory.Expiry:
		for _, t := range c.Targets {
			targets = append(targets, memory.RedactionTarget{Kind: t.Kind, Position: t.Position})
		}
	}
	if len(targets) == 0 {
		return nil
	}
	t, ok, err := ledger.Lookup(r, h.Tenant)
	if err != nil || !ok {
		return err
	}
	for i := range targets {
		if err := verifyTarget(b, board.State{Reader: r, Tenant: t}, h, &targets[i], report); err != nil {
			return err
		}
	}
	return nil
}

// verifyTarget checks that a record removes only what it may.
func verifyTarget(b *board.Board, s board.State, by *record.Header, target *memory.RedactionTarget, report *VerifyReport) error {
	where := "tenant " + s.Tenant.Name
	if target.Position >= by.Position {
		report.find(where, "position %d takes position %d away, which does not come before it", by.Position, target.Position)
		return nil
	}
	f, err := b.HeadAt(s, target.Position)
	if fault.CodeOf(err) == fault.Damaged {
		return nil // the check of the journal reports it
	}
	if err != nil {
		return err
	}
	h, err := record.ParseHeader(f.Header)
	if err != nil {
		return nil // reported when its turn comes
	}
	fits := h.Kind == target.Kind
	if by.Kind == record.Redaction && target.Kind != record.Event {
		// Records about a versioned record are removed with it.
		fits = fits || h.Kind == record.Tombstone || h.Kind == record.Transition && target.Kind == record.Artifact
	}
	if !fits {
		report.find(where, "position %d takes position %d away as being of kind %s, but that is of kind %s", by.Position, target.Position, target.Kind, h.Kind)
	} else if by.Kind == record.Redaction && h.Kind == record.Event && h.ID != target.ID {
		report.find(where, "position %d takes position %d away as another event than it is", by.Position, target.Position)
	}
	return nil
}

// verifyErased checks that nothing of erased records is left on the disk. Payloads that are
// still to be overwritten are no problem yet: that happens after the verification.
func verifyErased(ctx context.Context, b *board.Board, r kv.Reader, report *VerifyReport) error {
	type where struct {
		tenant   uint32
		position uint64
	}
	// The number of a tenant is the same in both stores, or they differ anyway.
	undone := make(map[where]bool)
	for u, err := range ledger.Undone(b.Store()) {
		if err != nil {
			report.find("index", "%v", err)
			break
		}
		undone[where{u.Tenant, u.Position}] = true
	}
	return board.ErasedPlaces(ctx, r, func(tenant uint32, position uint64, lsn journal.LSN) error {
		f, err := b.Log().Read(lsn, nil)
		if fault.CodeOf(err) == fault.Damaged {
			return nil // the check of the journal reports it
		}
		if err != nil {
			return err
		}
		if apply.Blank(&f) || undone[where{tenant, position}] {
			return nil
		}
		h, err := record.ParseHeader(f.Header)
		if err == nil {
			report.find("journal", "position %d of tenant %q was erased, but its payload is on the disk; `lukasa redact --purge` overwrites it", position, h.Tenant)
		}
		return err
	})
}

// compare reports where two stores differ, except for the pending work of the one in use.
func compare(ctx context.Context, live, made kv.Reader, report *VerifyReport) error {
	a, err := live.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := made.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		return err
	}
	defer b.Close()
	okA, okB := a.First(), b.First()
	for n := 0; okA || okB; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		// A failed iterator looks like one at its end.
		if err := a.Err(); err != nil {
			report.find("index", "%v", err)
			return nil
		}
		if err := b.Err(); err != nil {
			return err
		}
		switch c := order(a, okA, b, okB); {
		case c < 0:
			if !ledger.Passing(a.Key()) {
				report.find("index", "it has a key that the journal does not make: %s", index.Describe(a.Key()))
			}
			okA = a.Next()
		case c > 0:
			if !ledger.Passing(b.Key()) {
				report.find("index", "it lacks a key that the journal makes: %s", index.Describe(b.Key()))
			}
			okB = b.Next()
		default:
			x, err := a.Value()
			if err != nil {
				report.find("index", "%v", err)
			}
			y, err := b.Value()
			if err != nil {
				return err
			}
			if string(x) != string(y) {
				report.find("index", "it has another value than the journal makes: %s", index.Describe(a.Key()))
			}
			okA, okB = a.Next(), b.Next()
		}
	}
	if err := a.Close(); err != nil {
		report.find("index", "%v", err)
	}
	return b.Close()
}

// order compares the keys of two iterators; one at its end is last.
func order(a *kv.Iter, okA bool, b *kv.Iter, okB bool) int {
	switch {
	case !okA:
		return 1
	case !okB:
		return -1
	}
	x, y := string(a.Key()), string(b.Key())
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
