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
		Short:     "Suggest which tool a session may call next, and why",
		Long: `Suggest which tools a session may call next, the most probable first, from what it did so
far and from what ` + "`lukasa compile`" + ` learned from earlier sessions. Each has its probability
and its evidence: in which state it followed, how often, and with what outcome.

A session without events is at its beginning. Without active artifacts nothing is
suggested. It shows what happened before, not advice: that may have been wrong.`,
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
			{Field: "tags", Name: "tag", Help: "use only artifacts whose validity scope has the tag `T`, or no tags; may be given again"},
			conditionFlag(),
		},
		Prepare: goodConditions,
		Print:   show.Next,
	})
}
