package memories

import (
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/memory"
)

// FeedbackCommand returns the command `lukasa feedback`.
func FeedbackCommand(s *ask.Shell) *cobra.Command {
	outcomes := strings.Join(ask.Names(memory.FeedbackOutcomes()), ", ")
	return ask.OperationCommand(s, ask.Command[answer.Write]{
		Operation: "feedback",
		Use:       "feedback --outcome OUTCOME --cite KEY|URI",
		Short:     "Report the outcome of a task and which records it used",
		Long: `Report the outcome of a task of an agent, and which memories and events it used.
Records that were cited in a success rank higher in ` + "`lukasa context`" + `, records that
were cited in a failure rank lower. The agent's own weights also move a little
toward, or away from, what those records had in common: new or old, often used,
often right, or declared important.

It changes weights only if a user or an operator gives it, or the agent itself
(--actor is then --agent). The same --id again changes nothing.`,
		Example: `  lukasa feedback --outcome success --cite release/cadence
  lukasa feedback --outcome failure --score -0.5 --agent agent-coder-1 --cite lukasa://acme/event/019e5a3b-7c4d-7000-8000-000000000006 --note "Half a cent was rounded the wrong way."`,
		Names: []string{"cited"},
		Flags: []ask.Flag{
			{Field: "outcome", Help: "how it went, a `WORD`: " + outcomes, Missing: "say how it went: " + outcomes},
			{Field: "cited", Name: "cite", Help: "a `KEY|URI` that it drew on; may be given again", Missing: "name what it drew on, a KEY or a URI that `lukasa context` showed"},
			{Field: "agent_id", Name: "agent", Help: "the `AGENT` whose task it was (default the writer)"},
			{Field: "session_id", Name: "session", Help: "the `ID` of the session it was in"},
			{Field: "score", Help: "how well, a `NUMBER` from -1 to 1 (default as --outcome says)"},
			{Field: "note", Help: "a `TEXT` about it"},
			{Field: "id", Help: "its `ID`, instead of one that is made up"},
		},
		Print: func(s *term.Screen, a *answer.Write) { show.Wrote(s, "recorded", a, false) },
	})
}
