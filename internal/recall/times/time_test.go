package times

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite testdata from the results")

// testNow is a Wednesday.
func testNow() time.Time { return time.Date(2026, 11, 11, 10, 30, 0, 0, time.UTC) }

// shortTime prints a time without its zero parts.
func shortTime(t time.Time) string {
	switch {
	case t.Nanosecond() != 0:
		return t.Format("2006-01-02T15:04:05.000000000")
	case t.Second() != 0:
		return t.Format("2006-01-02T15:04:05")
	case t.Equal(startOfDay(t)):
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02T15:04")
}

// shortRef prints a reference in one line.
func shortRef(r TimeRef) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] ", r.Text)
	switch r.Kind {
	case TimeRange:
		fmt.Fprintf(&b, "%s .. %s", shortTime(r.From), shortTime(r.Until))
	case TimeBefore:
		fmt.Fprintf(&b, ".. %s", shortTime(r.Until))
	case TimeAfter:
		fmt.Fprintf(&b, "%s ..", shortTime(r.From))
	case TimeAnchor:
		fmt.Fprintf(&b, "%s <%s>", r.Direction, r.Anchor)
	}
	if r.Strict {
		b.WriteString(" strict")
	}
	if r.Soft {
		b.WriteString(" soft")
	}
	return b.String()
}

func shortRefs(refs []TimeRef) string {
	if len(refs) == 0 {
		return "none"
	}
	lines := make([]string, len(refs))
	for i, r := range refs {
		lines[i] = shortRef(r)
	}
	return strings.Join(lines, "; ")
}

// table runs a file of lines "input => output"; # begins a comment.
func table(t *testing.T, name string, least int, run func(in string) string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(file), "\r\n", "\n"), "\n"), "\n")
	cases := 0
	for i, line := range lines {
		if line == "" || line[0] == '#' {
			continue
		}
		cases++
		in, want, _ := strings.Cut(line, " => ")
		got := run(in)
		lines[i] = in + " => " + got
		if got != want && !*update {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", name, i+1, in, got, want)
		}
	}
	if cases < least {
		t.Errorf("%d cases in %s, want %d", cases, name, least)
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestParseTime parses typical questions, asked on Wednesday 2026-11-11 at 10:30.
func TestParseTime(t *testing.T) {
	table(t, "times.txt", 200, func(query string) string { return shortRefs(ParseTime(query, testNow())) })
}
