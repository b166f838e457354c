package lexical

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/text"
)

// small is a shape with all levels and chunks within a few thousand documents.
func small() *shape {
	return &shape{spans: [levels]uint64{2048, 512, 128, 64}, bits: [levels]uint{9, 8, 8, 8}, inline: 16}
}

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index", CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// step is the effect of one record: it adds a document or none, and removes others.
type step struct {
	tenant   uint32
	position uint64
	tokens   []text.Token
	gone     []uint64
}

// fold folds steps in one group.
func fold(t testing.TB, s *kv.Store, x *Lexical, indexed bool, steps ...step) {
	t.Helper()
	tx := s.Begin()
	if indexed {
		tx = s.BeginIndexed()
	}
	for _, step := range steps {
		for _, p := range step.gone {
			if err := x.remove(tx, step.tenant, p); err != nil {
				t.Fatal(err)
			}
		}
		if step.tokens != nil {
			if err := x.add(tx, step.tenant, &index.Document{Position: step.position, Tokens: step.tokens}); err != nil {
				t.Fatal(err)
			}
		}
		x.pass(step.tenant, step.position)
	}
	if err := x.Finish(tx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// dump returns the whole content of a store.
func dump(t testing.TB, s *kv.Store) (lines []string) {
	t.Helper()
	it, err := s.Iter([]byte{0}, []byte{0xff})
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s = %x", index.Describe(it.Key()), v))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// words makes documents: terms by Zipf's law, spread over their 48 bits.
type words struct {
	rng  *rand.Rand
	zipf *rand.Zipf
}

func newWords(seed uint64, vocabulary int) *words {
	rng := rand.New(rand.NewPCG(seed, 1))
	return &words{rng, rand.NewZipf(rng, 1.1, 3, uint64(vocabulary-1))}
}

// term returns the term of a rank.
func term(rank uint64) text.Term {
	h := (rank + 1) * 0x9e3779b97f4a7c15
	return text.Term((h ^ h>>29) & (1<<termBits - 1))
}

func (w *words) term() text.Term { return term(w.zipf.Uint64()) }

// document returns tokens of about n words.
func (w *words) document(n int) (tokens []text.Token) {
	run := func(f text.Field, n int) {
		at := uint32(0)
		for range n {
			tokens = append(tokens, text.Token{Term: w.term(), At: at, Field: f})
			at += uint32(w.rng.IntN(8)+6) / 7 // mostly the next, sometimes the same or the one after
		}
	}
	run(text.FieldText, 1+w.rng.IntN(2*n))
	if w.rng.IntN(3) == 0 {
		run(text.FieldTitle, 1+w.rng.IntN(4))
	}
	if w.rng.IntN(5) == 0 {
		run(text.FieldKey, 1+w.rng.IntN(2))
	}
	if w.rng.IntN(4) == 0 {
		run(text.FieldTags, 1+w.rng.IntN(3))
	}
	return tokens
}

// history returns n steps of a tenant: documents, other records, updates that remove
// another document, and removals.
func (w *words) history(tenant uint32, n int) (steps []step) {
	var live []uint64
	for p := range uint64(n) {
		s := step{tenant: tenant, position: p}
		switch c := w.rng.IntN(20); {
		case c < 15:
			s.tokens = w.document(12)
		case c < 18 && len(live) > 0:
			s.tokens = w.document(12)
			s.gone = append(s.gone, live[w.rng.IntN(len(live))])
		case c < 19 && len(live) > 0:
			for range 1 + w.rng.IntN(4) {
				s.gone = append(s.gone, live[w.rng.IntN(len(live))]) // some are removed already
			}
		}
		if s.tokens != nil {
			live = append(live, p)
		}
		steps = append(steps, s)
	}
	return steps
}

// naive is the live documents after some steps, and the weights of their terms.
type naive struct {
	docs    map[uint64][]text.Token
	weights map[text.Term]map[uint64]int
	lengths map[uint64]int
	total   int
}

func live(steps []step, tenant uint32) *naive {
	m := &naive{docs: make(map[uint64][]text.Token), weights: make(map[text.Term]map[uint64]int), lengths: make(map[uint64]int)}
	for _, s := range steps {
		if s.tenant == tenant {
			for _, p := range s.gone {
				delete(m.docs, p)
			}
			if len(s.tokens) > 0 {
				m.docs[s.position] = s.tokens
			}
		}
	}
	boosts := map[text.Field]int{text.FieldText: 2, text.FieldTitle: 4, text.FieldKey: 6, text.FieldTags: 3}
	for p, tokens := range m.docs {
		for _, t := range tokens {
			if m.weights[t.Term] == nil {
				m.weights[t.Term] = make(map[uint64]int)
			}
			m.weights[t.Term][p] = min(m.weights[t.Term][p]+boosts[t.Field], 255)
			if t.Field != text.FieldTags {
				m.lengths[p]++
				m.total++
			}
		}
	}
	return m
}

// search is Search by a full scan of the documents that have one of the terms.
func (m *naive) search(q Query, k int, f index.Filter) (found []index.Match) {
	weights := make(map[text.Term]float64)
	for _, w := range q.Terms {
		weights[w.Term] += w.Weight
	}
	for _, p := range q.Phrases {
		for _, t := range slices.Concat(p.Parts, p.Wholes) {
			if weights[t.Term] == 0 {
				weights[t.Term] = 1
			}
		}
	}
	params := DefaultParams()
	if q.Params != nil {
		params = *q.Params
	}
	n, average := float64(len(m.docs)), float64(m.total)/float64(len(m.docs))
	if q.Flat {
		average = flatLength
	}
	perToken := float64(0)
	if average > 0 {
		perToken = float64(2*float64(params.K1*params.B)) / average
	}
	scores := make(map[uint64]float64)
	for t, weight := range weights {
		df := float64(len(m.weights[t]))
		factor := float64(weight * index.Ln(1+(n-df+0.5)/(df+0.5)))
		if q.Flat {
			factor = weight
		}
		for p, w := range m.weights[t] {
			against := float64(2*float64(params.K1*(1-params.B))) + float64(perToken*float64(m.lengths[p]))
			part := float64(factor * (float64(w) / (float64(w) + against)))
			scores[p] += math.RoundToEven(part*(1<<30)) / (1 << 30)
		}
	}
	for p, score := range scores {
		ok := true
		for _, phrase := range q.Phrases {
			ok = ok && (len(phrase.Parts) == 0 || phrase.In(m.docs[p]))
		}
		if ok && f.Mask != nil {
			mask, _ := f.Mask(int(p / 1024))
			ok = mask != nil && mask[p%1024/64]>>(p%64)&1 != 0
		}
		if ok && f.Accept != nil {
			ok, _ = f.Accept(p)
		}
		if ok {
			found = append(found, index.Match{Position: p, Score: score})
		}
	}
	slices.SortFunc(found, better)
	return found[:min(k, len(found))]
}
