package text

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/testsize"
)

// scraps are the pieces of random texts.
var scraps = []string{
	"a", "I", "the", "Dogs", "running", "don't", "US", "x", "Foo", "HTTP", "Servers", "s", "7", "42", "000", "2026-11-15", "T08",
	"-", "--", "_", ".", "..", "/", "\\", ":", "::", "://", "->", "@", "'", "\"", "=", "&", "?", "#", "+", "++", ",", "$", "~", "(", ")", "%",
	" ", " ", " ", "\n", "\t", "é", "e\u0301", "ß", "’", "“", "”", "—", "ＡＢ", "ﬁ", "ж", "Ёж", "שלום", "مُ", "م", "١", "东", "京", "カ", "ｶﾞ", "한", "국",
	"ส", "วั", "ि", "न", "👍", "🏽", "\u200d", "\ufe0f", "🇩", "🇪", "\u00ad", "\u200b", "\x00", "\xff", "\xe4\xb8", "\u0301", "\ufdfa", "½", "™", "·",
	"www.", "da39a3ee5e6b4b0d", "550e8400-e29b-41d4-a716-446655440000", "1,000", "v2.1", "pack_test.go",
}

func randomText(rnd *rand.Rand, scraps []string, n int) string {
	var s strings.Builder
	for range n {
		s.WriteString(scraps[rnd.IntN(len(scraps))])
	}
	return s.String()
}

// ascii returns the ASCII scraps without a comma: digits after commas are counted before
// folding.
func ascii() []string {
	return slices.DeleteFunc(slices.Clone(scraps), func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || r == ',' })
	})
}

// checkTokens checks the invariants of tokens.
func checkTokens(t *testing.T, s string, field Field, tokens []Token) {
	t.Helper()
	if len(tokens) > 2*len(s) {
		t.Fatalf("%q gives %d tokens", s, len(tokens))
	}
	type spot struct {
		at   uint32
		term Term
	}
	seen := make(map[spot]bool, len(tokens))
	for i, token := range tokens {
		if token.Term&^termMask != 0 || token.Field != field {
			t.Fatalf("%q: token %d is %+v", s, i, token)
		}
		if i > 0 && token.At < tokens[i-1].At {
			t.Fatalf("%q: token %d goes back", s, i)
		}
		if seen[spot{token.At, token.Term}] {
			t.Fatalf("%q: token %d is twice at %d", s, i, token.At)
		}
		seen[spot{token.At, token.Term}] = true
	}
}

// TestSpaceSeparates: the tokens of two texts with a space between them are those of the first
// and of the second.
func TestSpaceSeparates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		one, other := randomText(rnd, scraps, rnd.IntN(12)), randomText(rnd, scraps, rnd.IntN(12))
		field := Field(rnd.IntN(2))
		first := Analyze(nil, field, one)
		ended := Analyze(nil, field, one+" zzz")
		shift := ended[len(ended)-1].At
		want := slices.Clone(first)
		for _, token := range Analyze(nil, field, other) {
			token.At += shift
			want = append(want, token)
		}
		got := Analyze(nil, field, one+" "+other)
		if !slices.Equal(got, want) {
			t.Fatalf("%q and %q:\n got %v\nwant %v", one, other, got, want)
		}
		checkTokens(t, one+" "+other, field, got)
	}
}

// TestFoldedLikeASCII: a soft hyphen makes a text be folded and then disappears, so it makes no
// difference.
func TestFoldedLikeASCII(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	plain := ascii()
	for range 5000 {
		s := randomText(rnd, plain, rnd.IntN(12))
		soft := s
		for range 1 + rnd.IntN(3) {
			i := rnd.IntN(len(soft) + 1)
			beside := func(k int) bool { return k >= 0 && k < len(soft) && classes[soft[k]]&inWord != 0 }
			if !beside(i-1) && !beside(i) { // among signs, it is a sign
				continue
			}
			soft = soft[:i] + "\u00ad" + soft[i:]
		}
		want, got := Analyze(nil, FieldText, s), Analyze(nil, FieldText, soft)
		if !slices.Equal(got, want) {
			t.Fatalf("%q and %q:\n got %v\nwant %v", soft, s, got, want)
		}
	}
}

// TestProse compares words without signs with a naive implementation.
func TestProse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		var s strings.Builder
		for range rnd.IntN(40) {
			word := make([]byte, 1+rnd.IntN(9))
			for i := range word {
				word[i] = "aeionsttdgy"[rnd.IntN(11)]
			}
			if rnd.IntN(5) == 0 {
				word[0] -= 'a' - 'A'
			}
			s.Write(word)
			s.WriteString([]string{" ", ", ", "'s ", "! ", ". ", "\n", "; (", ") "}[rnd.IntN(8)])
		}
		var want []Token
		at := uint32(0)
		for _, w := range strings.FieldsFunc(s.String(), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
			low := strings.TrimSuffix(strings.ToLower(w), "'s")
			if !stopWords[low] || len(w) > 1 && strings.ToUpper(w) == w {
				want = append(want, Token{Term: TermOf(stem(low)), At: at})
			}
			at++
		}
		if got := Analyze(nil, FieldText, s.String()); !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %v\nwant %v", s.String(), got, want)
		}
	}
}

// forget clears the cache of words.
func forget() {
	for i := range known {
		for _, c := range []*cell{&known[i].first, &known[i].second} {
			c.state.Store(0)
			c.head.Store(0)
			c.tail.Store(0)
		}
	}
}

// TestMemoryMakesNoDifference: cached and uncached words give the same tokens, also while other
// goroutines use and overwrite the cache.
func TestMemoryMakesNoDifference(t *testing.T) {
	var texts []string
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		texts = append(texts, randomText(rnd, scraps, 100))
	}
	for i := range 20 {
		var s strings.Builder
		for k := range 400 {
			fmt.Fprintf(&s, "%cword%c%cings ", 'a'+i%26, 'a'+k%26, 'a'+k/26)
		}
		texts = append(texts, s.String())
	}
	forget()
	var want [][]Token
	for _, s := range texts {
		want = append(want, Analyze(nil, FieldTitle, s))
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for k := range texts {
				i := (k*7 + worker*13) % len(texts)
				if got := Analyze(nil, FieldTitle, texts[i]); !slices.Equal(got, want[i]) {
					t.Errorf("text %d gives other tokens beside others", i)
				}
				if worker == 0 && k%10 == 0 {
					forget()
				}
			}
		})
	}
	wait.Wait()
}

// TestNormalFormIsNormal: the normal form of a normal form is itself.
func TestNormalFormIsNormal(t *testing.T) {
	if testsize.Race {
		t.Skip("many letters on one goroutine")
	}
	var f folder
	normal := func(s string) string {
		f.fold(s)
		return string(appendLower(nil, string(f.out)))
	}
	check := func(s string) {
		once := normal(s)
		if twice := normal(once); twice != once {
			t.Errorf("%+q becomes %+q, then %+q", s, once, twice)
		}
		if !utf8.ValidString(once) {
			t.Errorf("%+q becomes %+q", s, once)
		}
	}
	for r := rune(0); r < 0x20000; r++ {
		switch { // these are many, and similar
		case 0x4E01 <= r && r < 0x9FF0, 0xAC01 <= r && r < 0xD7A0, 0xE001 <= r && r < 0xF8F0, 0x17000 <= r && r < 0x18D00:
			continue
		}
		check(string(r))
	}
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 5000 {
		check(randomText(rnd, scraps, 8))
	}
}

// TestFoldingTable: the table equals the computation.
func TestFoldingTable(t *testing.T) {
	for r := rune(utf8.RuneSelf); r < tabled; r++ {
		var quick, slow folder
		quick.fold(string(r) + "x")
		slow.cluster(string(r))
		slow.cluster("x")
		if string(quick.out) != string(slow.out) {
			t.Errorf("%+q becomes %+q by the table, %+q otherwise", r, quick.out, slow.out)
		}
	}
}

// TestHostile: time and tokens are linear for any input. In quadratic time this would take half
// a minute.
func TestHostile(t *testing.T) {
	size := 1 << 15
	if testsize.Race {
		size = 1 << 12
	}
	for _, unit := range []string{
		"a", "A", "aB", "a1", "a ", "a.", "a-", "a_b.", "a/", "a'", "a:", "1,000", "1,", "://", "-", ".", "#", "#a", "$", "\"", "“", "“ a ", "\" a",
		"é", "é-", "e\u0301", "\u0301", "ä'", "ж", "ж.", "ж'", "жЖ", "ж\u200d'", "东", "a东", "한a", "ж东", "ส\u0e31", "\u200d", "a\u200d", "👍", "👍\u200d", "👍🏽\u200d", "🇩",
		"\xff", "\xe4", "a\xff", "\ufdfa", "\u00ad", "½", "ﬃ", "\u1100", "\u1161", "ｶﾞ", "a\x00", "http://a@b.c/?d=e&", "da39a3ee5e6b4b0d", "C++", "n't",
	} {
		s := strings.Repeat(unit, size/len(unit))
		if n := len(Analyze(nil, FieldText, s)); n > 2*len(s) {
			t.Errorf("%q: %d tokens", unit, n)
		}
		if q := ParseQuery(s); len(q.Terms) > MaxTerms || len(q.Phrases) > MaxPhrases {
			t.Errorf("%q: %d terms, %d phrases", unit, len(q.Terms), len(q.Phrases))
		}
	}
	s := "ж'" + strings.Repeat("\u200d", 1<<16) + "東" + strings.Repeat("\u0301", 1<<16)
	checkTokens(t, s, FieldText, Analyze(nil, FieldText, s))
}

// TestNoAllocation: cached words allocate nothing.
func TestNoAllocation(t *testing.T) {
	if testsize.Race {
		t.Skip("pools give nothing back under the race detector")
	}
	tokens := Analyze(nil, FieldText, chat+tool)
	if n := testing.AllocsPerRun(100, func() { tokens = Analyze(tokens[:0], FieldText, chat+tool) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

// analyzeSlowly is Analyze with each word processed separately.
func analyzeSlowly(field Field, t string) []Token {
	a := newAnalyzer()
	a.field, a.stops = field, field != FieldText
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case c >= utf8.RuneSelf:
			i = a.lump(t, i)
		case classes[c]&inWord != 0:
			i = a.name(t, i, i)
		case i > 0 && mark(t, i, t[i-1]) > 0:
			i = a.name(t, i, i+mark(t, i, t[i-1]))
		case i == 0 && mark(t, i, ' ') > 0:
			i = a.name(t, i, i+mark(t, i, ' '))
		default:
			i++
		}
	}
	return a.out
}

// TestRuns: words that are looked up together give the same tokens as separately.
func TestRuns(t *testing.T) {
	testsize.OneGoroutine(t)
	rnd := rand.New(rand.NewPCG(13, 14))
	gaps := []string{" ", " ", " ", ". ", ", ", ": ", "? ", "! ", ".", ",", ":", "?", "\n", ".\n", " $", " #", " (", ") ", "-", " --", "'", "'s ", "é", "+ ", "++ ", "# ", " .", "/", "_", "\xff", "\x00", ":: ", ".\t"}
	words := []string{"the", "May", "Restoring", "IT", "a", "I", "eMail", "x2", "7", "generously", "sixteenlettersxx", "seventeenlettersx", "antidisestablishmentarianism", ""}
	for range 3000 {
		var b strings.Builder
		for range rnd.IntN(90) {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteString(gaps[rnd.IntN(len(gaps))])
		}
		for _, field := range []Field{FieldText, FieldTitle} {
			if got, want := Analyze(nil, field, b.String()), analyzeSlowly(field, b.String()); !slices.Equal(got, want) {
				t.Fatalf("%q: %v, not %v", b.String(), got, want)
			}
		}
	}
}

// FuzzAnalyze: no text does harm, and a question made of a text finds it.
func FuzzAnalyze(f *testing.F) {
	for _, s := range scraps {
		f.Add(s)
	}
	f.Add(chat)
	f.Add(tool)
	f.Add("__@_ __@_")
	f.Add(`"to be" or “not” "`)
	f.Fuzz(func(t *testing.T, s string) {
		tokens := Analyze(nil, FieldText, s)
		checkTokens(t, s, FieldText, tokens)
		titled := Analyze(nil, FieldTitle, s)
		checkTokens(t, s, FieldTitle, titled)
		if slow := analyzeSlowly(FieldText, s); !slices.Equal(slow, tokens) {
			t.Fatalf("%q: %v by runs, %v without", s, tokens, slow)
		}
		if len(titled) < len(tokens) {
			t.Fatalf("%q: %d tokens as a title, %d as a text", s, len(titled), len(tokens))
		}
		q := ParseQuery(s)
		if (len(q.Terms) == 0) != (len(titled) == 0) {
			t.Fatalf("%q: %d terms for %d tokens", s, len(q.Terms), len(titled))
		}
		for _, term := range q.Terms {
			if !has(titled, term.Term) || term.Count < 1 || term.Weight <= 0 || term.Weight > 1 || term.Text == "" || !strings.Contains(s, term.Text) {
				t.Fatalf("%q: term %+v", s, term)
			}
		}
		if p := parsePhrase(s); len(p.Parts) > 0 && len(s) <= 64*MaxPhrase && !p.In(titled) {
			t.Fatalf("%q is not found as a phrase in itself", s)
		}
		if !reflect.DeepEqual(q, ParseQuery(s)) {
			t.Fatalf("%q: two questions of one", s)
		}
	})
}
