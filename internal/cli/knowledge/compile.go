package knowledge

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
)

// CompileCommand returns the command `lukasa compile`.
func CompileCommand(s *ask.Shell) *cobra.Command {
	var board ask.BoardFlags
	var background bool
	c := ask.OperationCommand(s, ask.Command[answer.Compiled]{
		Operation: "compile",
		Use:       "compile",
		Short:     "Derive artifacts from what happened: procedures, playbooks, policies",
		Long: `Derive artifacts from what agents did, and memories from what users plainly stated. It
calls no model and no server: the result depends only on the records.

  task_schema        how tasks of a kind are done, step by step
  failure_playbook   what an error looks like, and what was done about it
  decision_policy    what followed in which state, how often, and how that ended
  causal_pattern     what precedes a failure more often than by chance
  strategy_template  phases that recur for a goal

A new artifact is a draft, and becomes active once there is enough evidence for it. When
its content changes, a new version supersedes it; when its evidence is gone, it is
deprecated. Everything is journaled, with the events that it was made of.

What users say about themselves and their project ("I prefer ...", "my ... is ...", "we
decided ..."), and what they ask for always or never, becomes memories and constraints
in their own words. Output of tools and quoted texts of others never do.

Only sessions with new events are read. Run it as often as you like: without new events
it writes nothing.`,
		Example: `  lukasa ingest examples/session.ndjson examples/parcels.ndjson
  lukasa compile --dry-run
  lukasa compile
  lukasa list --kind artifact`,
		Board: &board,
		Flags: []ask.Flag{
			{Field: "full", Help: "read every session again; the outcome is the same"},
			{Field: "dry_run", Help: "say what would change, and write nothing"},
		},
		Own: func(c *cobra.Command) {
			c.Flags().BoolVar(&background, ask.NameBackground, false, "run beside agents, for a bounded time")
			_ = c.Flags().MarkHidden(ask.NameBackground) // it is there
		},
		Fail: func(_ *cobra.Command, err error) error {
			if errors.Is(err, context.Canceled) {
				return fault.New(fault.Canceled, "stopped on request; what was written stays").WithCause(err).WithFix("run it again to complete it")
			}
			return err
		},
		Print: show.Compiled,
	})
	compile := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if background && s.Served.Board == nil {
			return compileInBackground(s, c, &board)
		}
		return compile(c, args)
	}
	return c
}
