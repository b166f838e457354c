package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
)

// importAnswer is what lukasa import --json prints.
type importAnswer struct {
	Imported uint64 `json:"imported"`
	Present  uint64 `json:"present"` // there already
	rootAnswer
}

func importCommand(s *shell) *cobra.Command {
	var flags boardFlags
	c := &cobra.Command{
		Use:   "import [FILE|-]",
		Short: "Bring in what an export wrote",
		Long: `Bring in what ` + "`lukasa export`" + ` wrote: the same records at the same positions, with
their writers, times, trust and erasures. Every commitment is checked, and the
root that comes out must be the one that the file names, before the first record
is brought in; so nothing was changed on the way, and nothing is missing. The
tenant is the one of the file, and must be new here, or hold a beginning of the
same records: an import that was interrupted is simply run again.

A data directory that is not there is made.`,
		Example: `  lukasa export --out acme.ndjson && lukasa import acme.ndjson --data copy
  lukasa export | lukasa import --data copy --json -`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error { return s.importFile(c, args, &flags) },
	}
	flags.addData(c)
	return c
}

func (s *shell) importFile(c *cobra.Command, args []string, flags *boardFlags) error {
	if err := s.readable(args); err != nil {
		return err
	}
	return s.visit(c, flags, lukasa.Options{}, func(ctx context.Context, v *visit) error {
		in, err := s.open(ctx, args)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // nothing was written to it
		p := s.progress()
		defer p.done()
		report, err := v.Import(ctx, in, p.parts("imported", "record"))
		if err != nil {
			return stopped(ctx, err)
		}
		p.done()
		a := importAnswer{report.Imported, report.Present, answerRoot(report.Root)}
		if s.json {
			return s.writeJSON(a)
		}
		fmt.Fprintf(s.stdout, "%s %s", s.paint.green("imported"), counted(int(a.Imported), "record"))
		if a.Present > 0 {
			fmt.Fprintf(s.stdout, ", %s there already", thousands(int(a.Present)))
		}
		fmt.Fprintln(s.stdout)
		s.detail("tenant", a.Tenant)
		s.detail("root", a.Root+" over "+counted(int(a.Size), "record"))
		return nil
	})
}
