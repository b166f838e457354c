package quote

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// unnamed is the label of a text without a speaker that begins as if it had a label.
const unnamed = "quote"

// Form is where an item stands.
type Form int

// The forms.
const (
	Prose  Form = iota // outside of fences
	Fenced             // between fences
	Spoken             // between fences, among items that have speakers
)

// Item returns the lines of an item, with its label, in markdown. The first begins with a hyphen,
// the others are indented or, between fences, empty; the last ends with a line end. Between fences
// a line that would look like an item, a day or a heading gets a mark in front, and where items
// have speakers, no text begins with a name other than that of its label. So no line of a text
// can pass for one of ours, and the token count of an item does not depend on its neighbours.
func Item(label, text string, form Form) string {
	text, label = strings.TrimSpace(Visible(text)), labelText(label)
	switch {
	case label == "" && form == Spoken && named(text):
		label = unnamed
	case startsWith(text, label):
		label = ""
	}
	b := make([]byte, 0, len(text)+len(label)+len(text)/16+16)
	b = append(b, '-')
	if label != "" {
		b = append(b, ' ')
		if form == Prose {
			b = appendOpening(b, label+":")
		} else {
			b = append(append(b, label...), ':')
		}
	}
	if form == Prose {
		b = appendProse(b, text, label == "")
	} else {
		b = appendQuoted(b, text)
	}
	return string(append(b, '\n'))
}

// appendQuoted appends a text between fences.
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

// likeOurs reports whether a trimmed line could pass for one of ours between fences: an item, a
// heading, a day or a year.
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

// named reports whether a text begins as if it had a label.
func named(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	label, said, ok := strings.Cut(line, ":")
	return ok && utf8.RuneCountInString(label) <= labelRunes && !strings.HasPrefix(said, "//")
}

// appendProse appends a text outside of fences, as lines without any effect in markdown. opens
// says that the text begins a line.
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
			b = AppendInline(b, line)
		}
	}
	return b
}

// appendOpening appends the beginning of a line, with a backslash before what would open a
// block: a heading, a list, a quote, a table, a rule, a fence, HTML.
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
	return AppendInline(b, line)
}

// longRun is how many backticks or tildes make a fence.
const longRun = 3

// AppendInline appends text within a line, with a backslash before what would be HTML, a link,
// a picture or a fence, and before a backslash that would be read as an escape.
func AppendInline(b []byte, s string) []byte {
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

// runOf returns the length of the run of its first character that s begins with.
func runOf(s string) int { return len(s) - len(strings.TrimLeft(s, s[:1])) }

// tagged reports whether s, after a <, makes it the beginning of a tag.
func tagged(s string) bool {
	return s != "" && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' || s[0] == '/' || s[0] == '!' || s[0] == '?')
}

// punctuation reports whether a backslash escapes c.
func punctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(c >= '0' && c <= '9')
}

// labelRunes is the most characters of a label.
const labelRunes = 40

// labelText returns a label as it is written: one line without colons and backticks.
func labelText(s string) string { return FirstRunes(OneLine(without(s, ":`")), labelRunes) }

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

// OneLine returns a text in one line: with hidden characters written out, runs of white space
// replaced by one blank, and trimmed.
func OneLine(s string) string { return oneLine(Visible(s)) }

// oneLine returns s with runs of white space replaced by one blank, and trimmed.
func oneLine(s string) string {
	blank := true // the last character was a blank, or there is none
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

// FirstRunes returns at most the first n characters of s, without a blank or a joiner at the
// cut.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return strings.TrimRight(s[:i], " \u200C\u200D")
		}
	}
	return s
}

// startsWith reports whether a text already begins with its label.
func startsWith(text, label string) bool {
	if label == "" || len(text) < len(label) || !strings.EqualFold(text[:len(label)], label) {
		return false
	}
	return len(text) == len(label) || text[len(label)] == ':' || text[len(label)] == '\n'
}
