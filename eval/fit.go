package eval

import (
	"context"
	"math"
	"slices"
	"sort"
)

// Weight is the weight of a part of the scores.
type Weight struct {
	Part string `json:"part"`
	// Shipped is the engine's weight. For one that depends on the question it is the mean over
	// those whose hits have the part.
	Shipped float64 `json:"shipped"`
	// Fitted is fitted on all questions. The ranking does not depend on the scale: the absolute
	// values of all weights add up to the sum of the shipped ones.
	Fitted float64 `json:"fitted"`
	// Without are the weights fitted without each tenant, in their order and on the same scale.
	Without []float64 `json:"without"`
}

// Parameters of the fit.
const (
	// fitTemperature is how many events of average length may precede a piece of evidence
	// before that is costly.
	fitTemperature = 5
	// fitPenalty keeps uninformative weights small.
	fitPenalty = 1e-3
	// fitSteps is the maximum number of steps of the descent.
	fitSteps = 60
)

// candidates are the parts of the scores of a question's hits: a row for each hit.
type candidates struct {
	values   []float64 // rows of width values each
	width    int
	evidence []bool
	length   []float64 // of the event, relative to the average of the hits
	share    float64   // of one piece of evidence among all, found or not
}

// row returns the parts of one hit.
func (c *candidates) row(i int) []float64 { return c.values[i*c.width : (i+1)*c.width] }

// partNames returns the parts of the hits, in order of first occurrence.
func partNames(questions []*asked) (names []string) {
	for _, q := range questions {
		for i := range q.hits {
			for _, p := range q.hits[i].parts {
				if !slices.Contains(names, p.Name) {
					names = append(names, p.Name)
				}
			}
		}
	}
	return names
}

// gather makes the rows of a question. A missing part is 0.
func (q *asked) gather(names []string) {
	c := candidates{values: make([]float64, len(q.hits)*len(names)), width: len(names), share: 1 / float64(len(q.Evidence))}
	total := 0
	for i := range q.hits {
		for _, p := range q.hits[i].parts {
			c.row(i)[slices.Index(names, p.Name)] = p.Value
		}
		n := q.event(q.hits[i].id).Tokens
		total += n
		c.evidence = append(c.evidence, slices.Contains(q.Evidence, q.hits[i].id))
		c.length = append(c.length, float64(n))
	}
	for i := range c.length {
		c.length[i] *= float64(len(q.hits)) / float64(max(1, total))
	}
	q.candidates = c
}

// fitAll fits weights without each tenant, ranks that tenant's candidates by them, and returns
// the weights.
func fitAll(ctx context.Context, questions []*asked, tenants int, o *Options) ([]Weight, error) {
	names := partNames(questions)
	for _, q := range questions {
		q.gather(names)
	}
	weights := shippedWeights(questions, names)
	scale := 0.0
	for i := range weights {
		scale += math.Abs(weights[i].Shipped)
	}
	fitted := make([][]float64, tenants+1) // the last is fitted on all
	tell := func(done int) { o.tell("fitting", done, len(fitted)) }
	err := each(ctx, len(fitted), tell, func(ctx context.Context, left int) error {
		var rows []*candidates
		for _, q := range questions {
			if q.place != left {
				rows = append(rows, &q.candidates)
			}
		}
		var err error
		fitted[left], err = fit(ctx, rows, len(names))
		rescale(fitted[left], scale)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		q.fitted = q.rerank(fitted[q.place])
	}
	for i := range weights {
		weights[i].Fitted = rounded(fitted[tenants][i])
		for _, w := range fitted[:tenants] {
			weights[i].Without = append(weights[i].Without, rounded(w[i]))
		}
	}
	return weights, nil
}

// shippedWeights returns the engine's weights.
func shippedWeights(questions []*asked, names []string) []Weight {
	weights := make([]Weight, len(names))
	count := make([]int, len(names))
	for i, name := range names {
		weights[i].Part = name
	}
	for _, q := range questions {
		seen := make([]bool, len(names))
		for i := range q.hits {
			for _, p := range q.hits[i].parts {
				if at := slices.Index(names, p.Name); !seen[at] {
					seen[at] = true
					weights[at].Shipped += p.Weight
					count[at]++
				}
			}
		}
	}
	for i := range weights {
		weights[i].Shipped = rounded(weights[i].Shipped / float64(count[i]))
	}
	return weights
}

// rescale scales weights so that their absolute values add up to a total.
func rescale(w []float64, total float64) {
	sum := 0.0
	for _, x := range w {
		sum += math.Abs(x)
	}
	if sum == 0 || total == 0 {
		return
	}
	for i := range w {
		w[i] *= total / sum
	}
}

// rerank returns the hits in the order of other weights. Ties keep the order of the engine.
func (q *asked) rerank(w []float64) []string {
	scores := make([]float64, len(q.hits))
	order := make([]int, len(q.hits))
	for i := range order {
		order[i] = i
		scores[i] = dot(w, q.candidates.row(i))
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	ids := make([]string, len(order))
	for i, at := range order {
		ids[i] = q.hits[at].id
	}
	return ids
}

// fit returns the weights that rank evidence before other candidates. It is a function of its
// input.
func fit(ctx context.Context, questions []*candidates, parts int) ([]float64, error) {
	w := make([]float64, parts)
	err := descend(ctx, w, fitSteps, func(w, slope []float64) float64 { return loss(questions, w, slope) })
	return w, err
}

// loss returns how badly weights rank, and its gradient. For each piece of evidence among the
// candidates it is the logarithm of 1 plus what ranks before it, where each other candidate
// counts by its length and by e to its lead in score.
func loss(questions []*candidates, w, slope []float64) float64 {
	clear(slope)
	total := 0.0
	others := make([]float64, len(w))
	var scores []float64
	for _, c := range questions {
		scores = scores[:0]
		best := math.Inf(-1)
		for i := range c.evidence {
			s := dot(w, c.row(i))
			scores = append(scores, s)
			best = max(best, s)
		}
		before := 0.0
		clear(others)
		for i, is := range c.evidence {
			if is {
				continue
			}
			e := math.Exp(scores[i]-best) * c.length[i]
			before += e
			for k, x := range c.row(i) {
				others[k] += e * x
			}
		}
		if before == 0 {
			continue // there are no other candidates
		}
		for i, is := range c.evidence {
			if !is {
				continue
			}
			x := before / math.Exp(scores[i]-best) / fitTemperature
			total += c.share * math.Log1p(x)
			g := c.share
			if !math.IsInf(x, 1) {
				g *= x / (1 + x)
			}
			for k, v := range c.row(i) {
				slope[k] += g * (others[k]/before - v)
			}
		}
	}
	n := float64(max(1, len(questions)))
	total /= n
	for k := range w {
		slope[k] = slope[k]/n + fitPenalty*w[k]
		total += fitPenalty * w[k] * w[k] / 2
	}
	return total
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
