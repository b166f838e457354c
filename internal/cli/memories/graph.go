package memories

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/diagram"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/find"
)

type graphFlags struct {
	ask.BoardFlags
	around string
	depth  int
	limit  int
	format string
	out    string
	tags   bool
}

// graphFormats are the forms that a graph is written in.
func graphFormats() []string { return []string{"dot", "svg", "json"} }

// GraphCommand returns the command `lukasa graph`.
func GraphCommand(s *ask.Shell) *cobra.Command {
	var flags graphFlags
	c := &cobra.Command{
		Use:   "graph",
		Short: "Draw things and how they are connected",
		Long: `Draw entities, memories, artifacts and policies and what connects them: edges,
relations, conflicts, what was derived from what, what supersedes what, and names
that several of them mention, tags not unless --tags. Without --around, the newest of them; with it,
what is within so many steps of a thing or an event, events too.

As DOT, for Graphviz and its kin; as SVG, drawn here, for a browser; or as JSON.
The same state gives the same picture. Names are shown and never obeyed.`,
		Example: `  lukasa graph
  lukasa graph --format svg --out graph.svg
  lukasa graph --around release/cadence --depth 3 --format json`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return graph(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.around, "around", "", "begin at this `KEY|URI`")
	f.IntVar(&flags.depth, "depth", 2, "go `N` steps from there")
	f.IntVar(&flags.limit, "limit", 60, "at most `N` nodes")
	f.StringVar(&flags.format, "format", "dot", "write it as this `FORMAT`: "+strings.Join(graphFormats(), ", ")+"; --json is json")
	f.StringVar(&flags.out, "out", "", "write it into this `FILE` instead of printing it")
	f.BoolVar(&flags.tags, "tags", false, "draw tags that several have as well")
	ask.SuggestValues(c, "format", graphFormats())
	return c
}

func graph(s *ask.Shell, c *cobra.Command, flags *graphFlags) error {
	format := flags.format
	if s.JSON {
		if c.Flags().Changed("format") && format != "json" {
			return fault.Newf(fault.Usage, "--json and --format %s exclude each other", format).WithFix("use one of them")
		}
		format = "json"
	}
	focus := -1
	if flags.around != "" {
		focus = 0 // it is the first
	}
	write := map[string]func(io.Writer, *lukasa.Graph) error{"dot": drawer(diagram.DOT, focus), "svg": drawer(diagram.SVG, focus), "json": graphJSON}[format]
	if write == nil {
		return ask.UnknownName(fault.Usage, "format", format, graphFormats())
	}
	if err := ask.InRange("depth", flags.depth, 1, 6); err != nil {
		return err
	}
	if err := ask.InRange("limit", flags.limit, 1, 1000); err != nil {
		return err
	}
	if c.Flags().Changed("depth") && flags.around == "" {
		return fault.New(fault.Usage, "--depth is about --around").WithFix("say around what, or leave --depth away")
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, q, err := surroundings(ctx, v, flags)
		if err != nil {
			return err
		}
		g, err := t.Graph(ctx, q)
		if err != nil {
			return err
		}
		if g.More {
			s.Note("%s drawn, and %s or more left out; --limit takes up to 1,000", term.Counted(len(g.Nodes), "node"), term.Thousands(g.Left))
		}
		if flags.out == "" {
			return write(s.Stdout, g)
		}
		if err := s.Files.Replace(flags.out, func(w io.Writer) error { return write(w, g) }); err != nil {
			return err
		}
		if !s.JSON {
			fmt.Fprintf(s.Stdout, "%s %s: %s, %s\n", s.Paint.Green("wrote"), term.OneLine(flags.out), term.Counted(len(g.Nodes), "node"), term.Counted(len(g.Edges), "edge"))
		}
		return nil
	})
}

// surroundings returns the tenant, and what is asked of it.
func surroundings(ctx context.Context, v *ask.Visit, flags *graphFlags) (*lukasa.Tenant, lukasa.GraphQuery, error) {
	q := lukasa.GraphQuery{Depth: flags.depth, Limit: flags.limit, Tags: flags.tags}
	if flags.around == "" {
		t, err := v.Reader(ctx)
		return t, q, err
	}
	t, ref, err := v.Target(ctx, flags.around, 0, false)
	if err != nil {
		return nil, q, err
	}
	q.Around = lukasa.URI{Tenant: t.Name(), Kind: ref.Kind, ID: ref.ID}
	if ref.ID == "" { // it was named by its key
		thing, err := t.Get(ctx, ref, lukasa.View{})
		if err != nil {
			return nil, q, err
		}
		q.Around = thing.URI.Head()
	}
	return t, q, nil
}

// drawer makes a way to write a graph out of one to draw it.
func drawer(draw func(io.Writer, *diagram.Graph) error, focus int) func(io.Writer, *lukasa.Graph) error {
	return func(w io.Writer, g *lukasa.Graph) error {
		picture := &diagram.Graph{Focus: focus}
		for _, n := range g.Nodes {
			picture.Nodes = append(picture.Nodes, diagram.Node{Kind: n.Kind, Type: n.Class, Label: n.Label, Title: n.ID})
		}
		for _, e := range g.Edges {
			picture.Edges = append(picture.Edges, diagram.Edge{From: e.From, To: e.To, Label: e.Rel, Quiet: g.Nodes[e.To].Kind == find.NameKind || e.Rel == "mentions"})
		}
		return draw(w, picture)
	}
}

func graphJSON(w io.Writer, g *lukasa.Graph) error { return term.EncodeLine(w, answer.GraphOf(g)) }
