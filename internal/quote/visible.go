package quote

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns a text with its hidden characters written out, for people and models: control
// characters, escapes, direction marks, zero-width characters, tags and fillers become <U+001B>
// and the like. A long run shows its first eight and counts the others. Line ends become LF,
// bytes that are not UTF-8 become U+FFFD. Joiners and variation selectors stay where scripts
// and emoji need them.
//
// A text without hidden characters is returned as it is. Visible is idempotent.
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

// VisibleJSON writes out the hidden characters of a JSON text as JSON escapes, by the rules of
// [Visible]: readers see them, and the values do not change.
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

// appendEscape appends a character as a JSON escape.
func appendEscape(out []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}

// shownHidden is how many hidden characters of a run are written out.
const shownHidden = 8

// sight is the state of Visible.
type sight struct {
	b            *strings.Builder
	last, before rune // the last two characters, as they were
	run          int  // hidden characters at the end
}

// next writes the first character of s and returns its length in bytes.
func (w *sight) next(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\r':
		if n < len(s) && s[n] == '\n' {
			return n // the line end follows
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

// conceals reports whether r is hidden at this place. rest is what follows.
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

// firstHidden returns the index of the first character that may have to change, or the length
// of s.
func firstHidden(s string) int {
	w := sight{}
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && (s[i] >= ' ' && s[i] < 0x7F || s[i] == '\n' || s[i] == '\t') {
			i++
		}
		if i > from {
			w.last = rune(s[i-1]) // makes no difference to what follows a selector
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

// hidden reports whether r is invisible, or moves visible text, wherever it stands.
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
	case r >= 0x13430 && r <= 0x1343F: // layout of hieroglyphs
	case r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A:
	case r >= 0xE0000 && r <= 0xE0FFF: // tags, further selectors
	default:
		return false
	}
	return true
}

// isJoiner reports whether r joins letters or keeps them apart.
func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// isSelector reports whether r selects a variant of the character before it.
func isSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0x180B && r <= 0x180D || r == 0x180F
}

// depends reports whether its neighbours determine whether r is hidden, so that a cut may hide
// it.
func depends(r rune) bool { return isJoiner(r) || isSelector(r) }

// carries reports whether a selector may follow r.
func carries(r rune) bool {
	return !isSelector(r) && !isJoiner(r) && !hidden(r) && unicode.IsGraphic(r) && !unicode.IsSpace(r)
}

// joined reports whether r is written with joiners: a letter or mark of a script whose letters
// join, which excludes those of Europe and East Asia.
func joined(r rune) bool {
	return r >= 0x0590 && !hidden(r) && unicode.In(r, unicode.L, unicode.M) && !isSelector(r) &&
		!unicode.In(r, unicode.Common, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul,
			unicode.Hiragana, unicode.Katakana)
}

// emoji reports whether r may be part of a joined emoji.
func emoji(r rune) bool {
	return r >= 0x2190 && !hidden(r) && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm) || r >= 0x1F3FB && r <= 0x1F3FF
}
