package recall

import (
	"context"

	"lukasa.dev/internal/index/lexical"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/text"
)

// If not all documents are visible, statistics over all documents must not be used, since they
// would reveal the hidden ones. What is needed is counted again over the visible documents.

// narrowed reports whether some documents are not visible.
func (e *question) narrowed() bool { return e.request.Visible != nil }

// weighted returns terms with their weights. If not all documents are visible, it multiplies
// them by the rarity of the terms among the visible ones.
func (e *question) weighted(ctx context.Context, terms []text.QueryTerm) ([]lexical.WeightedTerm, error) {
	list := make([]lexical.WeightedTerm, len(terms))
	for i, t := range terms {
		list[i] = lexical.WeightedTerm{Term: t.Term, Weight: t.Weight}
	}
	if !e.narrowed() || len(list) == 0 {
		return list, nil
	}
	names := make([]text.Term, len(terms))
	for i, t := range terms {
		names[i] = t.Term
	}
	visible := e.request.Visible
	having, err := e.words.Among(ctx, names, visible.Mask)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Weight = float64(list[i].Weight * lexical.IDF(visible.Documents, min(having[i], visible.Documents)))
	}
	return list, nil
}

// stats returns the number of documents that the caller can see, and the number of their words.
func (e *question) stats() (documents, length uint64) {
	if e.narrowed() {
		return e.request.Visible.Documents, e.request.Visible.Words
	}
	return e.words.Stats()
}

// average returns the average length of documents.
func (e *question) average() float64 {
	documents, length := e.stats()
	if documents == 0 || length == 0 {
		return 1
	}
	return float64(length) / float64(documents)
}

// params returns the BM25 parameters.
func (e *question) params() *lexical.Params {
	p := lexical.Params{K1: k1, B: b}
	if e.narrowed() {
		p = p.Averaging(e.average())
	}
	return &p
}

// allBesideVisible is allBeside if not all documents are visible.
func (e *question) allBesideVisible(ctx context.Context, order []int) (err error) {
	w, err := timeline.NewWalker(e.state.Reader, e.state.Tenant)
	if err != nil {
		return err
	}
	defer func() {
		if closed := w.Close(); err == nil {
			err = closed
		}
	}()
	for _, i := range order {
		c := e.list[i]
		if !c.inSession() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.besideVisible(w, &c); err != nil {
			return err
		}
	}
	return nil
}

// besideVisible adds the neighbours of a candidate if not all documents are visible: the next
// visible documents before and after it whose sequence numbers differ by at most reach. So
// hidden documents do not separate visible ones.
func (e *question) besideVisible(w *timeline.Walker, c *candidate) error {
	for far := farReach; ; far *= 4 {
		list, earlier, err := w.Around(nil, c.row.Session, placeOf(c), far, far)
		if err != nil {
			return err
		}
		h := hood{of: c.position}
		var allBefore, allBehind bool
		h.before, allBefore, err = e.onSide(c, earlier, far, func(i int) uint64 { return list[earlier-1-i] })
		if err != nil {
			return err
		}
		h.behind, allBehind, err = e.onSide(c, len(list)-earlier, far, func(i int) uint64 { return list[earlier+i] })
		if err != nil {
			return err
		}
		if allBefore && allBehind {
			e.hoods = append(e.hoods, h)
			return nil
		}
	}
}

// onSide finds the neighbours on one side among the n documents that were read there, and
// reports whether there are no more. A side with fewer than most documents has ended.
func (e *question) onSide(c *candidate, n, most int, at func(i int) uint64) (list []uint64, all bool, err error) {
	for i := range n {
		position := at(i)
		row, ok, err := e.roster.Row(position)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			continue
		}
		// Unsigned: the difference may overflow an int64.
		if apart := uint64(max(row.Sequence, c.row.Sequence)) - uint64(min(row.Sequence, c.row.Sequence)); apart > reach {
			return list, true, nil
		}
		if list, err = e.beside1(list, position); err != nil {
			return nil, false, err
		}
		if len(list) == reach {
			return list, true, nil
		}
	}
	return list, n < most, nil
}
