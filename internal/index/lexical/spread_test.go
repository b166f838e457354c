package lexical

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slabPostings are postings as slabs receive them: by document, then by term, some of
// which are in many documents.
func slabPostings(chance *rand.Rand, documents, terms, words int) (list []uint64) {
	for d := range documents {
		from := len(list)
		for range terms {
			w := uint64(chance.IntN(words)+1) * uint64(chance.IntN(words)+1) / uint64(words)
			term := (w + 1) * 0x9e3779b97f4a7c15 >> slabTermShift
			list = append(list, term<<slabTermShift|uint64(d%slabSize)<<weightBits|2)
		}
		slices.Sort(list[from:])
		list = slices.Compact(list)
	}
	return list
}

// Postings are sorted, for any number of them.
func TestSpread(t *testing.T) {
	var s spread
	rapid.Check(t, func(rt *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		list := slabPostings(chance, rapid.IntRange(0, 256).Draw(rt, "documents"), rapid.IntRange(1, 60).Draw(rt, "terms"),
			rapid.SampledFrom([]int{1, 30, 5000}).Draw(rt, "words"))
		want := slices.Clone(list)
		slices.Sort(want)
		if s.sort(list); !slices.Equal(list, want) {
			rt.Fatalf("%d postings in another order", len(list))
		}
	})
}

// BenchmarkSpread puts the postings of a slab in order.
func BenchmarkSpread(b *testing.B) {
	list := slabPostings(rand.New(rand.NewPCG(1, 0)), slabSize, 45, 5000)
	var s spread
	room := make([]uint64, len(list))
	for b.Loop() {
		copy(room, list)
		s.sort(room)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/posting")
}
