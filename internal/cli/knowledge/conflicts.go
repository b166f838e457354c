package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// ConflictsCommand is what has to do with contradictions. By itself it lists.
func ConflictsCommand(s *ask.Shell) *cobra.Command {
	c := conflictsListCommand(s)
	c.Use = "conflicts"
	c.Short = "Look at what contradicts itself, and settle it"
	c.Long = `A conflict says that two things or more contradict each other: rules, facts, policies.
` + "`lukasa compile`" + ` finds them, and suggests which to keep; others are written through the library.
Packs tell of conflicts that are open, and leave out what has lost.

Without a command it lists, as ` + "`lukasa conflicts list`" + ` does. What you settle stays settled
when ` + "`lukasa compile`" + ` runs again.`
	c.Example = `  lukasa remember style/tabs "Always use tabs." --type constraint --strength firm
  lukasa remember style/spaces "Never use tabs." --type constraint --strength firm
  lukasa compile
  lukasa conflicts
  lukasa conflicts show $(lukasa conflicts list --ids --limit 1)
  lukasa conflicts resolve $(lukasa conflicts list --ids --limit 1) --keep 1 --reason "the formatter decides"`
	c.Args = ask.OneBelow
	c.AddCommand(conflictsListCommand(s), conflictsShowCommand(s), conflictsResolveCommand(s), conflictsDismissCommand(s))
	return c
}

// prepareConflict makes a conflict, in the examples.
const prepareConflict = `  lukasa remember style/tabs "Always use tabs." --type constraint --strength firm
  lukasa remember style/spaces "Never use tabs." --type constraint --strength firm
  lukasa compile
`

func conflictsListCommand(s *ask.Shell) *cobra.Command {
	var flags struct {
		ask.BoardFlags
		status, after string
		limit         int
		all, ids      bool
	}
	c := &cobra.Command{
		Use:   "list",
		Short: "List conflicts: the open ones, unless asked for others",
		Long: `List what contradicts itself, newest first, 50 at a time: the conflicts that are open.
--status lists those that were resolved or dismissed, and --all those of every status.

--ids prints ids alone, one a line, for other commands to take.`,
		Example: prepareConflict + `  lukasa conflicts list
  lukasa conflicts list --all --json`,
		Args: ask.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		o := lukasa.ConflictOptions{Status: lukasa.ConflictStatus(flags.status), Any: flags.all, Limit: flags.limit, After: flags.after}
		switch {
		case flags.all && flags.status != "":
			return fault.New(fault.Usage, "--all and --status: one of the two says which statuses are wanted").WithFix("leave one away")
		case flags.ids && s.JSON:
			return fault.New(fault.Usage, "--ids and --json: one of the two says how to print").WithFix("leave one away")
		case flags.status != "" && !slices.Contains(memory.ConflictStatuses(), o.Status):
			return ask.UnknownName(fault.Usage, "status", flags.status, ask.Names(memory.ConflictStatuses()))
		}
		if err := ask.InRange("limit", flags.limit, 1, 1000); err != nil {
			return err
		}
		return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, err := v.Reader(ctx)
			if err != nil {
				return err
			}
			page, err := t.Conflicts(ctx, o)
			if err != nil {
				return ask.BadAfter(c, err)
			}
			return conflictsList(s, page, flags.ids)
		})
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.status, "status", "", "only with this `STATUS`: "+strings.Join(ask.Names(memory.ConflictStatuses()), ", ")+" (default open)")
	f.BoolVar(&flags.all, "all", false, "whatever their status is")
	f.IntVar(&flags.limit, "limit", 50, "at most `N`, up to 1000")
	f.StringVar(&flags.after, "after", "", "go on after a page, with what it had as `NEXT`")
	f.BoolVar(&flags.ids, "ids", false, "print ids alone, one a line")
	ask.SuggestValues(c, "status", ask.Names(memory.ConflictStatuses()))
	return c
}

// conflictsList prints a page of conflicts.
func conflictsList(s *ask.Shell, page *lukasa.ConflictPage, ids bool) error {
	out := s.NewPages("conflicts", "ID", "STATUS", "BETWEEN", "TRUST", "UPDATED", "SUMMARY")
	for _, x := range page.Conflicts {
		if ids {
			fmt.Fprintln(s.Stdout, term.OneLine(x.URI.ID))
			continue
		}
		a, err := answer.ConflictOf(x)
		if err != nil {
			return err
		}
		if err := out.Add(a, x.URI.ID, x.Status, term.Counted(len(x.Sides), "thing"), x.Trust.String(), term.Moment(x.Updated), term.Preview(x.Conflict().Summary, 80)); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil || ids {
		return err
	}
	if !s.JSON && page.Next != "" {
		fmt.Fprintf(s.Stdout, "… and more: --after %s\n", page.Next)
		return nil
	}
	return out.End(page.Next, nil)
}

func conflictsShowCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "show ID|URI",
		Short: "Show a conflict, and what it is between",
		Long: `Show what contradicts what, in the words of each, how far each is trusted, which one to keep
if that is suggested, and how it was settled if it was. The numbers are those that
--keep of ` + "`lukasa conflicts resolve`" + ` takes.`,
		Example: prepareConflict + `  lukasa conflicts show $(lukasa conflicts list --ids --limit 1)`,
		Args:    ask.OneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.Visit(c, &flags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			t, id, err := ofKind(ctx, v, args[0], lukasa.ConflictKind, false)
			if err != nil {
				return err
			}
			x, err := t.Conflict(ctx, id, lukasa.View{})
			if err != nil {
				return err
			}
			if !s.JSON {
				showConflict(s, x)
				return nil
			}
			a, err := answer.ConflictOf(x)
			if err != nil {
				return err
			}
			return s.WriteJSON(a)
		})
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	return c
}

// showConflict prints a conflict for a person.
func showConflict(s *ask.Shell, x *lukasa.StoredConflict) {
	body := x.Conflict()
	keep, why := suggested(body)
	s.Paragraph(body.Summary, 0)
	for i, side := range x.Sides {
		text := side.Text
		if side.State == "" {
			text = "(it is erased, or not shown)"
		}
		fmt.Fprintln(s.Stdout)
		item(s, fmt.Sprintf("%d.", i+1), text)
		note := []string{side.URI.String()}
		if side.State != "" {
			note = append(note, "trust "+side.Trust.String())
		}
		if side.State != "" && side.State != lukasa.Live {
			note = append(note, string(side.State))
		}
		if side.URI == body.Winner {
			note = append(note, "this one holds")
		}
		if side.URI.String() == keep {
			note = append(note, "suggested to keep, since "+why)
		}
		s.Aside(5, note...)
	}
	fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold(x.URI.Head().String()))
	s.Detail("status", x.Status)
	s.Detail("resolution", body.Resolution)
	if x.State != lukasa.Live {
		s.Detail("state", show.StateOf(x.Thing))
	}
	s.Detail("version", fmt.Sprintf("%d, written %s by %s with trust %s", x.Version, term.Moment(x.Updated), term.OneLine(x.Actor), x.Trust))
}

// suggested returns which one a compile suggests to keep, and why; nothing if it was
// settled.
func suggested(c *lukasa.Conflict) (keep, why string) {
	var meta struct {
		Suggestion struct{ Keep, Why string } `json:"suggestion"`
	}
	if c.Status != memory.ConflictOpen || json.Unmarshal([]byte(c.Metadata), &meta) != nil {
		return "", ""
	}
	return meta.Suggestion.Keep, meta.Suggestion.Why
}

type settleFlags struct {
	ask.BoardFlags
	keep, reason string
}

func conflictsResolveCommand(s *ask.Shell) *cobra.Command {
	var flags settleFlags
	c := &cobra.Command{
		Use:   "resolve ID|URI",
		Short: "Settle a conflict: say which one holds",
		Long: `Settle a conflict. --keep names what holds, by its URI or by the number that
` + "`lukasa conflicts show`" + ` gives it; packs leave out the others then. Without --keep none of them
holds more than the others, and all stay. Nothing is forgotten: ` + "`lukasa forget`" + ` does that.

What was settled before is settled anew.`,
		Example: prepareConflict + `  lukasa conflicts resolve $(lukasa conflicts list --ids --limit 1) --keep 2 --reason "the style guide says so"`,
		Args:    ask.OneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return settle(s, c, args[0], &flags, "resolved", func(ctx context.Context, t *lukasa.Tenant, id string) (*lukasa.PutResult, error) {
			winner, err := winnerOf(ctx, t, id, flags.keep)
			if err != nil {
				return nil, err
			}
			return t.ResolveConflict(ctx, id, winner, flags.reason)
		})
	}
	flags.add(c)
	c.Flags().StringVar(&flags.keep, "keep", "", "what holds, a `URI`, or the number that show gives it")
	return c
}

// winnerOf returns what --keep names: a URI, or a number of what the conflict is between.
func winnerOf(ctx context.Context, t *lukasa.Tenant, id, keep string) (lukasa.URI, error) {
	if keep == "" {
		return lukasa.URI{}, nil
	}
	n, err := strconv.Atoi(keep)
	if err != nil {
		u, err := lukasa.ParseURI(keep)
		return u, ask.BadFlag("keep", err)
	}
	x, err := t.Conflict(ctx, id, lukasa.View{})
	if err != nil {
		return lukasa.URI{}, err
	}
	if n < 1 || n > len(x.Sides) {
		return lukasa.URI{}, fault.Newf(fault.Usage, "--keep: %d is not between 1 and %d", n, len(x.Sides)).
			WithFix("give a number as `lukasa conflicts show " + id + "` does, or a URI")
	}
	return x.Sides[n-1].URI, nil
}

func conflictsDismissCommand(s *ask.Shell) *cobra.Command {
	var flags settleFlags
	c := &cobra.Command{
		Use:     "dismiss ID|URI",
		Short:   "Say that there is no conflict after all",
		Long:    `Say that what looked like a contradiction is none: both hold, and packs tell of both.`,
		Example: prepareConflict + `  lukasa conflicts dismiss $(lukasa conflicts list --ids --limit 1) --reason "one is about code, the other about tables"`,
		Args:    ask.OneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return settle(s, c, args[0], &flags, "dismissed", func(ctx context.Context, t *lukasa.Tenant, id string) (*lukasa.PutResult, error) {
			return t.DismissConflict(ctx, id, flags.reason)
		})
	}
	flags.add(c)
	return c
}

func (f *settleFlags) add(c *cobra.Command) {
	f.AddTenant(c)
	f.AddWriter(c)
	f.AddScope(c)
	c.Flags().StringVar(&f.reason, "reason", "", "how it was settled, a `TEXT` for whoever finds it later; required")
}

// settle runs a command that settles a conflict.
func settle(s *ask.Shell, c *cobra.Command, arg string, flags *settleFlags, done string, do func(context.Context, *lukasa.Tenant, string) (*lukasa.PutResult, error)) error {
	if flags.reason == "" {
		return fault.New(fault.Usage, "--reason is missing").WithFix("say how it was settled, for whoever finds it later: --reason TEXT")
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, id, err := ofKind(ctx, v, arg, lukasa.ConflictKind, true)
		if err != nil {
			return err
		}
		put, err := do(ctx, t, id)
		if err != nil {
			return err
		}
		return v.Wrote(ctx, done, put)
	})
}
