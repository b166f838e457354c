package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/board/transfer"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// shownLost is how many lost ranges are shown to a person.
const shownLost = 20

// salvageLine is the command that saves what can be read of a damaged directory.
const salvageLine = "`lukasa export --salvage --out FILE`"

// exportSalvage writes what can still be read of a tenant. A directory that nobody
// has is not opened for it, since it may not be possible to: its journal is read.
func (s *shell) exportSalvage(c *cobra.Command, flags *exportFlags) error {
	if s.served.board != nil {
		return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
			t, err := v.reader(ctx)
			if err != nil {
				return err
			}
			return s.writeSalvage(systemToo(ctx, t.Name()), flags, t.Salvage)
		})
	}
	dir, err := s.dataDir(c, &flags.boardFlags)
	if err != nil {
		return err
	}
	if _, err := s.scopeOf(c, &flags.boardFlags); err != nil {
		return err
	}
	var open *transfer.Salvage
	err = s.whenFree(c.Context(), dir, flags.wait, func() (err error) {
		open, err = transfer.OpenSalvage(disk.OS(), dir)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = open.Close() }() // nothing was written to it
	tenant, err := s.salvageTenant(c, flags, open)
	if err != nil {
		return err
	}
	return s.writeSalvage(systemToo(c.Context(), tenant), flags, func(ctx context.Context, w io.Writer, tell func(done, total uint64)) (*lukasa.Salvaged, error) {
		return open.Write(ctx, tenant, w, tell)
	})
}

// salvageTenant returns the tenant that is to be salvaged: by the same rules as
// where the directory can be opened.
func (s *shell) salvageTenant(c *cobra.Command, flags *exportFlags, open *transfer.Salvage) (string, error) {
	if c.Flags().Changed("tenant") {
		return flags.tenant, badFlag("tenant", memory.CheckTenant(flags.tenant))
	}
	if name := s.env("LUKASA_TENANT"); name != "" {
		return name, nil
	}
	names, err := open.Tenants(c.Context())
	switch {
	case err != nil:
		return "", err
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0 || slices.Contains(names, "default"):
		return "default", nil
	}
	return "", fault.Newf(fault.Usage, "no tenant was named, and there are %s here", thousands(len(names))).
		WithFix("add --tenant T, and salvage one after the other; the first is " + quoteShell(names[0]))
}

// writeSalvage writes a salvage, and tells what is missing.
func (s *shell) writeSalvage(ctx context.Context, flags *exportFlags, salvage func(context.Context, io.Writer, func(done, total uint64)) (*lukasa.Salvaged, error)) error {
	p := s.progress()
	defer p.done()
	var report *lukasa.Salvaged
	write := func(w io.Writer) (err error) {
		report, err = salvage(ctx, w, func(done, total uint64) {
			p.update(func() string { return "salvaging: " + share(done, total) })
		})
		return err
	}
	if flags.out == "-" {
		if err := write(s.stdout); err != nil {
			return err
		}
		p.done()
		for _, line := range lostLines(report) {
			s.note("%s", line)
		}
		return incomplete(report)
	}
	if err := s.files.replace(flags.out, write); err != nil {
		return err
	}
	p.done()
	a := answer.SalvagedOf(flags.out, report)
	if s.json {
		return errors.Join(s.writeJSON(a), incomplete(report))
	}
	fmt.Fprintf(s.stdout, "%s %s to %s\n", s.paint.yellow("salvaged"), counted(int(a.Records), "record"), oneLine(a.Out))
	s.detail("tenant", a.Tenant)
	for _, line := range lostLines(report) {
		s.detail("lost", line)
	}
	s.detail("proof", "none: a salvage has no root. `lukasa import` brings it in under a new one")
	return incomplete(report)
}

// lostLines says what is missing, a line for each range.
func lostLines(r *lukasa.Salvaged) (lines []string) {
	for i, l := range r.Lost {
		if i == shownLost {
			lines = append(lines, fmt.Sprintf("and %s more; --json lists them", counted(len(r.Lost)-i, "range")))
			break
		}
		what := fmt.Sprintf("position %d", l.From)
		if l.To > l.From {
			what = fmt.Sprintf("positions %d to %d", l.From, l.To)
		}
		if l.Segment != "" {
			what += fmt.Sprintf(", %s at %d", l.Segment, l.Offset)
		}
		lines = append(lines, what+": "+oneLine(l.Why))
	}
	if r.Behind != "" {
		lines = append(lines, "perhaps more behind the last: "+oneLine(r.Behind))
	}
	return lines
}

// incomplete is the error of a salvage that is not all there was.
func incomplete(r *lukasa.Salvaged) error {
	switch {
	case r.Whole():
		return nil
	case r.LostRecords == 0:
		return fault.New(fault.Damaged, "the salvage may be incomplete: records may be missing at its end").
			WithFix("keep the damaged directory; `lukasa import FILE --data NEW` brings in what was saved")
	}
	return fault.Newf(fault.Damaged, "the salvage is incomplete: %s of %s could not be read", thousands(int(r.LostRecords)), counted(int(r.LostRecords+r.Records), "record")).
		WithFix("keep the damaged directory; `lukasa import FILE --data NEW` brings in what was saved")
}
