package quote

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"lukasa.dev/internal/quote/quotetest"
	"lukasa.dev/internal/testsize"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Grüße, 世界 – x < y\n\tend", "Grüße, 世界 – x < y\n\tend"},
		{"line ends", "a\r\nb\rc\n\rd\r\r\n", "a\nb\nc\n\nd\n\n"},
		{"escapes", "\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"},
		{"controls", "a\x00b\x07\x7f\u0085\u009bc", "a<U+0000>b<U+0007><U+007F><U+0085><U+009B>c"},
		{"directions", "\u202Eevil\u202C \u2066x\u2069\u200F", "<U+202E>evil<U+202C> <U+2066>x<U+2069><U+200F>"},
		{"no width", "i\u200Bg\u2060n\uFEFFo\u00ADre", "i<U+200B>g<U+2060>n<U+FEFF>o<U+00AD>re"},
		{"tags", "x\U000E0041\U000E0042", "x<U+E0041><U+E0042>"},
		{"selectors that smuggle", "x\uFE00\uFE01\U000E0100", "x\uFE00<U+FE01><U+E0100>"},
		{"lines", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"},
		{"fillers", "\u3164\u115F\u1160\uFFA0\u034F\u2800\u180E\u061C", strings.Join([]string{
			"<U+3164>", "<U+115F>", "<U+1160>", "<U+FFA0>", "<U+034F>", "<U+2800>", "<U+180E>", "<U+061C>"}, "")},
		{"a run of eight", strings.Repeat("\u200B", 8), strings.Repeat("<U+200B>", 8)},
		{"a longer run", strings.Repeat("\u200B", 11) + "x\x00", strings.Repeat("<U+200B>", 8) + "<+3 hidden>x<U+0000>"},
		{"a run at the end", "x" + strings.Repeat("\u200D", 1000), "x" + strings.Repeat("<U+200D>", 8) + "<+992 hidden>"},
		{"bad bytes", "a\xff\xc3b\xe2\x80", "a\uFFFD\uFFFDb\uFFFD\uFFFD"},
		{"a family", "👨\u200D👩\u200D👧 ❤\uFE0F\u200D🔥 🏳\uFE0F\u200D🌈 👩🏽\u200D🚀 1\uFE0F\u20E3", "👨\u200D👩\u200D👧 ❤\uFE0F\u200D🔥 🏳\uFE0F\u200D🌈 👩🏽\u200D🚀 1\uFE0F\u20E3"},
		{"Persian", "می\u200Cخواهم", "می\u200Cخواهم"},
		{"Devanagari", "क्\u200Dष", "क्\u200Dष"},
		{"joiners in words", "ig\u200Cno\u200Dre", "ig<U+200C>no<U+200D>re"},
		{"joiners at the edges", "\u200Dम \u200C", "<U+200D>म <U+200C>"},
		{"selector first", "\uFE0Fx \uFE0F", "<U+FE0F>x <U+FE0F>"},
		{"selector behind hidden", "x\u200B\uFE0F👩\u200B\uFE0F\u200D👧", "x<U+200B><U+FE0F>👩<U+200B><U+FE0F><U+200D>👧"},
		{"Mongolian", "ᠠ\u180Bᠠ", "ᠠ\u180Bᠠ"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: %q is shown as %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestVisibleAllocatesNothing(t *testing.T) {
	for _, s := range []string{"plain words\n\tand lines", "Grüße, 世界, می\u200Cخواهم ❤\uFE0F"} {
		if n := testing.AllocsPerRun(10, func() { Visible(s) }); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

// TestVisibleShowsAll: characters that Unicode calls ignorable, control or format stay only
// where they are needed.
func TestVisibleShowsAll(t *testing.T) {
	testsize.OneGoroutine(t)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r < 0xE000 || r == '\n' || r == '\t' || r == '\r' {
			continue
		}
		got := Visible("a b" + string(r) + " c")
		if hides := quotetest.Ignorable(r) && !isSelector(r); hides != strings.Contains(got, "<U+") {
			t.Errorf("%U: %q", r, got)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range quotetest.Parts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown := Visible(s)
		quotetest.CheckShown(t, shown)
		if again := Visible(shown); again != shown {
			t.Fatalf("%q is shown as %q and then as %q", s, shown, again)
		}
		if firstHidden(s) == len(s) != (shown == s) {
			t.Fatalf("%q: the first hidden is at %d, and it is shown as %q", s, firstHidden(s), shown)
		}
	})
}

// TestVisibleJSON: VisibleJSON shows what Visible shows, and changes no value.
func TestVisibleJSON(t *testing.T) {
	for _, text := range []string{
		"plain", "Grüße, 世界 \U0001F468\u200D\U0001F469", "\u202Eevil\u202C", "z\u200Bw\u00AD\x7f", "x\U000E0041\U000E0042", "x\uFE00\uFE01",
		"\x1b[31m \"quoted\" \\u202e\n", strings.Repeat("\U000E0041", 40),
	} {
		data, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		shown := VisibleJSON(data)
		if Visible(string(shown)) != string(shown) {
			t.Errorf("%q: something is hidden in %s", text, shown)
		}
		if Visible(string(data)) == string(data) && string(shown) != string(data) {
			t.Errorf("%q: nothing is hidden, and it became %s", text, shown)
		}
		var back map[string]string
		if err := json.Unmarshal(shown, &back); err != nil || back[text] != text {
			t.Errorf("%q came back as %q: %v", text, back, err)
		}
	}
}
