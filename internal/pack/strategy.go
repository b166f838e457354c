package pack

import (
	"lukasa.dev/hmx"
)

// guided reports whether priors apply: the strategy uses them and there are some.
func guided(r *Request, p Priors) bool {
	return r.Strategy == hmx.StrategyFingerprintGuided && len(p.Sections)+len(p.Sources) > 0
}

// Ranked reports whether the best come first: the strategy is ranked, or guided by priors that
// are missing.
func (r *Request) Ranked() bool {
	priors, err := r.priors()
	return r.Strategy == hmx.StrategyRanked || r.Strategy == hmx.StrategyFingerprintGuided && err == nil && !guided(r, priors)
}

// spend keeps candidates by the strategy until the budget is spent. A strategy determines the
// order of candidates; the minimum of each section and the hard limits are the same for all.
func (k *composer) spend() error {
	if full, err := k.least(); full || err != nil {
		return err
	}
	switch k.in.Request.Strategy {
	case hmx.StrategyRecencyBiased: // shares would reserve room for old ones
	case hmx.StrategyBreadthFirst:
		return k.rest(k.spread())
	case hmx.StrategyDepthFirst:
		if k.deep >= 0 {
			limit := k.total * deepShare / 100
			if err := k.fill(&k.sections[k.deep], limit, 1, isAny); err != nil {
				return err
			}
		}
		fallthrough
	default:
		if err := k.shares(); err != nil {
			return err
		}
	}
	return k.rest(k.ranked())
}

// deepest returns the section of the best candidate that is not pinned, -1 if there is none or
// the strategy does not go deep.
func (k *composer) deepest() int {
	if k.in.Request.Strategy == hmx.StrategyDepthFirst {
		for _, x := range k.all {
			if x.left() && !x.c.Pinned {
				return x.section
			}
		}
	}
	return -1
}

// ranked returns an iterator over the candidates, best first.
func (k *composer) ranked() func() *contender {
	i := 0
	return func() *contender {
		for ; i < len(k.all); i++ {
			if x := k.all[i]; x.open() {
				i++
				return x
			}
		}
		return nil
	}
}

// group is the candidates of a section from one session, or of one class if they have no
// session; best first.
type group struct {
	entries int // that are kept
	list    []*contender
}

// breadth is a section whose groups take turns.
type breadth struct {
	entries int // that are kept
	groups  []*group
}

// next returns the group with the fewest entries that has a candidate left, of several the one
// with the best; nil if there is none.
func (b *breadth) next() (best *group) {
	for _, g := range b.groups {
		if len(g.list) > 0 && (best == nil || g.entries < best.entries || g.entries == best.entries && g.list[0].rank < best.list[0].rank) {
			best = g
		}
	}
	return best
}

// spread returns an iterator that covers as many sections and sessions as possible: the section
// with the fewest entries comes first, within it the group with the fewest, and within that the
// best. Sections with equally many take turns.
func (k *composer) spread() func() *contender {
	var sections [10]breadth
	known := map[[2]string]*group{}
	for _, x := range k.all {
		if !x.kept && !x.open() {
			continue
		}
		s, key := &sections[x.section], groupOf(x.c)
		g := known[key]
		if g == nil {
			g = &group{}
			known[key] = g
			s.groups = append(s.groups, g)
		}
		if x.kept {
			s.entries++
			g.entries++
		} else {
			g.list = append(g.list, x)
		}
	}
	turn := 0
	var from *breadth
	var group *group
	var last *contender
	return func() *contender {
		if last != nil && last.kept {
			from.entries++
			group.entries++
			turn = last.section + 1
		}
		at := next(&sections, turn)
		if at < 0 {
			return nil
		}
		turn, from = at, &sections[at]
		group = from.next()
		last, group.list = group.list[0], group.list[1:]
		return last
	}
}

// groupOf returns the section and the session, or class, of a candidate.
func groupOf(c *Candidate) [2]string {
	if c.Session == "" {
		return [2]string{string(c.Section), "class " + c.Class}
	}
	return [2]string{string(c.Section), "session " + c.Session}
}

// next returns the section whose turn it is: of those with the fewest entries the first from turn
// on. It is -1 if no section has a candidate left.
func next(sections *[10]breadth, turn int) int {
	best := -1
	for i := range sections {
		at := (turn + i) % len(sections)
		if s := &sections[at]; s.next() != nil && (best < 0 || s.entries < sections[best].entries) {
			best = at
		}
	}
	return best
}
