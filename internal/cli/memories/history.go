package memories

import (
	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
)

// HistoryCommand returns the command `lukasa history`.
func HistoryCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.History]{
		Operation: "memory_history",
		Use:       "history KEY|URI",
		Short:     "Show every version of a memory, oldest first",
		Long: `Show every version of what KEY or URI names: who wrote it, when, with which
trust, and what it said. Forgetting and expiry are versions too, and the history
stays when a thing is forgotten.

All of them are shown, or with --limit the first ones, and --after leads on.

Of what was redacted there is no history left; named by its URI, the error says
when that was. Its key is erased with it, and names nothing any more.`,
		Example: `  lukasa history release/cadence
  lukasa history --json --limit 20 release/cadence`,
		Args:     ask.OneName("KEY or URI"),
		Argument: "name",
		Names:    []string{"name"},
		Flags: []ask.Flag{
			{Field: "limit", Help: "at most `N`; all unless said"},
			{Field: "after", Help: "go on after a page, with what it had as `NEXT`"},
		},
		Next: func(page *answer.History) *string { return page.Next },
		Join: func(all, page *answer.History) {
			all.Versions, all.Next = append(all.Versions, page.Versions...), page.Next
		},
		Answer: func(v *ask.Visit, a *answer.History) error {
			if v.Shell.JSON {
				return v.Shell.WriteJSON(a)
			}
			return show.History(v.Shell.Screen, a)
		},
	})
}
