package tokens_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

// words counts words: a counter unknown to Truncate.
type words struct{}

func (words) Name() string       { return "words" }
func (words) Count(s string) int { return len(strings.Fields(s)) }

func counters() []tokens.Counter {
	return []tokens.Counter{tokens.O200k(), tokens.Estimate(), words{}}
}

func TestCount(t *testing.T) {
	for _, tc := range []struct {
		text            string
		o200k, estimate int
	}{
		{"", 0, 0},
		{"a", 1, 1},
		{"hello world", 2, 3},
		{"abcd", 1, 1},
		{"abcde", 2, 2},
		{"Größe", 2, 2},
		{"日本語", 2, 1},
		{"\xff", 1, 1},
	} {
		if got := tokens.O200k().Count(tc.text); got != tc.o200k {
			t.Errorf("o200k counts %d tokens in %q, want %d", got, tc.text, tc.o200k)
		}
		if got := tokens.Estimate().Count(tc.text); got != tc.estimate {
			t.Errorf("estimate counts %d tokens in %q, want %d", got, tc.text, tc.estimate)
		}
	}
}

func TestNames(t *testing.T) {
	for want, c := range map[string]tokens.Counter{"o200k": tokens.O200k(), "estimate": tokens.Estimate()} {
		if c.Name() != want {
			t.Errorf("a counter is called %q, want %q", c.Name(), want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		limit      int
		marker     string
		want       string
	}{
		{"fits", "one two three", 4, "…", "one two three"},
		{"between words", "one two three four five six", 4, "", "one two three"},
		{"marker", "one two three four five six", 4, "…", "one two three…"},
		{"inside one long word", strings.Repeat("x", 40), 5, "…", strings.Repeat("x", 19) + "…"},
		{"no white space", "alpha,beta,gamma,delta", 4, "…", "alpha,beta,…"},
		{"a number", `{"id":1234567,"name":"x"}`, 3, "", `{"id":`},
		{"a name", "if err := do_the_thing_now(ctx)", 6, "", "if err :="},
		{"a short word", "You may delete only_these", 6, "", "You may delete"},
		{"a long list", "You may delete only_these,scratch_1,scratch_2,scratch_3", 11, "", "You may delete only_these,scratch_1,"},
		{"one name", "x.do_the_thing_now(ctx)", 4, "", "x."},
		{"ideographs", "数据库连接池已经耗尽", 1, "", "数据库连"},
		{"marks stay", "กทีที", 1, "", "กที"},
		{"marks stay behind", "หม่ม่", 1, "", "หม่"},
		{"joined", "abc👩\u200D👩\u200D👧", 1, "", "abc"},
		{"colours", "abc👍🏽", 1, "", "abc"},
		{"characters stay whole", strings.Repeat("ö", 40), 2, "", strings.Repeat("ö", 8)},
		{"nothing", "one two", 0, "…", ""},
		{"less than nothing", "one two", -7, "…", ""},
		{"marker over the limit", "one two three four", 1, "[truncated]", "one"},
		{"bad bytes", "ab\xffcdefghijkl", 1, "", "ab\uFFFD"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tokens.Truncate(tokens.Estimate(), tc.text, tc.limit, tc.marker); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBetween(t *testing.T) {
	for _, tc := range []struct {
		text     string
		least, n int
		want     int
	}{
		{"one two", 0, 2, 2}, // no word ends before
		{"one two", 0, 4, 4},
		{"one two", 0, 6, 4},
		{"one two", 5, 6, 6}, // none that is near
		{"one two", 0, 7, 7},
		{"one two", 0, 99, 7},
		{"a,b", 0, 2, 2},
		{"", 0, 0, 0},
		{"über-älter", 0, 8, 6},
		{"世界", 0, 3, 3},
		{"世abc", 0, 4, 3},
		{"世abc", 4, 5, 5},
		{"x\u0301", 0, 1, 1},
		{"世x\u0301", 0, 4, 3},
		{"abx\u0301", 0, 3, 2},
		{"किकि", 0, 9, 6},
		{"a🇩🇪", 0, 5, 1},
		{"\u0301\u0301", 0, 2, 2}, // nothing else is there
		{"世 x\u0301", 0, 5, 4},
	} {
		if got := tokens.Between(tc.text, tc.least, tc.n); got != tc.want {
			t.Errorf("%q, from %d to %d: %d, want %d", tc.text, tc.least, tc.n, got, tc.want)
		}
	}
}

func TestTruncateNeverExceeds(t *testing.T) {
	text := rapid.OneOf(
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string {
			part := rapid.SampledFrom([]string{" ", "  \n", "word ", "antidisestablishmentarianism", "日本語", "👩‍👩‍👧", "ß", "0", "=", "\xff", "e\u0301", "don't ", "\t"})
			return strings.Join(rapid.SliceOfN(part, 0, 200).Draw(t, "parts"), "")
		}),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		limit := rapid.IntRange(-1, 120).Draw(t, "limit")
		marker := rapid.SampledFrom([]string{"", "…", "[truncated]", " […] "}).Draw(t, "marker")
		for _, c := range counters() {
			got := tokens.Truncate(c, s, limit, marker)
			clean := strings.Map(func(r rune) rune { return r }, s) // bad bytes become U+FFFD
			switch {
			case c.Count(got) > max(limit, 0):
				t.Fatalf("%s: %d tokens, but the limit is %d: %q", c.Name(), c.Count(got), limit, got)
			case !utf8.ValidString(got):
				t.Fatalf("%s: %q is not UTF-8", c.Name(), got)
			case limit > 0 && c.Count(s) <= limit && got != clean:
				t.Fatalf("%s: %q fits and became %q", c.Name(), s, got)
			case !strings.HasPrefix(clean, got) && !strings.HasPrefix(clean, strings.TrimSuffix(got, marker)):
				t.Fatalf("%s: %q is not a beginning of %q", c.Name(), got, s)
			case got != tokens.Truncate(c, s, limit, marker):
				t.Fatalf("%s: a second cut differs", c.Name())
			}
		}
	})
}

// TestTruncateUsesItsRoom: the cut is within a few tokens of the limit on ordinary prose, where
// a word end is always near.
func TestTruncateUsesItsRoom(t *testing.T) {
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, again and again. ", 100)
	for _, c := range []tokens.Counter{tokens.O200k(), tokens.Estimate()} {
		for limit := 5; limit < 400; limit += 7 {
			if got := c.Count(tokens.Truncate(c, prose, limit, "…")); got < limit-4 {
				t.Errorf("%s: %d tokens of %d are used", c.Name(), got, limit)
			}
		}
	}
}

// TestHostile would not end within the time of a test if anything were quadratic.
func TestHostile(t *testing.T) {
	testsize.OneGoroutine(t)
	const size = 1 << 20
	for name, s := range map[string]string{
		"spaces":     strings.Repeat(" ", size),
		"one word":   strings.Repeat("a", size),
		"no pattern": strings.Repeat("aB3_", size/4),
		"newlines":   strings.Repeat("\n", size),
		"marks":      strings.Repeat("e\u0301", size/3),
		"bad bytes":  strings.Repeat("\xff", size),
		"ideographs": strings.Repeat("語", size/3),
	} {
		for _, c := range counters() {
			if got := tokens.Truncate(c, s, 50, "…"); c.Count(got) > 50 {
				t.Errorf("%s of %s: more than 50 tokens", c.Name(), name)
			}
		}
	}
	for _, s := range []string{strings.Repeat(" ", size), strings.Repeat("a", size)} {
		if n := tokens.O200k().Count(s); n < size/128 || n > size {
			t.Errorf("%d tokens in a megabyte of %q", n, s[:1])
		}
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				s := strings.Repeat("counting is pure ", i)
				if a, b := tokens.O200k().Count(s), tokens.O200k().Count(s); a != b {
					t.Errorf("%d and %d tokens in the same text", a, b)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzTruncate(f *testing.F) {
	f.Add("one two three four five", 3, "…")
	f.Add("\xff\xfe  \n", 1, "[truncated]")
	f.Fuzz(func(t *testing.T, s string, limit int, marker string) {
		if len(s) > 1<<16 || len(marker) > 64 {
			t.Skip()
		}
		for _, c := range counters() {
			if got := tokens.Truncate(c, s, limit, marker); c.Count(got) > max(limit, 0) {
				t.Errorf("%s: %d tokens, but the limit is %d", c.Name(), c.Count(got), limit)
			}
		}
	})
}

// Counting by lines holds for texts of all kinds, wherever they are split.
func TestByLines(t *testing.T) {
	if !tokens.ByLines(tokens.O200k()) || tokens.ByLines(tokens.Estimate()) {
		t.Fatal("o200k counts line by line, the estimate does not")
	}
	r := rand.New(rand.NewPCG(3, 4))
	ends := []string{"\n", "\n", ".\n", " \n", "\n\n", "\r\n", "!/\n", "'s\n", "12\n", "\t\n", "```\n", "é\n", "\u00a0\n", "界\n"}
	begins := []string{"- ", "-", "#", "## ", "````quote", "2026:", "7", "Quoted", "it's", "\"", "é", "界", "\\", "_", "'s", "\u200b", "\u0301", "-\n"}
	inner := []string{"a", " word", " Word", "WORD", "\n", " ", "  ", "1234", "...", "//", "'ll", "é", "界", "\t", "\r", "-", "`", "\U0001F600"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	for range 20_000 {
		text, sum := "", 0
		for range 2 + r.IntN(3) {
			part := pick(begins)
			for range r.IntN(8) {
				part += pick(inner)
			}
			part += pick(ends)
			sum += tokens.O200k().Count(part)
			text += part
		}
		if got := tokens.O200k().Count(text); got != sum {
			t.Fatalf("%q has %d tokens, its parts %d", text, got, sum)
		}
	}
}
