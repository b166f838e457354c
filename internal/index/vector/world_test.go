package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

func openStore(t testing.TB) *kv.Store {
	t.Helper()
	s, err := kv.Open(kv.Options{FS: disk.NewMem(), Dir: "index"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// step is one record: a document, an embedding, or a removal.
type step struct {
	tenant    uint32
	document  *index.Document // its position is set by the fold
	embedding *memory.Embedding
	gone      []uint64 // documents
	erased    []uint64 // embeddings
}

// history is records in their order. Positions are counted for each tenant.
type history []step

// records returns the records of a history with their changes of documents.
func (h history) records() (list []index.Record, changes []index.Changes) {
	next := map[uint32]uint64{}
	for _, s := range h {
		r := index.Record{Tenant: s.tenant, Header: record.Header{Position: next[s.tenant]}}
		var c index.Changes
		if s.document != nil {
			d := *s.document
			d.Position = r.Header.Position
			c.Add = &d
		}
		if s.embedding != nil {
			r.Body = s.embedding
		}
		c.Gone = s.gone
		if len(s.erased) > 0 {
			red := new(memory.Redaction)
			for _, p := range s.erased {
				red.Targets = append(red.Targets, memory.RedactionTarget{Kind: record.Embedding, Position: p})
			}
			r.Control = red
		}
		next[s.tenant]++
		list, changes = append(list, r), append(changes, c)
	}
	return list, changes
}

// fold folds a history in groups of n records.
func (h history) fold(t testing.TB, s *kv.Store, n int) {
	t.Helper()
	x := New("model")
	list, changes := h.records()
	for from := 0; from < len(list); from += n {
		tx := s.Begin()
		if n == 1 && from%2 == 0 {
			_ = tx.Discard()
			tx = s.BeginIndexed() // as for some records
		}
		for i := from; i < min(from+n, len(list)); i++ {
			if err := x.change(tx, &list[i], changes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Finish(tx); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

// size is how many records a tenant has.
func (h history) size(tenant uint32) uint64 {
	n := uint64(0)
	for _, s := range h {
		if s.tenant == tenant {
			n++
		}
	}
	return n
}

// dump returns the whole content of a store.
func dump(t testing.TB, s *kv.Store) map[string]string {
	t.Helper()
	it, err := s.Iter(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			t.Fatal(err)
		}
		all[string(it.Key())] = string(v)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// vocabulary makes vectors like a static model: sums of words, some of which are
// frequent, with dimensions of different magnitude.
type vocabulary struct {
	rng   *rand.Rand
	words [][]float32
}

func newVocabulary(seed uint64, words, dimensions int) *vocabulary {
	v := &vocabulary{rng: rand.New(rand.NewPCG(seed, 1))}
	for range words {
		w := make([]float32, dimensions)
		for i := range w {
			w[i] = float32(v.rng.NormFloat64() / math.Sqrt(1+float64(i)/8))
		}
		v.words = append(v.words, w)
	}
	return v
}

// text returns the vector of a text of n words.
func (v *vocabulary) text(n int) []float32 {
	sum := make([]float32, len(v.words[0]))
	for range n {
		u := v.rng.Float64()
		word := v.words[int(float64(len(v.words))*u*u*u)]
		for i, x := range word {
			sum[i] += x
		}
	}
	return unit(sum)
}

// unit returns a vector of length 1.
func unit(v []float32) []float32 {
	length := math.Sqrt(product(v, v))
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

// textDocument returns a document with a built-in vector.
func textDocument(v []float32) *index.Document {
	return &index.Document{Embedding: embed.Embedding{Vector: v, Norm: 2, Pieces: 7}}
}
