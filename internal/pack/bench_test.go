package pack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukasa.dev/hmx"
)

// BenchmarkCompose composes a pack of 250 candidates without reading anything.
func BenchmarkCompose(b *testing.B) {
	for _, budget := range []int{2000, 8000} {
		for _, strategy := range []hmx.Strategy{hmx.StrategyRanked, hmx.StrategyBreadthFirst} {
			b.Run(fmt.Sprintf("%s/%d", strategy, budget), func(b *testing.B) {
				in := plenty(b, Request{Query: "how is the release made", Budget: budget, Strategy: strategy}).input()
				load := in.Load
				known := map[uint64]Source{}
				for i := range in.Candidates {
					var s Source
					if err := load(&in.Candidates[i], &s); err != nil {
						b.Fatal(err)
					}
					s.Tokens = in.Counter.Count(s.Text)
					known[in.Candidates[i].Position] = s
				}
				in.Load = func(c *Candidate, s *Source) error { *s = known[c.Position]; return nil }
				candidates := slices.Clone(in.Candidates)
				b.ReportAllocs()
				for b.Loop() {
					copy(in.Candidates, candidates)
					if _, err := Compose(in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// plenty is a board as a long conversation leaves it: many events and some versioned records,
// most of them short and a few long.
func plenty(t testing.TB, request Request) *board {
	r := rand.New(rand.NewPCG(1, 2))
	b := newBoard(t, request)
	for i := range 250 {
		c := Candidate{Section: hmx.SectionEpisodes, Relevance: 1 - float64(i)/300, Time: now - int64(r.IntN(200))*day, Salience: r.Float64(), Session: fmt.Sprint(r.IntN(20))}
		if i%5 == 0 {
			c.Section, c.Session, c.Class = hmx.Sections()[r.IntN(10)], "", "fact"
		}
		words := 10 + r.IntN(40)
		if i%20 == 0 {
			words = 400
		}
		c.Known = words
		b.add(c, sentenceOf(r, words))
	}
	return b
}
