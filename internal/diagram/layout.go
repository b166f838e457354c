package diagram

import (
	"cmp"
	"slices"
)

// Sizes of a drawing, in pixels.
const (
	margin   = 24
	between  = 130 // columns
	above    = 16  // the next box of a column
	apart    = 40  // components
	lineHigh = 15
	padding  = 10
)

// box is a placed node.
type box struct {
	x, y, w, h int
	column     int
	text       []string
	head       string
}

// drawing is a graph with placed nodes.
type drawing struct {
	boxes []box
	w, h  int
}

// layout places every node: components below each other, the largest first, and isolated nodes
// in rows at the end.
func layout(g *Graph) *drawing {
	d := &drawing{boxes: make([]box, len(g.Nodes))}
	for i := range g.Nodes {
		b := &d.boxes[i]
		b.head, b.text = caption(&g.Nodes[i]), lines(plain(g.Nodes[i].Label))
		b.w = textWidth(b.head, smallSize)
		for _, line := range b.text {
			b.w = max(b.w, textWidth(line, textSize))
		}
		b.w += 2 * padding
		b.h = lineHigh*(1+len(b.text)) + padding
	}
	near := neighbours(g)
	y := margin
	var alone []int
	for _, part := range components(g, near) {
		if len(part) == 1 {
			alone = append(alone, part[0])
			continue
		}
		columns := layers(g, near, part)
		order(columns, near)
		y = d.place(columns, y) + apart
	}
	y = d.rows(alone, y)
	d.w, d.h = max(d.w+margin, 320), y+margin
	return d
}

// neighbours returns the distinct neighbours of each node, sorted.
func neighbours(g *Graph) [][]int {
	near := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		if e.From != e.To {
			near[e.From], near[e.To] = append(near[e.From], e.To), append(near[e.To], e.From)
		}
	}
	for i := range near {
		slices.Sort(near[i])
		near[i] = slices.Compact(near[i])
	}
	return near
}

// components returns the connected components: that with the focus first, then the larger ones.
func components(g *Graph, near [][]int) [][]int {
	var all [][]int
	met := make([]bool, len(near))
	for i := range near {
		if met[i] {
			continue
		}
		met[i] = true
		part := []int{i}
		for at := 0; at < len(part); at++ {
			for _, n := range near[part[at]] {
				if !met[n] {
					met[n] = true
					part = append(part, n)
				}
			}
		}
		slices.Sort(part)
		all = append(all, part)
	}
	slices.SortStableFunc(all, func(a, b []int) int {
		if x, y := slices.Contains(a, g.Focus), slices.Contains(b, g.Focus); x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Compare(len(b), len(a))
	})
	return all
}

// layers puts the nodes of a component into columns by their distance from its centre: the
// focus, or the node with most neighbours. A column that would be too high continues in the
// next.
func layers(g *Graph, near [][]int, part []int) [][]int {
	middle := part[0]
	for _, n := range part {
		if len(near[n]) > len(near[middle]) {
			middle = n
		}
	}
	if slices.Contains(part, g.Focus) {
		middle = g.Focus
	}
	highest := 6
	for highest*highest < 3*len(part) {
		highest++
	}
	met := map[int]bool{middle: true}
	var columns [][]int
	for layer := []int{middle}; len(layer) > 0; {
		columns = slices.AppendSeq(columns, slices.Chunk(layer, highest))
		var next []int
		for _, n := range layer {
			for _, m := range near[n] {
				if !met[m] {
					met[m] = true
					next = append(next, m)
				}
			}
		}
		layer = next
	}
	return columns
}

// sweeps is how often columns are reordered.
const sweeps = 4

// order orders each column so that nodes are next to their neighbours: by the mean place of
// their neighbours in the column before, then in the one after.
func order(columns [][]int, near [][]int) {
	place, column := map[int]int{}, map[int]int{}
	for c, nodes := range columns {
		for i, n := range nodes {
			place[n], column[n] = i, c
		}
	}
	sweep := func(c, other int) {
		want := map[int]int{}
		for _, n := range columns[c] {
			sum, count := 0, 0
			for _, m := range near[n] {
				if column[m] == other {
					sum, count = sum+place[m], count+1
				}
			}
			want[n] = 1000 * place[n]
			if count > 0 {
				want[n] = 1000 * sum / count
			}
		}
		slices.SortStableFunc(columns[c], func(a, b int) int { return cmp.Compare(want[a], want[b]) })
		for i, n := range columns[c] {
			place[n] = i
		}
	}
	for range sweeps {
		for c := 1; c < len(columns); c++ {
			sweep(c, c-1)
		}
		for c := len(columns) - 2; c >= 0; c-- {
			sweep(c, c+1)
		}
	}
}

// place places the nodes of columns below y, and returns where they end.
func (d *drawing) place(columns [][]int, y int) int {
	high := make([]int, len(columns))
	for c, nodes := range columns {
		for _, n := range nodes {
			high[c] += d.boxes[n].h + above
		}
		high[c] -= above
	}
	tallest := slices.Max(high)
	x := margin
	for c, nodes := range columns {
		widest, at := 0, y+(tallest-high[c])/2
		for _, n := range nodes {
			b := &d.boxes[n]
			b.x, b.y, b.column = x, at, c
			at += b.h + above
			widest = max(widest, b.w)
		}
		for _, n := range nodes { // centred in the column
			d.boxes[n].x += (widest - d.boxes[n].w) / 2
		}
		x += widest
		d.w = max(d.w, x)
		x += between
	}
	return y + tallest
}

// rows places nodes beside each other, as wide as the drawing or a page.
func (d *drawing) rows(nodes []int, y int) int {
	const page = 1100
	if len(nodes) == 0 {
		return y
	}
	x, high, right := margin, 0, max(d.w, page)
	for _, n := range nodes {
		b := &d.boxes[n]
		if x > margin && x+b.w > right {
			x, y, high = margin, y+high+above, 0
		}
		b.x, b.y = x, y
		x += b.w + above
		d.w = max(d.w, x-above)
		high = max(high, b.h)
	}
	return y + high
}
