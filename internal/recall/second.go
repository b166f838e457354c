package recall

import (
	"context"

	"lukasa.dev/internal/index/vector"
)

// If the question uses an external model, the built-in model is used as well. Some documents
// have no vector by the external model: new ones, and those that it could not read. These are
// compared by the built-in model, and so are windows that contain one. Cosines of two models
// are not comparable, so what counts is the share of the best by the same model, expressed on
// the scale of the external one.

// nearestOthers finds candidates by the built-in model if the question uses another.
func (e *question) nearestOthers(ctx context.Context) ([]vector.Match, error) {
	if e.second == nil {
		return nil, nil
	}
	return e.vectors.Search(ctx, vector.Query{Vector: e.second, K: e.depth(byMeaning), Gate: shortGate, Filter: e.filter})
}

// addOthers adds candidates by the built-in model to those by the other one. Both lists begin
// with the best.
func (e *question) addOthers(nearest, others []vector.Match) {
	if len(others) == 0 || others[0].Score <= 0 {
		return
	}
	best := 1.0
	if len(nearest) > 0 && nearest[0].Score > 0 {
		best = nearest[0].Score
	}
	for _, m := range others {
		if c := e.at(m.Position); c.near == 0 {
			c.other = max(best*(m.Score/others[0].Score), 0)
		}
	}
}

// weighOthers computes the nearness of candidates by the built-in model if the question's model
// has no vector of them. rows are those by the question's model.
func (e *question) weighOthers(ctx context.Context, all []features, rows []vector.Near, positions []uint64) error {
	if e.second == nil {
		return nil
	}
	others, err := e.vectors.Near(ctx, vector.Query{Vector: e.second}, positions)
	if err != nil {
		return err
	}
	near := make([]float64, len(all))
	lacks, lacksInside := make([]bool, len(all)), make([]bool, len(all))
	room := make([]member, 0, 2*reach+1)
	for i := range all {
		near[i] = max(float64(others[i].Cosine*gate(others[i].Pieces, shortGate)), 0)
		lacks[i] = rows[i].Values == nil
		for _, m := range e.window(room[:0], i) {
			lacksInside[i] = lacksInside[i] || rows[m.place].Values == nil
		}
	}
	replace(all, 1, near, lacks)
	replace(all, 2, e.contexts(others, len(e.second)), lacksInside)
	return nil
}

// replace gives a part of some features the values of another scale.
func replace(all []features, part int, values []float64, which []bool) {
	best, most := 0.0, 0.0
	for i := range all {
		most = max(most, values[i])
		if !which[i] {
			best = max(best, all[i][part])
		}
	}
	if best == 0 {
		best = 1
	}
	for i := range all {
		if which[i] {
			all[i][part] = float64(best * share(values[i], most))
		}
	}
}
