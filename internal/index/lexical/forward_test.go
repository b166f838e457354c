package lexical

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/text"
)

// Tokens are numbered the same with and without places beside their terms, field by
// field, for any frequency of a term, and the terms are those of the tokens.
func TestForwardNumbers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		tokens := make([]text.Token, rapid.IntRange(1, 400).Draw(rt, "tokens"))
		terms := rapid.SampledFrom([]int{1, 5, 1000}).Draw(rt, "terms")
		for i := range tokens {
			// A term has at most 48 bits. Higher bits do not count.
			tokens[i] = text.Token{Term: text.Term(uint64(chance.IntN(terms)+1) * 0x9e3779b97f4a7c15), At: uint32(i), Field: text.Field(chance.IntN(4))}
		}
		var w, many forwardWriter
		w.write(tokens)
		sorted := slices.Clone(tokens)
		slices.SortStableFunc(sorted, func(a, b text.Token) int { return int(a.Field) - int(b.Field) })
		many.numberMany(sorted)
		if !slices.Equal(w.terms, many.terms) || !slices.Equal(w.weights, many.weights) || !slices.Equal(w.numbers, many.numbers) {
			rt.Fatalf("%d tokens are numbered otherwise", len(tokens))
		}
		for i, n := range w.numbers {
			if w.terms[n] != sorted[i].Term&(1<<termBits-1) {
				rt.Fatalf("token %d has the number of another term", i)
			}
		}
	})
}

// A document with more tokens than fit beside a term is written completely.
func TestForwardMany(t *testing.T) {
	for _, n := range []int{1 << placeBits, 1<<placeBits + 1} {
		tokens := make([]text.Token, n)
		for i := range tokens {
			tokens[i] = text.Token{Term: text.Term(i%300 + 1), At: uint32(i)}
		}
		var w forwardWriter
		w.write(tokens)
		f, err := readForward(w.row)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.terms) != 300 || int(f.length) != n || w.numbers[n-1] != uint32((n-1)%300) || len(w.numbers) != n {
			t.Errorf("%d tokens: %d terms, length %d, %d numbers", n, len(w.terms), f.length, len(w.numbers))
		}
	}
}
