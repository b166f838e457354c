package term

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Widths of a line of text for a person. Longer lines are hard to read, and
// shorter ones cut every path in two.
const (
	LeastColumns = 40
	UsualColumns = 100
)

// Columns returns the width of the screen in characters, or 0 if it is unknown or there
// is no screen.
func (s *Screen) Columns() int {
	end := s.Detect(s.Stdout.Target)
	if !end.Is {
		return 0
	}
	if n, err := strconv.Atoi(s.Env("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return end.Columns
}

// Measure returns the width that running text is wrapped to.
func (s *Screen) Measure() int {
	n := s.Columns()
	if n <= 0 {
		n = UsualColumns
	}
	return min(max(n, LeastColumns), UsualColumns)
}

// blocks reports whether the reader is a terminal that shows block characters:
// its locale is one of UTF-8, and it is not a dumb one.
func (s *Screen) blocks() bool {
	end := s.Detect(s.Stdout.Target)
	if !end.Is || s.Env("TERM") == "dumb" {
		return false
	}
	if end.Unicode {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(s.Env(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return false
}

// bar draws how much of a whole is taken, in a number of characters. Something
// is never drawn as nothing, nor is less than all drawn as all.
func bar(part, whole, width int, blocks bool) string {
	full, empty := "#", "-"
	if blocks {
		full, empty = "█", "░"
	}
	n := width
	if part < whole {
		n = int(int64(part) * int64(width) / int64(whole))
		if part > 0 {
			n = max(n, 1)
		}
		n = min(n, width-1)
	}
	return strings.Repeat(full, n) + strings.Repeat(empty, width-n)
}

// Bar draws a bar for people.
func (s *Screen) Bar(part, whole, width int) string {
	if s.blocks() {
		return bar(part, whole, width, true)
	}
	return "[" + bar(part, whole, width, false) + "]"
}

// Wrapped returns a text as lines that are at most width wide, broken between
// words where that can be. Its own line breaks and indentation stay. It is made
// visible here.
func Wrapped(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(Visible(text), " \t\n"), "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " ")
		body := strings.TrimLeft(line, " ")
		indent := min(len(line)-len(body), width/2)
		for _, part := range broken(body, width-indent) {
			lines = append(lines, strings.Repeat(" ", indent)+part)
		}
	}
	return lines
}

// broken breaks one line without indentation.
func broken(line string, width int) []string {
	var parts []string
	for {
		used, space, spaceAt := 0, -1, 0
		cut := -1
		for i, r := range line {
			if r == ' ' && i > 0 {
				space, spaceAt = i, used
			}
			if used += cells(r); used > width && i > 0 {
				cut = i
				break
			}
		}
		if cut < 0 {
			return append(parts, line)
		}
		if spaceAt > 0 {
			cut = space
		}
		parts = append(parts, strings.TrimRight(line[:cut], " "))
		line = strings.TrimLeft(line[cut:], " ")
	}
}

// cells returns how much room a character takes on a terminal: two for a wide
// letter, none for what is put over the letter before.
func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
		r >= 0xFF01 && r <= 0xFF60, r >= 0x1F300 && r <= 0x1FAFF:
		return 2
	}
	return 1
}

// Age writes how long ago something was, roughly.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	for _, step := range []struct {
		from, unit time.Duration
		name       string
	}{
		{2 * 365 * day, 365 * day, "year"},
		{60 * day, 30 * day, "month"},
		{day, day, "day"},
		{time.Hour, time.Hour, "hour"},
		{time.Minute, time.Minute, "minute"},
	} {
		if d >= step.from {
			return Counted(int(d/step.unit), step.name) + " old"
		}
	}
	return "new"
}

// Dated says of which day something is, in UTC, and how old it is; nothing of the zero time.
func Dated(when, now time.Time) string {
	if when.IsZero() {
		return ""
	}
	return when.UTC().Format(time.DateOnly) + ", " + Age(now.Sub(when))
}

// Paragraph prints a text wrapped and indented.
func (s *Screen) Paragraph(text string, indent int) {
	for _, line := range Wrapped(text, s.Measure()-indent) {
		fmt.Fprintln(s.Stdout, strings.TrimRight(strings.Repeat(" ", indent)+line, " "))
	}
}

// Aside prints what is known of the text above it, dimmed: parts on one line as
// far as they fit, and on the next where they do not.
func (s *Screen) Aside(indent int, parts ...string) {
	line, used := "", 0
	flush := func() {
		if line != "" {
			fmt.Fprintf(s.Stdout, "%s%s\n", strings.Repeat(" ", indent), s.Paint.Dim(line))
		}
		line, used = "", 0
	}
	for _, part := range parts {
		if part = OneLine(part); part == "" {
			continue
		}
		wide := 0
		for _, r := range part {
			wide += cells(r)
		}
		if used > 0 && indent+used+2+wide > s.Measure() {
			flush()
		}
		if used > 0 {
			line, used = line+"  ", used+2
		}
		line, used = line+part, used+wide
	}
	flush()
}

// Chapter begins a part of an answer.
func (s *Screen) Chapter(title, about string) {
	if about != "" {
		about = "  " + s.Paint.Dim(about)
	}
	fmt.Fprintf(s.Stdout, "\n%s%s\n", s.Paint.Bold(title), about)
}
