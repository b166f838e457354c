package diagram

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// DOT writes a graph in the language of Graphviz.
func DOT(w io.Writer, g *Graph) error {
	if err := g.check(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "digraph lukasa {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=9, color=\"#6b7280\"];\n")
	for i, n := range g.Nodes {
		text := lines(plain(n.Label))
		head := caption(&n)
		if head != "" {
			text = append([]string{head}, text...)
		}
		for j := range text {
			text[j] = dotText(text[j])
		}
		fmt.Fprintf(b, "  n%d [label=\"%s\", tooltip=\"%s\", fillcolor=\"%s\"", i, strings.Join(text, `\n`), dotText(cut(plain(n.Title), maxTitle)), fill(n.Kind))
		if i == g.Focus {
			fmt.Fprint(b, ", penwidth=2.5")
		}
		fmt.Fprint(b, "];\n")
	}
	for _, e := range g.Edges {
		name, style := "label", ""
		if e.Quiet {
			name, style = "tooltip", ", style=dashed"
		}
		fmt.Fprintf(b, "  n%d -> n%d [%s=\"%s\"%s];\n", e.From, e.To, name, dotText(cut(plain(e.Label), maxRel)), style)
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

// dotText quotes a plain text for DOT: a backslash is doubled, since it would begin an escape.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}

// caption is the line above a label: the kind and the type.
func caption(n *Node) string {
	head, typ := cut(plain(n.Kind), maxRel), cut(plain(n.Type), maxRel)
	if head == "" || typ == "" {
		return head + typ
	}
	return head + " · " + typ
}

// fill returns the colour of a kind.
func fill(kind string) string {
	switch kind {
	case "memory":
		return "#dbeafe"
	case "entity":
		return "#dcfce7"
	case "artifact":
		return "#fef3c7"
	case "policy":
		return "#fee2e2"
	case "event":
		return "#ede9fe"
	case "name":
		return "#f1f5f9"
	}
	return "#ffffff"
}
