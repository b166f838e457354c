package memories

import (
	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
)

// ForgetCommand returns the command `lukasa forget`.
func ForgetCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Write]{
		Operation: "forget",
		Use:       "forget KEY|URI",
		Short:     "Put a tombstone on a memory; its history stays",
		Long: `Forget what KEY or URI names: reads no longer find it, and report when and why it
was forgotten. URI#version forgets it only if that is its current version, as
--if-version does. Its history stays, and ` + "`lukasa restore`" + ` brings it back.

To erase something for good, history and bytes on the disk included, use
` + "`lukasa redact`" + `. Forgetting it again changes nothing.`,
		Example: `  lukasa forget release/cadence --reason "moved to the wiki"
  lukasa forget deploy/window --reason "the window was closed" --if-version 1`,
		Args:     ask.OneName("KEY or URI"),
		Argument: "name",
		Names:    []string{"name"},
		Flags: []ask.Flag{
			{Field: "reason", Help: "why, a `TEXT`; later reads return it"},
			ask.IfVersionFlag(),
		},
		Print: func(s *term.Screen, a *answer.Write) { show.Wrote(s, "forgotten", a, false) },
	})
}
