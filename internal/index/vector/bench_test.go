package vector

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

const million = 1_000_000

// large is a store with a million vectors, and their originals.
type large struct {
	store   *kv.Store
	vectors [][]float32
	queries [][]float32
	cache   *Cache
}

func newLarge(b *testing.B, n int) *large {
	b.Helper()
	if testing.Short() {
		b.Skip("takes a minute")
	}
	l := &large{store: openStore(b), cache: NewCache(64 << 20)}
	v := newVocabulary(1, 20_000, 256)
	x := New("model")
	tx := l.store.Begin()
	for i := range n {
		vector := v.text(8 + i%16)
		l.vectors = append(l.vectors, vector)
		d := textDocument(vector)
		d.Position = uint64(i)
		r := index.Record{Header: record.Header{Position: uint64(i)}}
		if err := x.change(tx, &r, index.Changes{Add: d}); err != nil {
			b.Fatal(err)
		}
		if i%4096 == 4095 || i == n-1 {
			if err := x.Finish(tx); err != nil {
				b.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
			tx = l.store.Begin()
		}
	}
	_ = tx.Discard()
	if err := l.store.Flush(); err != nil {
		b.Fatal(err)
	}
	for range 64 {
		l.queries = append(l.queries, v.text(6))
	}
	return l
}

// exact is the vector of a document, as the caller of a search gives it.
func (l *large) exact(position uint64) ([]float32, error) { return l.vectors[position], nil }

// product32 is the dot product of two vectors in float32, as fast as Go can.
func product32(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for i := 0; i+4 <= len(a) && i+4 <= len(b); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return s0 + s1 + s2 + s3
}

// BenchmarkMillion runs all benchmarks with a million vectors, so that they are
// made once.
func BenchmarkMillion(b *testing.B) {
	l := newLarge(b, million)
	snap := l.store.Snapshot()
	defer snap.Close()
	b.Run("exact scan of float32", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			q := l.queries[i%len(l.queries)]
			best := float32(-1)
			for _, v := range l.vectors {
				best = max(best, product32(q, v))
			}
			runtime.KeepAlive(best)
		}
	})
	for _, k := range available() {
		view := Open(snap, 0, million, l.cache)
		view.kernels = k
		b.Run("codes/"+k.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				s, err := view.newSearch(&Query{Vector: l.queries[i%len(l.queries)]})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.nearest(b.Context(), mostRows); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, n := range []int{10, 100, 500} {
			b.Run(fmt.Sprintf("search/%s/k=%d", k.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if _, err := view.Search(b.Context(), Query{Vector: l.queries[i%len(l.queries)], K: n, Exact: l.exact}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFold measures the cost of a document.
func BenchmarkFold(b *testing.B) {
	v := newVocabulary(1, 1000, 256)
	var vectors [][]float32
	for range 1024 {
		vectors = append(vectors, v.text(12))
	}
	s := openStore(b)
	x := New("model")
	tx := s.Begin()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d := textDocument(vectors[i%len(vectors)])
		d.Position = uint64(i)
		r := index.Record{Header: record.Header{Position: uint64(i)}}
		if err := x.change(tx, &r, index.Changes{Add: d}); err != nil {
			b.Fatal(err)
		}
		if i%1024 == 1000 {
			if err := x.Finish(tx); err != nil {
				b.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
			tx = s.Begin()
		}
	}
	_ = tx.Discard()
}

// BenchmarkKernels runs on a chunk of the built-in model's codes, and on a row.
func BenchmarkKernels(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	blocks, turned := make([]byte, chunkRows*32), make([]int64, 256)
	for i := range blocks {
		blocks[i] = byte(rng.Uint32())
	}
	for i := range turned {
		turned[i] = int64(rng.NormFloat64() * 1e6)
	}
	values, q := make([]byte, 256), make([]int16, 256)
	var distances [chunkRows]uint16
	var near [chunkRows / 8]byte
	for _, k := range available() {
		query := tableOf(turned, k.bytes)
		b.Run("near/"+k.name, func(b *testing.B) {
			b.SetBytes(int64(len(blocks)))
			for b.Loop() {
				k.near(distances[:], near[:], blocks, query, query.far/3)
			}
		})
		b.Run("table/"+k.name, func(b *testing.B) {
			for b.Loop() {
				tableOf(turned, k.bytes)
			}
		})
		b.Run("dot/"+k.name, func(b *testing.B) {
			for b.Loop() {
				k.dot(values, q)
			}
		})
	}
}
