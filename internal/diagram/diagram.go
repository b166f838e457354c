// Package diagram draws a graph: as DOT, for Graphviz and similar tools, and as SVG, with a
// layout of its own.
//
// It guarantees that the same graph gives the same bytes on every machine (coordinates are
// integers); that for any name the SVG is well-formed XML without scripts, links and external
// references, and the DOT is one graph with one statement a line; that names are escaped, and
// cut if they are long; and that the work is at most proportional to the product of nodes and
// edges.
//
// No box and no edge label covers another. A label without room is left out; it is then the
// tooltip of the edge.
//
// It does not find the best layout: nodes are in columns by their distance from the centre, and
// a few sweeps reduce crossings.
package diagram

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Graph is the graph to draw.
type Graph struct {
	Nodes []Node
	Edges []Edge
	// Focus is the central node, or -1.
	Focus int
}

// Node is drawn as a box.
type Node struct {
	Kind  string // determines the colour
	Type  string // shown beside it
	Label string
	// Title is its tooltip.
	Title string
}

// Edge leads from one node to another, by index.
type Edge struct {
	From, To int
	Label    string
	// Quiet says that the edge is drawn faintly, without a label.
	Quiet bool
}

// check refuses edges without valid ends.
func (g *Graph) check() error {
	for _, e := range g.Edges {
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) {
			return fmt.Errorf("an edge leads from node %d to node %d, and there are %d", e.From, e.To, len(g.Nodes))
		}
	}
	return nil
}

// Maximum lengths of texts, in characters.
const (
	maxLine  = 28
	maxLines = 3
	maxTitle = 400
	maxRel   = 24
)

// plain returns a text on one line without active characters: terminal commands, direction
// marks and invalid characters are written as \u{XXXX}.
func plain(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if odd(r) {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// odd reports whether r must be escaped: hidden characters, and those that XML does not allow.
func odd(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 || r&0xFFFE == 0xFFFE
}

// cut returns the beginning of a plain text.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-1]), " ") + "…"
}

// lines breaks a plain text into a few lines, between words if possible.
func lines(s string) []string {
	var list []string
	rest := []rune(s)
	for len(rest) > 0 && len(list) < maxLines {
		if len(rest) <= maxLine {
			return append(list, string(rest))
		}
		if len(list) == maxLines-1 {
			return append(list, cut(string(rest), maxLine))
		}
		at := breakAt(rest)
		list = append(list, strings.TrimRight(string(rest[:at]), " "))
		rest = []rune(strings.TrimLeft(string(rest[at:]), " "))
	}
	if len(list) == 0 {
		list = []string{""}
	}
	return list
}

// breakAt returns where a text that is longer than a line is broken: before a space, else after
// a mark within a name, else at the end of the line.
func breakAt(rest []rune) int {
	for at := maxLine; at > maxLine/2; at-- {
		if rest[at] == ' ' {
			return at
		}
	}
	for at := maxLine; at > maxLine/2; at-- {
		if strings.ContainsRune("_-/.,:", rest[at-1]) {
			return at
		}
	}
	return maxLine
}
