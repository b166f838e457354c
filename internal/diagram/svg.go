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
		`path.l{fill:none;stroke:#9ca3af;stroke-width:1.2}rect.n{stroke:#6b7280}rect.f{stroke:#111827;stroke-width:2.5}</style>`+"\n")
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", d.w, d.h)
	between := map[[2]int]int{} // how many edges were drawn between two nodes
	labels := make([]string, 0, len(g.Edges))
	for _, e := range g.Edges {
		pair := [2]int{min(e.From, e.To), max(e.From, e.To)}
		path, x, y := curve(&d.boxes[e.From], &d.boxes[e.To], between[pair])
		between[pair]++
		fmt.Fprintf(b, `<path class="l" d="%s" marker-end="url(#arrow)"/>`+"\n", path)
		if text := cut(plain(e.Label), maxRel); text != "" {
			labels = append(labels, fmt.Sprintf(`<text class="e" x="%d" y="%d">%s</text>`+"\n", x, y, xmlText(text)))
		}
	}
	for i := range g.Nodes {
		node(b, g, d, i)
	}
	for _, label := range labels { // over everything else
		fmt.Fprint(b, label)
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

// curve returns the path from one box to another and where its label stands. The nth edge
// between the same two is bent further than the one before.
func curve(from, to *box, nth int) (path string, x, y int) {
	x1, x2 := from.x+from.w, to.x
	y1, y2 := from.y+from.h/2, to.y+to.h/2
	bend := max((x2-x1)/2, 30)
	lift := 14 * nth
	switch {
	case from == to:
		x1, x2, bend = from.x+from.w, from.x+from.w, 60+lift
		y1, y2 = from.y+from.h/3, from.y+2*from.h/3
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2+bend, y2, x2, y2), x1 + 3*bend/4, (y1 + y2) / 2
	case to.x+to.w < from.x: // to the left
		x1, x2 = from.x, to.x+to.w
		bend = max((x1-x2)/2, 30)
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1-bend, y1+lift, x2+bend, y2+lift, x2, y2), (x1 + x2) / 2, (y1+y2)/2 + 3*lift/4
	case x2 < x1: // one above the other: out and in again at the right
		x2 = to.x + to.w
		bend = 50 + lift
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, max(x1, x2)+bend, y1, max(x1, x2)+bend, y2, x2, y2), max(x1, x2) + 3*bend/4, (y1 + y2) / 2
	}
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1+lift, x2-bend, y2+lift, x2, y2), (x1 + x2) / 2, (y1+y2)/2 + 3*lift/4
}

// xmlText writes a text that is plain as XML has it.
func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s)
}
