package vector

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/testsize"
)

// naiveSpace is a space in a test; the built-in one has an empty name and no
// dimensions.
type naiveSpace struct {
	model      string
	dimensions int
}

// naive is the content of a tenant without an index.
type naive map[naiveSpace]map[uint64][]float32

// replay replays the first records of a history.
func replay(h history, tenant uint32) naive {
	n := naive{}
	live := map[uint64]bool{}
	late := map[uint64]func(){}
	put := func(s naiveSpace, position uint64, v []float32) bool {
		zero := true
		for _, x := range v {
			zero = zero && x == 0
		}
		if zero || n[s][position] != nil {
			return false
		}
		if n[s] == nil {
			n[s] = map[uint64][]float32{}
		}
		n[s][position] = v
		return true
	}
	records, changes := h.records()
	for i, r := range records {
		if r.Tenant != tenant {
			continue
		}
		for _, g := range changes[i].Gone {
			delete(live, g)
			for s := range n {
				delete(n[s], g)
			}
		}
		at := r.Header.Position
		if d := changes[i].Add; d != nil {
			live[at] = true
			put(naiveSpace{}, at, d.Embedding.Vector)
			own := make([]float32, len(d.Own))
			for j, x := range d.Own {
				own[j] = float32(x)
			}
			put(naiveSpace{d.OwnModel, len(d.Own)}, at, own)
		}
		if e, ok := r.Body.(*memory.Embedding); ok && live[e.Position] {
			s := naiveSpace{e.Model, e.Dimensions()}
			if put(s, e.Position, e.Floats()) {
				late[at] = func() { delete(n[s], e.Position) }
			}
		}
		for _, p := range h[i].erased {
			if late[p] != nil {
				late[p]()
			}
		}
	}
	return n
}

// search compares a query with everything.
func (n naive) search(s naiveSpace, q []float32, k int, may func(uint64) bool) []index.Match {
	var list []index.Match
	for position, v := range n[s] {
		if may(position) {
			score := product(q, v) / float64(math.Sqrt(product(q, q))*math.Sqrt(product(v, v)))
			list = append(list, index.Match{Position: position, Score: limited(score)})
		}
	}
	slices.SortFunc(list, func(a, b index.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Position, b.Position))
	})
	return list[:min(k, len(list))]
}

// draw makes a history of two tenants. One in sparse records has a document.
func draw(seed uint64, records, sparse int) history {
	rng := rand.New(rand.NewPCG(seed, 2))
	words := newVocabulary(seed, 100, 24)
	own := newVocabulary(seed+1, 100, 70)
	vector := func(v *vocabulary) []float32 {
		if rng.IntN(20) == 0 {
			return make([]float32, len(v.words[0])) // the model knows no word of it
		}
		return v.text(1 + rng.IntN(4)) // short ones, so that some are equal
	}
	var h history
	var next [2]uint64
	var documents, embeddings [2][]uint64
	embedded := [2]map[uint64]bool{{}, {}}
	take := func(list *[]uint64) []uint64 {
		if len(*list) == 0 {
			return nil
		}
		i := rng.IntN(len(*list))
		p := (*list)[i]
		*list = slices.Delete(*list, i, i+1)
		return []uint64{p}
	}
	for range records {
		tenant := uint32(0)
		if rng.IntN(8) == 0 {
			tenant = 1
		}
		s := step{tenant: tenant}
		switch x := rng.IntN(10 * sparse); {
		case x < 6:
			s.document = &index.Document{Embedding: embed.Embedding{Vector: vector(words), Norm: rng.Float32(), Pieces: rng.IntN(100_000)}}
			if rng.IntN(3) == 0 {
				s.document.OwnModel = []string{"", "one"}[rng.IntN(2)]
				for _, f := range vector(own) {
					s.document.Own = append(s.document.Own, float64(f))
				}
			}
			if rng.IntN(5) == 0 {
				s.gone = take(&documents[tenant]) // an older version
			}
			documents[tenant] = append(documents[tenant], next[tenant])
		case x == 6 && len(documents[tenant]) > 0:
			of := documents[tenant][rng.IntN(len(documents[tenant]))]
			if rng.IntN(8) == 0 {
				of = rng.Uint64N(next[tenant]) // it may be gone
			}
			// There is one embedding of a record by a model.
			if !embedded[tenant][of] {
				embedded[tenant][of] = true
				s.embedding = memory.NewEmbedding("one", memory.URI{}, of, own.text(1+rng.IntN(4)))
				embeddings[tenant] = append(embeddings[tenant], next[tenant])
			}
		case x == 7:
			s.gone = append(take(&documents[tenant]), take(&documents[tenant])...)
		case x == 8:
			s.erased = take(&embeddings[tenant])
		}
		next[tenant]++
		h = append(h, s)
	}
	return h
}

// erase returns a history in which later removed documents and embeddings were
// erased before they could be read.
func (h history) erase() history {
	type at struct {
		tenant   uint32
		position uint64
	}
	gone := map[at]bool{}
	for _, s := range h {
		for _, p := range slices.Concat(s.gone, s.erased) {
			gone[at{s.tenant, p}] = true
		}
	}
	records, _ := h.records()
	erased := slices.Clone(h)
	for i, r := range records {
		if gone[at{r.Tenant, r.Header.Position}] {
			erased[i].document, erased[i].embedding = nil, nil
		}
	}
	return erased
}

// TestBytesAreCanonical: the bytes are the same for every grouping of records, and
// whether removed documents were erased before or not.
func TestBytesAreCanonical(t *testing.T) {
	testsize.OneGoroutine(t)
	for seed := range uint64(2) {
		h := draw(seed, 2600, 1)
		var want map[string]string
		for _, n := range []int{1, 50, 5000} {
			s := openStore(t)
			h.fold(t, s, n)
			if got := dump(t, s); want == nil {
				want = got
			} else if !maps.Equal(got, want) {
				t.Fatalf("seed %d: groups of %d give other bytes: %s", seed, n, difference(got, want))
			}
			s = openStore(t)
			h.erase().fold(t, s, n)
			if got := dump(t, s); !maps.Equal(got, want) {
				t.Fatalf("seed %d: groups of %d of what was erased give other bytes: %s", seed, n, difference(got, want))
			}
		}
	}
}

// TestNothingIsLeft: nothing is left when all documents are gone.
func TestNothingIsLeft(t *testing.T) {
	h := draw(9, 2500, 1)
	var last step
	for p := range h.size(0) {
		last.gone = append(last.gone, p)
	}
	other := step{tenant: 1}
	for p := range h.size(1) {
		other.gone = append(other.gone, p)
	}
	s := openStore(t)
	append(h, last, other).fold(t, s, 64)
	if left := dump(t, s); len(left) != 0 {
		t.Fatalf("%d keys are left: %s", len(left), difference(left, nil))
	}
}

// difference names a key in which two stores differ.
func difference(a, b map[string]string) string {
	for _, pair := range [][2]map[string]string{{a, b}, {b, a}} {
		for k, v := range pair[0] {
			if other, ok := pair[1][k]; !ok || v != other {
				return fmt.Sprintf("%s: %x and %x", index.Describe([]byte(k)), v, other)
			}
		}
	}
	return "nothing"
}

// TestSearchFindsWhatAComparisonWithAllFinds: at every state, with one cache, with
// and without filters, if every match is computed exactly.
func TestSearchFindsWhatAComparisonWithAllFinds(t *testing.T) {
	testsize.OneGoroutine(t)
	for seed := range uint64(4) {
		h := draw(seed, 2600, 1+int(seed%2)*6)
		rng := rand.New(rand.NewPCG(seed, 3))
		queries := map[naiveSpace]*vocabulary{
			{}:          newVocabulary(seed, 100, 24),
			{"", 70}:    newVocabulary(seed+1, 100, 70),
			{"one", 70}: newVocabulary(seed+1, 100, 70),
		}
		cache := NewCache([]int64{1 << 20, 4 << 10}[seed/2])
		s := openStore(t)
		x := New("model")
		records, changes := h.records()
		var sizes [2]uint64
		for i := range records {
			tx := s.BeginIndexed()
			if err := x.change(tx, &records[i], changes[i]); err != nil {
				t.Fatal(err)
			}
			if err := x.Finish(tx); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			sizes[records[i].Tenant]++
			if i != len(records)-1 && rng.IntN(150) != 0 {
				continue
			}
			for tenant := range uint32(2) {
				all := replay(h[:i+1], tenant)
				for space, v := range queries {
					q := Query{Vector: v.text(2), Own: space.dimensions > 0, Model: space.model, K: 1 + rng.IntN(40), ExactMatches: 1 << 20}
					q.Exact = func(p uint64) ([]float32, error) { return all[space][p], nil }
					may := func(uint64) bool { return true }
					if rng.IntN(2) == 0 {
						may, q.Filter = drawFilter(rng)
					}
					got, err := Open(s, tenant, sizes[tenant], cache).Search(t.Context(), q)
					if err != nil {
						if len(all[space]) == 0 {
							continue // there are only other spaces
						}
						t.Fatal(err)
					}
					var plain []index.Match
					for _, m := range got {
						if !m.Exact {
							t.Fatal("a match is an estimate")
						}
						plain = append(plain, m.Match)
					}
					if want := all.search(space, q.Vector, q.K, may); !reflect.DeepEqual(plain, want) {
						t.Fatalf("seed %d, after %d, tenant %d, %v:\n%v\n%v", seed, i+1, tenant, space, plain, want)
					}
				}
			}
		}
	}
}

// drawFilter returns which documents may be found, and a filter that says the same.
func drawFilter(rng *rand.Rand) (func(uint64) bool, index.Filter) {
	without := rng.IntN(3)
	mask := func(p uint64) bool { return p/chunkRows != uint64(without) && p%3 != 0 }
	accept := func(p uint64) bool { return p%5 != 0 }
	var f index.Filter
	may := func(p uint64) bool { return (f.Mask == nil || mask(p)) && (f.Accept == nil || accept(p)) }
	which := rng.IntN(3)
	if which != 0 {
		f.Mask = func(chunk int) (*[16]uint64, error) {
			if chunk == without {
				return nil, nil
			}
			var m live
			for o := range chunkRows {
				if mask(uint64(chunk*chunkRows + o)) {
					m.set(o)
				}
			}
			bits := [16]uint64(m)
			return &bits, nil
		}
	}
	if which != 1 {
		f.Accept = func(p uint64) (bool, error) { return accept(p), nil }
	}
	return may, f
}
