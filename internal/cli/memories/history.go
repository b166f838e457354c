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
		Long: `Show every version of what KEY or URI names: who wrote it, when, with which trust,
and its text. Forgetting and expiry are versions too, and the history stays when a
record is forgotten.

It shows all versions, or with --limit the first ones; --after continues.

A redacted record has no history. If you name it by its URI, the error says when it
was redacted. Its key is erased too, and names nothing any more.`,
		Example: `  lukasa history release/cadence
  lukasa history --json --limit 20 release/cadence`,
		Args:     ask.OneName("KEY or URI"),
		Argument: "name",
		Names:    []string{"name"},
		Flags: []ask.Flag{
			{Field: "limit", Help: "at most `N` (default all)"},
			{Field: "after", Help: "continue after a page, with its `NEXT`"},
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
