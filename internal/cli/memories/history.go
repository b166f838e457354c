package memories

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
)

// historyFlags say which part of a history is shown.
type historyFlags struct {
	ask.BoardFlags
	limit int
	after string
}

// HistoryCommand returns the command `lukasa history`.
func HistoryCommand(s *ask.Shell) *cobra.Command {
	var flags historyFlags
	c := &cobra.Command{
		Use:   "history KEY|URI",
		Short: "Show every version of a memory, oldest first",
		Long: `Show every version of what KEY or URI names: who wrote it, when, with which
trust, and what it said. Forgetting and expiry are versions too, and the history
stays when a thing is forgotten.

All of them are shown, or with --limit the first ones, and --after leads on.

Of what was redacted there is no history left; named by its URI, the error says
when that was. Its key is erased with it, and names nothing any more.`,
		Example: `  lukasa history release/cadence
  lukasa history --json --limit 20 release/cadence`,
		Args: ask.OneName("KEY or URI"),
		RunE: func(c *cobra.Command, args []string) error { return history(s, c, args[0], &flags) },
	}
	c.Flags().IntVar(&flags.limit, "limit", 0, "at most `N`; all unless said")
	c.Flags().StringVar(&flags.after, "after", "", "go on after a page, with what it had as `NEXT`")
	flags.AddTenant(c)
	flags.AddScope(c)
	return c
}

func history(s *ask.Shell, c *cobra.Command, arg string, flags *historyFlags) error {
	if c.Flags().Changed("limit") {
		if err := ask.InRange("limit", flags.limit, 1, mostVersions); err != nil {
			return err
		}
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, ref, err := v.Target(ctx, arg, 0, false)
		if err != nil {
			return err
		}
		if err := ask.Versioned(ref, "listed by its versions"); err != nil {
			return err
		}
		page, err := flags.versions(ctx, t, ref)
		if err != nil {
			return ask.BadAfter(c, err)
		}
		if !s.JSON {
			showHistory(s, page)
			return nil
		}
		a, err := answer.HistoryOf(page.URI, page.Changes)
		if err != nil {
			return err
		}
		a.Next = answer.NextPage(page.Next)
		return s.WriteJSON(a)
	})
}

// mostVersions is how many a page may have.
const mostVersions = 1000

// versions reads the part of a history that is wanted.
func (f *historyFlags) versions(ctx context.Context, t *lukasa.Tenant, ref lukasa.Ref) (*lukasa.VersionsPage, error) {
	o := lukasa.VersionsOptions{Ref: ref, Limit: f.limit, After: f.after}
	if f.limit > 0 {
		return t.Versions(ctx, o)
	}
	var all lukasa.VersionsPage
	for o.Limit = mostVersions; ; o.After = all.Next {
		page, err := t.Versions(ctx, o)
		if err != nil {
			return nil, err
		}
		all.URI, all.Changes, all.Next = page.URI, append(all.Changes, page.Changes...), page.Next
		if all.Next == "" {
			return &all, nil
		}
	}
}

func showHistory(s *ask.Shell, page *lukasa.VersionsPage) {
	uri, changes := page.URI, page.Changes
	fmt.Fprintln(s.Stdout, s.Paint.Bold(uri.String()))
	t := s.Table("VERSION", "WHAT", "TIME", "BY", "TRUST", "POSITION", "TEXT")
	var rows [][]string
	for _, ch := range changes {
		text := ch.Note
		if ch.Body != nil {
			text = show.Summary(ch.Body)
		}
		rows = append(rows, []string{
			fmt.Sprint(ch.Version), string(ch.Op), term.Moment(ch.Time), term.Preview(ch.Actor, 24), ch.Trust.String(), fmt.Sprint(ch.Position), term.Preview(text, 72),
		})
	}
	t.Rows(rows)
	if page.Next != "" {
		fmt.Fprintf(s.Stdout, "… and more: --after %s\n", page.Next)
	}
}
