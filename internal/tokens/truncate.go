package tokens

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prefixer is a counter that finds by itself about how far a number of tokens
// reaches into a text, in bytes and at the start of a character. The whole text
// is returned if, and only if, it fits.
type prefixer interface {
	prefix(s string, limit int) int
}

// longest is how many bytes a token has, at most.
const longest = 128

// wordReach is how many bytes a cut goes back, at most, to fall between words.
const wordReach = 64

// Truncate returns s if it counts at most limit tokens, and else the beginning
// of s with the marker behind it, together at most limit. The cut falls between
// words where one ends nearby, and never inside a character. Where the marker
// alone is over the limit it is left out. Bytes that are not UTF-8 become U+FFFD.
//
// Nothing longer is given up but for the preference for words and for what a
// vocabulary's merges do at a cut: a longer beginning may count less.
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
	// From one token more than there seems to be room for, since text and marker
	// can share one, down to what fits.
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

// reach returns about how many bytes of s make limit tokens: len(s) if and only
// if all of it fits.
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

// toWord returns s[:n], cut back to the end of a word if one ends nearby, and
// without white space behind it.
func toWord(s string, n int) string {
	head := s[:n]
	if next, _ := utf8.DecodeRuneInString(s[n:]); n < len(s) && !unicode.IsSpace(next) {
		from := runeStart(head, max(0, n-wordReach))
		if i := strings.LastIndexFunc(head[from:], unicode.IsSpace); i > 0 {
			head = head[:from+i]
		}
	}
	return strings.TrimRightFunc(head, unicode.IsSpace)
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
