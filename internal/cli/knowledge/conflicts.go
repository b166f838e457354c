package knowledge

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/memory"
)

// ConflictsCommand is what has to do with contradictions. By itself it lists.
func ConflictsCommand(s *ask.Shell) *cobra.Command {
	c := conflictsListCommand(s)
	c.Use = "conflicts"
	c.Short = "Review and settle conflicts between records"
	c.Long = `A conflict names two or more records that contradict each other: rules, facts, policies.
` + "`lukasa compile`" + ` finds them, and suggests which to keep; others are written through the library.
Packs show open conflicts, and leave out the side that lost.

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
	var ids bool
	return ask.OperationCommand(s, ask.Command[answer.Conflicts]{
		Operation: "list_conflicts",
		Use:       "list",
		Short:     "List conflicts: the open ones by default",
		Long: `List conflicts, newest first, 50 at a time: the open ones by default. --status lists
those that were resolved or dismissed, and --all those of every status.

--ids prints only ids, one per line, for other commands.`,
		Example: prepareConflict + `  lukasa conflicts list
  lukasa conflicts list --all --json`,
		Flags: []ask.Flag{
			{Field: "status", Help: "only with this `STATUS`: " + strings.Join(ask.Names(memory.ConflictStatuses()), ", ") + " (default open)"},
			{Field: "all", Help: "of every status", Usage: true},
			{Field: "limit", Help: "at most `N`, up to 1000"},
			{Field: "after", Help: "continue after a page, with its `NEXT`"},
		},
		Own:     func(c *cobra.Command) { addIDs(c, &ids) },
		Prepare: func(*ask.Request) error { return idsOrJSON(s, ids) },
		Answer: func(_ *ask.Visit, a *answer.Conflicts) error {
			if s.JSON {
				return s.WriteJSON(a)
			}
			if !ids {
				return show.Conflicts(s.Screen, a)
			}
			for i := range a.Conflicts {
				fmt.Fprintln(s.Stdout, term.OneLine(a.Conflicts[i].URI.ID))
			}
			return nil
		},
	})
}

func conflictsShowCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[answer.Conflict]{
		Operation: "get_conflict",
		Use:       "show ID|URI",
		Short:     "Show a conflict and its sides",
		Long: `Show the sides of a conflict in their own words, the trust of each, which one is suggested
to keep, and how it was settled. --keep of ` + "`lukasa conflicts resolve`" + ` takes these numbers.`,
		Example:  prepareConflict + `  lukasa conflicts show $(lukasa conflicts list --ids --limit 1)`,
		Args:     ask.OneName("ID or URI"),
		Argument: "id",
		Names:    []string{"id"},
		Kind:     lukasa.ConflictKind,
		Answer: func(_ *ask.Visit, a *answer.Conflict) error {
			if s.JSON {
				return s.WriteJSON(a)
			}
			return show.Conflict(s.Screen, a)
		},
	})
}

func conflictsResolveCommand(s *ask.Shell) *cobra.Command {
	return settleCommand(s, "resolve", "resolved", ask.Command[answer.Write]{
		Short: "Settle a conflict, and name the side that holds",
		Long: `Settle a conflict. --keep names what holds, by its URI or by the number that
` + "`lukasa conflicts show`" + ` gives it; packs then leave out the other sides. Without --keep all
sides stay. Nothing is forgotten: ` + "`lukasa forget`" + ` does that.

A conflict that was settled before can be settled again.`,
		Example: prepareConflict + `  lukasa conflicts resolve $(lukasa conflicts list --ids --limit 1) --keep 2 --reason "the style guide says so"`,
		Flags:   []ask.Flag{{Field: "keep", Help: "what holds, a `URI`, or the number that show gives it", Usage: true}},
	})
}

func conflictsDismissCommand(s *ask.Shell) *cobra.Command {
	return settleCommand(s, "dismiss", "dismissed", ask.Command[answer.Write]{
		Short:   "Say that there is no conflict",
		Long:    `Say that there is no contradiction: all sides hold, and packs may contain all of them.`,
		Example: prepareConflict + `  lukasa conflicts dismiss $(lukasa conflicts list --ids --limit 1) --reason "one is about code, the other about tables"`,
	})
}

// settleCommand makes a command that settles a conflict.
func settleCommand(s *ask.Shell, verb, done string, d ask.Command[answer.Write]) *cobra.Command {
	d.Operation, d.Use = verb+"_conflict", verb+" ID|URI"
	d.Args, d.Argument, d.Names, d.Kind = ask.OneName("ID or URI"), "id", []string{"id"}, lukasa.ConflictKind
	d.Flags = append(d.Flags, ask.Flag{
		Field: "reason", Help: "how it was settled, a `TEXT` for later readers; required",
		Missing: "say how it was settled, for later readers: --reason TEXT",
	})
	d.Print = func(s *term.Screen, a *answer.Write) { show.Wrote(s, done, a, false) }
	return ask.OperationCommand(s, d)
}
