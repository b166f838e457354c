package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/graph"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
)

// model is the graph as a list of documents.
type model struct {
	docs []modelDoc // with names
	// defs are the nodes of each entity by its id, and relations the live ones.
	defs      map[string][]graph.NodeID
	relations []*memory.Relation
	edgeAt    []uint64
}

type modelDoc struct {
	position uint64
	nodes    []graph.NodeID
}

func newModel(h *history) *model {
	m := &model{defs: map[string][]graph.NodeID{}}
	for _, r := range h.records {
		p := r.Header.Position
		if r.Document == nil || !h.live[p] {
			continue
		}
		var list []kind.Entity
		switch body := r.Body.(type) {
		case *memory.Entity:
			for _, name := range append([]string{body.Name}, body.Aliases...) {
				list = append(list, kind.Entity{Type: body.Type, Name: name})
			}
		case *memory.Relation:
			m.relations, m.edgeAt = append(m.relations, body), append(m.edgeAt, p)
			continue
		default:
			list = r.Document.Entities
		}
		d := modelDoc{position: p}
		for _, e := range list {
			if id := graph.ID(e.Type, e.Name); !slices.Contains(d.nodes, id) {
				d.nodes = append(d.nodes, id)
			}
		}
		if body, ok := r.Body.(*memory.Entity); ok {
			m.defs[body.ID] = d.nodes
		}
		if len(d.nodes) > 0 {
			m.docs = append(m.docs, d)
		}
	}
	return m
}

// mentions returns the documents of a node, the newest first.
func (m *model) mentions(id graph.NodeID) (list []uint64) {
	for _, d := range slices.Backward(m.docs) {
		if slices.Contains(d.nodes, id) {
			list = append(list, d.position)
		}
	}
	return list
}

// nodes returns all nodes.
func (m *model) nodes() (list []graph.NodeID) {
	for _, d := range m.docs {
		for _, id := range d.nodes {
			if !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	return list
}

// spread returns the nodes equivalent to a seed, and its relations.
func (m *model) spread(seeds []graph.NodeID) (same []graph.NodeID, edges map[graph.NodeID]float64, at map[uint64]float64) {
	edges, at = map[graph.NodeID]float64{}, map[uint64]float64{}
	for _, seed := range seeds {
		seen := map[int]int{}
		for _, n := range m.nodes() {
			if [16]byte(n[:]) != [16]byte(seed[:]) {
				continue
			}
			same = append(same, n)
			for id, names := range m.defs {
				if !slices.Contains(names, n) {
					continue
				}
				same = append(same, names...)
				for i, r := range m.relations {
					for end, ids := range [...][2]string{{r.From, r.To}, {r.To, r.From}} {
						// One edge for each other end.
						if ids[0] != id || seen[i]>>end&1 == 1 || end == 1 && r.From == r.To {
							continue
						}
						seen[i] |= 1 << end
						w := r.Weight.Or(1) * r.Confidence.Or(1)
						at[m.edgeAt[i]] += w * rarity(len(m.docs), max(1, len(m.mentions(seed))))
						if names := m.defs[ids[1]]; len(names) > 0 && !slices.Contains(seeds, names[0]) {
							edges[names[0]] += w
						}
					}
				}
			}
		}
	}
	slices.SortFunc(same, func(a, b graph.NodeID) int { return slices.Compare(a[:], b[:]) })
	same = slices.DeleteFunc(slices.Compact(same), func(id graph.NodeID) bool { return slices.Contains(seeds, id) })
	return same, edges, at
}

func rarity(all, n int) float64 { return math.Log(1 + (float64(all-n)+0.5)/(float64(n)+0.5)) }

func (m *model) related(seeds []graph.NodeID) map[graph.NodeID]float64 {
	same, edges, _ := m.spread(seeds)
	out := map[graph.NodeID]float64{}
	for _, b := range m.nodes() {
		if slices.Contains(seeds, b) {
			continue
		}
		w := edges[b]
		if slices.Contains(same, b) {
			w++
		}
		for _, a := range seeds {
			together := 0
			for _, d := range m.docs {
				if slices.Contains(d.nodes, a) && slices.Contains(d.nodes, b) {
					together++
				}
			}
			if together > 0 {
				w += float64(together) / math.Sqrt(float64(len(m.mentions(a)))*float64(len(m.mentions(b))))
			}
		}
		if w > 0 {
			out[b] = w
		}
	}
	return out
}

func (m *model) walk(seeds []graph.NodeID, hops int) map[uint64]float64 {
	same, _, at := m.spread(seeds)
	out := map[uint64]float64{}
	visit := func(id graph.NodeID, share float64) {
		list := m.mentions(id)
		for _, p := range list {
			out[p] += share * rarity(len(m.docs), len(list))
		}
	}
	for _, id := range append(slices.Clone(seeds), same...) {
		visit(id, 1)
	}
	if hops > 1 {
		for id, w := range m.related(seeds) {
			if !slices.Contains(same, id) {
				visit(id, 0.5*min(w, 1))
			}
		}
		for p, w := range at {
			out[p] += w
		}
	}
	return out
}

// check compares what is read with the model.
func (m *model) check(t *testing.T, v *graph.View, rng *rand.Rand) {
	t.Helper()
	if n, err := v.Size(); err != nil || n != uint64(len(m.docs)) {
		t.Fatalf("%d documents, want %d, %v", n, len(m.docs), err)
	}
	for _, d := range m.docs {
		list, err := v.NodesOf(d.position)
		if err != nil || len(list) != len(d.nodes) {
			t.Fatalf("%v, want %d, %v", list, len(d.nodes), err)
		}
		for i := range list {
			if list[i].ID != d.nodes[i] || graph.ID(list[i].Type, list[i].Name) != d.nodes[i] {
				t.Fatalf("%+v", list[i])
			}
		}
	}
	nodes := m.nodes()
	for _, id := range nodes {
		want := m.mentions(id)
		got, err := v.Mentions(id, 1000, index.Filter{})
		if n, countErr := v.Count(id); err != nil || countErr != nil || n != uint64(len(want)) || !slices.Equal(got, want) {
			t.Fatalf("mentions %v, want %v, %v", got, want, err)
		}
	}
	if len(nodes) == 0 {
		return
	}
	seeds := []graph.NodeID{nodes[rng.IntN(len(nodes))]}
	if other := nodes[rng.IntN(len(nodes))]; rng.IntN(2) == 0 && other != seeds[0] {
		seeds = append(seeds, other)
	}
	related, err := v.Related(seeds, graph.Limits{})
	want := m.related(seeds)
	if err != nil || len(related) != len(want) {
		t.Fatalf("related %+v, want %v, %v", related, want, err)
	}
	for i, w := range related {
		if math.Abs(w.Weight-want[w.ID]) > 1e-9 || i > 0 && related[i-1].Weight < w.Weight || graph.ID(w.Type, w.Name) != w.ID || w.Count != uint64(len(m.mentions(w.ID))) {
			t.Fatalf("related %+v, want %v", w, want[w.ID])
		}
	}
	for hops := 1; hops <= 2; hops++ {
		got, err := v.Walk(seeds, hops, graph.Limits{}, index.Filter{})
		want := m.walk(seeds, hops)
		for p, w := range want {
			if w == 0 {
				delete(want, p)
			}
		}
		got = slices.DeleteFunc(got, func(x index.Match) bool { return x.Score == 0 })
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d hops %v, want %v, %v", hops, got, want, err)
		}
		for i, x := range got {
			if math.Abs(x.Score-want[x.Position]) > 1e-9 {
				t.Fatalf("%d hops %+v, want %v", hops, x, want[x.Position])
			}
			if i > 0 && (got[i-1].Score < x.Score || got[i-1].Score == x.Score && got[i-1].Position < x.Position) {
				t.Fatalf("%d hops: %v is out of order", hops, got)
			}
		}
	}
}
