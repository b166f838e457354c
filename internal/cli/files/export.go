package files

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type exportFlags struct {
	ask.BoardFlags
	out      string
	markdown string
	salvage  bool
}

// ExportCommand returns the command `lukasa export`.
func ExportCommand(s *ask.Shell) *cobra.Command {
	var flags exportFlags
	c := &cobra.Command{
		Use:   "export",
		Short: "Write all records of a tenant, as lines of JSON",
		Long: `Write all records of a tenant as newline-delimited JSON: a head, then each record as
it is in the journal, salts and erasures included. The root can be recomputed from
the file alone, and ` + "`lukasa import`" + ` restores the same records with the same proofs.
Erased content is not in it.

The file is as secret as the tenant's data. Keys of callers are not part of it:
--tenant lukasa-system writes those, as hashes, with limits and acts of operators.

With --salvage, write what can still be read of a damaged directory, and report what
cannot: positions, file and offset. It reads only the journal, so other damage does
not matter. The file says that it is incomplete and has no root; ` + "`lukasa import`" + `
reads it. Exit code 3: something is missing.

With --markdown, write memories and artifacts as Markdown files for people, one
each, with an index: a vault that Obsidian and git understand. DIR is new, empty,
or a vault that this command made. Unchanged files are not written again, files of
forgotten records are removed, and an edited file is left as it is until
` + "`lukasa import --markdown`" + ` has read it. Events, proofs and history are only in the
other form. Exit code 1: some files were left as they are.`,
		Example: `  lukasa export --out acme.ndjson
  lukasa export | wc -l
  lukasa export --salvage --out rescued.ndjson
  lukasa export --markdown notes`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("markdown") {
				if flags.salvage {
					return fault.New(fault.Usage, "--salvage and --markdown exclude each other").
						WithFix("salvage into a file, import that into a new directory, and export from there")
				}
				return exportMarkdown(s, c, &flags)
			}
			return export(s, c, &flags)
		},
	}
	flags.AddTenant(c)
	c.Flags().StringVar(&flags.out, "out", "-", "write to this `FILE`, replacing what is there; - is standard output")
	c.Flags().StringVar(&flags.markdown, "markdown", "", "write memories and artifacts as Markdown files into the directory `DIR`")
	c.Flags().BoolVar(&flags.salvage, "salvage", false, "write what can still be read of a damaged directory, and report what cannot")
	return c
}

// systemToo lets the tenant of the system be read: a copy of a directory is not
// whole without it.
func systemToo(t *lukasa.Tenant) *lukasa.Tenant {
	if t.Name() == lukasa.SystemTenant {
		return t.AsSystem(board.System())
	}
	return t
}

func export(s *ask.Shell, c *cobra.Command, flags *exportFlags) error {
	// Records are written byte by byte as they are; a terminal would obey them.
	if flags.out == "-" && s.Detect(s.Stdout.Target).Is {
		return fault.New(fault.Usage, "an export is not for a terminal").WithFix("add --out FILE, or pipe it on")
	}
	if flags.salvage {
		return exportSalvage(s, c, flags)
	}
	err := s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		t = systemToo(t)
		p := s.Progress()
		defer p.Done()
		var root lukasa.Root
		write := func(w io.Writer) (err error) {
			root, err = t.Export(ctx, w, ask.Parts(p, "exported", "record"))
			return err
		}
		if flags.out == "-" {
			return write(s.Stdout)
		}
		if err := s.Files.Replace(flags.out, write); err != nil {
			return err
		}
		p.Done()
		if s.JSON {
			return s.WriteJSON(struct {
				Out string `json:"out"`
				answer.State
			}{flags.out, answer.StateOf(root)})
		}
		fmt.Fprintf(s.Stdout, "%s %s to %s\n", s.Paint.Green("exported"), term.Counted(int(root.Size), "record"), term.OneLine(flags.out))
		s.Detail("tenant", root.Tenant)
		s.Detail("root", answer.StateOf(root).Root)
		return nil
	})
	if errors.Is(err, fault.Damaged) {
		err = fault.From(err).WithFix(SalvageLine + " saves what can still be read, and reports what cannot; or restore the directory from a copy")
	}
	return err
}
