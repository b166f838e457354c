package files

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
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// shownLost is how many lost ranges are shown to a person.
const shownLost = 20

// SalvageLine is the command that saves what can be read of a damaged directory.
const SalvageLine = "`lukasa export --salvage --out FILE`"

// exportSalvage writes what can still be read of a tenant. If no process has the directory
// open, it reads the journal without opening the board, because that may fail.
func exportSalvage(s *ask.Shell, c *cobra.Command, flags *exportFlags) error {
	if s.Served.Board != nil {
		return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, err := v.Reader(ctx)
			if err != nil {
				return err
			}
			return writeSalvage(ctx, s, flags, systemToo(t).Salvage)
		})
	}
	dir, err := s.DataDir(c, &flags.BoardFlags)
	if err != nil {
		return err
	}
	if _, err := s.ScopeOf(c, &flags.BoardFlags); err != nil {
		return err
	}
	var open *transfer.Salvage
	err = s.WhenFree(c.Context(), dir, flags.Wait, func() (err error) {
		open, err = transfer.OpenSalvage(disk.OS(), dir)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = open.Close() }() // nothing was written to it
	tenant, err := salvageTenant(s, c, flags, open)
	if err != nil {
		return err
	}
	return writeSalvage(c.Context(), s, flags, func(ctx context.Context, w io.Writer, tell func(done, total uint64)) (*lukasa.Salvaged, error) {
		return open.Write(ctx, tenant, w, tell)
	})
}

// salvageTenant returns the tenant that is to be salvaged: by the same rules as
// where the directory can be opened.
func salvageTenant(s *ask.Shell, c *cobra.Command, flags *exportFlags, open *transfer.Salvage) (string, error) {
	if c.Flags().Changed("tenant") {
		return flags.Tenant, ask.BadFlag("tenant", memory.CheckTenant(flags.Tenant))
	}
	if name := s.Env("LUKASA_TENANT"); name != "" {
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
	return "", fault.Newf(fault.Usage, "no tenant was named, and there are %s here", term.Thousands(len(names))).
		WithFix("add --tenant T, and salvage one after the other; the first is " + ask.QuoteShell(names[0]))
}

// writeSalvage writes a salvage, and reports what is missing.
func writeSalvage(ctx context.Context, s *ask.Shell, flags *exportFlags, salvage func(context.Context, io.Writer, func(done, total uint64)) (*lukasa.Salvaged, error)) error {
	p := s.Progress()
	defer p.Done()
	var report *lukasa.Salvaged
	write := func(w io.Writer) (err error) {
		report, err = salvage(ctx, w, func(done, total uint64) {
			p.Update(func() string { return "salvaging: " + term.Share(done, total) })
		})
		return err
	}
	if flags.out == "-" {
		if err := write(s.Stdout); err != nil {
			return err
		}
		p.Done()
		for _, line := range lostLines(report) {
			s.Note("%s", line)
		}
		return incomplete(report)
	}
	if err := s.Files.Replace(flags.out, write); err != nil {
		return err
	}
	p.Done()
	a := answer.SalvagedOf(flags.out, report)
	if s.JSON {
		return errors.Join(s.WriteJSON(a), incomplete(report))
	}
	fmt.Fprintf(s.Stdout, "%s %s to %s\n", s.Paint.Yellow("salvaged"), term.Counted(int(a.Records), "record"), term.OneLine(a.Out))
	s.Detail("tenant", a.Tenant)
	for _, line := range lostLines(report) {
		s.Detail("lost", line)
	}
	s.Detail("proof", "none: a salvage has no root. `lukasa import` brings it in under a new one")
	return incomplete(report)
}

// lostLines says what is missing, a line for each range.
func lostLines(r *lukasa.Salvaged) (lines []string) {
	for i, l := range r.Lost {
		if i == shownLost {
			lines = append(lines, fmt.Sprintf("and %s more; --json lists them", term.Counted(len(r.Lost)-i, "range")))
			break
		}
		what := fmt.Sprintf("position %d", l.From)
		if l.To > l.From {
			what = fmt.Sprintf("positions %d to %d", l.From, l.To)
		}
		if l.Segment != "" {
			what += fmt.Sprintf(", %s at %d", l.Segment, l.Offset)
		}
		lines = append(lines, what+": "+term.OneLine(l.Why))
	}
	if r.Behind != "" {
		lines = append(lines, "perhaps more after the last: "+term.OneLine(r.Behind))
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
			WithFix("keep the damaged directory; `lukasa import FILE --data NEW` imports what was saved")
	}
	return fault.Newf(fault.Damaged, "the salvage is incomplete: %s of %s could not be read", term.Thousands(int(r.LostRecords)), term.Counted(int(r.LostRecords+r.Records), "record")).
		WithFix("keep the damaged directory; `lukasa import FILE --data NEW` imports what was saved")
}
