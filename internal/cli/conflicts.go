package cli

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
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// conflictsCommand is what has to do with contradictions. By itself it lists.
func conflictsCommand(s *shell) *cobra.Command {
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
	c.Args = oneBelow
	c.AddCommand(conflictsListCommand(s), conflictsShowCommand(s), conflictsResolveCommand(s), conflictsDismissCommand(s))
	return c
}

// prepareConflict makes a conflict, in the examples.
const prepareConflict = `  lukasa remember style/tabs "Always use tabs." --type constraint --strength firm
  lukasa remember style/spaces "Never use tabs." --type constraint --strength firm
  lukasa compile
`

func conflictsListCommand(s *shell) *cobra.Command {
	var flags struct {
		boardFlags
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
		Args: noArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		o := lukasa.ConflictOptions{Status: lukasa.ConflictStatus(flags.status), Any: flags.all, Limit: flags.limit, After: flags.after}
		switch {
		case flags.all && flags.status != "":
			return fault.New(fault.Usage, "--all and --status: one of the two says which statuses are wanted").WithFix("leave one away")
		case flags.ids && s.json:
			return fault.New(fault.Usage, "--ids and --json: one of the two says how to print").WithFix("leave one away")
		case flags.status != "" && !slices.Contains(memory.ConflictStatuses(), o.Status):
			return unknownName(fault.Usage, "status", flags.status, names(memory.ConflictStatuses()))
		}
		if err := inRange("limit", flags.limit, 1, 1000); err != nil {
			return err
		}
		return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
			t, err := v.reader(ctx)
			if err != nil {
				return err
			}
			page, err := t.Conflicts(ctx, o)
			if err != nil {
				return badAfter(c, err)
			}
			return s.conflictsList(page, flags.ids)
		})
	}
	flags.addTenant(c)
	flags.addScope(c)
	f := c.Flags()
	f.StringVar(&flags.status, "status", "", "only with this `STATUS`: "+strings.Join(names(memory.ConflictStatuses()), ", ")+" (default open)")
	f.BoolVar(&flags.all, "all", false, "whatever their status is")
	f.IntVar(&flags.limit, "limit", 50, "at most `N`, up to 1000")
	f.StringVar(&flags.after, "after", "", "go on after a page, with what it had as `NEXT`")
	f.BoolVar(&flags.ids, "ids", false, "print ids alone, one a line")
	suggestValues(c, "status", names(memory.ConflictStatuses()))
	return c
}

// conflictsList prints a page of conflicts.
func (s *shell) conflictsList(page *lukasa.ConflictPage, ids bool) error {
	out := s.newPages("conflicts", "ID", "STATUS", "BETWEEN", "TRUST", "UPDATED", "SUMMARY")
	for _, x := range page.Conflicts {
		if ids {
			fmt.Fprintln(s.stdout, oneLine(x.URI.ID))
			continue
		}
		a, err := answer.ConflictOf(x)
		if err != nil {
			return err
		}
		if err := out.add(a, x.URI.ID, x.Status, counted(len(x.Sides), "thing"), x.Trust.String(), moment(x.Updated), preview(x.Conflict().Summary, 80)); err != nil {
			return err
		}
	}
	if err := out.flush(); err != nil || ids {
		return err
	}
	if !s.json && page.Next != "" {
		fmt.Fprintf(s.stdout, "… and more: --after %s\n", page.Next)
		return nil
	}
	return out.end(page.Next, nil)
}

func conflictsShowCommand(s *shell) *cobra.Command {
	var flags boardFlags
	c := &cobra.Command{
		Use:   "show ID|URI",
		Short: "Show a conflict, and what it is between",
		Long: `Show what contradicts what, in the words of each, how far each is trusted, which one to keep
if that is suggested, and how it was settled if it was. The numbers are those that
--keep of ` + "`lukasa conflicts resolve`" + ` takes.`,
		Example: prepareConflict + `  lukasa conflicts show $(lukasa conflicts list --ids --limit 1)`,
		Args:    oneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.visit(c, &flags, reading(), func(ctx context.Context, v *visit) error {
			t, id, err := v.ofKind(ctx, args[0], lukasa.ConflictKind, false)
			if err != nil {
				return err
			}
			x, err := t.Conflict(ctx, id, lukasa.View{})
			if err != nil {
				return err
			}
			if !s.json {
				s.showConflict(x)
				return nil
			}
			a, err := answer.ConflictOf(x)
			if err != nil {
				return err
			}
			return s.writeJSON(a)
		})
	}
	flags.addTenant(c)
	flags.addScope(c)
	return c
}

// showConflict prints a conflict for a person.
func (s *shell) showConflict(x *lukasa.StoredConflict) {
	body := x.Conflict()
	keep, why := suggested(body)
	s.paragraph(body.Summary, 0)
	for i, side := range x.Sides {
		text := side.Text
		if side.State == "" {
			text = "(it is erased, or not shown)"
		}
		fmt.Fprintln(s.stdout)
		s.item(fmt.Sprintf("%d.", i+1), text)
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
		s.aside(5, note...)
	}
	fmt.Fprintf(s.stdout, "\n%s\n", s.paint.bold(x.URI.Head().String()))
	s.detail("status", x.Status)
	s.detail("resolution", body.Resolution)
	if x.State != lukasa.Live {
		s.detail("state", stateOf(x.Thing))
	}
	s.detail("version", fmt.Sprintf("%d, written %s by %s with trust %s", x.Version, moment(x.Updated), oneLine(x.Actor), x.Trust))
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
	boardFlags
	keep, reason string
}

func conflictsResolveCommand(s *shell) *cobra.Command {
	var flags settleFlags
	c := &cobra.Command{
		Use:   "resolve ID|URI",
		Short: "Settle a conflict: say which one holds",
		Long: `Settle a conflict. --keep names what holds, by its URI or by the number that
` + "`lukasa conflicts show`" + ` gives it; packs leave out the others then. Without --keep none of them
holds more than the others, and all stay. Nothing is forgotten: ` + "`lukasa forget`" + ` does that.

What was settled before is settled anew.`,
		Example: prepareConflict + `  lukasa conflicts resolve $(lukasa conflicts list --ids --limit 1) --keep 2 --reason "the style guide says so"`,
		Args:    oneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.settle(c, args[0], &flags, "resolved", func(ctx context.Context, t *lukasa.Tenant, id string) (*lukasa.PutResult, error) {
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
		return u, badFlag("keep", err)
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

func conflictsDismissCommand(s *shell) *cobra.Command {
	var flags settleFlags
	c := &cobra.Command{
		Use:     "dismiss ID|URI",
		Short:   "Say that there is no conflict after all",
		Long:    `Say that what looked like a contradiction is none: both hold, and packs tell of both.`,
		Example: prepareConflict + `  lukasa conflicts dismiss $(lukasa conflicts list --ids --limit 1) --reason "one is about code, the other about tables"`,
		Args:    oneName("ID or URI"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return s.settle(c, args[0], &flags, "dismissed", func(ctx context.Context, t *lukasa.Tenant, id string) (*lukasa.PutResult, error) {
			return t.DismissConflict(ctx, id, flags.reason)
		})
	}
	flags.add(c)
	return c
}

func (f *settleFlags) add(c *cobra.Command) {
	f.addTenant(c)
	f.addWriter(c)
	f.addScope(c)
	c.Flags().StringVar(&f.reason, "reason", "", "how it was settled, a `TEXT` for whoever finds it later; required")
}

// settle runs a command that settles a conflict.
func (s *shell) settle(c *cobra.Command, arg string, flags *settleFlags, done string, do func(context.Context, *lukasa.Tenant, string) (*lukasa.PutResult, error)) error {
	if flags.reason == "" {
		return fault.New(fault.Usage, "--reason is missing").WithFix("say how it was settled, for whoever finds it later: --reason TEXT")
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, id, err := v.ofKind(ctx, arg, lukasa.ConflictKind, true)
		if err != nil {
			return err
		}
		put, err := do(ctx, t, id)
		if err != nil {
			return err
		}
		return v.wrote(ctx, done, put)
	})
}
