package embed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// oddWords returns texts of words outside of the vocabulary, some of them very long.
func oddWords(texts, words int) []string {
	chance := rand.New(rand.NewPCG(5, 6))
	list := make([]string, texts)
	for i := range list {
		var b strings.Builder
		for range words {
			for range 1 + chance.IntN(9) {
				b.WriteByte("bcdfghjklmnprstvwz"[chance.IntN(18)])
				b.WriteString([]string{"a", "e", "i", "ou", "é", "7"}[chance.IntN(6)])
			}
			b.WriteString([]string{" ", ", ", "\n", "-", "\x00", "e\u0301 "}[chance.IntN(6)])
		}
		list[i] = b.String()
	}
	return list
}

// Cached words have the same pieces, also while other goroutines use and overwrite the cache.
func TestMemoryMakesNoDifference(t *testing.T) {
	texts := oddWords(200, 60)
	n := newNaive(builtinData)
	for _, text := range texts {
		sameAsNaive(t, n, text)
		sameAsNaive(t, n, text)
	}
	m, err := Decode("small", string(file(8, "a", "##b", "##c", "bc")))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.recent.cells) > 16 {
		t.Fatalf("%d cells are too many to fill", len(m.recent.cells))
	}
	var words []string
	for i := range 1 << 12 {
		words = append(words, "a"+strings.NewReplacer("0", "b", "1", "c").Replace(fmt.Sprintf("%b", i)))
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			var got []int32
			for k := range 40_000 {
				word := words[(k/3*7+worker)%len(words)]
				want := []int32{0}
				for _, c := range word[1:] {
					want = append(want, 1+c-'b')
				}
				if got = m.Pieces(got[:0], word); !slices.Equal(got, want) {
					t.Errorf("%s has the pieces %v, not %v", word, got, want)
					return
				}
			}
		})
	}
	all.Wait()
}

// Several texts are joined by line feeds.
func TestTexts(t *testing.T) {
	for _, texts := range [][]string{{}, {""}, {"", "", ""}, {"restore", "", "the store"}, {"re", "store"}, {"e", "\u0301"}, {"a ", " b", "\xff"}, oddWords(40, 5)} {
		got, want := Builtin().Embed(nil, texts...), Builtin().Embed(nil, strings.Join(texts, "\n"))
		if !slices.Equal(got.Vector, want.Vector) || got.Norm != want.Norm || got.Pieces != want.Pieces {
			t.Errorf("%q: %d pieces, norm %v, not %d and %v", texts, got.Pieces, got.Norm, want.Pieces, want.Norm)
		}
	}
}
