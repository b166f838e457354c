package cli

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
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate"
)

func importCommand(s *shell) *cobra.Command {
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
				return noArgs(c, args)
			}
			return oneFile(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("markdown") {
				return s.importMarkdown(c, &flags)
			}
			if c.Flags().Changed("prune") {
				return fault.New(fault.Usage, "--prune is for files that were taken away").WithFix("add --markdown DIR, or leave it away")
			}
			if c.Flags().Changed("from") {
				return s.importFrom(c, args, &flags)
			}
			if err := flags.alone(c); err != nil {
				return err
			}
			return s.importFile(c, args, &flags.boardFlags)
		},
	}
	flags.add(c)
	return c
}

// exported looks whether a source begins as an export does, and leaves it at its
// beginning.
func exported(in *input) error {
	head := make([]byte, 4096) // the head of an export is shorter
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte(gzipped)):
		return fault.Newf(fault.InvalidDocument, "%s: this is gzip", in.name).WithFix("unpack it, such as with zcat FILE | lukasa import -")
	case !bytes.Contains(head, []byte(`"lukasa_export"`)) && !bytes.HasPrefix(head, []byte(`{"lukasa_salvage"`)):
		return noExport(in.name, io.MultiReader(bytes.NewReader(head), readFunc(in.read)))
	}
	if in.seek != nil {
		_, err := in.Seek(0, io.SeekStart)
		return err
	}
	in.read = io.MultiReader(bytes.NewReader(head), readFunc(in.read)).Read
	return nil
}

// isDirectory reports whether an argument names a directory.
func (s *shell) isDirectory(name string) bool {
	info, err := s.files.stat(name)
	return err == nil && info.IsDir()
}

// noExport is the error for what is not an export. What another program wrote is told by how it
// begins.
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
		return share(uint64(done), uint64(total))
	}
	return counted(int(done), "byte")
}

func (s *shell) importFile(c *cobra.Command, args []string, flags *boardFlags) error {
	if err := s.readable(args); err != nil {
		if len(args) == 1 && s.isDirectory(args[0]) {
			return fault.From(err).WithFix("name a file inside it, or say with --from which program wrote what is in it")
		}
		return err
	}
	in, err := s.open(c.Context(), args)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	// What is no export at all is told before a directory is made for it.
	if err := exported(in); err != nil {
		return stopped(c.Context(), err)
	}
	return s.visit(c, flags, lukasa.Options{}, func(ctx context.Context, v *visit) error {
		p := s.progress()
		defer p.done()
		checked, seen, read := false, int64(0), in.read
		in.read = func(b []byte) (int, error) {
			n, err := read(b)
			if seen += int64(n); !checked {
				p.update(func() string { return "checking: read " + size(seen, in.size) })
			}
			return n, err
		}
		if s.served.board == nil {
			ctx = board.AsSystem(ctx) // a server would go on with the keys that it knows
		}
		tell := p.parts("imported", "record")
		report, err := v.Import(ctx, in, func(done, total uint64) {
			checked = true
			tell(done, total)
		})
		if err != nil {
			return stopped(ctx, err)
		}
		p.done()
		a := answer.ImportedOf(report)
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
		s.showImportedSalvage(a.Salvage)
		return nil
	})
}

// showImportedSalvage tells what is missing of what came out of a damaged directory.
func (s *shell) showImportedSalvage(a *answer.ImportedSalvage) {
	if a == nil {
		return
	}
	s.detail("salvaged", "not all that there was: "+counted(int(a.Lost), "record")+" could not be read, "+
		thousands(int(a.LeftOut))+" left out for it, "+thousands(int(a.Rewrote))+" written anew; the root is a new one")
	for i, l := range a.Reasons {
		if i == shownLost {
			s.detail("", fmt.Sprintf("and %s more; --json lists them", thousands(len(a.Reasons)-i)))
			return
		}
		s.detail("left out", fmt.Sprintf("position %d, %s: %s", l.Position, l.Kind, oneLine(l.Why)))
	}
}
