package tokens

import (
	"cmp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prefixer is a counter that finds about how far a number of tokens reaches into a text, in
// bytes and at the start of a character. It returns the whole text if and only if it fits.
type prefixer interface {
	prefix(s string, limit int) int
}

// longest is the maximum number of bytes of a token.
const longest = 128

// wordReach is how many bytes a cut may go back to fall between words, and shortWord how many
// to fall at white space: longer text with signs in it is no word, and would be lost.
const (
	wordReach = 64
	shortWord = 16
)

// Truncate returns s if it has at most limit tokens, and otherwise the beginning of s followed
// by the marker, together at most limit. The cut is between words ([Between]), at white space
// if there is some nearby, and never inside a character. If the marker alone exceeds the limit,
// it is left out. Bytes that are not UTF-8 become U+FFFD.
//
// The result is the longest possible, except for the preference for words and for the effect of
// a vocabulary's merges at a cut: a longer beginning may have fewer tokens.
func Truncate(c Counter, s string, limit int, marker string) string {
	if limit <= 0 {
		return ""
	}
	s, marker = valid(s), valid(marker)
	if reach(c, s, limit) == len(s) {
		return s
	}
	room := limit - c.Count(marker)
	if room < 0 {
		marker, room = "", limit
	}
	over := func(n int) int { return c.Count(s[:n]+marker) - limit }
	// From one token more than seems to fit, since text and marker can share one, down to what
	// fits.
	n, high := 0, len(s)
	for room++; room > 0; {
		at := reach(c, s, room)
		excess := over(at)
		if excess <= 0 {
			n = at
			break
		}
		high = at
		room -= excess
	}
	// And up again, within the one token that was too much.
	n = runeStart(s, n+sort.Search(max(0, min(high, n+longest)-n), func(i int) bool { return over(runeStart(s, n+i+1)) > 0 }))
	if head := toWord(s, n); over(len(head)) <= 0 {
		n = len(head)
	}
	return s[:n] + marker
}

// reach returns about how many bytes of s make limit tokens: len(s) if and only if all of it
// fits.
func reach(c Counter, s string, limit int) int {
	if p, ok := c.(prefixer); ok {
		return p.prefix(s, limit)
	}
	if c.Count(s) <= limit {
		return len(s)
	}
	// Grow first, so that a small limit does not pay for a long text.
	high := min(len(s), 8*limit+8)
	for high < len(s) && c.Count(s[:runeStart(s, high)]) <= limit {
		high = min(len(s), 2*high)
	}
	n := sort.Search(high, func(n int) bool { return c.Count(s[:runeStart(s, n+1)]) > limit })
	return runeStart(s, min(n, len(s)-1))
}

// toWord returns s[:n], cut back to the end of a word if one is nearby, without trailing white
// space.
func toWord(s string, n int) string {
	head := s[:n]
	if next, _ := utf8.DecodeRuneInString(s[n:]); n < len(s) && !unicode.IsSpace(next) {
		from := runeStart(head, max(0, n-wordReach))
		place := Between(s, from+1, n)
		if i := strings.LastIndexFunc(head[from:place], unicode.IsSpace); i > 0 && place-(from+i) <= shortWord {
			place = from + i
		}
		head = s[:place]
	}
	return strings.TrimRightFunc(head, unicode.IsSpace)
}

// Between returns the last position from least to n, which is the start of a character or the
// end, where s can be cut without splitting a word: not between two letters or digits, unless
// one is of a script without blanks between words, and not before a mark that belongs to the
// character before it. If there is no such position it is the last one that is not before a
// mark, and otherwise n.
func Between(s string, least, n int) int {
	if n >= len(s) {
		return len(s)
	}
	next, _ := utf8.DecodeRuneInString(s[n:])
	whole := 0
	for i := n; i >= least && i > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case marked(r, next):
		case inWord(r) && inWord(next) && !unbroken(r) && !unbroken(next):
			whole = max(whole, i)
		default:
			return i
		}
		i, next = i-size, r
	}
	return cmp.Or(whole, n)
}

// marked reports whether next belongs to r, as a mark, a skin tone or a joined character, or
// forms a flag with it.
func marked(r, next rune) bool {
	if next < utf8.RuneSelf && r < utf8.RuneSelf {
		return false
	}
	const joiner = '\u200D'
	return r == joiner || next == joiner || unicode.Is(unicode.M, next) || next >= 0x1F3FB && next <= 0x1F3FF || regional(r) && regional(next)
}

// regional reports whether a character is a regional indicator, two of which form a flag.
func regional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// inWord reports whether a character is part of words and numbers.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// unbroken reports whether a character is of a script without blanks between words.
func unbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// runeStart returns the largest start of a character in s that is at most n.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// valid returns s with U+FFFD for each byte that is not UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
