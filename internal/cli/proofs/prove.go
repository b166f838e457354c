package proofs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

type proveFlags struct {
	ask.BoardFlags
	event       string
	size        uint64
	withhold    bool
	consistency string
	out         string
}

// ProveCommand returns the command `lukasa prove`.
func ProveCommand(s *ask.Shell) *cobra.Command {
	var flags proveFlags
	c := &cobra.Command{
		Use:   "prove [POSITION|KEY|URI]",
		Short: "Prove that a record is in a tenant's log, or that the log only grew",
		Long: `Print a proof that a record is in the tenant's log, for someone who has nothing
but the key (` + "`lukasa root --key`" + `) and ` + "`lukasa verify --proof`" + `. The record is named
by its position, by the KEY of a memory, by a URI, or as an event with --event.

The proof carries the record and a signed checkpoint. --withhold leaves the
content out: it then proves that the record is there, when it was written and by
whom, but not what it says. What was erased is proved in the same way, by its
position. --size proves it in the tree of an earlier size.

--consistency FROM or FROM:TO proves that the log of size FROM is the beginning
of that of size TO: nothing before was changed or taken out.

docs/formats/proof.md describes the documents.`,
		Example: `  lukasa prove release/cadence --out proof.json
  lukasa prove 0 --withhold
  lukasa prove --event 019e5a3b-7c4d-7000-8000-000000000001
  lukasa prove --consistency 3`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q proves one record, got %d arguments", c.CommandPath(), len(args)).WithFix("run it once a record")
		},
		RunE: func(c *cobra.Command, args []string) error { return prove(s, c, args, &flags) },
	}
	flags.AddTenant(c)
	f := c.Flags()
	f.StringVar(&flags.event, "event", "", "the event with this `ID`")
	f.Uint64Var(&flags.size, "size", 0, "in the tree of this `SIZE`; 0 is the current one")
	f.BoolVar(&flags.withhold, "withhold", false, "leave the content out")
	f.StringVar(&flags.consistency, "consistency", "", "prove that the log of size `FROM[:TO]` only grew")
	f.StringVar(&flags.out, "out", "", "write the proof to this `FILE`, replacing what is there")
	return c
}

func prove(s *ask.Shell, c *cobra.Command, args []string, flags *proveFlags) error {
	named := len(args)
	for _, name := range []string{"event", "consistency"} {
		if c.Flags().Changed(name) {
			named++
		}
	}
	if named != 1 {
		return fault.New(fault.Usage, "it must be said, once, what to prove").
			WithFix("name a POSITION, a KEY or a URI, or use --event or --consistency")
	}
	if flags.consistency != "" && (flags.size != 0 || flags.withhold) {
		return fault.New(fault.Usage, "--size and --withhold are about a record, not about consistency").WithFix("leave them away")
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		if c.Flags().Changed("consistency") {
			return proveConsistency(ctx, s, v, flags)
		}
		t, position, err := position(ctx, v, args, flags)
		if err != nil {
			return err
		}
		proof, err := t.Prove(ctx, lukasa.ProveOptions{Position: position, Size: flags.size, Withhold: flags.withhold, Warn: s.WitnessNote})
		if errors.Is(err, fault.NotFound) {
			err = fault.From(err).WithFix("`lukasa root` says how many records there are; positions count from 0, and `lukasa events`, `history` and `remember` print them")
		}
		if err != nil {
			return err
		}
		return handOut(s, proof, flags.out, fmt.Sprintf("proof of position %d in the tree of %s", position, term.Counted(int(proof.Size), "record")))
	})
}

// position finds the record that is to be proved.
func position(ctx context.Context, v *ask.Visit, args []string, flags *proveFlags) (*lukasa.Tenant, uint64, error) {
	if len(args) == 1 {
		if at, err := merkle.ParseSize(args[0]); err == nil {
			t, err := v.Reader(ctx)
			return t, at, err
		}
		if strings.Trim(args[0], "+-0123456789") == "" {
			return nil, 0, fault.Newf(fault.InvalidArgument, "position: %q is not a whole number from 0 on, in plain digits", args[0]).
				WithFix("give a position, a key or a URI")
		}
	} else {
		t, err := v.Reader(ctx)
		if err != nil {
			return nil, 0, err
		}
		ev, err := t.Event(ctx, flags.event)
		if errors.Is(err, fault.NotFound) {
			err = fault.From(err).WithFix("`lukasa events` lists the sessions, and `lukasa events --session ID --json` the ids of events")
		}
		if err != nil {
			return nil, 0, err
		}
		return t, ev.Position, nil
	}
	t, ref, err := v.Target(ctx, args[0], 0, false)
	if err != nil {
		return nil, 0, err
	}
	if ref.Kind == lukasa.EventKind {
		ev, err := t.Event(ctx, ref.ID)
		if err != nil {
			return nil, 0, err
		}
		return t, ev.Position, nil
	}
	if ref.Version == 0 {
		thing, err := t.Get(ctx, ref, lukasa.View{})
		if err != nil {
			return nil, 0, err
		}
		return t, thing.Position, nil
	}
	// A version may be a tombstone, which has a record of its own.
	uri, changes, err := t.History(ctx, ref, lukasa.View{})
	if err != nil {
		return nil, 0, err
	}
	for _, ch := range changes {
		if ch.Version == ref.Version {
			return t, ch.Position, nil
		}
	}
	return nil, 0, fault.Newf(fault.NotFound, "%s has no version %d", uri, ref.Version)
}

func proveConsistency(ctx context.Context, s *ask.Shell, v *ask.Visit, flags *proveFlags) error {
	first, second, both := strings.Cut(flags.consistency, ":")
	from, err := merkle.ParseSize(first)
	to := uint64(0)
	if err == nil && both {
		to, err = merkle.ParseSize(second)
	}
	if err != nil || both && to == 0 {
		return fault.Newf(fault.InvalidArgument, "--consistency: %q is not FROM or FROM:TO, two sizes in plain digits", flags.consistency).
			WithFix("write it as 3 or 3:12")
	}
	t, err := v.Reader(ctx)
	if err != nil {
		return err
	}
	proof, err := t.ProveConsistency(ctx, from, to)
	if err != nil {
		return err
	}
	return handOut(s, proof, flags.out, fmt.Sprintf("proof that the log of size %d is the beginning of that of size %d", proof.From, proof.To))
}

// handOut prints a document, or writes it to a file and says so.
func handOut(s *ask.Shell, document any, out, what string) error {
	if out == "" || out == "-" {
		return s.WriteJSON(document)
	}
	err := s.Files.Replace(out, func(w io.Writer) error { return term.EncodeLine(w, document) })
	if err != nil {
		return err
	}
	if s.JSON {
		return s.WriteJSON(map[string]string{"out": out})
	}
	_, err = fmt.Fprintf(s.Stdout, "%s %s: %s\n", s.Paint.Green("wrote"), term.OneLine(out), what)
	return err
}
