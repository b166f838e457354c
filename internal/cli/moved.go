package cli

import (
	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// benchProgram measures this machine and the answers. Its commands were once of this program.
const benchProgram = "lukasa-bench"

func movedBenchCommand(*ask.Shell) *cobra.Command { return movedCommand("bench", "") }
func movedEvalCommand(*ask.Shell) *cobra.Command  { return movedCommand("eval", " eval") }

// movedCommand is a command that lukasa-bench has instead. It takes any arguments and fails
// with one line, so that a script that calls it says what to change.
func movedCommand(name, below string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Moved to " + benchProgram,
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return fault.Newf(fault.UnknownCommand, "%q is the program %s now", term.Program+" "+name, benchProgram).
				WithFix(`run "` + benchProgram + below + `" with the same arguments; "go install lukasa.dev/cmd/` + benchProgram + `@latest" installs it`)
		},
	}
}
