package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
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
		if got := visible(text); got != want {
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
		if got := preview(tc.text, tc.most); got != tc.want {
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
		if strings.ContainsFunc(visible(text), commanding) {
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
	s := testShell(nil, &out, io.Discard)
	table := s.table("A", "LONGER", "LAST")
	table.rows(nil)
	table.rows([][]string{{"1", "2", "3"}, {"wide cell", "", "line\nbreak"}})
	table.rows([][]string{{"4", "5", ""}})
	if err := s.stdout.finish(); err != nil {
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

func TestSplitNotes(t *testing.T) {
	one := "origin\nerasure\n\n— a sig\n— b sig\n"
	two := "other\nerasure\n\n— c sig\n"
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":        {"", []string{""}},
		"one":            {one, []string{one}},
		"two":            {one + two, []string{one, two}},
		"two, blank":     {one + "\n" + two + "\n\n", []string{one, two}},
		"no signature":   {"text\n", []string{"text\n"}},
		"text after one": {one + "text", []string{one, "text"}},
	} {
		var got []string
		for _, note := range splitNotes([]byte(tc.text)) {
			got = append(got, string(note))
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for value, want := range map[string]int64{"": 0, "1": 1, "3600": 3600, "36h": 129600, "1ms": 1, "90s": 90, "1d": 86400} {
		if got, err := seconds(value); got != want || err != nil {
			t.Errorf("seconds(%q) = %d, %v, want %d", value, got, err, want)
		}
	}
	for _, value := range []string{"0", "-1", "-3h", "soon", "0d", "1dd", "99999999999999999999"} {
		if got, err := seconds(value); fault.CodeOf(err) != fault.Usage {
			t.Errorf("seconds(%q) = %d, %v", value, got, err)
		}
	}
}

func TestDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "30d": 30 * day, "0d": 0, "1d12h": 36 * time.Hour, "-1h": -time.Hour} {
		if got, err := duration(text); got != want || err != nil {
			t.Errorf("duration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "3", "1.5d", "-1d", "1dd", "1d-1h", "12hd", "1d2d", "99999d", "65535d2000000h", " 1d"} {
		if got, err := duration(text); err == nil {
			t.Errorf("duration(%q) = %v", text, got)
		}
	}
}

// A file appears whole or not at all, and what was there before stays until then.
func TestWriteFileIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	say := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, _ = io.WriteString(w, text)
			return err
		}
	}
	if err := writeFile(path, say("first", nil)); err != nil {
		t.Fatal(err)
	}
	failed := fault.New(fault.Damaged, "half way")
	if err := writeFile(path, say("second", failed)); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("%v", err)
	}
	if got, err := os.ReadFile(path); string(got) != "first" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if err := writeFile(path, say("third", nil)); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v %v", names, err)
	}
	if err := writeFile(dir, say("x", nil)); fault.CodeOf(err) != fault.OutputFailed {
		t.Errorf("%v", err)
	}
}
