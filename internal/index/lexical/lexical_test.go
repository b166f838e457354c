package lexical

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/text"
)

// foldRandomly folds steps in groups of random size.
func foldRandomly(t testing.TB, s *kv.Store, x *Lexical, steps []step, rng *rand.Rand, most int) {
	t.Helper()
	for len(steps) > 0 {
		n := min(1+rng.IntN(most), len(steps))
		fold(t, s, x, rng.IntN(2) == 0, steps[:n]...)
		steps = steps[n:]
	}
}

// mixed returns the steps of two tenants, interleaved.
func mixed(seed uint64, n, vocabulary int) (steps []step) {
	w := newWords(seed, vocabulary)
	one, two := w.history(1, n), w.history(7, n/3)
	for len(one)+len(two) > 0 {
		if len(two) == 0 || len(one) > 0 && w.rng.IntN(4) > 0 {
			steps, one = append(steps, one[0]), one[1:]
		} else {
			steps, two = append(steps, two[0]), two[1:]
		}
	}
	return steps
}

// erased returns the steps as a replay sees them after the removed documents have
// been erased: they are unreadable.
func erased(steps []step) (blank []step) {
	gone := make(map[uint32]map[uint64]bool)
	for _, s := range steps {
		if gone[s.tenant] == nil {
			gone[s.tenant] = make(map[uint64]bool)
		}
		for _, p := range s.gone {
			gone[s.tenant][p] = true
		}
	}
	for _, s := range steps {
		if gone[s.tenant][s.position] {
			s.tokens = nil
		}
		blank = append(blank, s)
	}
	return blank
}

// TestSameBytes folds one history in different groups, and with the removed
// documents erased before: the store must be the same, byte for byte.
func TestSameBytes(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, c := range []struct {
		name  string
		shape func() *shape
		n     int
	}{
		{"small", small, 2400}, {"real", theShape, 2150},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, uint64(c.n)))
			steps := mixed(3, c.n, 400)
			one := openStore(t)
			fold(t, one, newShaped(c.shape()), false, steps...)
			want := dump(t, one)
			if len(want) < 500 {
				t.Fatalf("%d rows only", len(want))
			}
			for _, again := range [][]step{steps, erased(steps)} {
				for _, most := range []int{1, 40, 700} {
					s := openStore(t)
					foldRandomly(t, s, newShaped(c.shape()), again, rng, most)
					equalDumps(t, dump(t, s), want)
				}
			}
		})
	}
}

func equalDumps(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			g, w := "nothing", "nothing"
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				w = want[i]
			}
			t.Fatalf("row %d of %d and %d:\n%.300s\nwant\n%.300s", i, len(got), len(want), g, w)
		}
	}
}

// TestNothingLeft removes every document, before and after it was sealed.
func TestNothingLeft(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, most := range []int{1, 50, 5000} {
		w := newWords(9, 100)
		const n = 700
		var steps []step
		for p := range uint64(n) {
			steps = append(steps, step{position: p, tokens: w.document(5)})
		}
		for p := range uint64(n) {
			steps = append(steps, step{position: n + p, gone: []uint64{p}})
		}
		s := openStore(t)
		foldRandomly(t, s, newShaped(small()), steps, w.rng, most)
		if rows := dump(t, s); len(rows) > 0 {
			t.Errorf("groups of up to %d: %d rows are left: %.200s", most, len(rows), rows[0])
		}
	}
}

// query returns a random question.
func (w *words) query(docs *naive) (q Query) {
	for range 1 + w.rng.IntN(6) {
		weight := 1.0
		if w.rng.IntN(3) == 0 {
			weight = float64(1+w.rng.IntN(300)) / 100
		}
		q.Terms = append(q.Terms, WeightedTerm{w.term(), weight})
	}
	if w.rng.IntN(3) == 0 {
		q.Params = &Params{K1: float64(w.rng.IntN(40)) / 10, B: float64(w.rng.IntN(11)) / 10}
	}
	q.Flat = w.rng.IntN(8) == 0
	for w.rng.IntN(4) == 0 && len(q.Phrases) < 3 {
		p := text.Phrase{Parts: w.sequence(docs)}
		if w.rng.IntN(2) == 0 {
			p.Wholes = w.sequence(docs)
		}
		q.Phrases = append(q.Phrases, p)
		if w.rng.IntN(2) == 0 {
			q.Terms = nil
		}
	}
	return q
}

// sequence returns tokens that are adjacent in a document, or might be.
func (w *words) sequence(docs *naive) []text.Token {
	switch w.rng.IntN(3) {
	case 0: // from a document
		for _, tokens := range docs.docs {
			from := w.rng.IntN(len(tokens))
			return slices.Clone(tokens[from:min(from+1+w.rng.IntN(3), len(tokens))])
		}
	case 1:
		return []text.Token{{Term: w.term(), At: 3}}
	}
	return []text.Token{{Term: w.term(), At: 1}, {Term: w.term(), At: 2}}
}

// filter returns a random filter.
func (w *words) filter() (f index.Filter) {
	if w.rng.IntN(3) == 0 {
		seed := w.rng.Uint64()
		f.Mask = func(chunk int) (*[16]uint64, error) {
			rng := rand.New(rand.NewPCG(seed, uint64(chunk)))
			if rng.IntN(3) == 0 {
				return nil, nil
			}
			var m [16]uint64
			for i := range m {
				m[i] = rng.Uint64() & rng.Uint64()
			}
			return &m, nil
		}
	}
	if w.rng.IntN(3) == 0 {
		odd := w.rng.Uint64N(3)
		f.Accept = func(p uint64) (bool, error) { return p%3 != odd, nil }
	}
	return f
}

// TestSearchAgainstNaive compares random questions with a full scan of all
// documents: the same matches, the same order, the same bits of every score.
func TestSearchAgainstNaive(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, c := range []struct {
		name    string
		shape   *shape
		n       int
		queries int
	}{
		{"small", small(), 2700, 40}, {"few", small(), 40, 20}, {"level", small(), 2048, 10}, {"real", theShape(), 2150, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, x := openStore(t), newShaped(c.shape)
			steps := mixed(uint64(c.n), c.n, 300)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := 0; i < len(steps); {
				n := min(1+rng.IntN(500), len(steps)-i)
				fold(t, s, x, false, steps[i:i+n]...)
				if i += n; i < len(steps) && rng.IntN(3) > 0 {
					continue
				}
				compare(t, s, c.shape, steps[:i], c.queries)
			}
		})
	}
}

// TestWideSegments has segments of several windows, and lists of many blocks.
func TestWideSegments(t *testing.T) {
	testsize.OneGoroutine(t)
	wide := &shape{spans: [levels]uint64{16384, 8192, 4096, 256}, bits: [levels]uint{9, 9, 8, 8}, inline: 700}
	w := newWords(11, 300)
	var steps []step
	for p := range uint64(21_000) {
		s := step{tenant: 1, position: p}
		if w.rng.IntN(9) > 0 {
			s.tokens = w.document(3)
		}
		if p%500 == 0 {
			s.gone = []uint64{w.rng.Uint64N(p + 1)}
		}
		steps = append(steps, s)
	}
	s := openStore(t)
	foldRandomly(t, s, newShaped(wide), steps, w.rng, 15_000)
	compare(t, s, wide, steps, 40)
}

// compare runs random questions for both tenants.
func compare(t *testing.T, s *kv.Store, shape *shape, steps []step, queries int) {
	t.Helper()
	w := newWords(uint64(len(steps)), 320) // some words are in no document
	cache := NewCache(1 << 20)
	for _, tenant := range []uint32{1, 7} {
		docs, size := live(steps, tenant), uint64(0)
		for _, s := range steps {
			if s.tenant == tenant {
				size++
			}
		}
		v, err := openShaped(shape, s, tenant, size, cache)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := v.Stats(); n != uint64(len(docs.docs)) {
			t.Fatalf("%d documents, want %d", n, len(docs.docs))
		}
		if len(docs.docs) == 0 {
			continue
		}
		for range queries {
			q, f, k := w.query(docs), w.filter(), []int{1, 3, 10, 100, 10000}[w.rng.IntN(5)]
			want := docs.search(q, k, f)
			got, err := v.Search(context.Background(), q, k, f)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("of %d records, %+v, k %d:\n%v\nwant\n%v", size, q, k, got, want)
			}
			compareScores(t, v, docs, q, size)
		}
	}
}

// compareScores compares Score, Count, Explain, DF and Forward with a full scan.
func compareScores(t *testing.T, v *View, docs *naive, q Query, size uint64) {
	t.Helper()
	plain := Query{Terms: q.Terms, Params: q.Params, Flat: q.Flat}
	if len(q.Terms) == 0 {
		return
	}
	all := make(map[uint64]float64)
	for _, m := range docs.search(plain, len(docs.docs), index.Filter{}) {
		all[m.Position] = m.Score
	}
	var positions []uint64
	for p := uint64(0); p < size+3; p += 1 + size/97 {
		positions = append(positions, p)
	}
	scores, err := v.Score(plain, positions)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := v.Count(plain, positions, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range positions {
		if scores[i] != all[p] {
			t.Fatalf("position %d has score %v, want %v", p, scores[i], all[p])
		}
		for k, term := range counts.Terms {
			w, length := docs.weights[term][p], docs.lengths[p]
			if tf := counts.TF[i*len(counts.Terms)+k]; tf != float64(w)/2 || int(counts.Lengths[i]) != length {
				t.Fatalf("position %d has %v of length %d, want %v and %d", p, tf, counts.Lengths[i], float64(w)/2, length)
			}
		}
	}
	p := positions[len(positions)/2]
	parts, err := v.Explain(plain, p)
	if err != nil {
		t.Fatal(err)
	}
	sum := float64(0)
	for _, part := range parts {
		sum += part.Score
		df, err := v.DF(part.Term)
		if err != nil || int(df) != len(docs.weights[part.Term]) || !q.Flat && part.IDF != IDF(uint64(len(docs.docs)), df) {
			t.Fatalf("%+v has df %d, want %d (%v)", part, df, len(docs.weights[part.Term]), err)
		}
	}
	if sum != all[p] {
		t.Fatalf("parts %+v add up to %v, want %v", parts, sum, all[p])
	}
	d, err := v.Forward(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := docs.docs[p]; (d == nil) != (want == nil) || d != nil && !slices.Equal(d.Tokens, want) {
		t.Fatalf("position %d is %v, want %v", p, d, want)
	}
}

// TestPhrase has the same words in and out of order, and in two fields.
func TestPhrase(t *testing.T) {
	token := func(rank uint64, at uint32, f text.Field) text.Token {
		return text.Token{Term: term(rank), At: at, Field: f}
	}
	s, x := openStore(t), New()
	fold(t, s, x, false,
		step{position: 0, tokens: []text.Token{token(1, 0, 0), token(2, 1, 0), token(3, 2, 0)}},
		step{position: 1, tokens: []text.Token{token(2, 0, 0), token(1, 1, 0), token(3, 2, 0)}},
		step{position: 2, tokens: []text.Token{token(1, 4, 0), token(2, 5, text.FieldTitle)}},
		step{position: 3, tokens: []text.Token{token(1, 7, text.FieldTitle), token(2, 8, text.FieldTitle), token(9, 0, text.FieldText)}},
		step{position: 4, tokens: []text.Token{token(1, 0, 0), token(2, 2, 0)}},
	)
	v, err := Open(s, 0, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	type tokens = []text.Token
	for _, c := range []struct {
		phrases []text.Phrase
		want    []uint64
	}{
		{[]text.Phrase{{Parts: tokens{token(1, 0, 0), token(2, 1, 0)}}}, []uint64{0, 3}},
		{[]text.Phrase{{Parts: tokens{token(1, 9, 0), token(2, 10, 0)}}, {Parts: tokens{token(3, 0, 0)}}}, []uint64{0}},
		{[]text.Phrase{{Parts: tokens{token(1, 0, 0), token(2, 2, 0)}}}, []uint64{4}},
		{[]text.Phrase{{Parts: tokens{token(2, 0, 0), token(1, 1, 0)}}}, []uint64{1}},
		{[]text.Phrase{{Parts: tokens{token(3, 0, 0), token(1, 1, 0)}}}, nil},
		{[]text.Phrase{{Parts: tokens{token(1, 0, 0)}}, {}}, []uint64{0, 1, 2, 3, 4}},
		{[]text.Phrase{{Parts: tokens{token(77, 0, 0)}}}, nil},
		// By parts or by wholes, with terms in common and with none.
		{[]text.Phrase{{Parts: tokens{token(2, 0, 0), token(1, 1, 0)}, Wholes: tokens{token(1, 0, 0), token(2, 2, 0)}}}, []uint64{1, 4}},
		{[]text.Phrase{{Parts: tokens{token(77, 0, 0)}, Wholes: tokens{token(9, 0, 0)}}}, []uint64{3}},
		{[]text.Phrase{{Parts: tokens{token(3, 0, 0)}, Wholes: tokens{token(9, 0, 0)}}}, []uint64{0, 1, 3}},
		{[]text.Phrase{{Parts: tokens{token(3, 0, 0)}, Wholes: tokens{token(9, 0, 0)}}, {Parts: tokens{token(2, 0, 0), token(1, 1, 0)}}}, []uint64{1}},
	} {
		found, err := v.Search(context.Background(), Query{Phrases: c.phrases}, 10, index.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, m := range found {
			got = append(got, m.Position)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.phrases, got, c.want)
		}
	}
}

// TestRefused: invalid questions are refused.
func TestRefused(t *testing.T) {
	s, x := openStore(t), New()
	fold(t, s, x, false, step{tokens: []text.Token{{Term: 1}}})
	v, err := Open(s, 0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var many []WeightedTerm
	var tooMany text.Phrase
	for i := range MaxTerms + 100 {
		many = append(many, WeightedTerm{text.Term(i), 1})
		tooMany.Parts = append(tooMany.Parts, text.Token{Term: text.Term(i), At: uint32(i)})
	}
	one := []WeightedTerm{{1, 1}}
	for name, q := range map[string]Query{
		"no weight": {Terms: []WeightedTerm{{1, 0}}}, "negative": {Terms: []WeightedTerm{{1, -1}}},
		"no number": {Terms: []WeightedTerm{{1, math.NaN()}}}, "too heavy": {Terms: []WeightedTerm{{1, 101}}},
		"too heavy together": {Terms: []WeightedTerm{{1, 60}, {1, 60}}},
		"too many":           {Phrases: []text.Phrase{tooMany}}, "too wide": {Terms: []WeightedTerm{{1 << 48, 1}}},
		"k1": {Terms: one, Params: &Params{K1: -1}}, "b": {Terms: one, Params: &Params{B: math.NaN()}},
	} {
		if _, err := v.Search(context.Background(), q, 1, index.Filter{}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := v.Score(Query{Terms: one}, []uint64{1, 0}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("positions that go down: %v", err)
	}
	if found, err := v.Search(context.Background(), Query{Terms: many}, 1, index.Filter{}); err != nil || len(found) != 1 {
		t.Errorf("%d terms: %v %v", len(many), found, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.Search(ctx, Query{Terms: one}, 1, index.Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}

// TestFilterErrors: errors of a filter are returned.
func TestFilterErrors(t *testing.T) {
	s, x := openStore(t), New()
	fold(t, s, x, false, step{tokens: []text.Token{{Term: 1}}})
	v, err := Open(s, 0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("wrong")
	q := Query{Terms: []WeightedTerm{{1, 1}}}
	for _, f := range []index.Filter{
		{Mask: func(int) (*[16]uint64, error) { return nil, wrong }},
		{Accept: func(uint64) (bool, error) { return true, wrong }},
	} {
		if _, err := v.Search(context.Background(), q, 1, f); err != wrong {
			t.Errorf("%v", err)
		}
	}
}

// TestPhrasesOfAQuestionFit: any quotes in a question can be searched for.
func TestPhrasesOfAQuestionFit(t *testing.T) {
	if text.MaxPhrases*text.MaxPhrase > MaxTerms {
		t.Errorf("a question may have %d phrases of %d terms, but only %d are looked for", text.MaxPhrases, text.MaxPhrase, MaxTerms)
	}
	s, x := openStore(t), New()
	fold(t, s, x, false, step{tokens: text.Analyze(nil, text.FieldText, "we moved the e-mail server")})
	v, err := Open(s, 0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var many strings.Builder
	for n := range 8 * 60 {
		if n%60 == 0 {
			many.WriteString(`" "`)
		}
		fmt.Fprintf(&many, "foo%cx%cBar%cy%c ", 'a'+n%26, 'a'+n/26, 'a'+n%26, 'a'+n/26)
	}
	for query, want := range map[string]int{
		many.String()[2:] + `"`: 0, `"email server"`: 1, `"e-mail server"`: 1, `"e mail server"`: 1, `"e-mail"`: 1, `"email"`: 1, `"server email"`: 0,
	} {
		q := text.ParseQuery(query)
		if len(q.Phrases) == 0 {
			t.Fatalf("%.50s has no phrase", query)
		}
		if found, err := v.Search(context.Background(), Query{Phrases: q.Phrases}, 10, index.Filter{}); err != nil || len(found) != want {
			t.Errorf("%.50s: %v, %v", query, found, err)
		}
	}
}
