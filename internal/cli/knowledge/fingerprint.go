package knowledge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// FingerprintCommand returns the command `lukasa fingerprint`.
func FingerprintCommand(s *ask.Shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "fingerprint",
		Short: "Move what an agent learned: export, inspect, merge, import",
		Long: `A fingerprint is a digest of what an agent learned, in one JSON file of less than
100 KB: which artifacts it has, which tools it called and with what outcome, what it is
asked about, and what was useful to it. It has no text of events: names of tools and
ids are in it as they are, names of people, objects and errors as hashes, and words
only if they were said in many sessions. The same state gives the same bytes, with a
hash over them.

After an import elsewhere, ` + "`lukasa pack --strategy fingerprint_guided`" + ` uses it there:
sections, tags and records that were useful come first.

docs/fingerprints.md shows how to use it, docs/formats/fingerprint.md what is in it.`,
		Example: `  lukasa fingerprint export -o coder.json
  lukasa fingerprint inspect coder.json
  lukasa fingerprint import coder.json
  lukasa pack "when are releases cut" --strategy fingerprint_guided`,
		Args: ask.OneBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(fingerprintExportCommand(s), fingerprintInspectCommand(s), fingerprintVerifyCommand(s), fingerprintImportCommand(s),
		fingerprintMergeCommand(s), fingerprintListCommand(s))
	return c
}

// fingerprintOut is the answer for a fingerprint that was written to a file.
type fingerprintOut struct {
	Out   string `json:"out"`
	Bytes int    `json:"bytes"`
	Hash  string `json:"hash"`
}

// addOut adds --out.
func addFingerprintOut(c *cobra.Command, out *string) {
	c.Flags().StringVarP(out, "out", "o", "-", "write to this `FILE`, replacing what is there; - is standard output")
}

// writeFingerprint writes a fingerprint as one line, to a file or to standard output.
func writeFingerprint(s *ask.Shell, f *lukasa.Fingerprint, out, verb string) error {
	data, err := f.Encode()
	if err != nil {
		return err
	}
	line := append(bytes.Clone(data), '\n')
	if out == "-" {
		_, err := s.Stdout.Write(line)
		return err
	}
	if out == "" {
		return fault.New(fault.Usage, "--out is empty").WithFix("name a file, or leave the flag out")
	}
	err = s.Files.Replace(out, func(w io.Writer) error {
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	if s.JSON {
		return s.WriteJSON(fingerprintOut{out, len(data), f.Hash})
	}
	fmt.Fprintf(s.Stdout, "%s %s to %s\n", s.Paint.Green(verb), term.Counted(len(data), "byte"), term.OneLine(out))
	s.Detail("hash", f.Hash)
	return nil
}

// readFingerprint reads the FILE of a fingerprint. Its errors name the file.
func readFingerprint(ctx context.Context, s *ask.Shell, path string) (*lukasa.Fingerprint, []byte, error) {
	in, err := s.Open(ctx, []string{path})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	text, err := io.ReadAll(io.LimitReader(in, lukasa.MaxFingerprintRead+1))
	if err != nil {
		return nil, nil, err
	}
	if len(text) > lukasa.MaxFingerprintRead {
		return nil, nil, fault.Newf(fault.TooLarge, "%s: it has more than %s, and a fingerprint has less than 100,000", in.Name, term.Counted(lukasa.MaxFingerprintRead, "byte")).
			WithFix("give the file as `lukasa fingerprint export` wrote it")
	}
	f, err := lukasa.DecodeFingerprint(text)
	return f, text, ofFile(in.Name, err)
}

// ofFile adds the name of the file to an error.
func ofFile(name string, err error) error {
	if err == nil {
		return nil
	}
	e := fault.From(err)
	return fault.Newf(e.Code, "%s: %s", name, strings.TrimPrefix(e.Error(), "fingerprint: ")).WithCause(err).WithFix(e.Advice())
}

// soundFingerprint is readFingerprint for one whose hash must be right.
func soundFingerprint(ctx context.Context, s *ask.Shell, path string) (*lukasa.Fingerprint, error) {
	f, _, err := readFingerprint(ctx, s, path)
	if err != nil {
		return nil, err
	}
	return f, ofFile(nameOfFile(path), f.Verify())
}

func nameOfFile(path string) string {
	if path == "-" {
		return "standard input"
	}
	return fmt.Sprintf("%q", path)
}

func fingerprintExportCommand(s *ask.Shell) *cobra.Command {
	var flags struct {
		ask.BoardFlags
		agent, out string
	}
	c := &cobra.Command{
		Use:   "export",
		Short: "Write the fingerprint of a tenant, or of one agent",
		Long: `Write a digest of what the agents of a tenant learned, or with --agent of what one of
them did: one line of JSON, the same bytes for the same root. Without --out it goes
to standard output.

It is made from events, from the artifacts that ` + "`lukasa compile`" + ` derived from them,
and from feedback: records that were used in successful tasks count as useful. Run
compile before, so that it has more to export.

It has no text of events, but names of tools, tags and ids are in it unchanged. A hash
hides a name from a reader, but not from one who guesses it.`,
		Example: `  lukasa fingerprint export -o acme.json
  lukasa fingerprint export --agent agent-coder-1 -o coder.json
  lukasa fingerprint export | lukasa fingerprint inspect -`,
		Args: ask.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("agent") && flags.agent == "" {
			return fault.New(fault.Usage, "--agent is empty").WithFix("name an agent, or leave the flag out for all of them")
		}
		return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, err := v.Reader(ctx)
			if err != nil {
				return err
			}
			p := s.Progress()
			defer p.Done()
			f, err := t.Fingerprint(ctx, lukasa.FingerprintOptions{
				Agent: flags.agent, Progress: func(done, all int) { p.Counted("reading events", done, all) },
			})
			p.Done()
			if err != nil {
				return ask.AsFlag(c, err)
			}
			return writeFingerprint(s, f, flags.out, "exported")
		})
	}
	flags.AddTenant(c)
	c.Flags().StringVar(&flags.agent, "agent", "", "only what this `AGENT` did (default all of them)")
	addFingerprintOut(c, &flags.out)
	return c
}

func fingerprintVerifyCommand(s *ask.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE|-",
		Short: "Check a fingerprint: its hash, its limits, its form",
		Long: `Check that a file is a fingerprint as it was exported: strict JSON of a format that
this program knows, every name, count and list within its rules, less than 100,000
bytes, in canonical form, and with the right hash. The exit code is 0 if all holds.

The hash proves that nothing was changed since the export, not who made it. Get a
fingerprint from a source that you trust, or compare the hash with the one it publishes.`,
		Example: `  lukasa fingerprint export -o acme.json && lukasa fingerprint verify acme.json
  lukasa fingerprint export | lukasa fingerprint verify --json -`,
		Args: ask.OneName("FILE or -"),
		RunE: func(c *cobra.Command, args []string) error { return verifyFingerprint(c.Context(), s, args[0]) },
	}
}

// fingerprintVerified is what lukasa fingerprint verify --json prints.
type fingerprintVerified struct {
	Good  bool   `json:"good"`
	Bytes int    `json:"bytes"`
	Hash  string `json:"hash"`
}

func verifyFingerprint(ctx context.Context, s *ask.Shell, path string) error {
	f, text, err := readFingerprint(ctx, s, path)
	if err != nil {
		return err
	}
	name := nameOfFile(path)
	if err := ofFile(name, f.Verify()); err != nil {
		return err
	}
	data, err := f.Encode()
	if err != nil {
		return ofFile(name, err)
	}
	if !bytes.Equal(bytes.TrimSuffix(text, []byte("\n")), data) {
		return fault.Newf(fault.InvalidDocument, "%s: it says what was exported, but not in canonical form: there is white space, or members are in another order", name).
			WithFix("`lukasa fingerprint merge FILE -o FILE` writes it in canonical form")
	}
	if s.JSON {
		return s.WriteJSON(fingerprintVerified{true, len(data), f.Hash})
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green("good"), term.OneLine(name))
	s.Detail("hash", f.Hash)
	s.Detail("bytes", term.Thousands(len(data)))
	return nil
}

func fingerprintImportCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Write]{
		Operation: "import_fingerprint",
		Use:       "import FILE|-",
		Short:     "Store a fingerprint, so that it guides packs",
		Long: `Store a fingerprint in the journal, with its importer and the importer's trust. From
then on it guides packs of the strategy fingerprint_guided: what was useful there comes
first here. Several are merged when they are used. One with a wrong hash is refused,
and importing one again changes nothing.

With the trust of a user or an operator it guides every agent that can see it. With the
trust of an agent it guides only that agent, and with less trust none. --private limits
it to its writer. ` + "`lukasa forget`" + ` and ` + "`lukasa redact`" + ` undo the import.

It changes the order of a pack, and adds no text to it. The data directory is created
if it does not exist.`,
		Example: `  lukasa fingerprint export -o acme.json && lukasa fingerprint import acme.json --data other
  lukasa fingerprint export | lukasa fingerprint import --private -`,
		Args:    ask.OneName("FILE or -"),
		Creates: true,
		Flags:   []ask.Flag{{Field: "private", Help: "let it guide its writer alone"}},
		Prepare: func(r *ask.Request) error { // a file that is no fingerprint fails before a directory is created
			f, err := soundFingerprint(r.Cmd.Context(), s, r.Args[0])
			if err != nil {
				return files.Stopped(r.Cmd.Context(), err)
			}
			text, err := f.Encode()
			r.Fields["fingerprint"] = json.RawMessage(text)
			return err
		},
		Print: func(s *term.Screen, a *answer.Write) { show.Wrote(s, "imported", a, false) },
	})
}

func fingerprintMergeCommand(s *ask.Shell) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge several fingerprints into one, without a board",
		Long: `Merge several fingerprints into one. If two have an entry for the same subject, the one
with more observations is kept; nothing is added up. So the order makes no difference,
nor does a file that is given twice, nor an older one of the same agent.

It needs no data directory. A file with a wrong hash is refused. One of the files may
be -, for standard input.`,
		Example: `  lukasa fingerprint export -o acme.json && lukasa fingerprint export --agent agent-coder-1 -o coder.json
  lukasa fingerprint merge acme.json coder.json -o team.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one or more FILEs", c.CommandPath()).WithFix("name the fingerprints to merge")
		},
		RunE: func(c *cobra.Command, args []string) error {
			if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
				return fault.New(fault.Usage, "only one of the files can be standard input").WithFix("put the others into files")
			}
			var list []*lukasa.Fingerprint
			for _, path := range args {
				f, err := soundFingerprint(c.Context(), s, path)
				if err != nil {
					return files.Stopped(c.Context(), err)
				}
				list = append(list, f)
			}
			f, err := lukasa.MergeFingerprints(list...)
			if err != nil {
				return err
			}
			return writeFingerprint(s, f, out, "merged")
		},
	}
	addFingerprintOut(c, &out)
	return c
}

func fingerprintListCommand(s *ask.Shell) *cobra.Command {
	var all bool
	return ask.OperationCommand(s, ask.Command[answer.Fingerprints]{
		Operation: "list_fingerprints",
		Use:       "list",
		Short:     "List the fingerprints that were imported",
		Long: `List the fingerprints that were imported, newest first: who imported them, their trust,
which agents they guide, and how much is in them. ` + "`lukasa resolve`" + ` shows one in full.`,
		Example: `  lukasa fingerprint export | lukasa fingerprint import -
  lukasa fingerprint list
  lukasa fingerprint list --json`,
		Flags: []ask.Flag{
			{Field: "after", Help: "continue after a page, with its `NEXT`"},
			{Field: "limit", Help: "at most `N`"},
		},
		Own: func(c *cobra.Command) { c.Flags().BoolVar(&all, "all", false, "all of them, a page after the other") },
		Next: func(page *answer.Fingerprints) *string {
			if !all {
				return nil
			}
			return page.Next
		},
		Pages: func(*term.Screen) func(*answer.Fingerprints) error {
			out := s.NewPages("fingerprints", "URI", "BY", "TRUST", "GUIDES", "UPDATED", "TASKS", "TOOLS", "ARTIFACTS")
			return func(page *answer.Fingerprints) error {
				for i := range page.Fingerprints {
					a := &page.Fingerprints[i]
					if err := out.Add(a, show.Fingerprint(a)...); err != nil {
						return err
					}
				}
				if err := out.Flush(); err != nil || page.Next != nil && all {
					return err
				}
				next := ""
				if page.Next != nil {
					next = *page.Next
				}
				return out.End(next, nil)
			}
		},
	})
}
