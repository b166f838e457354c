package show

import (
	"io"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/diagram"
	"lukasa.dev/internal/find"
)

// GraphFormats are the forms that a graph is written in.
func GraphFormats() []string { return []string{"dot", "svg", "json"} }

// Drawing returns what writes a graph in a format, or nil if there is no such format. Around says that
// the first node is the one that the graph is about.
func Drawing(format string, around bool) func(io.Writer, *answer.Graph) error {
	focus := -1
	if around {
		focus = 0
	}
	switch format {
	case "dot":
		return func(w io.Writer, g *answer.Graph) error { return diagram.DOT(w, picture(g, focus)) }
	case "svg":
		return func(w io.Writer, g *answer.Graph) error { return diagram.SVG(w, picture(g, focus)) }
	case "json":
		return func(w io.Writer, g *answer.Graph) error { return term.EncodeLine(w, g) }
	}
	return nil
}

// picture returns a graph as it is drawn.
func picture(g *answer.Graph, focus int) *diagram.Graph {
	p, at := &diagram.Graph{Focus: focus}, map[string]int{}
	for i, n := range g.Nodes {
		at[n.ID] = i
		p.Nodes = append(p.Nodes, diagram.Node{Kind: n.Kind, Type: n.Type, Label: n.Label, Title: n.ID})
	}
	for _, e := range g.Edges {
		to := at[e.To]
		p.Edges = append(p.Edges, diagram.Edge{From: at[e.From], To: to, Label: e.Rel, Quiet: g.Nodes[to].Kind == find.NameKind || e.Rel == "mentions"})
	}
	return p
}
