package term

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestBar(t *testing.T) {
	for _, tc := range []struct {
		part, whole int
		want        string
	}{
		{0, 3000, "----------"},
		{1, 3000, "#---------"},
		{1500, 3000, "#####-----"},
		{2999, 3000, "#########-"},
		{3000, 3000, "##########"},
		{9000, 3000, "##########"},
		{1, 1, "##########"},
		{0, 0, "##########"},
	} {
		if got := bar(tc.part, tc.whole, 10, false); got != tc.want {
			t.Errorf("bar(%d, %d) = %q, want %q", tc.part, tc.whole, got, tc.want)
		}
	}
	if got := bar(1, 4, 8, true); got != "██░░░░░░" {
		t.Errorf("in blocks it is %q", got)
	}
}

// Blocks are drawn where the reader is a terminal whose locale has them.
func TestBlocksOnlyWhereTheyAreShown(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  Terminal
		vars map[string]string
		want bool
	}{
		{"a UTF-8 terminal", Terminal{Is: true}, map[string]string{"LANG": "en_US.UTF-8"}, true},
		{"the older spelling", Terminal{Is: true}, map[string]string{"LC_CTYPE": "C.utf8"}, true},
		{"LC_ALL rules", Terminal{Is: true}, map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, false},
		{"no locale", Terminal{Is: true}, nil, false},
		{"a dumb terminal", Terminal{Is: true}, map[string]string{"LANG": "en_US.UTF-8", "TERM": "dumb"}, false},
		{"no terminal", Terminal{}, map[string]string{"LANG": "en_US.UTF-8"}, false},
		{"a modern console", Terminal{Is: true, Unicode: true}, nil, true},
	} {
		s := New(io.Discard, io.Discard, variables(tc.vars), func(any) Terminal { return tc.end })
		if got := s.blocks(); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, tc := range []struct {
		name          string
		end           Terminal
		variable      string
		columns, text int
	}{
		{"no terminal", Terminal{}, "120", 0, UsualColumns},
		{"the variable", Terminal{Is: true, Columns: 90}, "60", 60, 60},
		{"what the terminal says", Terminal{Is: true, Columns: 90}, "", 90, 90},
		{"nobody knows", Terminal{Is: true}, "wide", 0, UsualColumns},
		{"a very wide one", Terminal{Is: true, Columns: 400}, "", 400, UsualColumns},
		{"a very narrow one", Terminal{Is: true}, "3", 3, LeastColumns},
	} {
		s := New(io.Discard, io.Discard, variables(map[string]string{"COLUMNS": tc.variable}), func(any) Terminal { return tc.end })
		if s.Columns() != tc.columns || s.Measure() != tc.text {
			t.Errorf("%s: %d and %d, want %d and %d", tc.name, s.Columns(), s.Measure(), tc.columns, tc.text)
		}
	}
}

func TestWrapped(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"short", 10, []string{"short"}},
		{"two words here", 10, []string{"two words", "here"}},
		{"exactly10c and", 10, []string{"exactly10c", "and"}},
		{"averyveryverylongword x", 10, []string{"averyveryv", "erylongwor", "d x"}},
		{"a  b", 10, []string{"a  b"}},
		{"first\n\n  indented line that goes on", 16, []string{"first", "", "  indented line", "  that goes on"}},
		{"\tcode", 10, []string{"    code"}},
		{"記憶記憶記憶", 6, []string{"記憶記", "憶記憶"}},
		{"esc\x1b[2J", 40, []string{`esc\u{001B}[2J`}},
		{"trailing \n\n", 10, []string{"trailing"}},
	} {
		if got := Wrapped(tc.text, tc.width); !slices.Equal(got, tc.want) {
			t.Errorf("wrapped(%q, %d) = %q, want %q", tc.text, tc.width, got, tc.want)
		}
	}
}

// Wrapping loses no word, makes no line too wide, and commands nothing.
func TestWrappingKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		width := rapid.IntRange(8, 120).Draw(t, "width")
		lines := Wrapped(text, width)
		for _, line := range lines {
			wide := 0
			for _, r := range line {
				wide += cells(r)
			}
			if wide > width || strings.ContainsFunc(line, commanding) || strings.Contains(line, "\n") || !utf8.ValidString(line) {
				t.Fatalf("%q is %d wide, may be %d", line, wide, width)
			}
		}
		bare := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r == ' ' || r == '\n' || r == '\t' {
					return -1
				}
				return r
			}, s)
		}
		if got, want := bare(strings.Join(lines, "")), bare(Visible(text)); got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-day: "new", 0: "new", 59 * time.Second: "new", time.Minute: "1 minute old", 90 * time.Minute: "1 hour old",
		47 * time.Hour: "1 day old", 59 * day: "59 days old", 61 * day: "2 months old", 729 * day: "24 months old", 3 * 365 * day: "3 years old",
	} {
		if got := Age(d); got != want {
			t.Errorf("age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestAsideStaysOnTheScreen(t *testing.T) {
	var out bytes.Buffer
	s := New(&out, io.Discard, variables(map[string]string{"COLUMNS": "40"}), func(any) Terminal { return Terminal{Is: true} })
	s.Aside(4, "0.83", "", "12 tokens", "trust user", "3 days old", "lukasa://acme/memory/a-rather-long-identifier-of-one")
	want := "    0.83  12 tokens  trust user\n" +
		"    3 days old\n" +
		"    lukasa://acme/memory/a-rather-long-identifier-of-one\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
