package transfer

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/merkle"
)

// importBytes is approximately how many bytes of bodies an import holds before it
// writes.
const importBytes = 8 << 20

// ImportReport is the result of an import.
type ImportReport struct {
	Root     board.Root
	Imported uint64
	Present  uint64 // records that existed already
	// Salvage says what is missing from a salvage. Nil for a complete export.
	Salvage *ImportedSalvage
}

// Import imports the output of Export: the same records at the same positions with
// the same proofs. The tenant must be new, or hold a prefix of the same records, as
// after an interrupted import. A record is admitted only if this board would have
// written it in this place. What the export itself shows is checked for the whole
// export before the first write; so it is read twice, through a temporary file in
// the data directory if it cannot seek. What depends on the tenant's state is
// checked for each group of records, and a group is imported as a whole or not at
// all.
func Import(ctx context.Context, b *board.Board, src io.Reader, tell func(done, total uint64)) (*ImportReport, error) {
	report := &ImportReport{}
	again, err := b.Seekable(src)
	if err != nil {
		return report, err
	}
	defer again.Done()
	in := bufio.NewReaderSize(again.First, 1<<16)
	var tenant string
	if begun, _ := in.Peek(len(salvageBegins)); string(begun) == salvageBegins {
		tenant, err = importSalvage(ctx, b, in, again.Second, report, tell)
	} else {
		tenant, err = importWhole(ctx, b, in, again.Second, report, tell)
	}
	if err != nil {
		return report, err
	}
	if err := b.FinishErasures(ctx); err != nil {
		return report, err
	}
	if report.Imported > 0 {
		if err := b.ForgetErased(); err != nil {
			return report, err
		}
	}
	report.Root, err = b.Root(ctx, tenant)
	return report, err
}

// importWhole is Import of a complete export. It returns its tenant.
func importWhole(ctx context.Context, b *board.Board, first io.Reader, again func() (io.Reader, error), report *ImportReport, tell func(done, total uint64)) (string, error) {
	head, err := readExport(ctx, b, first, func(*board.Entry) error { return nil })
	if err != nil {
		return "", err
	}
	second, err := again()
	if err != nil {
		return "", err
	}
	put := func(entries []*board.Entry) error { return importGroup(ctx, b, entries, report) }
	return head.Tenant, inGroups(head.Size, tell, put, func(visit func(*board.Entry) error) error {
		_, err := readExport(ctx, b, second, visit)
		return err
	})
}

// readExport reads a whole export, applies every rule that needs no state, and
// calls visit with each record.
func readExport(ctx context.Context, b *board.Board, src io.Reader, visit func(*board.Entry) error) (exportHead, error) {
	lines := bufio.NewReaderSize(src, 1<<16)
	text, err := readLine(lines)
	if err != nil {
		return exportHead{}, fault.First(notEOF(err), badLine(0, "there is no head"))
	}
	head, err := parseHead(text)
	if err != nil {
		return head, err
	}
	if err := b.EnterTenant(head.Tenant); err != nil {
		return head, err
	}
	check := newExportCheck(head, b.Now())
	for {
		if err := ctx.Err(); err != nil {
			return head, err
		}
		text, err := readLine(lines)
		if err == io.EOF {
			return head, check.end()
		}
		if err != nil {
			return head, err
		}
		n := check.tree.Size() + 1 // lines before this one
		e, err := parseRecord(text, head.Tenant)
		if err == nil {
			err = check.record(e)
		}
		if err != nil {
			return head, badLine(n, err.Error())
		}
		if err := visit(e); err != nil {
			return head, err
		}
	}
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// inGroups reads records and puts them in groups. A record that removes others is
// in a group of its own.
func inGroups(total uint64, tell func(done, total uint64), put func([]*board.Entry) error, read func(visit func(*board.Entry) error) error) error {
	var held []*board.Entry
	size, n := 0, uint64(0)
	flush := func() error {
		if len(held) == 0 {
			return nil
		}
		err := put(held)
		clear(held) // releases their bodies
		held, size = held[:0], 0
		return err
	}
	err := read(func(e *board.Entry) error {
		alone := apply.Alone(e.Header.Kind)
		if alone || len(held) >= board.IngestBatch || size+len(e.Body) > importBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		held, size = append(held, e), size+len(e.Body)
		if alone {
			if err := flush(); err != nil {
				return err
			}
		}
		if tell != nil && n%1024 == 0 {
			tell(n, total)
		}
		n++
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// importGroup puts records unchanged, all or none.
func importGroup(ctx context.Context, b *board.Board, entries []*board.Entry, report *ImportReport) error {
	imported, present := uint64(0), uint64(0)
	err := b.Submit(ctx, &board.Request{Alone: true, Records: len(entries), Admit: func(g *board.Group) error {
		for _, e := range entries {
			t, err := g.Tenant(e.Header.Tenant)
			if err != nil {
				return err
			}
			if e.Header.Position < t.Size {
				if err := sameRecord(g, t, e); err != nil {
					return g.Stop(err)
				}
				present++
				continue
			}
			if err := fits(g, t, e); err != nil {
				return g.Stop(err) // with what is in the group already
			}
			if err := g.PutVerbatim(e); err != nil {
				return err
			}
			imported++
		}
		return nil
	}})
	if err == nil {
		report.Imported += imported
		report.Present += present
	}
	return err
}

// sameRecord refuses a record that differs from the existing one.
func sameRecord(g *board.Group, t *ledger.Tenant, e *board.Entry) error {
	at, ok, err := ledger.At(g.Tx(), t.Number, e.Header.Position)
	if err != nil {
		return err
	}
	if !ok || at.Leaf != merkle.LeafHash(e.Header.Append(nil)) {
		return fault.Newf(fault.IDConflict, "tenant %q has another record at position %d than the export", t.Name, e.Header.Position).
			WithFix("import into a directory where this tenant has no records of its own")
	}
	if e.Body == nil {
		return nil // the export names what erased it, or will do so
	}
	// The existing record may come, blank, from an interrupted import of a later
	// export. This export would leave it blank without a reason.
	if _, gone, err := ledger.Erased(g.Tx(), t.Number, e.Header.Position); err != nil || gone {
		return err
	}
	f, err := g.Board().Log().Read(at.LSN, nil)
	if err != nil {
		return nil // Verify reports damage
	}
	if apply.Blank(&f) {
		return fault.Newf(fault.IDConflict, "tenant %q has the beginning of a later export, in which position %d is erased", t.Name, e.Header.Position).
			WithFix("import that one, to its end")
	}
	return nil
}

// readLine returns the next line without its line end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxExportLine {
			return nil, fault.Newf(fault.TooLarge, "a line of the export is longer than %d MiB", maxExportLine>>20)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, fault.Wrap(fault.UnreadableInput, err)
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// badLine returns the error for the line after n others.
func badLine(n uint64, what string) error {
	return fault.Newf(fault.InvalidDocument, "line %d of the export: %s", n+1, what).
		WithFix("use the file as `lukasa export` wrote it")
}
