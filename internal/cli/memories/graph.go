package memories

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// GraphCommand returns the command `lukasa graph`.
func GraphCommand(s *ask.Shell) *cobra.Command {
	var format, out string
	around := false
	return ask.OperationCommand(s, ask.Command[answer.Graph]{
		Operation: "graph",
		Use:       "graph",
		Short:     "Draw records and their connections",
		Long: `Draw entities, memories, artifacts and policies and what connects them: edges,
relations, conflicts, what was derived from what, what supersedes what, and names
that several of them mention; with --tags also shared tags. Without --around it draws
the newest of them; with it, what is within --depth steps of a record or an event,
events too.

The formats are DOT, for Graphviz; SVG, for a browser; and JSON. The same state gives
the same picture. Names are escaped, so that they cannot change the drawing.`,
		Example: `  lukasa graph
  lukasa graph --format svg --out graph.svg
  lukasa graph --around release/cadence --depth 3 --format json`,
		Names: []string{"around"},
		Flags: []ask.Flag{
			{Field: "around", Help: "begin at this `KEY|URI`"},
			{Field: "depth", Help: "go `N` steps from there"},
			{Field: "limit", Help: "at most `N` nodes"},
			{Field: "tags", Help: "draw tags that several have as well"},
		},
		Own: func(c *cobra.Command) {
			c.Flags().StringVar(&format, "format", "dot", "write it as this `FORMAT`: "+strings.Join(show.GraphFormats(), ", ")+"; --json is json")
			c.Flags().StringVar(&out, "out", "", "write it into this `FILE` instead of printing it")
			ask.SuggestValues(c, "format", show.GraphFormats())
		},
		Prepare: func(r *ask.Request) error {
			flags := r.Cmd.Flags()
			around = r.Fields["around"] != nil
			switch {
			case s.JSON && flags.Changed("format") && format != "json":
				return fault.Newf(fault.Usage, "--json and --format %s exclude each other", format).WithFix("use one of them")
			case s.JSON:
				format = "json"
			case show.Drawing(format, around) == nil:
				return ask.UnknownName(fault.Usage, "format", format, show.GraphFormats())
			}
			if flags.Changed("depth") && !around {
				return fault.New(fault.Usage, "--depth needs --around").WithFix("add --around, or leave --depth out")
			}
			return nil
		},
		Answer: func(v *ask.Visit, g *answer.Graph) error {
			s, draw := v.Shell, show.Drawing(format, around)
			if g.More {
				s.Note("%s drawn, and %s or more left out; --limit takes up to 1,000", term.Counted(len(g.Nodes), "node"), term.Thousands(g.Left))
			}
			if out == "" {
				return draw(s.Stdout, g)
			}
			if err := s.Files.Replace(out, func(w io.Writer) error { return draw(w, g) }); err != nil {
				return err
			}
			if !s.JSON {
				fmt.Fprintf(s.Stdout, "%s %s: %s, %s\n", s.Paint.Green("wrote"), term.OneLine(out), term.Counted(len(g.Nodes), "node"), term.Counted(len(g.Edges), "edge"))
			}
			return nil
		},
	})
}
