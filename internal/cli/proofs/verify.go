package proofs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

type verifyFlags struct {
	ask.BoardFlags
	deep           bool
	proof          string
	receipt        string
	consistency    string
	key            string
	checkpoint     string
	fromCheckpoint string
	about          string
}

// VerifyCommand returns the command `lukasa verify`.
func VerifyCommand(s *ask.Shell) *cobra.Command {
	var flags verifyFlags
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check a data directory, or a proof without one",
		Long: `Check the data directory. Quickly: what was found when it was opened, the state of
the keys, and that every tenant's tree and newest record agree. With --deep, to
the last byte: every checksum, leaf, commitment and tree is computed again, and
the index is rebuilt beside the one in use and compared with it.

With --proof, --receipt or --consistency, verify a document with only that file and
the --key: no data directory is read. A proof contains its checkpoint, or --checkpoint
gives it; for a consistency proof --checkpoint is the later state and
--from-checkpoint the earlier one. --about URI requires that the proof or receipt is
about that record.

Exit code 0: sound, or proven. 1: not proven; the error names the step that
failed. 3: the directory is damaged; the findings are listed.`,
		Example: `  lukasa verify
  lukasa verify --deep
  lukasa root --key > key.txt && lukasa prove release/cadence | lukasa verify --proof - --key key.txt`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return verify(s, c, &flags) },
	}
	flags.AddData(c)
	f := c.Flags()
	f.BoolVar(&flags.deep, "deep", false, "recompute everything")
	f.StringVar(&flags.proof, "proof", "", "check the inclusion proof in this `FILE`; - is standard input")
	f.StringVar(&flags.receipt, "receipt", "", "check the erasure receipts in this `FILE`")
	f.StringVar(&flags.consistency, "consistency", "", "check the consistency proof in this `FILE`")
	f.StringVar(&flags.key, "key", "", "the verifier `KEY`, or a file with it")
	f.StringVar(&flags.checkpoint, "checkpoint", "", "a `FILE` with the signed checkpoint that the proof leads to")
	f.StringVar(&flags.fromCheckpoint, "from-checkpoint", "", "a `FILE` with the signed checkpoint of the earlier state")
	f.StringVar(&flags.about, "about", "", "the `URI` that the proof or receipt must be about")
	return c
}

func verify(s *ask.Shell, c *cobra.Command, flags *verifyFlags) error {
	var offline []string
	for _, name := range []string{"proof", "receipt", "consistency"} {
		if c.Flags().Changed(name) {
			offline = append(offline, name)
		}
	}
	switch len(offline) {
	case 0:
		return verifyDirectory(s, c, flags)
	case 1:
		return verifyOffline(s, c, offline[0], flags)
	}
	return fault.Newf(fault.Usage, "--%s exclude each other", strings.Join(offline, " and --")).WithFix("check one document at a time")
}

func verifyDirectory(s *ask.Shell, c *cobra.Command, flags *verifyFlags) error {
	for _, name := range []string{"key", "checkpoint", "from-checkpoint", "about"} {
		if c.Flags().Changed(name) {
			return fault.Newf(fault.Usage, "--%s is for --proof, --receipt or --consistency", name).WithFix("say which file to check")
		}
	}
	err := s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		p := s.Progress()
		defer p.Done()
		report, err := v.Verify(ctx, lukasa.VerifyOptions{Deep: flags.deep, Progress: func(step string, done, total uint64) {
			p.Update(func() string { return "verifying the " + step + ": " + term.Share(done, total) })
		}})
		if err != nil {
			return err
		}
		p.Done()
		return showReport(s, report)
	})
	if flags.deep && errors.Is(err, fault.Damaged) {
		// The usual advice is to do what was just done.
		err = fault.From(err).WithFix("restore from a copy, or `lukasa rebuild` if only the index is hit; " + files.SalvageLine + " saves what can still be read")
	}
	return err
}

func showReport(s *ask.Shell, r *lukasa.VerifyReport) error {
	a := answer.VerifiedOf(r)
	if s.JSON {
		if err := s.WriteJSON(a); err != nil {
			return err
		}
	} else {
		for _, f := range a.Findings {
			fmt.Fprintf(s.Stdout, "%s: %s\n", s.Paint.Red(term.OneLine(f.Where)), term.OneLine(f.Detail))
		}
		what := fmt.Sprintf("%s, %s, %s of journal", term.Counted(int(a.Records), "record"), term.Counted(a.Tenants, "tenant"), term.Counted(int(a.Bytes), "byte"))
		how := "quick check; --deep reads every byte"
		if a.Deep {
			how = "every checksum, leaf, commitment and tree computed again; " + term.Thousands(int(r.Erased)) + " erased"
		}
		word := s.Paint.Green("sound")
		if !a.OK {
			word = s.Paint.Red("not sound")
		}
		fmt.Fprintf(s.Stdout, "%s: %s (%s)\n", word, what, how)
	}
	if a.OK {
		return nil
	}
	return fault.Newf(fault.Damaged, "%s in the data directory", term.Counted(len(a.Findings), "finding"))
}

// verifierKey reads the --key flag: a key, or a file that has one.
func verifierKey(ctx context.Context, s *ask.Shell, value string) (string, error) {
	if value == "" {
		return "", fault.New(fault.Usage, "a proof is checked with a key, and none was given").
			WithFix("add --key with what `lukasa root --key` printed where the proof comes from, or a file with it")
	}
	if _, err := merkle.NewVerifier(value); err == nil {
		return value, nil
	}
	if _, err := s.Files.Stat(value); err != nil && strings.Contains(value, "+") && value != "-" {
		return value, nil // a key that is none: the check says what is wrong with it
	}
	text, err := s.ReadFile(ctx, value, 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.Newf(fault.UnreadableInput, "--key: %q is neither a key nor a file with one", value).WithCause(err).
			WithFix("give the line that `lukasa root --key` printed, or the name of a file with it")
	}
	return strings.TrimSpace(string(text)), err
}
