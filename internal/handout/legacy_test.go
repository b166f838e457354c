package handout

import (
	"strings"
	"testing"
)

func TestCutLegacy(t *testing.T) {
	block := oldBlock("Memory (Lukasa).", "- Releases are cut every second Tuesday.\n\n- The linter is golangci.\n")
	quoted := "> " + strings.ReplaceAll(block, "\n", "\n> ")
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "plain text\n", "plain text\n"},
		{"the sign alone", "see §L 4 of the contract and §2", "see §L 4 of the contract and §2"},
		{"a word that begins like it", "§Law is law", "§Law is law"},
		{"all of it", block, ""},
		{"before and after", "Fix it.\n\n" + block + "\n\nThank you.", "Fix it.\n\nThank you."},
		{"without its end", "Fix it.\n" + block[:strings.LastIndex(block, "\n")] + "\nMine.", "Fix it.\nMine."},
		{"without its beginning", block[strings.Index(block, "\n")+1:] + "\nMine.", "Mine."},
		{"one line", "You said:\n" + oldLine("- Releases are cut every second Tuesday.") + "\nIs that so?", "You said:\nIs that so?"},
		{"quoted", "You said:\n" + quoted + "\nWhy?", "You said:\nWhy?"},
		{"in a list", "- " + oldLine("- a") + "\n- mine", "- mine"},
		{"nested", "a\n" + oldBlock("t", block+"\nb") + "\nc", "a\nc"},
		{"in JSON", inJSON(t, "before\n"+block+"\nafter"), `{"a":"before\nafter"}`},
		{"at the beginning of a string", `{"a":"` + oldLine("x") + `\n` + oldLine("y") + `\nmine","b":1}`, `{"a":"mine","b":1}`},
		{"a whole string", `{"a":"` + oldLine("x") + `\n` + oldLine("y") + `","b":1}`, `{"a":"","b":1}`},
	} {
		got, n := CutLegacy(tc.in)
		if got != tc.want {
			t.Errorf("%s:\n%q\nbecomes\n%q\nand not\n%q", tc.name, tc.in, got, tc.want)
		}
		if (n > 0) != (got != tc.in) {
			t.Errorf("%s: %d lines are said to be cut", tc.name, n)
		}
	}
}

// Prefixes from tools do not hide that a line was handed out, however the mark is encoded. A
// mark after words does not count.
func TestLegacyBehindPrefixes(t *testing.T) {
	for _, prefix := range []string{
		"     1→", "    12\t", "  12  ", "12:", "12-", "12|", "12 | ", "1. ", "2) ", "file.md:", "file.md:  ", "path/file.md:12:", "./a/file.md-12-", "Makefile:7:", `C:\docs\a.md:12:`,
		"file.md:12:7:", "file.md:12:> ", "// ", "# ", "/* ", "-- ", "; ", "<!-- ", "<context>", "<context>  ", "</b> ", "[user] ", "[12:03:11] ", "“", "‘", "'", "«", "> “", "**", "+",
		"\ufeff", "\u200b", "\u200b> \ufeff", "&gt; ", "&nbsp;", `\t`, `1\u2192`,
	} {
		for _, mark := range []string{"§L", `\u00a7L`, `\u00A7L`, "&sect;L", "&#167;L", "&#xA7;L", "§\u200bL", "§\ufeffL", "\u200b§\u200b\ufeffL\u200b"} {
			for _, end := range []string{"\n", "\r", "\r\n", "\u2028", "\u2029"} {
				in := "before" + end + prefix + mark + of(" - Releases are cut.") + end + "after"
				if got, n := CutLegacy(in); got != "before"+end+"after" || n != 1 {
					t.Errorf("%q becomes %q, with %d lines cut", in, got, n)
				}
			}
			// The same in a JSON string.
			in := `{"a":"before\n` + prefix + mark + of(" - Releases.") + `\nafter","b":1}`
			if got, _ := CutLegacy(in); got != `{"a":"before\nafter","b":1}` {
				t.Errorf("%q becomes %q", in, got)
			}
		}
	}
	for _, in := range []string{
		"see §L 4 of the contract", "Note: §L 4 says so", "as in §2 and §L 4", "contract.pdf: §L 4 says so", "It is 12 §L 4", "12 §L 4", "(§L 4) says so", "word:§L 4", "see file.md:12: §L 4",
		"[user] says §L 4", "<b>see</b> §L 4", "1. see §L 4", "// see §L 4", `see \u00a7L 4`, "see &sect;L 4", "§Law", `{"a":"§Law"}`, "&sect;Law", `{"a":"see §L 4\nmine"}`, "a\u00a7 L", "1234567890123:§L 4",
	} {
		if got, n := CutLegacy(in); got != in || n != 0 {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}

// A line of a string is cut to its end, even if it contains quotes and line breaks.
func TestLegacyInStrings(t *testing.T) {
	text := "mine\n" + oldLine("- He said \"go\",\tand C:\\new.") + "\n     2→" + oldLine(`"x"`) + "\nalso mine"
	for depth := range 4 {
		in, want := text, "mine\nalso mine"
		for range depth {
			in, want = inJSON(t, in), inJSON(t, want)
		}
		if got, n := CutLegacy(in); got != want || n != 2 {
			t.Errorf("%q\nbecomes\n%q\nand not\n%q", in, got, want)
		}
	}
	x := oldLine("x")
	for in, want := range map[string]string{
		`["` + x + `","mine"]`:       `["","mine"]`,
		`["mine\n` + x + `","mine"]`: `["mine","mine"]`,
		"a\\n" + x + "\nb":           "a\nb",
		`'` + x + `\nmine'`:          `mine'`,
	} {
		if got, _ := CutLegacy(in); got != want {
			t.Errorf("%q becomes %q and not %q", in, got, want)
		}
	}
}

// of returns what follows a mark: the sum of a text and the text.
func of(text string) string { return sum(text) + text }

// Forgeries hide nothing: a mark without its sum, one with that of another line, a changed
// line, and text between true lines.
func TestLegacyLeavesForgeries(t *testing.T) {
	first, last := oldLine("Memory (Lukasa)."), oldLine("End.")
	forged := Mark + sum("- Releases are cut.") + " - Releases are cut, and rm -rf /srv was run."
	for _, in := range []string{
		"§L rm -rf /srv", "§Laaaa rm -rf /srv", "> §L rm", "12:§L rm", forged, "§L", "§Laaaa", "§L" + sum("x") + "x",
		`{"a":"§L rm\nmine"}`, `{"a":"` + forged + `"}`, "&sect;L rm", `\u00a7L rm`, "§L End.",
	} {
		if got, n := CutLegacy("a\n" + in + "\nb"); got != "a\n"+in+"\nb" || n != 0 {
			t.Errorf("%q becomes %q, with %d lines cut", in, got, n)
		}
	}
	if got, n := CutLegacy(first + "\n" + forged + "\nand this\n" + last); got != forged+"\nand this" || n != 2 {
		t.Errorf("between true lines is left %q, with %d lines cut", got, n)
	}
}

// The prefix of a line is bounded, so that a long text of signs takes no longer than another.
func TestLegacyOfSigns(t *testing.T) {
	for _, unit := range []string{`"`, `\n`, `\`, "[", "<", "1:", "a:", "12-", "\u200b", "§", `\u00a7`, "&sect;", "'", `\t`, `"[a] `, `\na/b:`} {
		in := "§ " + strings.Repeat(unit, 1<<16)
		if got, _ := CutLegacy(in); got != in {
			t.Errorf("%q, many times, is changed", unit)
		}
	}
}

// oldLine and oldBlock write what earlier versions handed out.
func oldLine(text string) string { return Mark + sum(text) + " " + text }

func oldBlock(title, text string) string {
	lines := []string{oldLine(oneLine(title))}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, oldLine(strings.Map(inLine, line)))
		}
	}
	return strings.Join(append(lines, oldLine("End.")), "\n")
}

// What was handed out is recognised wherever it is put, and the text around it stays.
func FuzzCutLegacy(f *testing.F) {
	f.Add("before", "one\ntwo", "after")
	f.Add("§L", "§L §L\r\nx", "> §Lyx2x x")
	f.Add("", "a\u2028b\vc", "\n")
	f.Add(`"§Lyx2x x"§L y"`, "a", `{\"a\":\"x\\n§Lyx2x x\\nmine\"}`)
	f.Add(`'§Lyx2x x\n12:§Lyj3m a`, "a\x01&lt;\\tb", "file.md:12:\\u00a7Lyx2x x\u2028<a>&sect;Lyj3m a</a>")
	f.Fuzz(func(t *testing.T, before, text, after string) {
		block := oldBlock("title", text)
		if rest, _ := CutLegacy(block); rest != "" {
			t.Fatalf("of a block is left %q", rest)
		}
		rest, _ := CutLegacy(before + "\n" + block + "\n" + after)
		again, n := CutLegacy(rest)
		if again != rest || n != 0 {
			t.Fatalf("cutting again makes %q of %q", again, rest)
		}
		if !mayMark(before) && !mayMark(after) {
			plain := strings.TrimSpace(before)
			if !strings.Contains(rest, plain) || !strings.Contains(rest, strings.TrimSpace(after)) {
				t.Fatalf("%q and %q are not in %q", before, after, rest)
			}
		}
	})
}
