package quote

import (
	"math/rand/v2"
	"strings"
	"testing"

	"lukasa.dev/internal/quote/quotetest"
)

func TestItem(t *testing.T) {
	for _, c := range []struct{ name, label, text, fenced, bare string }{
		{"one line", "", "a b", "- a b\n", "- a b\n"},
		{"labelled", "Ann", "hi", "- Ann: hi\n", "- Ann: hi\n"},
		{"says its label", "ann", "Ann: hi", "- Ann: hi\n", "- Ann: hi\n"},
		{"begins like its label", "Ann", "Anne says hi", "- Ann: Anne says hi\n", "- Ann: Anne says hi\n"},
		{"begins with its label", "test", "test run: all passed", "- test: test run: all passed\n", "- test: test run: all passed\n"},
		{"is its label", "Ann", "ann\nx", "- ann\n  x\n", "- ann\n  x\n"},
		{"a label of two lines", "A:nn\n`x`\t y", "hi", "- Ann x y: hi\n", "- Ann x y: hi\n"},
		{"a long label", strings.Repeat("ab ", 40), "hi", "- " + strings.Repeat("ab ", 13) + "a: hi\n", "- " + strings.Repeat("ab ", 13) + "a: hi\n"},
		{"nothing", "", " \n", "-\n", "-\n"},
		{"nothing said", "Ann", "", "- Ann:\n", "- Ann:\n"},
		{"lines", "", "a\n\n \n  b\r\nc\n", "- a\n\n\n    b\n  c\n", "- a\n  b\n  c\n"},
		{"items", "", "- a\n- b", "- - a\n  > - b\n", "- \\- a\n  \\- b\n"},
		{"heading", "", "# a\n## b", "- # a\n  > ## b\n", "- \\# a\n  \\## b\n"},
		{"label and heading", "# x", "# a\n# b", "- # x: # a\n  # b\n", "- \\# x: # a\n  \\# b\n"},
		{"numbers", "", "1. a\n22) b\n3 c\n4", "- 1. a\n  22) b\n  3 c\n  4\n", "- 1\\. a\n  22\\) b\n  3 c\n  4\n"},
		{"fences", "", "```go\nx``y\n~~~\n`z`", "- ```go\n  x``y\n  ~~~\n  `z`\n", "- \\`\\`\\`go\n  x``y\n  \\~\\~\\~\n  \\`z`\n"},
		{"HTML", "", "a<b> 1 < 2 <!-- </x> <?\n< c", "- a<b> 1 < 2 <!-- </x> <?\n  < c\n", "- a\\<b> 1 < 2 \\<!-- \\</x> \\<?\n  \\< c\n"},
		{"links", "", "[a](b) ![c][d]\n[e]: f [g]", "- [a](b) ![c][d]\n  [e]: f [g]\n", "- [a\\](b) ![c\\][d]\n  [e\\]: f [g]\n"},
		{"backslashes", "", "C:\\dir \\<b> \\\\* x\\", "- C:\\dir \\<b> \\\\* x\\\n", "- C:\\dir \\\\\\<b> \\\\\\\\* x\\\\\n"},
		{"rules", "", "===\n---\n***\n___\n|a|\n:-:|\n> q\n+ p", "- ===\n  ---\n  ***\n  ___\n  |a|\n  :-:|\n  > q\n  + p\n",
			"- \\===\n  \\---\n  \\***\n  \\___\n  \\|a|\n  \\:-:|\n  \\> q\n  \\+ p\n"},
		{"hidden", "\x1b[1m", "a\u200Bb", "- <U+001B>[1m: a<U+200B>b\n", "- \\<U+001B>[1m: a\\<U+200B>b\n"},
	} {
		if got := Item(c.label, c.text, Fenced); got != c.fenced {
			t.Errorf("%s, fenced: %q, want %q", c.name, got, c.fenced)
		}
		if got := Item(c.label, c.text, Prose); got != c.bare {
			t.Errorf("%s: %q, want %q", c.name, got, c.bare)
		}
		if again := labelText(labelText(c.label)); again != labelText(c.label) {
			t.Errorf("%s: a label becomes %q", c.name, again)
		}
	}
}

// TestNobodyElseSpeaks: no text can pass for that of another speaker, for another day, or for
// another item.
func TestNobodyElseSpeaks(t *testing.T) {
	for _, c := range []struct{ label, text, want string }{
		{"", "user: do X", "- quote: user: do X\n"},
		{"", "user:", "- quote: user:\n"},
		{"", "A page\nuser: do X", "- A page\n  user: do X\n"},
		{"", "https://lukasa.dev is there", "- https://lukasa.dev is there\n"},
		{"", strings.Repeat("long ", 9) + "user: x", "- " + strings.Repeat("long ", 9) + "user: x\n"},
		{"page", "user: do X", "- page: user: do X\n"},
		{"page", "x\n- user: do X\n  - user: and Y\n-", "- page: x\n  > - user: do X\n  >   - user: and Y\n  > -\n"},
		{"page", "x\n2026:\n 5 November:\n5 Novembers:\n## Core\n-5\n--- a", "- page: x\n  > 2026:\n  >  5 November:\n  5 Novembers:\n  > ## Core\n  -5\n  --- a\n"},
		{"page", "x\r- user: a\u2028- user: b\v- user: c", "- page: x\n  > - user: a<U+2028>- user: b<U+000B>- user: c\n"},
	} {
		if got := Item(c.label, c.text, Spoken); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.label, c.text, got, c.want)
		}
	}
}

// TestLabelsAreOneLine: a label is short, has no colon, and does not change when it is cleaned
// again, as when a pack is read from a file.
func TestLabelsAreOneLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 10_000 {
		s := quotetest.Hostile(rng)
		label := labelText(s)
		if len([]rune(label)) > 40 || strings.ContainsAny(label, ":`\n") || labelText(label) != label {
			t.Fatalf("%q becomes %q", s, label)
		}
	}
}
