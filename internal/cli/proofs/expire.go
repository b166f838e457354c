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
		Short:     "Journal the end of everything whose time is over",
		Long: `Journal the end of what has outlived its time to live, and of what a retention
policy lets go. Expired memories are no longer found and keep their history,
unless the policy erases them; expired events are erased.

Reads do not show a memory past its time even before that. Nothing expires on
disk by itself: run this now and then. Nothing can be expired before its time
either: --now may be earlier than the time it is, but not later.`,
		Example: `  lukasa expire
  lukasa expire --json`,
		Flags: []ask.Flag{ask.NowFlag()},
		Print: func(s *term.Screen, a *answer.Expired) {
			fmt.Fprintf(s.Stdout, "%s %s, %s\n", s.Paint.Green("expired"), term.Counted(a.Things, "thing"), term.Counted(a.Events, "event"))
			s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
		},
	})
}
