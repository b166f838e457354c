package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// visible returns a stored text such that a terminal neither obeys it nor shows
// it as another text than it is: control characters other than line feed and
// tab, and marks that turn the direction of text, are written as \u{XXXX}.
func visible(text string) string {
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

// commanding reports whether r tells the terminal something instead of being
// shown.
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

// harmless returns JSON in which what a terminal would obey is escaped. It says
// the same.
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

// preview returns the beginning of a text on one line.
func preview(text string, most int) string {
	const looked = 4096 // no preview needs more of a long text
	if len(text) > looked {
		text = text[:looked]
	}
	line := visible(strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	cut := []rune(line)[:most-1]
	return strings.TrimRight(string(cut), " ") + "…"
}

// moment writes a time for a person; the zero time is nothing.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// detail writes one line below an answer: what it is, and its value. Without a
// value it writes nothing.
func (s *shell) detail(label, value string) {
	if value != "" {
		fmt.Fprintf(s.stdout, "  %s %s\n", s.paint.dim(fmt.Sprintf("%-10s", label)), oneLine(value))
	}
}

// table prints rows in columns. Several calls of rows share the widths as far as
// they are known.
type table struct {
	shell  *shell
	head   []string
	widths []int
	begun  bool
	fits   int // the most that a line may have; 0 is any
}

func (s *shell) table(head ...string) *table {
	t := &table{shell: s, head: head, widths: make([]int, len(head)), fits: s.columns()}
	t.measure(head)
	return t
}

func (t *table) measure(row []string) {
	for i, cell := range row {
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
	}
}

// rows prints rows, and the head before the first of them. Cells are made
// visible here.
func (t *table) rows(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = oneLine(row[i])
		}
		t.measure(row)
	}
	if !t.begun {
		t.begun = true
		fmt.Fprintln(t.shell.stdout, t.shell.paint.dim(t.line(t.head)))
	}
	for _, row := range rows {
		fmt.Fprintln(t.shell.stdout, t.line(row))
	}
}

func (t *table) line(row []string) string {
	var b strings.Builder
	at := 0
	for i, cell := range row {
		if i == len(row)-1 && t.fits > 0 {
			const least = 12 // less of it says nothing
			cell = preview(cell, max(least, t.fits-at))
		}
		at += t.widths[i] + 2
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(cell)+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// note tells something on standard error that is not an error.
func (s *shell) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.json {
		_ = encodeLine(s.stderr, map[string]string{"note": text}) // the answer stands without it
		return
	}
	fmt.Fprintf(s.stderr, "%s %s\n", s.alarm.yellow(program+": note:"), oneLine(text))
}

// degraded notes what a search could not use.
func (s *shell) degraded(list []string) {
	for _, d := range list {
		s.note("%s", d)
	}
}
