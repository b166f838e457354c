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
	"lukasa.dev/internal/migrate/source"
)

// ImportCommand returns the command `lukasa import`.
func ImportCommand(s *ask.Shell) *cobra.Command {
	var flags importFlags
	c := &cobra.Command{
		Use:   "import [FILE|DIR|-]...",
		Short: "Import an export of Lukasa, or files of another program",
		Long: `Import what ` + "`lukasa export`" + ` wrote: the same records at the same positions, with
their writers, times, trust and erasures. Before it records anything, it verifies
every commitment and compares the root with the one in the file, so that nothing is
changed or missing. The tenant is that of the file. It must be new here, or hold the
first of the same records: after an interruption, run the same import again.

With --from, import files of another program, such as the transcripts below
~/.claude/projects with --from claude-code: transcripts and messages become events,
memories become memories, each with its origin in its metadata. DIR is searched for
files of that format, without following links: transcripts in the order in which they
began, others by name. Importing the same again changes nothing, and a file that grew
adds what is new; after an interruption, run it again. A bad line does not affect the
others. Messages of people have the trust of a user, those of agents and tools have
theirs, and memories that of an agent unless --trust says otherwise. docs/import.md
describes the mapping of each format.

With --markdown, import the edited files of ` + "`lukasa export --markdown`" + ` from DIR: an
edited file becomes a new version, and a new file with the property lukasa: memory
becomes a new memory. Importing the same again changes nothing. A memory that was
changed on the board as well is reported and left as it is. Memories whose files are
gone are forgotten only with --prune.

A file of ` + "`lukasa export --salvage`" + ` is imported as far as possible: contents, writers,
times and trust as they were, at positions without gaps and under a new root. Records
that depend on a lost record are left out and reported.

The data directory is created if it does not exist. Exit code 1 with --from or
--markdown: some were not imported; the others are recorded.`,
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
				return fault.New(fault.Usage, "--prune is for files that were taken away").WithFix("add --markdown DIR, or leave it out")
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
	if f := migrate.Detect(source.Source{Name: strings.Trim(name, `"`), Reader: src}); f != "" {
		return fault.Newf(fault.InvalidDocument, "%s: this is not an export: it looks like %s", name, migrate.What(f)).WithFix("add --from " + string(f))
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
	s.Detail("salvaged", "incomplete: "+term.Counted(int(a.Lost), "record")+" could not be read, "+
		term.Thousands(int(a.LeftOut))+" left out because of that, "+term.Thousands(int(a.Rewrote))+" rewritten; the root is a new one")
	for i, l := range a.Reasons {
		if i == shownLost {
			s.Detail("", fmt.Sprintf("and %s more; --json lists them", term.Thousands(len(a.Reasons)-i)))
			return
		}
		s.Detail("left out", fmt.Sprintf("position %d, %s: %s", l.Position, l.Kind, term.OneLine(l.Why)))
	}
}
