package pack

import (
	"lukasa.dev/hmx"
)

// guided reports whether priors are to be followed: they are wanted and there are some.
func guided(r *Request, p Priors) bool {
	return r.Strategy == hmx.StrategyFingerprintGuided && len(p.Sections)+len(p.Sources) > 0
}

// Ranked reports whether the best come first: by the strategy ranked, or by one without what
// it is guided by.
func (r *Request) Ranked() bool {
	priors, err := r.priors()
	return r.Strategy == hmx.StrategyRanked || r.Strategy == hmx.StrategyFingerprintGuided && err == nil && !guided(r, priors)
}

// spend keeps candidates by the strategy, until the budget is spent. A strategy says
// in which order candidates come; what each section has at least and the hard limit
// are the same for all.
func (k *composer) spend() error {
	if full, err := k.least(); full || err != nil {
		return err
	}
	switch k.in.Request.Strategy {
	case hmx.StrategyRecencyBiased: // shares would keep room for what is old
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

// deepest returns the section that the best candidate is of which is not told in any
// case, -1 if there is none or the strategy does not go deep.
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

// ranked returns one candidate after the other, best first.
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

// group are the candidates of a section that are of one session, best first, or of one
// class if they are of none.
type group struct {
	section int
	entries int
	list    []*contender
}

// spread returns one candidate after the other so that sessions and sections are as
// many as can be: those come first that have the fewest entries, of these one of each
// section in turn, and of the section the best.
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

// groupOf names the section and the session, or class, of a candidate.
func groupOf(c *Candidate) [2]string {
	if c.Session == "" {
		return [2]string{string(c.Section), "class " + c.Class}
	}
	return [2]string{string(c.Section), "session " + c.Session}
}

// next returns the group whose turn it is, nil if nothing is left.
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
