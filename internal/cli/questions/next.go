package questions

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

type nextFlags struct {
	ask.BoardFlags
	limit int
	tags  []string
	holds []string
}

// NextCommand returns the command `lukasa next`.
func NextCommand(s *ask.Shell) *cobra.Command {
	var flags nextFlags
	c := &cobra.Command{
		Use:   "next SESSION",
		Short: "Say which tool a session may call next, and why",
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
		RunE: func(c *cobra.Command, args []string) error { return next(s, c, args[0], &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	c.Flags().IntVar(&flags.limit, "limit", lukasa.DefaultNextSteps, fmt.Sprintf("suggest `N` tools at most, up to %d", lukasa.MaxNextSteps))
	c.Flags().StringArrayVar(&flags.tags, "tag", nil, "ask only artifacts whose validity has the tag `T`, or none; may be repeated")
	addConditions(c, &flags.holds)
	return c
}

func next(s *ask.Shell, c *cobra.Command, session string, flags *nextFlags) error {
	if err := ask.InRange("limit", flags.limit, 1, lukasa.MaxNextSteps); err != nil {
		return err
	}
	if err := conditionFlags(flags.holds); err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		found, err := t.NextStep(ctx, lukasa.NextOptions{Session: session, Limit: flags.limit, Tags: flags.tags, View: lukasa.View{Conditions: flags.holds}})
		if err != nil {
			return err
		}
		a := answer.NextOf(session, found)
		if s.JSON {
			return s.WriteJSON(a)
		}
		showNext(s, a)
		return nil
	})
}

// showNext prints what may come next.
func showNext(s *ask.Shell, a *answer.Next) {
	if len(a.Suggestions) == 0 {
		fmt.Fprintln(s.Stdout, "nothing is suggested")
		if a.Artifacts == 0 {
			s.Detail("why", "there are no active artifacts; `lukasa compile` makes them of what happened")
		}
		return
	}
	for _, x := range a.Suggestions {
		fmt.Fprintf(s.Stdout, "%3.0f%%  %s\n", 100*x.Probability, s.Paint.Bold(term.OneLine(x.Tool)))
		fmt.Fprintf(s.Stdout, "      %s\n", term.OneLine(x.Reason))
	}
	s.Detail("behind", term.Counted(a.Steps, "step")+" of the task, by "+term.Counted(a.Artifacts, "active artifact"))
}
