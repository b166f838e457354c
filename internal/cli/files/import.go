package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate"
)

// ImportCommand returns the command `lukasa import`.
func ImportCommand(s *ask.Shell) *cobra.Command {
	var flags importFlags
	c := &cobra.Command{
		Use:   "import [FILE|DIR|-]...",
		Short: "Bring in what an export wrote, or another program",
		Long: `Bring in what ` + "`lukasa export`" + ` wrote: the same records at the same positions, with
their writers, times, trust and erasures. Every commitment is checked, and the
root that comes out must be the one that the file names, before the first record
is brought in; so nothing was changed on the way, and nothing is missing. The
tenant is the one of the file, and must be new here, or hold a beginning of the
same records: an import that was interrupted is simply run again.

With --from, bring in what another program wrote, such as the transcripts below
~/.claude/projects with --from claude-code: transcripts and messages as events,
memories as memories, with where each comes from in its metadata. DIR is looked
through for the files of that format, without following links: transcripts in the
order in which they began, others by their names. The same again changes nothing,
and a file that grew adds what is new, so one that was interrupted is simply run
again. A bad line costs no good one. What people said is trusted as a user's word,
what agents and tools said as theirs, and memories as an agent's unless --trust says
otherwise. docs/import.md says what becomes of what.

With --markdown, bring back what ` + "`lukasa export --markdown`" + ` wrote into DIR, as
people edited it: what was changed becomes a new version, a new file with the
property lukasa: memory a new memory, and the same again changes nothing. A memory
that was changed on the board as well is left alone and told. Files that are gone
are forgotten with --prune alone.

A file of ` + "`lukasa export --salvage`" + ` comes in as far as it goes: contents, writers,
times and trust as they were, at positions without gaps and under a new root. What
means nothing without a record that is lost is left out and told.

A data directory that is not there is made. Exit code 1 with --from or --markdown:
some was not taken; the others are recorded.`,
		Example: `  lukasa export --out acme.ndjson && lukasa import acme.ndjson --data copy
  lukasa export | lukasa import --data copy --json -
  lukasa import --from hmx examples/session.ndjson --dry-run
  echo '[{"role":"user","content":"Ship on Tuesday."}]' | lukasa import --from openai-chat -
  lukasa export --markdown notes && lukasa import --markdown notes --dry-run`,
		Args: func(c *cobra.Command, args []string) error {
			if flags.from != "" {
				return nil
			}
			if flags.markdown != "" {
				return ask.NoArgs(c, args)
			}
			return ask.OneFile(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("markdown") {
				return importMarkdown(s, c, &flags)
			}
			if c.Flags().Changed("prune") {
				return fault.New(fault.Usage, "--prune is for files that were taken away").WithFix("add --markdown DIR, or leave it away")
			}
			if c.Flags().Changed("from") {
				return importFrom(s, c, args, &flags)
			}
			if err := flags.alone(c); err != nil {
				return err
			}
			return importFile(s, c, args, &flags.BoardFlags)
		},
	}
	flags.add(c)
	return c
}

// exported checks whether a source begins like an export, and rewinds it.
func exported(in *ask.Input) error {
	head := make([]byte, 4096) // the head of an export is shorter
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte(gzipped)):
		return fault.Newf(fault.InvalidDocument, "%s: this is gzip", in.Name).WithFix("unpack it, such as with zcat FILE | lukasa import -")
	case !bytes.Contains(head, []byte(`"lukasa_export"`)) && !bytes.HasPrefix(head, []byte(`{"lukasa_salvage"`)):
		return noExport(in.Name, io.MultiReader(bytes.NewReader(head), readFunc(in.ReadBytes)))
	}
	if in.SeekTo != nil {
		_, err := in.Seek(0, io.SeekStart)
		return err
	}
	in.ReadBytes = io.MultiReader(bytes.NewReader(head), readFunc(in.ReadBytes)).Read
	return nil
}

// isDirectory reports whether an argument names a directory.
func isDirectory(s *ask.Shell, name string) bool {
	info, err := s.Files.Stat(name)
	return err == nil && info.IsDir()
}

// noExport is the error for a file that is not an export. It names the format of another
// program, which the first bytes tell.
func noExport(name string, src io.Reader) error {
	if f := migrate.Detect(migrate.Source{Name: strings.Trim(name, `"`), Reader: src}); f != "" {
		return fault.Newf(fault.InvalidDocument, "%s: this is not an export: it looks like %s", name, f.What()).WithFix("add --from " + string(f))
	}
	return fault.Newf(fault.InvalidDocument, "%s: this is not an export", name).
		WithFix("use the file as `lukasa export` wrote it, or say with --from which program wrote it")
}

// readFunc is a function that reads.
type readFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// size writes how much of a source was read, whose length may not be known.
func size(done, total int64) string {
	if total > 0 {
		return term.Share(uint64(done), uint64(total))
	}
	return term.Counted(int(done), "byte")
}

func importFile(s *ask.Shell, c *cobra.Command, args []string, flags *ask.BoardFlags) error {
	if err := s.Readable(args); err != nil {
		if len(args) == 1 && isDirectory(s, args[0]) {
			return fault.From(err).WithFix("name a file inside it, or say with --from which program wrote what is in it")
		}
		return err
	}
	in, err := s.Open(c.Context(), args)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	// A file that is not an export fails before a directory is created for it.
	if err := exported(in); err != nil {
		return Stopped(c.Context(), err)
	}
	return s.Visit(c, flags, lukasa.Options{}, func(ctx context.Context, v *ask.Visit) error {
		p := s.Progress()
		defer p.Done()
		checked, seen, read := false, int64(0), in.ReadBytes
		in.ReadBytes = func(b []byte) (int, error) {
			n, err := read(b)
			if seen += int64(n); !checked {
				p.Update(func() string { return "checking: read " + size(seen, in.Size) })
			}
			return n, err
		}
		into := v.Board
		if s.Served.Board == nil {
			into = into.AsSystem(board.System()) // a server would go on with the keys that it knows
		}
		tell := ask.Parts(p, "imported", "record")
		report, err := into.Import(ctx, in, func(done, total uint64) {
			checked = true
			tell(done, total)
		})
		if err != nil {
			return Stopped(ctx, err)
		}
		p.Done()
		a := answer.ImportedOf(report)
		if s.JSON {
			return s.WriteJSON(a)
		}
		fmt.Fprintf(s.Stdout, "%s %s", s.Paint.Green("imported"), term.Counted(int(a.Imported), "record"))
		if a.Present > 0 {
			fmt.Fprintf(s.Stdout, ", %s there already", term.Thousands(int(a.Present)))
		}
		fmt.Fprintln(s.Stdout)
		s.Detail("tenant", a.Tenant)
		s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
		showImportedSalvage(s, a.Salvage)
		return nil
	})
}

// showImportedSalvage prints what is missing in a salvage of a damaged directory.
func showImportedSalvage(s *ask.Shell, a *answer.ImportedSalvage) {
	if a == nil {
		return
	}
	s.Detail("salvaged", "not all that there was: "+term.Counted(int(a.Lost), "record")+" could not be read, "+
		term.Thousands(int(a.LeftOut))+" left out for it, "+term.Thousands(int(a.Rewrote))+" written anew; the root is a new one")
	for i, l := range a.Reasons {
		if i == shownLost {
			s.Detail("", fmt.Sprintf("and %s more; --json lists them", term.Thousands(len(a.Reasons)-i)))
			return
		}
		s.Detail("left out", fmt.Sprintf("position %d, %s: %s", l.Position, l.Kind, term.OneLine(l.Why)))
	}
}
