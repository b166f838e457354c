package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
)

func historyCommand(s *shell) *cobra.Command {
	var flags boardFlags
	c := &cobra.Command{
		Use:   "history KEY|URI",
		Short: "Show every version of a memory, oldest first",
		Long: `Show every version of what KEY or URI names: who wrote it, when, with which
trust, and what it said. Forgetting and expiry are versions too, and the history
stays when a thing is forgotten.

Of what was redacted there is no history left; named by its URI, the error says
when that was. Its key is erased with it, and names nothing any more.`,
		Example: `  lukasa history release/cadence
  lukasa history --json release/cadence`,
		Args: oneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return s.history(c, args[0], &flags) },
	}
	flags.addTenant(c)
	flags.addScope(c)
	return c
}

func (s *shell) history(c *cobra.Command, arg string, flags *boardFlags) error {
	return s.visit(c, flags, reading(), func(ctx context.Context, v *visit) error {
		t, ref, err := v.target(ctx, arg, 0, false)
		if err != nil {
			return err
		}
		if err := versioned(ref, "listed by its versions"); err != nil {
			return err
		}
		uri, changes, err := t.History(ctx, ref, lukasa.View{})
		if err != nil {
			return err
		}
		if !s.json {
			s.showHistory(uri, changes)
			return nil
		}
		a, err := answer.HistoryOf(uri, changes)
		if err != nil {
			return err
		}
		return s.writeJSON(a)
	})
}

func (s *shell) showHistory(uri lukasa.URI, changes []lukasa.Change) {
	fmt.Fprintln(s.stdout, s.paint.bold(uri.String()))
	t := s.table("VERSION", "WHAT", "TIME", "BY", "TRUST", "POSITION", "TEXT")
	var rows [][]string
	for _, ch := range changes {
		text := ch.Note
		if ch.Body != nil {
			text = summary(ch.Body)
		}
		rows = append(rows, []string{
			fmt.Sprint(ch.Version), string(ch.Op), moment(ch.Time), preview(ch.Actor, 24), ch.Trust.String(), fmt.Sprint(ch.Position), preview(text, 72),
		})
	}
	t.rows(rows)
}
