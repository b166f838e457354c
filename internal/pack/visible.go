package pack

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns a text with what is hidden in it written out, for eyes and for
// models: control characters and escapes, marks of direction, what has no width,
// tags and fillers become <U+001B> and the like. Of a long run the first eight are
// shown and the others counted. Line ends become LF, bytes that are not UTF-8 become
// U+FFFD. Joiners and selectors of variants stay where scripts and emoji need them.
//
// A text in which nothing is hidden is returned as it is. Doing it twice changes
// nothing.
func Visible(s string) string {
	at := firstHidden(s)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8 + 16)
	b.WriteString(s[:at])
	w := sight{b: &b, last: lastRune(s[:at])}
	if isSelector(w.last) {
		w.before = lastRune(s[:at-utf8.RuneLen(w.last)])
	}
	for i := at; i < len(s); {
		i += w.next(s[i:])
	}
	w.flush()
	return b.String()
}

// VisibleJSON writes out what is hidden in a JSON text, by the rules of [Visible], as escapes
// of JSON: whoever reads the text sees it, and its values are the same.
func VisibleJSON(data []byte) []byte {
	if !slices.ContainsFunc(data, func(c byte) bool { return c >= 0x7F }) {
		return data
	}
	s := string(data)
	at := firstHidden(s)
	if at == len(s) {
		return data
	}
	out := append(make([]byte, 0, len(s)+len(s)/8+16), s[:at]...)
	w := sight{last: lastRune(s[:at])}
	if isSelector(w.last) {
		w.before = lastRune(s[:at-utf8.RuneLen(w.last)])
	}
	for i := at; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if w.conceals(r, s[i+n:]) {
			w.run++
			out = appendEscape(out, r)
		} else {
			w.run = 0
			out = append(out, s[i:i+n]...)
		}
		w.before, w.last = w.last, r
		i += n
	}
	return out
}

// appendEscape writes a character as JSON can without showing it.
func appendEscape(out []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// shownHidden is how many hidden characters of a run are written out.
const shownHidden = 8

// sight writes a text with what is hidden in it written out.
type sight struct {
	b            *strings.Builder
	last, before rune // the last two characters, as they were
	run          int  // hidden characters that came last
}

// next writes the character that s begins with, and returns how many bytes it has.
func (w *sight) next(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\r':
		if n < len(s) && s[n] == '\n' {
			return n // the line end comes
		}
		r = '\n'
	case w.conceals(r, s[n:]):
		if w.run++; w.run <= shownHidden {
			fmt.Fprintf(w.b, "<U+%04X>", r)
		}
		w.before, w.last = w.last, r
		return n
	}
	w.flush()
	w.b.WriteRune(r)
	w.before, w.last = w.last, r
	return n
}

// flush ends a run of hidden characters.
func (w *sight) flush() {
	if w.run > shownHidden {
		fmt.Fprintf(w.b, "<+%d hidden>", w.run-shownHidden)
	}
	w.run = 0
}

// conceals reports whether r is hidden where it stands. Rest is what follows.
func (w *sight) conceals(r rune, rest string) bool {
	switch {
	case isSelector(r):
		return w.run > 0 || !carries(w.last)
	case isJoiner(r):
		next, _ := utf8.DecodeRuneInString(rest)
		picture := emoji(w.last) || isSelector(w.last) && w.run == 0 && emoji(w.before)
		return !(picture && emoji(next) || joined(w.last) && joined(next))
	}
	return hidden(r)
}

// firstHidden returns where the first character stands that may not stay as it is,
// or the length of s.
func firstHidden(s string) int {
	w := sight{}
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && (s[i] >= ' ' && s[i] < 0x7F || s[i] == '\n' || s[i] == '\t') {
			i++
		}
		if i > from {
			w.last = rune(s[i-1]) // which makes no difference to what follows a selector
		}
		if i == len(s) {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || r == '\r' || w.conceals(r, s[i+n:]) {
			return i
		}
		w.before, w.last = w.last, r
		i += n
	}
	return len(s)
}

func lastRune(s string) rune {
	r, n := utf8.DecodeLastRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

// hidden reports whether r is not seen, or moves what is seen, wherever it stands.
func hidden(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7F:
		return false
	case r < 0xA0, r == 0xAD: // DEL, C1, soft hyphen
		return true
	case r < 0x034F:
		return false
	case r == 0x034F, r == 0x061C: // grapheme joiner, Arabic letter mark
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // fillers of Hangul
	case r == 0x17B4, r == 0x17B5: // vowels of Khmer that are not written
	case r == 0x180E, r == 0x200B, r == 0x200E, r == 0x200F:
	case r >= 0x2028 && r <= 0x202E: // line and paragraph ends, directions
	case r >= 0x2060 && r <= 0x206F:
	case r == 0x2800: // a braille cell without dots
	case r == 0xFEFF, r >= 0xFFF0 && r <= 0xFFFB:
	case r >= 0x13430 && r <= 0x1343F: // how hieroglyphs stand to each other
	case r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A:
	case r >= 0xE0000 && r <= 0xE0FFF: // tags, further selectors
	default:
		return false
	}
	return true
}

// isJoiner reports whether r joins letters or keeps them apart.
func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// isSelector reports whether r chooses how the character before it looks.
func isSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0x180B && r <= 0x180D || r == 0x180F
}

// depends reports whether r is hidden or not by what stands beside it, and so may
// become hidden where a text is cut.
func depends(r rune) bool { return isJoiner(r) || isSelector(r) }

// carries reports whether a selector may stand behind r.
func carries(r rune) bool {
	return !isSelector(r) && !isJoiner(r) && !hidden(r) && unicode.IsGraphic(r) && !unicode.IsSpace(r)
}

// joined reports whether r is written with joiners: a letter or a mark of a script in
// which letters join, which those of Europe and East Asia do not.
func joined(r rune) bool {
	return r >= 0x0590 && !hidden(r) && unicode.In(r, unicode.L, unicode.M) && !isSelector(r) &&
		!unicode.In(r, unicode.Common, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul,
			unicode.Hiragana, unicode.Katakana)
}

// emoji reports whether r may be a part of a picture that is joined of several.
func emoji(r rune) bool {
	return r >= 0x2190 && !hidden(r) && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm) || r >= 0x1F3FB && r <= 0x1F3FF
}
