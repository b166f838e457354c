package term

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, Ünïcode 記憶 👩‍👩‍👧": "plain text, Ünïcode 記憶 👩‍👩‍👧",
		"two\nlines\tand a tab":        "two\nlines\tand a tab",
		"\x1b[2J\x00\x7f\r":            `\u{001B}[2J\u{0000}\u{007F}\u{000D}`,
		"\u0085\u009b31m":              `\u{0085}\u{009B}31m`,
		"a\u202eb\u2066c\u200f":        `a\u{202E}b\u{2066}c\u{200F}`,
		"bad \xff bytes":               "bad \uFFFD bytes",
		"":                             "",
	} {
		if got := Visible(text); got != want {
			t.Errorf("visible(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPreview(t *testing.T) {
	for _, tc := range []struct {
		text string
		most int
		want string
	}{
		{"short", 10, "short"},
		{"  many\n\n\twords  here ", 20, "many words here"},
		{"exactly ten", 11, "exactly ten"},
		{"one more than that", 8, "one mor…"},
		{"cut at a space", 5, "cut…"},
		{strings.Repeat("x", 1<<20), 4, "xxx…"},
		{"記憶記憶記憶", 4, "記憶記…"},
	} {
		if got := Preview(tc.text, tc.most); got != tc.want {
			t.Errorf("preview(%.20q, %d) = %q, want %q", tc.text, tc.most, got, tc.want)
		}
	}
}

// What is printed commands no terminal, and JSON says the same as before.
func FuzzHarmless(f *testing.F) {
	for _, text := range []string{"", "plain", "\x1b[2J", "\u009b31m\u202e\u007f", "\xff\u0000", "\u2028<>&", "\U000e0041"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsFunc(Visible(text), commanding) {
			t.Errorf("visible(%q) commands", text)
		}
		before, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		after := harmless(bytes.Clone(before))
		if strings.ContainsFunc(string(after), commanding) {
			t.Errorf("%q commands", after)
		}
		var x, y string
		if json.Unmarshal(before, &x) != nil || json.Unmarshal(after, &y) != nil || x != y {
			t.Errorf("%q became %q", x, y)
		}
	})
}

func TestTableKeepsItsColumns(t *testing.T) {
	var out bytes.Buffer
	s := New(&out, io.Discard, variables(nil), func(any) Terminal { return Terminal{} })
	table := s.Table("A", "LONGER", "LAST")
	table.Rows(nil)
	table.Rows([][]string{{"1", "2", "3"}, {"wide cell", "", "line\nbreak"}})
	table.Rows([][]string{{"4", "5", ""}})
	if err := s.Stdout.Finish(); err != nil {
		t.Fatal(err)
	}
	want := "A          LONGER  LAST\n" +
		"1          2       3\n" +
		"wide cell          line\\nbreak\n" +
		"4          5\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
