package recall

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/record"
)

// neighbours adds the neighbours of the best candidates.
func (e *question) neighbours(ctx context.Context) error {
	var mostWords, mostNear float64
	for i := range e.list {
		mostWords, mostNear = max(mostWords, e.list[i].words), max(mostNear, e.list[i].near, e.list[i].other)
	}
	best := make([]float64, len(e.list))
	order := make([]int, len(e.list))
	for i := range order {
		c := &e.list[i]
		order[i], best[i] = i, share(c.words, mostWords)+share(max(c.near, c.other), mostNear)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(e.list[a].position, e.list[b].position))
	})
	e.foresee(order)
	if !e.strict() && e.request.Sources == allSources {
		if err := e.allBeside(ctx, order[:min(len(order), hoods)]); err != nil {
			return err
		}
	}
	if err := e.rows(); err != nil {
		return err
	}
	e.sort()
	e.connect()
	return nil
}

// sort sorts the candidates by position.
func (e *question) sort() {
	order := make([]int, len(e.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(e.list[a].position, e.list[b].position) })
	list := make([]candidate, len(order)) // candidates are large; this avoids moving them repeatedly
	for i, from := range order {
		list[i] = e.list[from]
		e.place[list[i].position] = i
	}
	e.list = list
}

// foresee calls the request's Likely with the likely hits, in order.
func (e *question) foresee(order []int) {
	if e.request.Likely == nil {
		return
	}
	n, _ := e.fill(len(order), func(i int) int { return e.takes(e.list[order[i]].row.Pieces) })
	positions := make([]uint64, n)
	for i := range positions {
		positions[i] = e.list[order[i]].position
	}
	e.request.Likely(positions)
}

// allBeside adds the neighbours of candidates and links them. Goroutines look the neighbours
// up; they are added in the order of the candidates.
func (e *question) allBeside(ctx context.Context, order []int) error {
	if e.narrowed() {
		return e.allBesideVisible(ctx, order)
	}
	around := make([]neighbourhood, len(order))
	err := index.Share(len(order), index.Workers(len(order), partReads), func(_, from, to int) error {
		return e.around(ctx, around[from:to], order[from:to], reach)
	})
	if err != nil {
		return err
	}
	for i := range around {
		if !e.list[order[i]].inSession() {
			continue
		}
		h, more, err := e.standing(&around[i], e.list[order[i]].position)
		if err == nil && more {
			// Some neighbours may be filtered out; look farther for others.
			if err = e.around(ctx, around[i:i+1], order[i:i+1], farReach); err == nil {
				h, _, err = e.standing(&around[i], e.list[order[i]].position)
			}
		}
		if err != nil {
			return err
		}
		e.hoods = append(e.hoods, h)
	}
	return nil
}

// neighbourhood is the documents around a document, in order, and how many of them come before
// it.
type neighbourhood struct {
	positions []uint64
	earlier   int
}

func (c *candidate) inSession() bool {
	return c.row.Session != (index.Digest{}) && c.row.Kind == record.Event
}

// around looks up the neighbours of candidates that are in a session.
func (e *question) around(ctx context.Context, to []neighbourhood, order []int, far int) (err error) {
	w, err := timeline.NewWalker(e.state.Reader, e.state.Tenant)
	if err != nil {
		return err
	}
	defer func() {
		if closed := w.Close(); err == nil {
			err = closed
		}
	}()
	room := make([]uint64, 0, len(order)*2*far)
	for i := range order {
		c := &e.list[order[i]]
		if !c.inSession() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		list, earlier, err := w.Around(room[len(room):], c.row.Session, placeOf(c), far, far)
		if err != nil {
			return err
		}
		if cap(room)-len(room) >= len(list) {
			room = room[:len(room)+len(list)]
		}
		to[i] = neighbourhood{list[:len(list):len(list)], earlier}
	}
	return nil
}

// standing returns the neighbours of a candidate that pass the filters. It reports whether
// there may be more farther away.
func (e *question) standing(n *neighbourhood, position uint64) (h hood, more bool, err error) {
	h.of = position
	for i := n.earlier - 1; i >= 0 && len(h.before) < reach; i-- {
		if h.before, err = e.beside1(h.before, n.positions[i]); err != nil {
			return h, false, err
		}
	}
	for i := n.earlier; i < len(n.positions) && len(h.behind) < reach; i++ {
		if h.behind, err = e.beside1(h.behind, n.positions[i]); err != nil {
			return h, false, err
		}
	}
	later := len(n.positions) - n.earlier
	more = n.earlier >= reach && len(h.before) < reach || later >= reach && len(h.behind) < reach
	return h, more, nil
}

// beside1 appends a neighbour if it passes the filters.
func (e *question) beside1(list []uint64, position uint64) ([]uint64, error) {
	if _, known := e.place[position]; !known {
		if ok, err := e.finds(position); err != nil || !ok {
			return list, err
		}
		e.at(position)
	}
	return append(list, position), nil
}

// hood is the neighbours of a candidate, the nearest first.
type hood struct {
	of             uint64
	before, behind []uint64
}

// connect links candidates to their neighbours: those that were looked up, and candidates of
// the same session with sequence numbers within reach.
func (e *question) connect() {
	order := make([]int, 0, len(e.list))
	for i := range e.list {
		if c := &e.list[i]; c.row.Kind == record.Event && c.row.Session != (index.Digest{}) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &e.list[a].row, &e.list[b].row
		return cmp.Or(bytes.Compare(x.Session[:], y.Session[:]), cmp.Compare(x.Sequence, y.Sequence), cmp.Compare(a, b))
	})
	for i, a := range order {
		x := &e.list[a]
		for _, b := range order[i+1:] {
			y := &e.list[b]
			apart := y.row.Sequence - x.row.Sequence
			if y.row.Session != x.row.Session || apart > reach || apart < 0 {
				break
			}
			if apart > 0 && x.behind[apart-1] < 0 && y.before[apart-1] < 0 {
				x.behind[apart-1], y.before[apart-1] = b, a
			}
		}
	}
	for _, h := range e.hoods {
		c := &e.list[e.place[h.of]]
		for k := range reach {
			c.before[k], c.behind[k] = -1, -1
			if k < len(h.before) {
				c.before[k] = e.place[h.before[k]]
			}
			if k < len(h.behind) {
				c.behind[k] = e.place[h.behind[k]]
			}
		}
	}
}

func placeOf(c *candidate) timeline.Place {
	return timeline.Place{Sequence: c.row.Sequence, Timestamp: c.row.Time, Position: c.position}
}
