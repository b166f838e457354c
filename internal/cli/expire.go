package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
)

type expireFlags struct {
	boardFlags
	now string
}

func expireCommand(s *shell) *cobra.Command {
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
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.expire(c, &flags) },
	}
	flags.addTenant(c)
	flags.addWriter(c)
	addNow(c, &flags.now)
	return c
}

func (s *shell) expire(c *cobra.Command, flags *expireFlags) error {
	view, err := s.view(flags.now)
	if err != nil {
		return err
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.reader(ctx)
		if err != nil {
			return err
		}
		if t, err = v.writerOf(t.Name()); err != nil {
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
		if s.json {
			return s.writeJSON(answer.Expired{Things: done.Things, Events: done.Events, State: answer.StateOf(root)})
		}
		fmt.Fprintf(s.stdout, "%s %s, %s\n", s.paint.green("expired"), counted(done.Things, "thing"), counted(done.Events, "event"))
		s.detail("root", answer.StateOf(root).Root+" over "+counted(int(root.Size), "record"))
		return nil
	})
}
