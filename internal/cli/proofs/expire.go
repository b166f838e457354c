package proofs

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type expireFlags struct {
	ask.BoardFlags
	now string
}

// ExpireCommand returns the command `lukasa expire`.
func ExpireCommand(s *ask.Shell) *cobra.Command {
	var flags expireFlags
	c := &cobra.Command{
		Use:   "expire",
		Short: "Journal the end of everything whose time is over",
		Long: `Journal the end of what has outlived its time to live, and of what a retention
policy lets go. Expired memories are no longer found and keep their history,
unless the policy erases them; expired events are erased.

Reads do not show a memory past its time even before that. Nothing expires on
disk by itself: run this now and then. Nothing can be expired before its time
either: --now may be earlier than the time it is, but not later.`,
		Example: `  lukasa expire
  lukasa expire --json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return expire(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	ask.AddNow(c, &flags.now)
	return c
}

func expire(s *ask.Shell, c *cobra.Command, flags *expireFlags) error {
	view, err := s.View(flags.now)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		if t, err = v.WriterOf(t.Name()); err != nil {
			return err
		}
		done, err := t.Expire(ctx, view.Now)
		if c.Flags().Changed("now") && errors.Is(err, fault.InvalidArgument) {
			e := fault.From(err)
			err = fault.Newf(fault.Usage, "--%s", e.Error()).WithCause(err).WithFix(e.Advice())
		}
		if err != nil {
			return err
		}
		root, err := t.Root(ctx)
		if err != nil {
			return err
		}
		if s.JSON {
			return s.WriteJSON(answer.Expired{Things: done.Things, Events: done.Events, State: answer.StateOf(root)})
		}
		fmt.Fprintf(s.Stdout, "%s %s, %s\n", s.Paint.Green("expired"), term.Counted(done.Things, "thing"), term.Counted(done.Events, "event"))
		s.Detail("root", answer.StateOf(root).Root+" over "+term.Counted(int(root.Size), "record"))
		return nil
	})
}
