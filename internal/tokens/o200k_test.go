package tokens

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"

	"lukasa.dev/internal/testsize"
)

// library is the reference: the tokenizer that the vocabulary comes from.
var library = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err)
	}
	return c
})

// expression is the regular expression of o200k_base for the standard library, which has
// neither a short name for Unicode white space nor lookahead: the last two alternatives are
// one, and published does the rest.
var expression = sync.OnceValue(func() *regexp.Regexp {
	const white = `\t\n\v\f\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	return regexp.MustCompile(strings.ReplaceAll(`^(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|[\s]*[\r\n]+|([\s]+))`, `\s`, white))
})

// published splits by the regular expression itself. It sees only somewhat more of a long text
// than our piece, since the standard library takes time for all that it sees.
func published(s string, i, ours int) int {
	if len(s) > 1<<12 {
		s = s[:runeStart(s, ours+256)]
	}
	m := expression().FindStringSubmatchIndex(s[i:])
	if m == nil {
		return -1
	}
	end := i + m[1]
	if m[2] >= 0 && end < len(s) { // white space followed by something
		if _, n := utf8.DecodeLastRuneInString(s[:end]); end-n > i {
			return end - n
		}
	}
	return end
}

// astray reports whether the library may split s differently than its expression says: it
// leaves out the character U+007F, and ends \s*[\r\n]+ at the first line end instead of the
// last.
func astray(s string) bool { return strings.Contains(s, "\x7f") || blankLine().MatchString(s) }

var blankLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\r\n][\pZ\x{85}\t\v\f]+[\r\n]`)
})

// compare compares the pieces of s with those of the regular expression, and the tokens with
// the library's, one by one.
func compare(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) {
	t.Helper()
	v := load()
	clean := valid(s)
	var got []string
	strays := astray(clean)
	for i := 0; i < len(clean); {
		end := v.classes.split(clean, i)
		if want := published(clean, i, end); end != want {
			t.Fatalf("%q: the piece at %d ends at %d, want %d", clean, i, end, want)
		}
		piece := clean[i:end]
		from := len(got)
		if v.rank(piece) != none {
			got = append(got, piece)
		} else {
			var ends []int
			v.merge(piece, &ends)
			begin := 0
			for _, e := range ends {
				got = append(got, piece[begin:e])
				begin = e
			}
		}
		if strays && !astray(piece) {
			same(t, piece, got[from:])
		}
		i = end
	}
	if !strays {
		same(t, clean, got)
	}
	if n := O200k().Count(s); n != len(got) {
		t.Fatalf("%d tokens by count, %d by encoding: %q", n, len(got), s)
	}
}

func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string, got []string) {
	t.Helper()
	_, want, err := library().Encode(s)
	if err != nil {
		t.Fatalf("the library refuses %q: %v", s, err)
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			from := max(0, i-4)
			t.Fatalf("token %d: got ..%q, the library has ..%q", i, got[from:min(len(got), i+4)], want[from:min(len(want), i+4)])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d tokens, %d by the library: %q", len(got), len(want), s)
	}
}

// TestLibraryAstray has the two cases in which the library does not follow the expression. If
// it ever does, these exceptions have to go.
func TestLibraryAstray(t *testing.T) {
	for _, tc := range []struct {
		text          string
		want, library int
	}{
		{"\x7f\x7f", 2, 0},
		{"a\n  \n  b", 4, 5},
	} {
		if got := O200k().Count(tc.text); got != tc.want {
			t.Errorf("%d tokens in %q, want %d", got, tc.text, tc.want)
		}
		if got, err := library().Count(tc.text); got != tc.library || err != nil {
			t.Errorf("the library now counts %d tokens in %q, not %d: %v", got, tc.text, tc.library, err)
		}
	}
}

// slowPrefix is prefix by the library alone.
func slowPrefix(s string, limit int) int {
	end := len(s)
	if limit < end/8-8 {
		end = runeStart(s, 8*limit+64)
	}
	for {
		_, pieces, err := library().Encode(s[:end])
		if err != nil {
			panic(err)
		}
		if len(pieces) > limit {
			n := 0
			for _, p := range pieces[:limit] {
				n += len(p)
			}
			return runeStart(s, n)
		}
		if end == len(s) {
			return end
		}
		end = runeStart(s, 4*end)
	}
}

// TestEveryClass compares the table with Unicode's own.
func TestEveryClass(t *testing.T) {
	testsize.OneGoroutine(t)
	v := load()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		var want class
		for _, c := range []struct {
			class class
			is    bool
		}{
			{upper, unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)},
			{lower, unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M)},
			{number, unicode.Is(unicode.N, r)},
			{space, unicode.IsSpace(r)},
			{line, r == '\r' || r == '\n'},
			{other, !unicode.IsSpace(r) && !unicode.In(r, unicode.L, unicode.N)},
		} {
			if c.is {
				want |= c.class
			}
		}
		if got, n := v.classes.at(string(r), 0); got != want || n != utf8.RuneLen(r) {
			t.Fatalf("%U is of the classes %b and %d bytes, want %b", r, got, n, want)
		}
	}
}

// TestEveryCharacter tests characters at the beginning, in the middle and at the end of a
// piece: all of the smaller scripts, and some of the others.
func TestEveryCharacter(t *testing.T) {
	testsize.OneGoroutine(t)
	var b strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r > 0x2000 {
			r += 96
		}
		if !utf8.ValidRune(r) {
			continue
		}
		for _, around := range []string{"aa", "  ", "AA", "A ", "12", "?\n", "\u0301X"} {
			b.WriteByte(around[0])
			b.WriteRune(r)
			b.WriteString(around[1:])
		}
		if b.Len() > 1<<10 || r == '\x7e' || r == '\x7f' {
			compare(t, b.String())
			b.Reset()
		}
	}
	compare(t, b.String())
}

// TestEveryEntry looks each entry up, and merges it from its bytes.
func TestEveryEntry(t *testing.T) {
	testsize.OneGoroutine(t)
	v := load()
	for rank := range ranks {
		entry, err := library().Decode([]uint{uint(rank)})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.rank(entry); got != int32(rank) {
			t.Fatalf("%q has rank %d, want %d", entry, got, rank)
		}
		if len(entry) > longest {
			t.Errorf("%q has %d bytes, more than the longest", entry, len(entry))
		}
		if n, m := v.merge(entry, nil), v.mergeLong(entry, nil); n != m {
			t.Fatalf("%q is %d tokens by the short way and %d by the long", entry, n, m)
		}
	}
	if _, err := library().Decode([]uint{ranks}); err == nil {
		t.Error("the vocabulary has more entries than are loaded")
	}
}

// TestCorners lists inputs on which two parts of the regular expression could match.
func TestCorners(t *testing.T) {
	for _, s := range []string{
		"don't DON'T don'T we'll we'lL we'l they'RE they'r I'VE I'v i'm 'd it'ſ it'ſſ x'", "''s 's", "日本's 日本X日本XY日本", "XY日XYz",
		"\u0301", "\u0301A", "\u0301AB\u0301", "\u0301a", "(\u0301", "((\u0301((", " \u0301A", "\u0301\u0301AB's", "\u0301'S",
		"1234567", "1²³½Ⅷ৪", "a1b2", "ǅa ǅ ǅA", "ʰA Aʰ Aʰb",
		" x", "  x", "   x", "\tx", "\t\tx", "\t1", " \t1", "  1", "x ", "x  ", "x \n", "x\n ", "x\n  y", "x \n \n y", "\n\n", "\n \n", " \n \r\n\t\n z", "\r\r\n\n x",
		"\u00a0x", "\u00a0\u00a0x", "\u00a0?", " ?", "  ?", "\u3000語", "\u2028x\u2028\u2029 ", "\u0085\u0085x", "\v\f x",
		"?/\n/\r\nx", "//", "/ /", "a//b", " //\n", "?\n\n", "?\n \n", "\"quoted\" (a) [b]{c}", "https://example.org/a/b?c=d&e=%20",
		"👩‍👩‍👧", "e\u0301\u0301", "\ufeffx", "\u200bx", "\x00\x01a", "\ufffd\ufffdA", "नमस्ते", "สวัสดี", "안녕하세요", "Ωμέγα", "İstanbul ıI",
	} {
		compare(t, s)
		compare(t, "x"+s)
		compare(t, s+"x")
		compare(t, s+s)
	}
}

// parts are the parts of hostile and ordinary texts.
var parts = []string{
	" ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", " \n", "\u00a0", "\u3000", "\u2028", "\u0085", "\v",
	"a", "A", "z", "Z", "the", " of", "Word", "ALLCAPS", "camelCase", "snake_case", "antidisestablishmentarianism", "ß", "ǅ", "ʰ", "Ø", "é", "e\u0301", "\u0301", "ſ",
	"'", "'s", "'S", "'t", "'re", "'LL", "'ve", "'d", "'m", "’s", "0", "12", "1234", "٣", "²", "½",
	".", ",", "=", "==", "/", "//", "(", "){", "();", "_", "\"", "`", "#", "-", "--", "…", "func", "return nil", "}\n\n", "://",
	"日", "本語", "。", "한국", "नम", "स्", "ไทย", "عرب", "👍", "🏽", "👩‍👩‍👧", "🇩🇪", "\ufe0f", "\u200d", "\u200b", "\ufeff", "\ufffd", "\x00", "\xff", "\xe6\x97",
}

func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 80).Draw(t, "parts"), "")
		}),
		rapid.String(),
		rapid.StringOf(rapid.RuneFrom(nil, unicode.L, unicode.M, unicode.N, unicode.Z, unicode.P)),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom(parts).Draw(t, "part"), rapid.IntRange(1, 300).Draw(t, "times"))
		}),
		rapid.StringMatching(`[A-Za-z0-9+/]{0,400}={0,2}`),
		rapid.StringMatching(`[ \t\r\n'a-cA-C1!]{0,200}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

func TestAgainstTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "text")
		compare(t, s)
		s = valid(s)
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		if got, want := (o200k{}).prefix(s, limit), slowPrefix(s, limit); got != want && !astray(s) {
			t.Fatalf("%d tokens of %q reach to %d, by the library to %d", limit, s, got, want)
		}
	})
}

// TestManyAgainstTheLibrary is for breadth: short texts of random parts.
func TestManyAgainstTheLibrary(t *testing.T) {
	testsize.Long(t, "it counts megabytes of text")
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range 20_000 {
		b.Reset()
		for range 1 + rng.IntN(12) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		compare(t, b.String())
	}
}

// TestLongPieces has pieces on both sides of every length at which the merge algorithm changes.
func TestLongPieces(t *testing.T) {
	testsize.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, alphabet := range []string{"a", "ab", "etaoinshrdlu", "日本語の文章です", " ", "=", "xyzzyq", "\u0301e", "🎉👍"} {
		runes := []rune(alphabet)
		for _, n := range []int{1, 2, brief - 1, brief, brief + 1, 2 * brief, longest, 300, 5000} {
			var b strings.Builder
			for b.Len() < n {
				b.WriteRune(runes[rng.IntN(len(runes))])
			}
			compare(t, b.String())
		}
	}
	compare(t, strings.Repeat("ab", keep))
}

// real returns texts of real sessions and papers, and this package's own code.
func real(t testing.TB) (prose, events []string, code string) {
	own, err := filepath.Glob("*.go")
	if err != nil || len(own) == 0 {
		t.Fatalf("no source: %v", err)
	}
	for _, f := range own {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code += string(b)
	}
	data := filepath.Join("..", "..", "..", "shared", "data")
	files, _ := filepath.Glob(filepath.Join(data, "*", "*.ndjson"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			events = append(events, string(line))
		}
	}
	if f, err := os.Open(filepath.Join(data, "scifact", "corpus.jsonl.gz")); err == nil {
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewReader(z); ; {
			line, err := lines.ReadString('\n')
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			prose = append(prose, line)
		}
	}
	return prose, events, code
}

func TestRealTexts(t *testing.T) {
	testsize.Long(t, "it counts megabytes of text")
	prose, events, code := real(t)
	compare(t, code)
	if len(events) == 0 {
		t.Skip("no data folder beside the checkout")
	}
	for i := 0; i < len(prose); i += 8 {
		compare(t, prose[i])
	}
	for i := 0; i < len(events); i += 4 {
		s := events[i]
		compare(t, s)
		// As lines of text, with the quotes and line ends that JSON escapes.
		compare(t, strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\t`, "\t").Replace(s))
	}
}

func TestCountAllocatesNothing(t *testing.T) {
	for _, s := range []string{"The refund was rounded down.", "func (v *vocabulary) rank(s string) int32 {\n\treturn none\n}", "日本語のテキスト", "antidisestablishmentarianism's", "xqzvkjwpt"} {
		c := O200k()
		if n := testing.AllocsPerRun(100, func() { c.Count(s) }); n != 0 {
			t.Errorf("%g allocations to count %q", n, s)
		}
	}
}

func FuzzO200k(f *testing.F) {
	for _, s := range parts {
		f.Add(s+"x"+s, 1)
	}
	f.Add("x \n \n y's 日本X 1234 //\n", 4)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if len(s) > 1<<14 {
			t.Skip()
		}
		compare(t, s)
		s, limit = valid(s), max(limit, 0)%1000
		if got, want := (o200k{}).prefix(s, limit), slowPrefix(s, limit); got != want && !astray(s) {
			t.Fatalf("%d tokens of %q reach to %d, by the library to %d", limit, s, got, want)
		}
	})
}

const english = `Refunds above one hundred euros have to be approved by a second person before they are paid out, because two of them were paid twice last spring. ` +
	`The customer doesn't need to know who approved it; she's told that it'll take a day or two. When the amount was rounded, say so, and keep the invoice's number with the decision.`

const golang = "func roundRefund(amount decimal.Decimal) (decimal.Decimal, error) {\n\tif amount.IsNegative() {\n\t\treturn decimal.Zero, fmt.Errorf(\"refund %s is negative\", amount)\n\t}\n" +
	"\tfor _, rule := range rules[amount.Currency()] {\n\t\tif rule.Matches(amount) { // half away from zero\n\t\t\treturn rule.Round(amount, 2), nil\n\t\t}\n\t}\n\treturn amount.Round(2), nil\n}\n"

var lines = []string{
	"edited billing/refund.go (modify, +12 -3)",
	`called search_code {"query":"func roundRefund"}`,
	`search_code succeeded in 85 ms: "matches billing/refund.go:42"`,
	"ran `go test ./billing/...`: 41 passed, 1 failed: \"TestRefundRounding/150.005\"",
	`decided "half away from zero" for "How should halves be rounded?": "The invoices have always been rounded that way."`,
	`TestFailure: "got 150.00, want 150.01"`,
}

// BenchmarkO200k measures counting next to the library, alternately, and reports the speedup.
func BenchmarkO200k(b *testing.B) {
	for _, tc := range []struct {
		name  string
		texts []string
	}{
		{"english", []string{english}},
		{"code", []string{golang}},
		{"lines", lines},
		{"japanese", []string{"返金は二人目の承認が必要です。金額は四捨五入されました。請求書の番号を決定と一緒に保管してください。"}},
		{"hex", []string{"commit 4f2a9c1be07d33a85c6e19f0b27d4481aa93e6c5 object 01JABCDEFGHJKMNPQRSTVWXYZ0"}},
	} {
		b.Run(tc.name, func(b *testing.B) { ratio(b, tc.texts) })
	}
	b.Run("real", func(b *testing.B) {
		_, events, _ := real(b)
		if len(events) == 0 {
			b.Skip("no data folder beside the checkout")
		}
		ratio(b, events[:200])
	})
}

func ratio(b *testing.B, texts []string) {
	size, n := 0, 0
	for _, s := range texts {
		size += len(s)
		n += O200k().Count(s)
		compare(b, s)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var ours, theirs time.Duration
	for b.Loop() {
		t0 := time.Now()
		for _, s := range texts {
			O200k().Count(s)
		}
		t1 := time.Now()
		b.StopTimer()
		t2 := time.Now()
		for _, s := range texts {
			if _, err := library().Count(s); err != nil {
				b.Fatal(err)
			}
		}
		theirs += time.Since(t2)
		ours += t1.Sub(t0)
		b.StartTimer()
	}
	b.ReportMetric(float64(theirs)/float64(ours), "times")
	b.ReportMetric(float64(ours)/float64(b.N*n), "ns/token")
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		read()
	}
}
