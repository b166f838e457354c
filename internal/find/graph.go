package find

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// graph is what a walk along edges has visited.
type graph struct {
	s     *search
	nodes map[memory.URI]*candidate // nil for what may not be seen
	known map[memory.URI][]leg
	edges map[catalog.Thing]*span // nil for one that may not be followed
	met   int                     // visible nodes
}

// span is an edge.
type span struct {
	from, to memory.URI
	kind     memory.EdgeKind
}

// leg is an edge as seen from one end.
type leg struct {
	to   memory.URI
	kind memory.EdgeKind
	out  bool // it leads away from here
}

// follow takes the steps, and returns what they lead to beside the seeds: each
// once, with the fewest hops that any step came by it.
//
// Each step goes breadth first from everything that the step before has led to,
// and comes by each thing once. Of several ways with equally few hops within the
// step, the one through what is nearest to the seeds counts, and of those the
// one through the first by URI.
func (s *search) follow(ctx context.Context, seeds []*candidate) ([]*candidate, error) {
	g := &graph{
		s: s, nodes: make(map[memory.URI]*candidate), known: make(map[memory.URI][]leg), edges: make(map[catalog.Thing]*span),
	}
	starts := make(map[memory.URI]*candidate, len(seeds))
	nearest := make(map[memory.URI]*candidate)
	for _, c := range seeds {
		u := c.uri(s.Tenant.Name)
		g.nodes[u], starts[u], nearest[u] = c, c, c
		g.met++
	}
	for i := range s.q.Follow {
		led, err := g.step(ctx, starts, &s.q.Follow[i])
		if err != nil {
			return nil, err
		}
		for u, c := range led {
			if before := nearest[u]; before == nil || c.hops < before.hops {
				nearest[u] = c
			}
		}
		starts = led
	}
	var reached []*candidate
	for _, c := range nearest {
		if c.hops > 0 {
			reached = append(reached, c)
		}
	}
	// The caller sorts by a total order, so the order here does not matter.
	return reached, nil
}

// step goes one step, and returns what it leads to.
func (g *graph) step(ctx context.Context, starts map[memory.URI]*candidate, step *Step) (map[memory.URI]*candidate, error) {
	led := make(map[memory.URI]*candidate)
	frontier := starts
	for range step.Hops {
		next := make(map[memory.URI]*candidate)
		// By URI, so that the first node that leads to a record is the first by
		// URI.
		for _, from := range slices.SortedFunc(maps.Values(frontier), func(a, b *candidate) int { return strings.Compare(a.name, b.name) }) {
			here := from.uri(g.s.Tenant.Name)
			legs, err := g.legs(ctx, here)
			if err != nil {
				return nil, err
			}
			for _, l := range legs {
				if !slices.Contains(step.Kinds, l.kind) || l.out && step.Direction == Inward || !l.out && step.Direction == Outward {
					continue
				}
				if starts[l.to] != nil || led[l.to] != nil {
					continue // visited before
				}
				c, err := g.node(l.to)
				if err != nil {
					return nil, err
				}
				if c == nil {
					continue
				}
				if other := next[l.to]; other == nil || from.hops < other.via.hops {
					one := *c
					one.hops, one.via = from.hops+1, from
					next[l.to] = &one
				}
			}
		}
		maps.Copy(led, next)
		frontier = next
	}
	return led, nil
}

// legs returns the edges of a node that may be followed.
func (g *graph) legs(ctx context.Context, here memory.URI) ([]leg, error) {
	if legs, ok := g.known[here]; ok {
		return legs, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var legs []leg
	var failed error
	err := catalog.ReferrersOf(g.s.Reader, g.s.Tenant.Number, here.String(), record.Edge, func(ref catalog.Referrer) bool {
		if ref.Rel != "from" && ref.Rel != "to" {
			return true
		}
		var e *span
		if e, failed = g.edge(ref.Thing); failed != nil {
			return false
		}
		if e != nil && ref.Rel == "from" {
			legs = append(legs, leg{e.to, e.kind, true})
		} else if e != nil {
			legs = append(legs, leg{e.from, e.kind, false})
		}
		return true
	})
	g.known[here] = legs
	return legs, fault.First(failed, err)
}

// edge returns an edge, or nil if it may not be followed.
func (g *graph) edge(d catalog.Thing) (*span, error) {
	if e, ok := g.edges[d]; ok {
		return e, nil
	}
	if len(g.edges) == maxEdges {
		many := fmt.Sprintf("more than %d", maxEdges)
		if g.s.view.Scope != "" {
			many = "too many" // some may be hidden
		}
		return nil, tooFar(many + " edges").WithFix("begin from fewer hits with seeds, or take fewer hops")
	}
	g.s.scanned++
	g.edges[d] = nil
	h, ok, err := catalog.HeadOf(g.s.Reader, g.s.Tenant.Number, record.Edge, d)
	if err != nil || !ok || h.State != catalog.Live {
		return nil, err
	}
	if there, err := g.s.there(h); err != nil || !there {
		return nil, err
	}
	e := &span{kind: memory.EdgeKind(strings.Clone(h.Class))}
	for _, l := range h.Links {
		switch l.Rel {
		case "from":
			e.from, err = memory.ParseURI(l.To)
		case "to":
			e.to, err = memory.ParseURI(l.To)
		}
		if err != nil {
			return nil, fault.Newf(fault.Damaged, "an end of edge %s cannot be read: %w", h.ID, err)
		}
	}
	g.edges[d] = e
	return e, nil
}

// node returns the record of a URI, or nil if it does not exist or may not be
// seen.
func (g *graph) node(u memory.URI) (*candidate, error) {
	if c, ok := g.nodes[u]; ok {
		return c, nil
	}
	g.s.scanned++
	c, err := g.look(u)
	switch fault.CodeOf(err) {
	case "":
	case fault.NotFound, fault.Erased:
		c = nil
	default:
		return nil, err
	}
	g.nodes[u] = c
	if c == nil {
		return nil, nil
	}
	if g.met++; g.met > maxNodes {
		return nil, tooFar(fmt.Sprintf("more than %d records and events", maxNodes)).
			WithFix("begin from fewer hits with seeds, take fewer hops, or follow fewer kinds of edges in one direction")
	}
	return c, nil
}

// look returns the record of a URI as a candidate.
func (g *graph) look(u memory.URI) (*candidate, error) {
	s := g.s
	var c *candidate
	var load func() (*content, error)
	if u.Kind == record.Event {
		ev, err := s.From.Core().EventSeen(s.State(), u.ID)
		if err != nil || !s.eventThere(ev) {
			return nil, err
		}
		facets := kind.Read(ev.Event)
		if c, err = s.ofEvent(ev, &facets); err != nil {
			return nil, err
		}
		load = func() (*content, error) { return contentOfEvent(ev.Event), nil }
	} else {
		d := catalog.ThingOf(s.Tenant.Name, u.Kind, u.ID)
		h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, u.Kind, d)
		if err != nil || !ok || h.State != catalog.Live {
			return nil, err
		}
		if there, err := s.there(h); err != nil || !there {
			return nil, err
		}
		if c, err = s.ofThing(h, d); err != nil {
			return nil, err
		}
		load = func() (*content, error) {
			body, err := s.From.Core().BodyAt(s.State(), h.Kind, h.Position)
			if err != nil {
				return nil, err
			}
			return contentOf(body), nil
		}
	}
	if s.ranking != nil {
		x, err := load()
		if err != nil {
			return nil, err
		}
		c.factors.Similarity, c.factors.Similar = s.ranking.Rate(x.words()...), true
	}
	s.rate(c)
	return c, nil
}

// tooFar refuses a walk that exceeds a limit.
func tooFar(what string) *fault.Error {
	return fault.Newf(fault.InvalidArgument, "find: follow: the steps lead to %s", what)
}
