package pack

import (
	"cmp"
	"math"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
)

// Half-lives of recency in nanoseconds. The usual one is long, since the search has already
// considered what the query says about time; see the measurements in the decision on how a pack
// is cut.
const (
	usualHalf  = 7305 * 24 * 3600 * 1e9 // twenty years
	recentHalf = 7 * 24 * 3600 * 1e9    // a week, for the strategy that prefers recent entries
)

// contender is a candidate on its way through the composer.
type contender struct {
	c       *Candidate
	section int // by priority
	rank    int
	score   float64
	parts   Parts

	// Read once for all runs.
	loaded bool
	gone   bool
	source *Source

	// Decided in this run.
	reason hmx.DropReason
	of     *contender
	detail string
	kept   bool
	pass   int
	item   Item   // as it would be written
	lines  string // of item
	tokens int    // of the lines, 0 if they were not counted
	most   int    // token limit that the text of item was made for, 0 if it is not made
	guess  int    // estimated tokens of its lines, 0 if they were not counted
	cut    bool
}

// reject drops x for a reason, in favour of another contender or of none.
func (x *contender) reject(reason hmx.DropReason, of *contender, detail string) {
	x.reason, x.of, x.detail = reason, of, detail
}

// unfit reports whether x was read and cannot be an entry.
func (x *contender) unfit() bool { return x.gone || x.source != nil && x.source.Unproven != "" }

// unit clamps a number to 0..1; NaN becomes 0.
func unit(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// scorer gives candidates their scores.
type scorer struct {
	now     int64
	newest  int64 // the reference time of events
	half    float64
	weights Weights
	priors  Priors
	guided  bool
}

func newScorer(in *Input, priors Priors) scorer {
	w := in.Request.Weights
	s := scorer{now: in.Now, newest: in.Newest.Or(in.Now), half: usualHalf, priors: priors, guided: guided(&in.Request, priors),
		weights: Weights{w["relevance"], w["recency"], w["provenance"], w["salience"]}}
	if in.Request.Strategy == hmx.StrategyRecencyBiased {
		s.half = recentHalf
	}
	return s
}

// parts returns the parts of a candidate's score.
func (s *scorer) parts(c *Candidate) Parts {
	p := Parts{Relevance: unit(c.Relevance), Salience: unit(c.Salience)}
	if c.Pinned {
		p.Relevance = max(p.Relevance, salience.PinnedFloor)
	}
	now := s.now
	if c.Kind == record.Event {
		now = s.newest
	}
	age := max(0, float64(now)-float64(c.Time))
	p.Recency = 1 / (1 + age/s.half)
	p.Provenance = float64(min(c.Trust, record.Operator)) / float64(record.Operator) * unit(c.Confidence)
	return p
}

// composite returns the score of a candidate with these parts, as a pack shows it.
func (s *scorer) composite(c *Candidate, p Parts) float64 {
	w := &s.weights
	// The conversions prevent fused multiply-add, which would give other bits on other
	// machines.
	sum := float64(w.Relevance*p.Relevance) + float64(w.Recency*p.Recency)
	sum += float64(w.Provenance * p.Provenance)
	sum += float64(w.Salience * p.Salience)
	if s.guided {
		sum *= 0.5 + float64(0.5*max(s.priors.Sections[c.Section], s.prior(c)))
	}
	return round(sum)
}

// prior returns the prior of a candidate by itself.
func (s *scorer) prior(c *Candidate) float64 {
	if c.Thing == "" {
		return 0
	}
	return s.priors.Sources[c.Thing]
}

// contenders returns the candidates of the wanted sections, best first, and by the index of the
// candidate.
func contenders(in *Input, s *scorer) (all, byIndex []*contender) {
	made := make([]contender, 0, len(in.Candidates))
	byIndex = make([]*contender, len(in.Candidates))
	for i := range in.Candidates {
		c := &in.Candidates[i]
		at := c.Section.Priority()
		if at < 0 || !in.Request.Includes(c.Section) {
			continue
		}
		x := contender{c: c, section: at, parts: s.parts(c)}
		x.score = s.composite(c, x.parts)
		made = append(made, x)
		byIndex[i] = &made[len(made)-1]
		all = append(all, byIndex[i])
	}
	slices.SortFunc(all, func(a, b *contender) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.c.Known, b.c.Known),
			cmp.Compare(a.c.Position, b.c.Position), cmp.Compare(a.c.Kind, b.c.Kind))
	})
	return all, byIndex
}

// number assigns ranks from 1 to the contenders that are present, best first.
func number(all []*contender) {
	rank := 0
	for _, x := range all {
		if x.rank = 0; !x.gone {
			rank++
			x.rank = rank
		}
	}
}

// round4 leaves four decimals.
func round4(x float64) float64 { return math.Round(x*1e4)/1e4 + 0 }
