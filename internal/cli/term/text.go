package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns a stored text such that it neither controls a terminal nor appears
// as another text: control characters other than line feed and tab, and controls of
// the text direction, are written as \u{XXXX}.
func Visible(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.ContainsFunc(text, commanding) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if commanding(r) {
			fmt.Fprintf(&b, "\\u{%04X}", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// commanding reports whether r controls the terminal instead of being shown.
func commanding(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r): // C0, DEL, C1
		return true
	}
	switch {
	case r == 0x061C, r == 0x200B, r == 0x200E, r == 0x200F, r == 0x2028, r == 0x2029, r == 0xFEFF, r >= 0xE0000 && r <= 0xE007F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// harmless returns equivalent JSON in which characters that control a terminal are
// escaped.
func harmless(json []byte) []byte {
	if !strings.ContainsFunc(string(json), commanding) {
		return json
	}
	out := make([]byte, 0, len(json)+64)
	for len(json) > 0 {
		r, n := utf8.DecodeRune(json)
		switch high, low := utf16.EncodeRune(r); {
		case !commanding(r):
			out = append(out, json[:n]...)
		case r > 0xffff:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		json = json[n:]
	}
	return out
}

// Preview returns the beginning of a text on one line.
func Preview(text string, most int) string {
	const looked = 4096 // no preview needs more of a long text
	if len(text) > looked {
		text = text[:looked]
	}
	line := Visible(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	cut := []rune(line)[:most-1]
	return strings.TrimRight(string(cut), " ") + "…"
}

// Moment writes a time for a person; the zero time is nothing.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Detail writes one line below an answer: what it is, and its value. Without a
// value it writes nothing.
func (s *Screen) Detail(label, value string) {
	if value != "" {
		fmt.Fprintf(s.Stdout, "  %s %s\n", s.Paint.Dim(fmt.Sprintf("%-10s", label)), OneLine(value))
	}
}

// Table prints rows in columns. Several calls of Rows share the widths that are known.
type Table struct {
	screen *Screen
	head   []string
	Widths []int
	begun  bool
	fits   int // the most that a line may have; 0 is any
}

func (s *Screen) Table(head ...string) *Table {
	t := &Table{screen: s, head: head, Widths: make([]int, len(head)), fits: s.Columns()}
	t.measure(head)
	return t
}

func (t *Table) measure(row []string) {
	for i, cell := range row {
		t.Widths[i] = max(t.Widths[i], utf8.RuneCountInString(cell))
	}
}

// Rows prints rows, and the head before the first of them. Cells are made
// visible here.
func (t *Table) Rows(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = OneLine(row[i])
		}
		t.measure(row)
	}
	if !t.begun {
		t.begun = true
		fmt.Fprintln(t.screen.Stdout, t.screen.Paint.Dim(t.line(t.head)))
	}
	for _, row := range rows {
		fmt.Fprintln(t.screen.Stdout, t.line(row))
	}
}

func (t *Table) line(row []string) string {
	var b strings.Builder
	at := 0
	for i, cell := range row {
		if i == len(row)-1 && t.fits > 0 {
			const least = 12 // a shorter cell is useless
			cell = Preview(cell, max(least, t.fits-at))
		}
		at += t.Widths[i] + 2
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", t.Widths[i]-utf8.RuneCountInString(cell)+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Note prints a note on standard error that is not an error.
func (s *Screen) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.JSON {
		_ = EncodeLine(s.Stderr, map[string]string{"note": text}) // the answer stands without it
		return
	}
	fmt.Fprintf(s.Stderr, "%s %s\n", s.Alarm.Yellow(Program+": note:"), OneLine(text))
}

// Degraded prints a note about what a search could not use.
func (s *Screen) Degraded(list []string) {
	for _, d := range list {
		s.Note("%s", d)
	}
}

// Counted writes a number and a noun: "1 event", "1,234 events".
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Thousands(n) + " " + thing
}

// Thousands writes n with a comma between every three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// CountedAs writes a number and a noun with an irregular plural.
func CountedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Padded fills a word up with spaces.
func Padded(word string, wide int) string {
	return fmt.Sprintf("%-*s", wide, word)
}

// BytesOf writes a number of bytes for a person.
func BytesOf(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	units, size, i := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}, n*10/1024, 0
	for size >= 10240 && i < len(units)-1 {
		size, i = size/1024, i+1
	}
	return fmt.Sprintf("%d.%d %s", size/10, size%10, units[i])
}

// Lasting writes a span of time in one unit, or two.
func Lasting(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d.%d s", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return Counted(int(d/(24*time.Hour)), "day")
}

// Span writes a time range.
func Span(from, until string) string {
	switch {
	case from == "" && until == "":
		return ""
	case until == "":
		return "from " + from
	case from == "":
		return "until " + until
	}
	return "from " + from + " until " + until
}

// Indented writes JSON over several lines, for a person.
func Indented(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return Visible(string(text))
	}
	return Visible(b.String())
}

// Quoted is the beginning of a text in quotes, as it is written on a command line.
func Quoted(text string) string { return `"` + strings.ReplaceAll(Preview(text, 60), `"`, `\"`) + `"` }

// OneLine makes characters visible that are not graphic: controls, line breaks, controls
// of the text direction. An error may quote untrusted text, which must not break the line,
// control the terminal or appear as another text.
func OneLine(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether r has no shape of its own.
func hidden(r rune) bool { return !unicode.IsGraphic(r) }
