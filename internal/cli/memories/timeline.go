package memories

import (
	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// TimelineCommand tells a session.
func TimelineCommand(s *ask.Shell) *cobra.Command {
	var width int
	return ask.OperationCommand(s, ask.Command[answer.Timeline]{
		Operation: "timeline",
		Use:       "timeline SESSION",
		Short:     "Show a session step by step",
		Long: `Show one session from its first event to its last: what the user asked and the agent
said, which tools were called with what result and how long they took, edits,
decisions, errors and feedback, with the pauses between them. At the end it lists what
was derived from it: memories that have one of its events as a source, artifacts that
have one as evidence, feedback about it.

Each event has one line; --full shows its full content. ` + "`lukasa events`" + ` lists the
sessions there are, and --session shows the events themselves.`,
		Example: `  lukasa timeline session-2026-11-02-refund-bug
  lukasa timeline session-2026-11-02-refund-bug --full --width 100
  lukasa timeline session-2026-11-02-refund-bug --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "" {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes the id of one session, got %d arguments", c.CommandPath(), len(args)).
				WithFix("`lukasa events` lists the sessions")
		},
		Argument: "session_id",
		Flags:    []ask.Flag{{Field: "full", Help: "the full content of events, not one line of each"}},
		Own: func(c *cobra.Command) {
			c.Flags().IntVar(&width, "width", 0, "cut or wrap lines at `N` characters (default the terminal's width, else 100)")
		},
		Prepare: func(r *ask.Request) error {
			if !r.Cmd.Flags().Changed("width") {
				return nil
			}
			return ask.InRange("width", width, term.LeastColumns, 1000)
		},
		Pages: func(screen *term.Screen) func(*answer.Timeline) error { return show.Timeline(screen, width) },
		Next:  func(page *answer.Timeline) *string { return page.Next },
	})
}
