package memories

import (
	"context"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
)

// StatsCommand counts what a tenant has. The space on the disk is an operation of its own, which runs
// without a scope only.
func StatsCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Stats]{
		Operation: "stats",
		Use:       "stats",
		Short:     "Count records, and show how they grow",
		Long: `Count what is in a tenant: events by type, memories by type and state, artifacts by
type and status, entities and what else there is; events by day; which tools were
called most and how they fared; sessions and agents; how many records were
erased; and how much room the data directory takes.

Days are those of the timestamps of events, in UTC, not of their recording, and end
with the last day that has an event, not with today. The same state gives the same
answer, except for the disk space, which is that of all tenants together. A call
counts as succeeded or failed if its result says so. A scope limits the counts to
what it shows, and hides erasures and disk space.`,
		Example: `  lukasa stats
  lukasa stats --days 60 --top 5
  lukasa stats --json`,
		Flags: []ask.Flag{
			{Field: "days", Help: "growth over the latest `N` days that have events"},
			{Field: "top", Help: "name the `N` tools and agents that did most"},
		},
		Complete: func(ctx context.Context, v *ask.Visit, a *answer.Stats) error {
			if v.Scope != "" {
				return nil
			}
			room, err := v.Storage(ctx)
			if err == nil {
				a.Storage = answer.StorageOf(room)
			}
			return err
		},
		Print: show.Stats,
	})
}
