package questions

import (
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
)

// NextCommand returns the command `lukasa next`.
func NextCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Next]{
		Operation: "next_step",
		Use:       "next SESSION",
		Short:     "Say which tool a session may call next, and why",
		Long: `Say which tools a session may call next, the likeliest first, by what it did so far and
by what ` + "`lukasa compile`" + ` learned from earlier ones. Each comes with how probable it is and with
what speaks for it: in which state it followed, how often, and how that ended.

A session without events stands at its beginning. Without active artifacts nothing is
suggested. It is what happened, not advice: what came next may have been wrong.`,
		Example: `  lukasa compile
  lukasa next session-42
  lukasa next session-42 --limit 5 --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes one SESSION, got %d arguments", c.CommandPath(), len(args)).
				WithFix("name one, such as those that `lukasa events` shows")
		},
		Argument: "session_id",
		Flags: []ask.Flag{
			{Field: "limit", Help: fmt.Sprintf("suggest `N` tools at most, up to %d", lukasa.MaxNextSteps)},
			{Field: "tags", Name: "tag", Help: "ask only artifacts whose validity has the tag `T`, or none; may be repeated"},
			conditionFlag(),
		},
		Prepare: goodConditions,
		Print:   show.Next,
	})
}
