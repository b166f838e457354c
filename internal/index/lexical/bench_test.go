package lexical

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/text"
)

func openOnDisk(b *testing.B) *kv.Store {
	b.Helper()
	s, err := kv.Open(kv.Options{FS: disk.OS(), Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// corpus makes documents of n tokens, with terms distributed as in texts, one in
// ten of which is very rare.
type corpus struct {
	rng  *rand.Rand
	zipf *rand.Zipf
	n    int
}

func newCorpus(tokens int) *corpus {
	rng := rand.New(rand.NewPCG(1, 1))
	return &corpus{rng, rand.NewZipf(rng, 1.08, 30, 100_000), tokens}
}

func (c *corpus) tokens() []text.Token {
	// Most are short, some long.
	n := c.n / 3
	for n < 10*c.n && c.rng.IntN(100) < 97*(2*c.n/3)/(2*c.n/3+2) {
		n += 2
	}
	tokens := make([]text.Token, n)
	for i := range tokens {
		rank := c.zipf.Uint64()
		if c.rng.IntN(10) == 0 {
			rank = 1_000_000 + c.rng.Uint64N(100_000_000)
		}
		tokens[i] = text.Token{Term: term(rank), At: uint32(i)}
	}
	return tokens
}

// ingest folds documents from a position on, in groups of 1,000.
func ingest(b *testing.B, s *kv.Store, x *Lexical, from, to uint64, next func() []text.Token) {
	b.Helper()
	for from < to {
		tx := s.Begin()
		for range min(1000, to-from) {
			if err := x.add(tx, 1, &index.Document{Position: from, Tokens: next()}); err != nil {
				b.Fatal(err)
			}
			x.pass(1, from)
			from++
		}
		if err := x.Finish(tx); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, tokens := range []int{25, 45} {
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			c := newCorpus(tokens)
			documents := make([][]text.Token, 50_000)
			for i := range documents {
				documents[i] = c.tokens()
			}
			s, x := openOnDisk(b), New()
			i := 0
			b.ReportAllocs()
			b.ResetTimer()
			ingest(b, s, x, 0, uint64(b.N), func() []text.Token { i++; return documents[i%len(documents)] })
		})
	}
}

// BenchmarkMerge builds a segment of the largest span.
func BenchmarkMerge(b *testing.B) {
	c, width := newCorpus(25), theShape().spans[0]
	s, x := openOnDisk(b), New()
	ingest(b, s, x, 0, width-1, c.tokens)
	b.ReportAllocs()
	for b.Loop() {
		tx := s.Begin()
		if err := x.add(tx, 1, &index.Document{Position: width - 1, Tokens: c.tokens()}); err != nil {
			b.Fatal(err)
		}
		x.pass(1, width-1)
		if err := x.Finish(tx); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(tx.Size()), "bytes/merge")
		x.Reset()
		if err := tx.Discard(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQuery searches for terms that about 2 to 3 percent of the documents
// have, and for frequent ones.
func BenchmarkQuery(b *testing.B) {
	for _, documents := range []uint64{100_000, 1_000_000} {
		if documents > 100_000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprintf("documents=%d", documents), func(b *testing.B) {
			s, x := openOnDisk(b), New()
			ingest(b, s, x, 0, documents, newCorpus(45).tokens)
			if err := s.Flush(); err != nil {
				b.Fatal(err)
			}
			cache := NewCache(1 << 20)
			r := s.Snapshot()
			defer r.Close()
			v, err := Open(r, 1, documents, cache)
			if err != nil {
				b.Fatal(err)
			}
			var frequent, medium []text.Term
			for rank := range uint64(400) {
				df, err := v.DF(term(rank))
				if err != nil {
					b.Fatal(err)
				}
				switch share := float64(df) / float64(documents); {
				case share > 0.10:
					frequent = append(frequent, term(rank))
				case share > 0.018 && share < 0.035:
					medium = append(medium, term(rank))
				}
			}
			for _, kind := range []struct {
				name  string
				terms []text.Term
			}{{"medium", medium}, {"frequent", frequent}} {
				for _, n := range []int{1, 3, 8} {
					b.Run(fmt.Sprintf("%s=%d", kind.name, n), func(b *testing.B) {
						benchmarkQueries(b, r, documents, cache, kind.terms, n)
					})
				}
			}
		})
	}
}

// BenchmarkCount counts the terms of a question in 300 documents.
func BenchmarkCount(b *testing.B) {
	const documents = 100_000
	s, x := openOnDisk(b), New()
	ingest(b, s, x, 0, documents, newCorpus(45).tokens)
	var q Query
	for rank := range uint64(6) {
		q.Terms = append(q.Terms, WeightedTerm{term(20 * rank), 1})
	}
	rng := rand.New(rand.NewPCG(5, 5))
	cache := NewCache(0)
	var times []time.Duration
	for b.Loop() {
		positions := make([]uint64, 300)
		for i := range positions { // neighbours, mostly
			if positions[i] = rng.Uint64N(documents - 5); i%5 > 0 {
				positions[i] = positions[i-1] + 1
			}
		}
		slices.Sort(positions)
		v, err := Open(s, 1, documents, cache)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Search(context.Background(), q, 200, index.Filter{}); err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		if _, err := v.Count(q, positions, nil); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
}

func benchmarkQueries(b *testing.B, r kv.Reader, documents uint64, cache *Cache, terms []text.Term, n int) {
	if len(terms) < n {
		b.Skip("there are too few such terms")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		var q Query
		for len(q.Terms) < n {
			t := terms[rng.IntN(len(terms))]
			if !slices.ContainsFunc(q.Terms, func(w WeightedTerm) bool { return w.Term == t }) {
				q.Terms = append(q.Terms, WeightedTerm{t, 1})
			}
		}
		begin := time.Now()
		v, err := Open(r, 1, documents, cache)
		if err != nil {
			b.Fatal(err)
		}
		found, err := v.Search(context.Background(), q, 10, index.Filter{})
		if err != nil || len(found) != 10 {
			b.Fatal(len(found), err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
}
