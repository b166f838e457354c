package pack

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/tokens"
)

// unnamed is the label of a text that nobody is named for and that begins like one that
// somebody is.
const unnamed = "quote"

// itemText returns the lines of an item as they stand in the markdown. The first
// begins with a hyphen, the others are indented or, between fences, empty; the last
// ends with a line end. Between fences a line that would look like an item, a day or a
// heading but for that has a mark before it, and where it is told who said what, no text
// begins with a name that is not the one of its label. So no line of a text can pass for
// one of ours, and what tokens an item has does not depend on what stands around it.
func itemText(it *Item) string {
	text := strings.TrimSpace(Visible(it.Text))
	label := labelText(it.Label)
	switch {
	case label == "" && dated(it.Section) && it.Fenced() && named(text):
		label = unnamed
	case startsWith(text, label):
		label = ""
	}
	b := make([]byte, 0, len(text)+len(label)+len(text)/16+16)
	b = append(b, '-')
	if label != "" {
		b = append(b, ' ')
		if it.Fenced() {
			b = append(append(b, label...), ':')
		} else {
			b = appendOpening(b, label+":")
		}
	}
	if it.Fenced() {
		b = appendQuoted(b, text)
	} else {
		b = appendProse(b, text, label == "")
	}
	return string(append(b, '\n'))
}

// appendQuoted appends a text that stands between fences.
func appendQuoted(b []byte, text string) []byte {
	for prefix := " "; text != ""; prefix = "\n  " {
		line, rest, _ := strings.Cut(text, "\n")
		bare := strings.TrimSpace(line)
		if text = rest; bare == "" {
			b = append(b, '\n')
			continue
		}
		if b = append(b, prefix...); prefix != " " && likeOurs(bare) {
			b = append(b, "> "...)
		}
		b = append(b, line...)
	}
	return b
}

// likeOurs reports whether a line without what stands around it could be one of ours
// between fences: an item, a heading, a day or a year.
func likeOurs(line string) bool {
	if line == "-" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "## ") {
		return true
	}
	line, ok := strings.CutSuffix(line, ":")
	number, month, _ := strings.Cut(line, " ")
	if _, err := strconv.Atoi(number); !ok || err != nil {
		return false
	}
	for m := time.January; m <= time.December; m++ {
		if month == m.String() {
			return true
		}
	}
	return month == ""
}

// named reports whether a text begins as one does that has a label.
func named(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	label, said, ok := strings.Cut(line, ":")
	return ok && utf8.RuneCountInString(label) <= labelRunes && !strings.HasPrefix(said, "//")
}

// appendProse appends a text that stands by itself, as lines that mean in markdown
// what they say and nothing else. Opens says that the first begins a line.
func appendProse(b []byte, text string, opens bool) []byte {
	for prefix := " "; text != ""; opens = true {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		b = append(b, prefix...)
		prefix = "\n  "
		if opens {
			b = appendOpening(b, line)
		} else {
			b = appendInline(b, line)
		}
	}
	return b
}

// appendOpening appends what begins a line, with a backslash before what would open
// a block: a heading, a list, a quote, a table, a rule, a fence, HTML.
func appendOpening(b []byte, line string) []byte {
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	switch rest := line[digits:]; {
	case rest == "":
	case digits > 0 && (rest[0] == '.' || rest[0] == ')'):
		b = append(append(b, line[:digits]...), '\\', rest[0])
		line = rest[1:]
	case digits > 0:
	case strings.IndexByte("#>-*+=|_", line[0]) >= 0, line[0] == ':' && strings.HasPrefix(line, ":-"),
		line[0] == '<' && !tagged(line[1:]), (line[0] == '`' || line[0] == '~') && runOf(line) < longRun:
		b = append(b, '\\', line[0])
		line = line[1:]
	}
	return appendInline(b, line)
}

// longRun is how many backticks or tildes make a fence.
const longRun = 3

// appendInline appends text of one line, with a backslash before what would be HTML,
// a link, a picture or a fence, and before a backslash that would be taken for such a
// one.
func appendInline(b []byte, s string) []byte {
	for {
		at := strings.IndexAny(s, "\\<]`~")
		if at < 0 {
			return append(b, s...)
		}
		b, s = append(b, s[:at]...), s[at:]
		c, rest := s[0], s[1:]
		switch {
		case c == '`' || c == '~':
			n := runOf(s)
			for range n {
				if n >= longRun {
					b = append(b, '\\')
				}
				b = append(b, c)
			}
			s = s[n:]
			continue
		case c == '\\' && (rest == "" || punctuation(rest[0])),
			c == '<' && tagged(rest),
			c == ']' && rest != "" && strings.IndexByte("([:", rest[0]) >= 0:
			b = append(b, '\\')
		}
		b, s = append(b, c), rest
	}
}

// runOf returns how many of its first character s begins with.
func runOf(s string) int { return len(s) - len(strings.TrimLeft(s, s[:1])) }

// tagged reports whether s, behind a <, makes it the beginning of a tag.
func tagged(s string) bool {
	return s != "" && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' || s[0] == '/' || s[0] == '!' || s[0] == '?')
}

// punctuation reports whether a backslash before c means c.
func punctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(c >= '0' && c <= '9')
}

// Limits of a label: in characters as it is written, in bytes as a pack has it.
const (
	labelRunes = 40
	labelBytes = 256
)

// labelText returns a label as it is written: one line without what ends it or looks
// like code.
func labelText(s string) string { return firstRunes(oneLine(Visible(without(s, ":`"))), labelRunes) }

// without returns s without some characters.
func without(s, chars string) string {
	if !strings.ContainsAny(s, chars) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(chars, r) {
			return -1
		}
		return r
	}, s)
}

// oneLine returns s with one blank for each white space in it, and none around it.
func oneLine(s string) string {
	blank := true // a blank or the beginning came last
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf, c != ' ' && c <= ' ', c == ' ' && blank:
			return strings.Join(strings.Fields(s), " ")
		default:
			blank = c == ' '
		}
	}
	return strings.TrimSuffix(s, " ")
}

// firstRunes returns the first characters of s, n at most, without a blank or a joiner
// at a cut.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return strings.TrimRight(s[:i], " \u200C\u200D")
		}
	}
	return s
}

// startsWith reports whether a text says its label already.
func startsWith(text, label string) bool {
	if label == "" || len(text) < len(label) || !strings.EqualFold(text[:len(label)], label) {
		return false
	}
	return len(text) == len(label) || text[len(label)] == ':' || text[len(label)] == '\n'
}

// cost is how many tokens the lines of an item have.
func (it *Item) cost(c tokens.Counter) int { return c.Count(itemText(it)) }

// headingText returns the heading of a section.
func headingText(s hmx.Section) string {
	name := string(s)
	if s == hmx.SectionGraphRelations {
		name = "relations"
	}
	return "## " + strings.ToUpper(name[:1]) + name[1:] + "\n"
}

// firstDay is before every day, and the time of what has none.
const firstDay = math.MinInt64

// dayText returns the lines that stand before an item whose day is another than that
// of the item before, of which prev is the time, or [firstDay].
func dayText(prev, at int64) string {
	if at == firstDay {
		return ""
	}
	day, last := time.Unix(0, at).UTC(), time.Unix(0, prev).UTC()
	text := ""
	if prev == firstDay || day.Year() != last.Year() {
		text = strconv.Itoa(day.Year()) + ":\n"
	}
	if text != "" || day.YearDay() != last.YearDay() {
		text += strconv.Itoa(day.Day()) + " " + day.Month().String() + ":\n"
	}
	return text
}

// dated reports whether a section tells on which day its items happened.
func dated(s hmx.Section) bool { return s == hmx.SectionEpisodes || s == hmx.SectionEvidence }
