package graph

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
)

// The limits of a walk.
const (
	// MaxSeeds is how many nodes a walk starts from; more are left out.
	MaxSeeds = 16
	// MaxMentions is how many of a node's newest mentions are read.
	MaxMentions = 256
	// MaxRelated is the maximum number of related nodes.
	MaxRelated = 64
	// MaxWalked is the maximum number of documents of a walk.
	MaxWalked = 4096

	// maxThings is how many entities that define a node, or another of its name, are
	// read, and maxEdges how many relations of each.
	maxThings = 8
	maxEdges  = 64
	// considered is how many co-mentioned nodes are weighed for each requested one.
	considered = 4
	// decay is the factor for documents that mention only a related node.
	decay = 0.5
)

// Limits of a walk. Zero means the maximum.
type Limits struct {
	Mentions int // of one node, at most MaxMentions
	Related  int // nodes, at most MaxRelated
	Walked   int // documents, at most MaxWalked
	// Now leaves out relations that are not valid at that time, in nanoseconds.
	Now int64
}

func (l *Limits) settle() {
	for _, one := range [...]struct {
		value *int
		most  int
	}{{&l.Mentions, MaxMentions}, {&l.Related, MaxRelated}, {&l.Walked, MaxWalked}} {
		if *one.value <= 0 || *one.value > one.most {
			*one.value = one.most
		}
	}
}

// Weighted is a node and its closeness to the given ones.
type Weighted struct {
	Node
	Weight float64
}

// Walk returns documents that are related to the given nodes, best first, and
// equally good ones newest first.
//
// With one hop these are the documents that mention one of the nodes, another node
// of its name, or another name of the same entity; each adds its rarity to the score
// of a document. With two hops they are also documents that mention related nodes,
// for half of the rarity times the weight, see [View.Related], and the relations
// themselves.
func (v *View) Walk(seeds []NodeID, hops int, l Limits, f index.Filter) ([]index.Match, error) {
	l.settle()
	w, err := v.begin(seeds, l)
	if err != nil {
		return nil, err
	}
	list, err := w.walk(hops, f)
	return list, first(err, w.close())
}

// walker is one walk.
type walker struct {
	*View
	l     Limits
	seeds []NodeID
	// same are nodes equivalent to the seeds, and edges the relations of their
	// entities.
	same  []NodeID
	edges []edge
	all   uint64
	docs  *kv.Iter
	names *kv.Iter
	row   docRow
}

// edge is a relation of a seed.
type edge struct {
	position uint64
	weight   float64
	other    index.Digest
	seed     NodeID
}

func (v *View) begin(nodes []NodeID, l Limits) (*walker, error) {
	w := &walker{View: v, l: l}
	for _, id := range nodes {
		if len(w.seeds) < MaxSeeds && !slices.Contains(w.seeds, id) {
			w.seeds = append(w.seeds, id)
		}
	}
	var err error
	if w.all, err = v.Size(); err != nil {
		return nil, err
	}
	low := index.NewKey(nil, Prefix, tableDocument, v.tenant)
	if w.docs, err = v.r.Iter(low, kv.PrefixEnd(low)); err != nil {
		return nil, err
	}
	low = index.NewKey(nil, Prefix, tableMention, v.tenant)
	if w.names, err = v.r.Iter(low, kv.PrefixEnd(low)); err == nil {
		err = w.spread()
	}
	if err != nil {
		return nil, first(err, w.close())
	}
	return w, nil
}

func (w *walker) close() error {
	var a, b error
	if w.docs != nil {
		a = w.docs.Close()
	}
	if w.names != nil {
		b = w.names.Close()
	}
	return first(a, b)
}

// spread finds the nodes equivalent to the seeds, and their relations.
func (w *walker) spread() error {
	stands := func(id NodeID) {
		if len(w.same) < 2*MaxSeeds && !slices.Contains(w.seeds, id) && !slices.Contains(w.same, id) {
			w.same = append(w.same, id)
		}
	}
	for _, seed := range w.seeds {
		alike, err := w.alike(seed)
		if err != nil {
			return err
		}
		left := maxThings
		for _, n := range alike {
			stands(n.ID)
			things, err := w.definers(n.ID, left)
			if err != nil {
				return err
			}
			left -= len(things)
			for _, thing := range things {
				names, err := w.namesOf(thing)
				if err != nil {
					return err
				}
				for _, other := range names {
					stands(other.ID)
				}
				if err := w.relations(seed, thing); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// definers returns the entities that define a node, newest first, at most most.
func (w *walker) definers(id NodeID, most int) (things []index.Digest, err error) {
	if most == 0 {
		return nil, nil
	}
	prefix := nodeKey(nil, w.tenant, tableDefined, id)
	it, err := w.r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	defer func() { err = first(err, it.Close()) }()
	for ok := it.Last(); ok && len(things) < most; ok = it.Prev() {
		value, err := it.Value()
		if err != nil {
			return nil, err
		}
		if len(value) != len(index.Digest{}) {
			return nil, damaged("an entity", errShort)
		}
		things = append(things, index.Digest(value))
	}
	return things, nil
}

// relations adds the newest relations of an entity.
func (w *walker) relations(seed NodeID, thing index.Digest) (err error) {
	prefix := thingKey(nil, w.tenant, tableRelation, thing)
	it, err := w.r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	defer func() { err = first(err, it.Close()) }()
	left := maxEdges
	for ok := it.Last(); ok && left > 0; ok = it.Prev() {
		left--
		value, err := it.Value()
		if err != nil {
			return err
		}
		rest := it.Key()[len(prefix):]
		if len(rest) != 8+1+len(index.Digest{}) {
			return damaged("a relation", errShort)
		}
		var row docRow
		if err := row.decodeEdge(value); err != nil {
			return damaged("a relation", err)
		}
		if e := (edge{index.Uint64At(rest), row.weight, index.Digest(rest[9:]), seed}); row.holds(w.l.Now) && !slices.Contains(w.edges, e) {
			w.edges = append(w.edges, e)
		}
	}
	return nil
}

// company is a node that occurs together with a seed.
type company struct {
	id     NodeID
	weight float64 // before its own count is known
	edges  float64
	newest uint64 // of the documents that were read
	typ    string
	name   string
}

// related is Related, without the names of nodes that no read document has.
func (w *walker) related() ([]Weighted, error) {
	var list []company
	places := map[NodeID]int{}
	at := func(id NodeID) *company {
		i, ok := places[id]
		if !ok {
			i = len(list)
			places[id] = i
			list = append(list, company{id: id})
		}
		return &list[i]
	}
	for _, seed := range w.seeds {
		positions, err := w.mentions(w.names, seed, w.l.Mentions, index.Filter{})
		if err != nil {
			return nil, err
		}
		if len(positions) == 0 {
			continue
		}
		step := 1 / math.Sqrt(float64(len(positions)))
		slices.Sort(positions)
		together := map[NodeID]int{}
		var met []NodeID
		for _, position := range positions {
			if err := w.read(position); err != nil {
				return nil, err
			}
			for i := range w.row.nodes {
				n := &w.row.nodes[i]
				if slices.Contains(w.seeds, n.id) {
					continue
				}
				if together[n.id]++; together[n.id] == 1 {
					met = append(met, n.id)
				}
				if c := at(n.id); c.name == "" || position >= c.newest {
					c.newest, c.typ, c.name = position, n.typ, n.name
				}
			}
		}
		for _, id := range met {
			at(id).weight += float64(float64(together[id]) * step)
		}
	}
	for _, id := range w.same {
		at(id).edges++
	}
	for _, e := range w.edges {
		names, err := w.namesOf(e.other)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 && !slices.Contains(w.seeds, names[0].ID) {
			at(names[0].ID).edges += e.weight
		}
	}
	slices.SortFunc(list, func(a, b company) int {
		return cmp.Or(cmp.Compare(b.weight+b.edges, a.weight+a.edges), bytes.Compare(a.id[:], b.id[:]))
	})
	return w.weigh(list[:min(len(list), considered*w.l.Related)])
}

// weigh sets the closeness of nodes by the number of documents that mention them.
func (w *walker) weigh(list []company) ([]Weighted, error) {
	var out []Weighted
	for _, c := range list {
		n, err := w.Count(c.id)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		weight := c.weight/math.Sqrt(float64(n)) + c.edges
		out = append(out, Weighted{Node{c.id, c.typ, c.name, n}, weight})
	}
	slices.SortFunc(out, func(a, b Weighted) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return out[:min(len(out), w.l.Related)], nil
}

// read reads the names in a document with the iterator over documents.
func (w *walker) read(position uint64) error {
	key := index.NewKey(make([]byte, 0, 16), Prefix, tableDocument, w.tenant).Uint64(position)
	w.row.clear()
	if !w.docs.Seek(key) || !bytes.Equal(w.docs.Key(), key) {
		return w.docs.Err()
	}
	value, err := w.docs.Value()
	if err != nil {
		return err
	}
	if err := w.row.decode(value); err != nil {
		return damaged("a document", err)
	}
	return nil
}

// walk is Walk.
func (w *walker) walk(hops int, f index.Filter) ([]index.Match, error) {
	scores := map[uint64]float64{}
	visit := func(id NodeID, n uint64, share float64) error {
		score := float64(share * rarity(w.all, n))
		positions, err := w.mentions(w.names, id, w.l.Mentions, f)
		for _, p := range positions {
			scores[p] += score
		}
		return err
	}
	for _, list := range [...][]NodeID{w.seeds, w.same} {
		for _, id := range list {
			n, err := w.Count(id)
			if err == nil && n > 0 {
				err = visit(id, n, 1)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if hops > 1 {
		related, err := w.related()
		if err != nil {
			return nil, err
		}
		for _, r := range related {
			if slices.Contains(w.same, r.ID) {
				continue
			}
			if err := visit(r.ID, r.Count, float64(decay*min(r.Weight, 1))); err != nil {
				return nil, err
			}
		}
		if err := w.visitEdges(scores, f); err != nil {
			return nil, err
		}
	}
	out := make([]index.Match, 0, len(scores))
	for p, s := range scores {
		out = append(out, index.Match{Position: p, Score: s})
	}
	slices.SortFunc(out, func(a, b index.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Position, a.Position))
	})
	return out[:min(len(out), w.l.Walked)], nil
}

// visitEdges scores the relations themselves.
func (w *walker) visitEdges(scores map[uint64]float64, f index.Filter) error {
	for _, e := range w.edges {
		fits, err := finds(f, e.position)
		if err != nil {
			return err
		}
		if !fits {
			continue
		}
		n, err := w.Count(e.seed)
		if err != nil {
			return err
		}
		scores[e.position] += float64(e.weight * rarity(w.all, max(n, 1)))
	}
	return nil
}

// finds reports whether a document passes a filter.
func finds(f index.Filter, position uint64) (bool, error) {
	if f.Mask != nil {
		mask, err := f.Mask(int(position / 1024))
		if in := position % 1024; err != nil || mask == nil || mask[in/64]>>(in%64)&1 == 0 {
			return false, err
		}
	}
	if f.Accept == nil {
		return true, nil
	}
	return f.Accept(position)
}

// rarity is the weight of mentioning a node that n of all documents mention.
func rarity(all, n uint64) float64 {
	all = max(all, n)
	return index.Ln(1 + (float64(all-n)+0.5)/(float64(n)+0.5))
}
