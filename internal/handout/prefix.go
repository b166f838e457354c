package handout

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of the text before the mark, so that a long line costs no more than its length.
const (
	mostPrefixes = 24  // prefixes, each one of the following
	mostDigits   = 9   // of the number of a line
	mostPath     = 256 // bytes of the name of a file
	mostTag      = 64  // bytes of a tag or of a name in brackets
	mostEscape   = 12  // bytes of an encoded character
)

// mayMark reports whether a text may contain a mark, in any encoding.
func mayMark(text string) bool {
	if strings.Contains(text, "§") || strings.Contains(text, "&sect;") {
		return true
	}
	for _, way := range [...]string{"00a7", "00A7", "&#167;", "&#xa7;", "&#xA7;", "&#Xa7;", "&#XA7;", "&#0167;"} {
		if strings.Contains(text, way) {
			return true
		}
	}
	return false
}

// marked returns the text after the mark that a line begins with, after the prefixes of quotes,
// lists and tools, and whether a quote precedes it.
func marked(line string) (text said, quoted bool) {
	for range mostPrefixes {
		line = skipSigns(line, &quoted)
		if text, found := behindMark(line); found {
			return text, quoted
		}
		n := numberLen(line)
		if n == 0 {
			n = enclosedLen(line)
		}
		if n == 0 {
			n = pathLen(line)
		}
		if n == 0 {
			break
		}
		line = line[n:]
	}
	return said{}, false
}

// skipSigns returns a line without its leading signs, and records whether one of them is a
// string quote.
func skipSigns(line string, quoted *bool) string {
	for line != "" {
		r, n := letter(line)
		if !strings.ContainsRune(" \t>|*+#`-•│┃→/;%~!_“”‘’„«»'\u00a0", r) && !unseen(r) {
			break
		}
		*quoted = *quoted || r == '\''
		line = line[n:]
	}
	return line
}

// said is what follows a mark: four characters, and a line that they may belong to.
type said struct{ sum, line string }

// verified reports whether a line was handed out. A tag may follow it.
func (t said) verified() bool {
	if t.sum == "" {
		return false
	}
	if sum(t.line) == t.sum {
		return true
	}
	i := strings.LastIndexByte(t.line, '<')
	return i > 0 && sum(t.line[:i]) == t.sum
}

// behindMark returns what follows the mark that a line begins with.
func behindMark(line string) (text said, found bool) {
	next := func() (r rune) {
		n := 0
		for r, n = letter(line); unseen(r); r, n = letter(line) {
			line = line[n:]
		}
		line = line[n:]
		return r
	}
	for _, want := range Mark {
		if next() != want {
			return said{}, false
		}
	}
	var made [sumDigits]byte
	for i := range made {
		r := next()
		if !strings.ContainsRune(digits32, r) {
			return said{}, false
		}
		made[i] = byte(r)
	}
	if r, _ := letter(line); line != "" && counts(r) {
		return said{}, false
	}
	return said{string(made[:]), line}, true
}

// The form of the four characters.
const (
	sumDigits = 4
	digits32  = "abcdefghijklmnopqrstuvwxyz234567"
)

// sum returns the four characters of a line: from the 32-bit FNV-1a hash of its letters and
// digits in UTF-8.
func sum(line string) string {
	h := uint32(2166136261)
	for line != "" {
		r, n := letter(line)
		line = line[n:]
		if !counts(r) {
			continue
		}
		for _, b := range []byte(string(r)) {
			h = (h ^ uint32(b)) * 16777619
		}
	}
	h ^= h >> 20
	var out [sumDigits]byte
	for i := range out {
		out[i] = digits32[h>>(5*(sumDigits-1-i))&31]
	}
	return string(out[:])
}

// counts reports whether a character is a letter or a digit, or may be one. It uses no tables,
// which differ between programs.
func counts(r rune) bool {
	switch {
	case r < 0x80:
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	case r < 0xc0, r >= 0x2000 && r < 0x2c00, r >= 0x3000 && r < 0x3040, r >= 0xd800 && r < 0xe000, r >= 0xfe00 && r < 0xfe10, r == 0xfeff, r >= 0xfff0:
		return false
	}
	return true
}

// unseen reports whether a character has no width.
func unseen(r rune) bool {
	return r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff' || r == '\u00ad'
}

// letter returns the first character of a text and its length, also as JSON and HTML encode
// those that may occur in or before a mark. An empty text has the character 0.
func letter(text string) (rune, int) {
	switch {
	case text == "":
		return 0, 0
	case text[0] == '\\':
		rest := strings.TrimLeft(text[:min(len(text), mostEscape)], "\\")
		slashes := min(len(text), mostEscape) - len(rest)
		if strings.HasPrefix(rest, "t") {
			return '\t', slashes + 1
		}
		if len(rest) >= 5 && rest[0] == 'u' {
			if r, err := strconv.ParseUint(rest[1:5], 16, 16); err == nil {
				return rune(r), slashes + 5
			}
		}
	case text[0] == '&':
		if n := strings.IndexByte(text[:min(len(text), mostEscape)], ';'); n > 0 {
			if r := entity(text[1:n]); r != 0 {
				return r, n + 1
			}
		}
	}
	return utf8.DecodeRuneInString(text)
}

// entity returns the character of an HTML entity, of those that occur, or 0.
func entity(name string) rune {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	case "nbsp":
		return '\u00a0'
	case "sect":
		return '§'
	}
	number, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex := strings.TrimLeft(number, "xX"); ok && len(hex) == len(number)-1 {
		number, base = hex, 16
	}
	if r, err := strconv.ParseUint(number, base, 16); ok && err == nil {
		return rune(r)
	}
	return 0
}

// numberLen returns the length of the number and separator that a line begins with, or 0:
// "12:", "12-", "12→", "12.", "12)", "12|", "12 |", or with a tab or two spaces.
func numberLen(line string) int {
	n := digits(line)
	if n == 0 {
		return 0
	}
	if rest := line[n:]; strings.HasPrefix(rest, "  ") || strings.HasPrefix(rest, " |") || strings.HasPrefix(rest, " │") {
		return n
	}
	r, size := letter(line[n:])
	if !strings.ContainsRune(":-→.)|│┃\t", r) {
		return 0
	}
	return n + size
}

// digits returns the number of leading digits of a text, 0 if there are too many.
func digits(text string) int {
	text = text[:min(len(text), mostDigits+1)]
	n := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if n > mostDigits {
		return 0
	}
	return n
}

// enclosedLen returns the length of the tag or the name in brackets that a line begins with, or
// 0: "<context>", "</b>", "[user]", and the beginning of a comment.
func enclosedLen(line string) int {
	if line == "" || line[0] != '<' && line[0] != '[' {
		return 0
	}
	if opens := "<!--"; strings.HasPrefix(line, opens) {
		return len(opens)
	}
	closes := byte('>')
	if line[0] == '[' {
		closes = ']'
	}
	n := strings.IndexAny(line[1:min(len(line), mostTag)], "<>[]\"\\&§")
	if n < 1 || line[1+n] != closes {
		return 0
	}
	return n + 2
}

// pathLen returns the length of the file name that a line begins with, with the line number and
// the separators, or 0: "file.md:", "path/file.md:12:", "file.md-12-". A word with a colon does
// not count, nor does a name followed by a space.
func pathLen(line string) int {
	run := line[:min(len(line), mostPath)]
	for _, stops := range [...]string{"00a7", "00A7"} {
		if i := strings.Index(run, stops); i > 0 {
			run = strings.TrimRight(strings.TrimSuffix(run[:i], "u"), "\\")
		}
	}
	if i := strings.IndexAny(run, " \t\"'<>{}()&§\u200b\u2060\ufeff"+lineEnds); i >= 0 {
		run = run[:i]
	}
	if strings.Contains(run, `\n`) {
		return 0
	}
	if i := strings.LastIndexByte(run, ':'); i > 0 {
		rest := line[i+1:]
		name, numbered := withoutNumber(run[:i], ':')
		if name == "" || !numbered && !strings.ContainsAny(name, `./\`) || strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "  ") {
			return 0
		}
		return i + 1
	}
	if body, ok := strings.CutSuffix(run, "-"); ok {
		if name, numbered := withoutNumber(body, '-'); numbered && name != "" {
			return len(run)
		}
	}
	return 0
}

// withoutNumber returns a file name without the line number after it.
func withoutNumber(name string, divider byte) (string, bool) {
	body := strings.TrimRight(name, "0123456789")
	if len(body) == len(name) || body == "" || body[len(body)-1] != divider {
		return name, false
	}
	return body[:len(body)-1], true
}
