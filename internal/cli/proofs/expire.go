package proofs

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
)

// ExpireCommand returns the command `lukasa expire`.
func ExpireCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Expired]{
		Operation: "expire",
		Use:       "expire",
		Short:     "Record the expiry of everything whose time is over",
		Long: `Record the expiry of everything past its time to live or past its retention
policy. Expired memories are no longer found and keep their history, unless the
policy erases them; expired events are erased.

Reads hide a memory past its time even before this runs. On disk nothing expires
by itself: run this now and then. Nothing can be expired before its time: --now
may be earlier than the current time, but not later.`,
		Example: `  lukasa expire
  lukasa expire --json`,
		Flags: []ask.Flag{ask.NowFlag()},
		Print: func(s *term.Screen, a *answer.Expired) {
			fmt.Fprintf(s.Stdout, "%s %s, %s\n", s.Paint.Green("expired"), term.Counted(a.Things, "record"), term.Counted(a.Events, "event"))
			s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
		},
	})
}
