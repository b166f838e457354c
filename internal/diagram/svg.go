package diagram

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// SVG writes a graph as a picture.
func SVG(w io.Writer, g *Graph) error {
	if err := g.check(); err != nil {
		return err
	}
	d := layout(g)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", d.w, d.h, d.w, d.h)
	fmt.Fprintf(b, "<title>%d nodes, %d edges</title>\n", len(g.Nodes), len(g.Edges))
	fmt.Fprint(b, `<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#6b7280"/></marker></defs>`+"\n")
	fmt.Fprint(b, `<style>text{font:12px sans-serif;fill:#111827}.k{font-size:10px;fill:#4b5563}.e{font-size:10px;fill:#4b5563;stroke:#fff;stroke-width:3;paint-order:stroke;text-anchor:middle}`+
		`path.l{fill:none;stroke:#9ca3af;stroke-width:1.2}path.q{stroke:#d1d5db;stroke-dasharray:3 3}rect.n{stroke:#6b7280}rect.f{stroke:#111827;stroke-width:2.5}</style>`+"\n")
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", d.w, d.h)
	curves := d.curves(g)
	labels, _ := d.labels(g, curves)
	for i, e := range g.Edges {
		class := "l"
		if e.Quiet {
			class = "l q"
		}
		fmt.Fprintf(b, `<path class="%s" d="%s" marker-end="url(#arrow)"><title>%s</title></path>`+"\n", class, curves[i].path(), xmlText(cut(plain(e.Label), maxRel)))
	}
	for i := range g.Nodes {
		node(b, g, d, i)
	}
	for i := range labels { // above everything else
		x, y := labels[i].anchor()
		fmt.Fprintf(b, `<text class="e" x="%d" y="%d">%s</text>`+"\n", x, y, xmlText(labels[i].text))
	}
	fmt.Fprint(b, "</svg>\n")
	return b.Flush()
}

// node draws a box.
func node(w io.Writer, g *Graph, d *drawing, i int) {
	n, b := &g.Nodes[i], &d.boxes[i]
	class := "n"
	if i == g.Focus {
		class = "n f"
	}
	fmt.Fprintf(w, `<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s"/>`,
		xmlText(cut(plain(n.Title), maxTitle)), class, b.x, b.y, b.w, b.h, fill(n.Kind))
	fmt.Fprintf(w, `<text class="k" x="%d" y="%d">%s</text>`, b.x+padding, b.y+lineHigh, xmlText(b.head))
	for j, line := range b.text {
		fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`, b.x+padding, b.y+lineHigh*(j+2), xmlText(line))
	}
	fmt.Fprint(w, "</g>\n")
}

// curve is the path of an edge: its ends and control points.
type curve struct{ x1, y1, c1, d1, c2, d2, x2, y2 int }

// path returns the curve as SVG.
func (c *curve) path() string {
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", c.x1, c.y1, c.c1, c.d1, c.c2, c.d2, c.x2, c.y2)
}

// at returns a point of the curve, at the given hundredths of its length.
func (c *curve) at(part int) (x, y int) {
	t, u := part, 100-part
	a, b, e, f := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return (a*c.x1 + b*c.c1 + e*c.c2 + f*c.x2) / 1_000_000, (a*c.y1 + b*c.d1 + e*c.d2 + f*c.y2) / 1_000_000
}

// curves returns the paths of all edges. Each further edge between the same two boxes is bent
// more.
func (d *drawing) curves(g *Graph) []curve {
	between := map[[2]int]int{} // number of edges between two nodes
	list := make([]curve, len(g.Edges))
	for i, e := range g.Edges {
		pair := [2]int{min(e.From, e.To), max(e.From, e.To)}
		list[i] = curveOf(&d.boxes[e.From], &d.boxes[e.To], 14*between[pair])
		between[pair]++
	}
	return list
}

// curveOf returns the path from one box to another, lifted by lift.
func curveOf(from, to *box, lift int) curve {
	x1, x2 := from.x+from.w, to.x
	y1, y2 := from.y+from.h/2, to.y+to.h/2
	bend := max((x2-x1)/2, 30)
	switch {
	case from == to:
		y1, y2, bend = from.y+from.h/3, from.y+2*from.h/3, 60+lift
		return curve{x1, y1, x1 + bend, y1, x1 + bend, y2, x1, y2}
	case to.x+to.w < from.x: // to the left
		x1, x2 = from.x, to.x+to.w
		bend = max((x1-x2)/2, 30)
		return curve{x1, y1, x1 - bend, y1 + lift, x2 + bend, y2 + lift, x2, y2}
	case x2 < x1: // one above the other: out and in again at the right
		x2 = to.x + to.w
		right := max(x1, x2) + 50 + lift
		return curve{x1, y1, right, y1, right, y2, x2, y2}
	}
	return curve{x1, y1, x1 + bend, y1 + lift, x2 - bend, y2 + lift, x2, y2}
}

// xmlText escapes a plain text for XML.
func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s)
}
