package pack

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestSame(t *testing.T) {
	long := "Ann and Ben met in the old town of Rome on a rainy Friday to speak about how the mail server gets a new certificate before May comes"
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{long, long, true},
		{long, strings.ToUpper(long), true},
		{long, long + " again", true},
		{long, strings.Replace(long, "rainy", "sunny", 1), true},
		{long, strings.NewReplacer("rainy", "sunny", "old", "new", "Rome", "Oslo").Replace(long), false},
		{"I do like the green tea", "I do not like the green tea", false},
		{"yes", "Yes", true},
		{"yes  please", " yes please\n", true},
		{"yes please", "please yes", false},
		{"one two three four", "four three two one", true},
		{"!", "?", false},
		{"", "", true},
		{strings.Repeat(long+" ", 200), strings.Repeat(long+" ", 201), false},
	} {
		a, b := wordsOf(c.a), wordsOf(c.b)
		if a.same(b) != c.want || b.same(a) != c.want || !a.same(a) {
			t.Errorf("%.60q and %.60q: %v", c.a, c.b, a.same(b))
		}
	}
}

// plainText is the reference form in which words are compared.
type plainText struct {
	folded string
	words  map[string]bool
}

func plainOf(s string) plainText {
	small := strings.Map(unicode.ToLower, s)
	p := plainText{strings.Join(strings.Fields(small), " "), make(map[string]bool)}
	for _, word := range strings.FieldsFunc(small, func(r rune) bool { return !inWord(r) }) {
		p.words[word] = true
	}
	return p
}

// same is the reference of words.same.
func (p plainText) same(o plainText) bool {
	if p.folded == o.folded {
		return true
	}
	common := 0
	for word := range p.words {
		if o.words[word] {
			common++
		}
	}
	return min(len(p.words), len(o.words)) >= fewWords && 10*common >= 9*(len(p.words)+len(o.words)-common)
}

// TestWords: the hashes tell words apart, however the words are written and separated.
func TestWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	parts := []string{"a", "B", "7", "é", "É", "K", "\u212a", "\u0130", "ß", "ẞ", "日本", "😀", "-", "\u0301", " ", "  ", "\n", "\u00a0", ",", "abcdefg", "ABCDEFGH", "abcdefghi", "\xff", "x1"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(7) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		return b.String()
	}
	alike := 0
	for range 50_000 {
		a, b := text(), text()
		x, y := wordsOf(a), wordsOf(b)
		if got, want := x.same(y), plainOf(strings.ToValidUTF8(a, "\uFFFD")).same(plainOf(strings.ToValidUTF8(b, "\uFFFD"))); got != want {
			t.Fatalf("%q and %q: %v", a, b, got)
		} else if got {
			alike++
		}
		if got, want := len(x.each()), len(plainOf(a).words); got != want {
			t.Fatalf("%q has %d words, not %d", a, got, want)
		}
	}
	if alike < 500 {
		t.Errorf("%d are alike", alike)
	}
}

// TestSameCounts: the fast count equals the plain one.
func TestSameCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	set := func(like []uint64) *words {
		out := &words{whole: rng.Uint64()}
		for _, x := range like {
			if rng.IntN(25) > 0 {
				out.add(x)
			}
		}
		for range rng.IntN(5) {
			out.add(rng.Uint64N(1000))
		}
		return out
	}
	both := [2]int{}
	for range 20_000 {
		var all []uint64
		for range rng.IntN(60) {
			all = append(all, rng.Uint64N(1000))
		}
		a, b := set(all), set(all)
		common := 0
		for _, x := range a.each() {
			if slices.Contains(b.each(), x) {
				common++
			}
		}
		want := min(len(a.list), len(b.list)) >= fewWords && 10*common >= 9*(len(a.list)+len(b.list)-common)
		if a.same(b) != want {
			t.Fatalf("%v and %v have %d in common: %v", a, b, common, a.same(b))
		}
		if want {
			both[1]++
		} else {
			both[0]++
		}
	}
	if both[0] < 100 || both[1] < 100 {
		t.Errorf("%v", both)
	}
}
