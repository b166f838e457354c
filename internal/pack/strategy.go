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
	section int
	entries int
	list    []*contender
}

// spread returns an iterator that covers as many sessions and sections as possible: groups with
// the fewest entries come first, among these the sections take turns, and within a section the
// best comes first.
func (k *composer) spread() func() *contender {
	var groups [10][]*group
	known := map[[2]string]*group{}
	for _, x := range k.all {
		if !x.kept && !x.open() {
			continue
		}
		key := groupOf(x.c)
		g := known[key]
		if g == nil {
			g = &group{section: x.section}
			known[key] = g
			groups[x.section] = append(groups[x.section], g)
		}
		if x.kept {
			g.entries++
		} else {
			g.list = append(g.list, x)
		}
	}
	turn := 0
	var from *group
	var last *contender
	return func() *contender {
		if last != nil && last.kept {
			from.entries++
			turn = from.section + 1
		}
		if from = next(&groups, turn); from == nil {
			return nil
		}
		turn = from.section
		last, from.list = from.list[0], from.list[1:]
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

// next returns the group whose turn it is, nil if none is left.
func next(groups *[10][]*group, turn int) *group {
	least := -1
	for _, list := range groups {
		for _, g := range list {
			if len(g.list) > 0 && (least < 0 || g.entries < least) {
				least = g.entries
			}
		}
	}
	if least < 0 {
		return nil
	}
	for i := range groups {
		var best *group
		for _, g := range groups[(turn+i)%len(groups)] {
			if len(g.list) > 0 && g.entries == least && (best == nil || g.list[0].rank < best.list[0].rank) {
				best = g
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}
