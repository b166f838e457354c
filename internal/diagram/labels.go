package diagram

import "unicode"

// Font sizes, in pixels.
const (
	textSize  = 12
	smallSize = 10
)

// area is a rectangle of a drawing.
type area struct{ x, y, w, h int }

// meets reports whether two areas overlap.
func (a area) meets(b area) bool {
	return a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h
}

// edgeLabel is a label beside an edge, with its area.
type edgeLabel struct {
	text string
	area area
}

// anchor returns the anchor of the text of a label: the middle of its line.
func (l *edgeLabel) anchor() (x, y int) { return l.area.x + l.area.w/2, l.area.y + smallSize }

// along are the positions of a label on an edge, in hundredths of its length, and shifts the
// distances above or below, the better ones first.
func along() []int  { return []int{50, 40, 60, 30, 70, 22, 78} }
func shifts() []int { return []int{0, -9, 9, -18, 18, -27, 27} }

// labels places the labels of edges: where they cover neither a box nor another label, and are
// within the drawing. A label without such a place is left out; it is then the title of its
// edge.
func (d *drawing) labels(g *Graph, curves []curve) (list []edgeLabel, left int) {
	var taken []area
	for i := range d.boxes {
		b := &d.boxes[i]
		taken = append(taken, area{b.x, b.y, b.w, b.h})
	}
	free := func(a area) bool {
		if a.x < 0 || a.y < 0 || a.x+a.w > d.w || a.y+a.h > d.h {
			return false
		}
		for _, t := range taken {
			if a.meets(t) {
				return false
			}
		}
		return true
	}
	for i, e := range g.Edges {
		text := cut(plain(e.Label), maxRel)
		if text == "" || e.Quiet {
			continue
		}
		a, ok := curves[i].room(textWidth(text, smallSize)+4, free)
		if !ok {
			left++
			continue
		}
		taken = append(taken, a)
		list = append(list, edgeLabel{text, a})
	}
	return list, left
}

// room returns the first free place at an edge for a label of a width.
func (c *curve) room(wide int, free func(area) bool) (area, bool) {
	const high = smallSize + 3
	for _, shift := range shifts() {
		for _, at := range along() {
			x, y := c.at(at)
			if a := (area{x - wide/2, y - high/2 + shift, wide, high}); free(a) {
				return a, true
			}
		}
	}
	return area{}, false
}

// textWidth returns the width of a text at a size, in pixels, for the wider of the common
// sans-serif fonts.
func textWidth(s string, size int) int {
	n := 0
	for _, r := range s {
		n += letterWidth(r)
	}
	return (n*size + 99) / 100
}

// letterWidth returns the width of a letter, in hundredths of its size.
func letterWidth(r rune) int {
	switch {
	case r < 0x80 && isIn(r, "iljI.,:;'|!`"):
		return 36
	case r < 0x80 && isIn(r, "ftr()[]{}/\\- \""):
		return 46
	case r < 0x80 && isIn(r, "mwMW@%"):
		return 100
	case r >= 'A' && r <= 'Z', r == '_' || r == '+' || r == '<' || r == '>' || r == '=' || r == '~' || r == '#' || r == '&':
		return 84
	case r < 0x250:
		return 66
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	return 105
}

// isIn reports whether a letter is one of some.
func isIn(r rune, some string) bool {
	for _, x := range some {
		if r == x {
			return true
		}
	}
	return false
}
