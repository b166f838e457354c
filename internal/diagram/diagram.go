// Package diagram draws a graph: as DOT, for Graphviz and its kin, and as SVG, with a
// layout of its own.
//
// It guarantees that the same graph gives the same bytes on every machine (coordinates
// are whole numbers); that whatever stands in a name, the SVG is well-formed XML
// without scripts, links and references to anything outside, and the DOT is one graph
// with one statement a line; that names are shown and never obeyed, cut where they are
// long; and that the work grows with nodes and edges no faster than their product.
//
// No box and no label of an edge covers another. A label for which there is no room is
// left out; the edge tells it to whoever points at it.
//
// It does not find the best layout: nodes stand in columns by how far they are from the
// one in the middle, and crossings are made fewer by a few sweeps.
package diagram

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Graph is what is drawn.
type Graph struct {
	Nodes []Node
	Edges []Edge
	// Focus is the node in the middle, or -1.
	Focus int
}

// Node is drawn as a box.
type Node struct {
	Kind  string // chooses the colour
	Type  string // stands beside it
	Label string
	// Title is shown when somebody points at it.
	Title string
}

// Edge leads from one node to another, by their numbers.
type Edge struct {
	From, To int
	Label    string
	// Quiet says that the edge is drawn faintly, and its label is not written beside it.
	Quiet bool
}

// check refuses edges that lead nowhere.
func (g *Graph) check() error {
	for _, e := range g.Edges {
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) {
			return fmt.Errorf("an edge leads from node %d to node %d, and there are %d", e.From, e.To, len(g.Nodes))
		}
	}
	return nil
}

// Limits of what is shown of a text, in characters.
const (
	maxLine  = 28
	maxLines = 3
	maxTitle = 400
	maxRel   = 24
)

// plain returns a text on one line that nothing obeys: what commands a terminal, turns
// the direction of text or is no character is written as \u{XXXX}.
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

// odd reports whether r is not to be shown as it is. Besides what is hidden these are the
// code points that XML does not allow.
func odd(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 || r&0xFFFE == 0xFFFE
}

// cut returns the beginning of a text that is plain.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-1]), " ") + "…"
}

// lines breaks a text that is plain into a few lines, between words where that can be.
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

// breakAt returns where a text that is longer than a line is broken: before a space, else
// behind a mark within a name, else where the line ends.
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
