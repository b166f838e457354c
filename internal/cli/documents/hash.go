package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// maxHashed is the largest text that is hashed: hashing needs all of it at once.
const maxHashed = 4 << 20

type hashFlags struct {
	whole     bool
	canonical bool
	check     bool
}

// hashAnswer is what lukasa hash --json prints.
type hashAnswer struct {
	Hash    string `json:"hash"`
	Of      string `json:"of"`               // content or document
	Stated  string `json:"stated,omitempty"` // what an artifact says its hash is
	Matches *bool  `json:"matches,omitempty"`
}

// HashCommand returns the command `lukasa hash`.
func HashCommand(s *ask.Shell) *cobra.Command {
	var flags hashFlags
	c := &cobra.Command{
		Use:   "hash [FILE|-]",
		Short: "Hash a JSON document in its canonical form",
		Long: `Print the SHA-256 of a JSON document in the canonical form of RFC 8785.

Of an artifact it is the hash of its content, which is what content_hash must be
(HMX-A section 8); --whole hashes the artifact itself. White space, the order of
names and the way numbers and characters are written do not matter.`,
		Example: `  lukasa hash examples/artifact.json
  lukasa hash --check examples/artifact.json
  echo '{"b": 1.0, "a": "\u00e9"}' | lukasa hash --canonical -`,
		Args: ask.OneFile,
		RunE: func(c *cobra.Command, args []string) error { return hash(c.Context(), s, args, flags) },
	}
	c.Flags().BoolVar(&flags.whole, "whole", false, "hash the whole document, also of an artifact")
	c.Flags().BoolVar(&flags.canonical, "canonical", false, "print the canonical form instead of its hash")
	c.Flags().BoolVar(&flags.check, "check", false, "fail unless an artifact's content_hash is right")
	return c
}

func hash(ctx context.Context, s *ask.Shell, args []string, flags hashFlags) error {
	if flags.check && (flags.whole || flags.canonical) {
		return fault.New(fault.Usage, "--check compares the hash of an artifact's content, and cannot be combined with --whole or --canonical").
			WithFix("leave one of them out")
	}
	in, err := s.Open(ctx, args)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written to it
	text, err := io.ReadAll(io.LimitReader(in, maxHashed+1))
	if err != nil {
		return err
	}
	if len(text) > maxHashed {
		return fault.Newf(fault.TooLarge, "%s has more than %d MB", in.Name, maxHashed>>20)
	}
	var doc canon.Doc
	if flaws := doc.Parse(text); flaws != nil {
		return notStrict(in.Name, flaws[0])
	}
	part, answer := doc.Root(), hashAnswer{Of: "document"}
	if doc.Member(part, "artifact_id") != canon.None && !flags.whole {
		if n := doc.Member(part, "content"); n != canon.None {
			part, answer.Of = n, "content"
		}
	}
	form := doc.AppendCanonical(nil, part)
	if flags.canonical {
		_, err := s.Stdout.Write(append(form, '\n'))
		return err
	}
	sum := sha256.Sum256(form)
	answer.Hash = hex.EncodeToString(sum[:])
	if n := doc.Member(doc.Root(), "content_hash"); answer.Of == "content" && n != canon.None && doc.Kind(n) == canon.String {
		answer.Stated = doc.Text(n)
		matches := answer.Stated == answer.Hash
		answer.Matches = &matches
	}
	return printHash(s, in.Name, answer, flags.check)
}

func printHash(s *ask.Shell, name string, a hashAnswer, check bool) error {
	if s.JSON {
		if err := s.WriteJSON(a); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(s.Stdout, "%s  %s of %s\n", s.Paint.Bold(a.Hash), a.Of, term.OneLine(name))
		switch {
		case a.Matches != nil && *a.Matches:
			fmt.Fprintf(s.Stdout, "%s with its content_hash\n", s.Paint.Green("agrees"))
		case a.Matches != nil:
			fmt.Fprintf(s.Stdout, "%s from its content_hash %s\n", s.Paint.Red("differs"), term.OneLine(a.Stated))
		}
	}
	switch {
	case !check || a.Matches != nil && *a.Matches:
		return nil
	case a.Of != "content":
		return fault.Newf(fault.InvalidDocument, "%s is not an artifact with content, so there is no content_hash to check", name).
			WithFix("use --check with an artifact")
	case a.Matches == nil:
		return fault.Newf(fault.InvalidDocument, "%s has no content_hash that is a string (HMX-A/2.1)", name).WithFix("add content_hash " + a.Hash)
	}
	return fault.Newf(fault.InvalidDocument, "the content_hash of %s is not the hash of its content (HMX-A/8)", name).
		WithFix("set content_hash to " + a.Hash)
}

// notStrict is the error for an input that is not one strict JSON document.
func notStrict(name string, flaw canon.Flaw) error {
	e := fault.Newf(fault.InvalidDocument, "%s is not strict JSON: found %s (HMX-JSON/%s at byte %d)", name, flaw.Found, flaw.Code, flaw.Offset)
	if flaw.Code == canon.FlawTrailing {
		return e.WithFix("give it one document; of NDJSON, one line")
	}
	return e.WithFix("allowed there: " + flaw.Allowed)
}
