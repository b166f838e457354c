package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type ingestFlags struct {
	ask.BoardFlags
	most int
}

// IngestCommand returns the command `lukasa ingest`.
func IngestCommand(s *ask.Shell) *cobra.Command {
	var flags ingestFlags
	c := &cobra.Command{
		Use:   "ingest [FILE|-]...",
		Short: "Record events, one per line",
		Long: `Record HMX events from FILE or standard input: newline-delimited JSON, each event
into the tenant that it names.

When the command returns, the accepted events are on the disk and every later read
sees them. A bad line does not affect the others. An event that is already recorded
with the same content is a duplicate and not recorded twice, so sending a whole file
again is harmless; with other content, or if it was erased, it is rejected. A late
event, after one of its session with a higher sequence, is accepted and sorted into
its place. The data directory is created if it does not exist.

Exit code 0: every line was accepted or a duplicate. 1: some were rejected; the
others are recorded.`,
		Example: `  lukasa ingest examples/session.ndjson
  cat examples/session.ndjson | lukasa ingest --json -`,
		RunE: func(c *cobra.Command, args []string) error { return ingest(s, c, args, &flags) },
	}
	flags.AddData(c)
	flags.AddWriter(c)
	flags.AddScope(c)
	c.Flags().IntVar(&flags.most, "max", 20, "show at most `N` rejected lines; 0 shows all")
	return c
}

// intake is one run of ingest.
type intake struct {
	*answer.Intake
	shell *ask.Shell
	most  int
	file  string // as it was given
	lines int
	codes map[fault.Code]bool
	order []string // of tenants, as they were first written to
	roots map[string]lukasa.Root
}

func ingest(s *ask.Shell, c *cobra.Command, args []string, flags *ingestFlags) error {
	if flags.most < 0 {
		return fault.Newf(fault.Usage, "--max is %d", flags.most).WithFix("use 0 to show all rejected lines, or a positive number")
	}
	w, err := s.Writer(c, &flags.BoardFlags)
	if err != nil {
		return err
	}
	// A mistyped name fails before anything is recorded or created.
	if err := s.Readable(args); err != nil {
		return err
	}
	if err := eventFiles(c.Context(), s, args); err != nil {
		return err
	}
	in := &intake{Intake: answer.NewIntake(), shell: s, most: flags.most, codes: map[fault.Code]bool{}, roots: map[string]lukasa.Root{}}
	return s.Visit(c, &flags.BoardFlags, lukasa.Options{}, func(ctx context.Context, v *ask.Visit) error {
		if w, err = v.Bound(w); err != nil {
			return err
		}
		failed := in.all(ctx, v, args, w)
		if err := in.end(); err != nil {
			return err
		}
		if errors.Is(failed, context.Canceled) {
			return fault.Newf(fault.Canceled, "stopped on request; %s", in.soFar()).WithCause(failed).WithFix("run it again to go on")
		}
		if failed != nil {
			return failed
		}
		return in.verdict()
	})
}

// all records one file after the other, or standard input if there is none.
func (in *intake) all(ctx context.Context, v *ask.Visit, args []string, w lukasa.Writer) error {
	if len(args) == 0 {
		return in.one(ctx, v, "-", nil, w)
	}
	for _, name := range args {
		if err := in.one(ctx, v, name, []string{name}, w); err != nil {
			return err
		}
	}
	return nil
}

// one records one file.
func (in *intake) one(ctx context.Context, v *ask.Visit, name string, args []string, w lukasa.Writer) error {
	in.file = name
	src, err := in.shell.Open(ctx, args)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }() // nothing was written to it
	lines, err := eventLines(src, name)
	if err != nil {
		return Stopped(ctx, err)
	}
	p := in.shell.Progress()
	defer p.Done()
	report, err := v.Ingest(ctx, lines, lukasa.IngestOptions{
		Writer: w,
		Reject: in.reject,
		Progress: func(r lukasa.IngestReport) {
			p.Update(func() string {
				line := "recorded " + term.Counted(in.Accepted+r.Accepted, "event")
				if src.Size > 0 {
					line += ", " + term.Share(uint64(r.Bytes), uint64(src.Size)) + " of " + term.OneLine(src.Name)
				}
				return line
			})
		},
	})
	in.Accepted += report.Accepted
	in.Duplicates += report.Duplicates
	in.Late += report.Late
	in.Warnings += report.Warnings
	in.Scrubbed += report.Scrubbed
	in.Own += report.Own
	in.lines += report.Lines
	for _, root := range report.Tenants {
		if _, known := in.roots[root.Tenant]; !known {
			in.order = append(in.order, root.Tenant)
		}
		in.roots[root.Tenant] = root
	}
	return Stopped(ctx, err)
}

// eventFiles checks that the files contain events, before a directory is created for
// them. A stream that can be read only once is checked when it is read.
func eventFiles(ctx context.Context, s *ask.Shell, args []string) error {
	for _, name := range args {
		info, err := s.Files.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() {
			continue
		}
		src, err := s.Open(ctx, []string{name})
		if err != nil {
			return err
		}
		_, err = eventLines(src, name)
		_ = src.Close() // nothing was written to it
		if err != nil {
			return err
		}
	}
	return nil
}

// gzipped is the beginning of a gzip file.
const gzipped = "\x1f\x8b"

// eventLines returns src, unless its first bytes show that it does not have one event
// per line. It does not wait for more input.
func eventLines(src io.Reader, name string) (io.Reader, error) {
	head := make([]byte, 4096)
	n, err := src.Read(head)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte(gzipped)) {
		return nil, fault.Newf(fault.InvalidDocument, "%s: this is gzip", name).WithFix("zcat " + name + " | lukasa ingest -")
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	first, _, whole := bytes.Cut(text, []byte("\n"))
	const fix = "make lines of it: "
	switch {
	case bytes.HasPrefix(text, []byte("[")):
		return nil, fault.Newf(fault.InvalidDocument, "%s: this is one JSON document, not one event a line", name).
			WithFix(fix + "jq -c '.[]' " + name + " | lukasa ingest -")
	case whole && string(bytes.TrimSpace(first)) == "{":
		return nil, fault.Newf(fault.InvalidDocument, "%s: this is one JSON document, not one event a line", name).
			WithFix(fix + "jq -c . " + name + " | lukasa ingest -")
	}
	return io.MultiReader(bytes.NewReader(head), src), nil
}

// Stopped returns why the work ended: the cancellation, rather than an error that a source
// returned because of it.
func Stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// reject reports a line that was not recorded.
func (in *intake) reject(r lukasa.Rejection) {
	in.codes[r.Fault.Code] = true
	if in.most > 0 && len(in.Rejected) >= in.most {
		in.Omitted++
		return
	}
	line := answer.Rejected{File: in.file, Index: in.lines + r.Index, Line: r.Line, Code: r.Fault.Code, Detail: r.Fault.Error()}
	in.Rejected = append(in.Rejected, line)
	if s := in.shell; !s.JSON {
		fmt.Fprintf(s.Stdout, "%s: %s %s\n", s.Paint.Bold(term.OneLine(in.file)+":"+strconv.Itoa(r.Line)), term.OneLine(line.Detail), s.Paint.Dim("["+string(line.Code)+"]"))
	}
}

// end prints the answer.
func (in *intake) end() error {
	roots := make([]lukasa.Root, len(in.order))
	for i, name := range in.order {
		roots[i] = in.roots[name]
	}
	in.Into(roots...)
	s := in.shell
	if s.JSON {
		return s.WriteJSON(in.Intake)
	}
	if in.Omitted > 0 {
		fmt.Fprintf(s.Stdout, "… and %s; --max 0 shows all, and `lukasa validate FILE` everything that is wrong\n", term.Counted(in.Omitted, "more rejected line"))
	}
	parts := []string{s.Paint.Green("recorded") + " " + term.Counted(in.Accepted, "event")}
	if in.Late > 0 {
		parts = append(parts, term.Thousands(in.Late)+" of them late")
	}
	if in.Duplicates > 0 {
		parts = append(parts, term.Thousands(in.Duplicates)+" there already")
	}
	if n := in.rejected(); n > 0 {
		parts = append(parts, s.Paint.Red(term.Thousands(n)+" rejected"))
	}
	if in.Warnings > 0 {
		parts = append(parts, term.Counted(in.Warnings, "warning"))
	}
	if in.Own > 0 {
		parts = append(parts, term.Thousands(in.Own)+" of Lukasa's own left out")
	}
	if in.Scrubbed > 0 {
		parts = append(parts, s.Paint.Yellow(term.Counted(in.Scrubbed, "secret")+" removed"))
	}
	fmt.Fprintln(s.Stdout, strings.Join(parts, ", "))
	const shown = 20 // a file may have events of a hundred thousand tenants
	for i, t := range in.Tenants {
		if i == shown {
			fmt.Fprintf(s.Stdout, "  … and %s; `lukasa root --all` lists them\n", term.Counted(len(in.Tenants)-shown, "more tenant"))
			break
		}
		fmt.Fprintf(s.Stdout, "  %s %s, root %s\n", s.Paint.Bold(term.OneLine(t.Tenant)), term.Counted(int(t.Size), "record"), t.Root)
	}
	return nil
}

// soFar returns how much is on the disk.
func (in *intake) soFar() string {
	if in.Accepted == 1 {
		return "1 event is recorded"
	}
	return term.Counted(in.Accepted, "event") + " are recorded"
}

func (in *intake) rejected() int { return len(in.Rejected) + in.Omitted }

// verdict is the error when lines were rejected.
func (in *intake) verdict() error {
	n := in.rejected()
	if n == 0 {
		return nil
	}
	code := fault.InvalidDocument
	if len(in.codes) == 1 {
		for only := range in.codes {
			code = only
		}
	}
	verb, others := "were", "; the others are there"
	if n == 1 {
		verb = "was"
	}
	if n == in.lines {
		others = ""
	}
	return fault.Newf(code, "%s of %s %s not recorded%s", term.Thousands(n), term.Counted(in.lines, "line"), verb, others)
}
