package cli

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
		end  terminal
		vars map[string]string
		want bool
	}{
		{"a UTF-8 terminal", terminal{is: true}, map[string]string{"LANG": "en_US.UTF-8"}, true},
		{"the older spelling", terminal{is: true}, map[string]string{"LC_CTYPE": "C.utf8"}, true},
		{"LC_ALL rules", terminal{is: true}, map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, false},
		{"no locale", terminal{is: true}, nil, false},
		{"a dumb terminal", terminal{is: true}, map[string]string{"LANG": "en_US.UTF-8", "TERM": "dumb"}, false},
		{"no terminal", terminal{}, map[string]string{"LANG": "en_US.UTF-8"}, false},
		{"a modern console", terminal{is: true, unicode: true}, nil, true},
	} {
		s := newShell(nil, io.Discard, io.Discard, setTo(tc.vars), func(any) terminal { return tc.end })
		if got := s.blocks(); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestColumns(t *testing.T) {
	for _, tc := range []struct {
		name          string
		end           terminal
		variable      string
		columns, text int
	}{
		{"no terminal", terminal{}, "120", 0, usualColumns},
		{"the variable", terminal{is: true, columns: 90}, "60", 60, 60},
		{"what the terminal says", terminal{is: true, columns: 90}, "", 90, 90},
		{"nobody knows", terminal{is: true}, "wide", 0, usualColumns},
		{"a very wide one", terminal{is: true, columns: 400}, "", 400, usualColumns},
		{"a very narrow one", terminal{is: true}, "3", 3, leastColumns},
	} {
		s := newShell(nil, io.Discard, io.Discard, setTo(map[string]string{"COLUMNS": tc.variable}), func(any) terminal { return tc.end })
		if s.columns() != tc.columns || s.measure() != tc.text {
			t.Errorf("%s: %d and %d, want %d and %d", tc.name, s.columns(), s.measure(), tc.columns, tc.text)
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
		if got := wrapped(tc.text, tc.width); !slices.Equal(got, tc.want) {
			t.Errorf("wrapped(%q, %d) = %q, want %q", tc.text, tc.width, got, tc.want)
		}
	}
}

// Wrapping loses no word, makes no line too wide, and commands nothing.
func TestWrappingKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		width := rapid.IntRange(8, 120).Draw(t, "width")
		lines := wrapped(text, width)
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
		if got, want := bare(strings.Join(lines, "")), bare(visible(text)); got != want {
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
		if got := age(d); got != want {
			t.Errorf("age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestAsideStaysOnTheScreen(t *testing.T) {
	var out bytes.Buffer
	s := newShell(nil, &out, io.Discard, setTo(map[string]string{"COLUMNS": "40"}), func(any) terminal { return terminal{is: true} })
	s.aside(4, "0.83", "", "12 tokens", "trust user", "3 days old", "lukasa://acme/memory/a-rather-long-identifier-of-one")
	want := "    0.83  12 tokens  trust user\n" +
		"    3 days old\n" +
		"    lukasa://acme/memory/a-rather-long-identifier-of-one\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
