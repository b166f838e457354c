package memories

import (
	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
)

// RestoreCommand returns the command `lukasa restore`.
func RestoreCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Write]{
		Operation: "restore_memory",
		Use:       "restore KEY|URI[#version]",
		Short:     "Bring back what is forgotten, or an earlier version",
		Long: `Write an earlier version as the newest one. Without a version it is the last
content, which brings back what is forgotten or expired; a time to live starts
again.

Nothing is removed from the history. What was redacted cannot be restored.`,
		Example: `  lukasa restore release/cadence --version 1
  lukasa forget release/cadence --reason "moved to the wiki" && lukasa restore release/cadence`,
		Args:     ask.OneName("KEY or URI"),
		Argument: "name",
		Names:    []string{"name"},
		Flags: []ask.Flag{
			{Field: "version", Help: "the `VERSION` to bring back"},
			ask.IfVersionFlag(),
		},
		Print: func(s *term.Screen, a *answer.Write) { show.Wrote(s, "restored", a, false) },
	})
}
