package secret

import "strings"

// The first look reads JSON as it is written, in which the text may be escaped. It has no false
// negatives: it suspects whatever a closer look finds.

// atLeast returns a first look for literals followed by a run of characters without escapes.
func atLeast(least int) func(string, int, int, class) bool {
	return func(s string, at, end int, then class) bool {
		if at > 0 && wordly.has(s[at-1]) && strings.IndexByte(s[max(at-6, 0):at], '\\') < 0 {
			return false // in the middle of a word
		}
		return then.upTo(s, end, least)-end >= least
	}
}

// always suspects everything.
func always(string, int, int, class) bool { return true }

// likelyURL suspects a URL with an at sign before its first slash.
func likelyURL(s string, _, end int, _ class) bool {
	for i := end; i < len(s) && i < end+6*512; i++ {
		switch c := s[i]; {
		case c == '@':
			return true
		case c == '\\':
			return i+1 < len(s) && s[i+1] == 'u'
		case c <= ' ', c == '/', c == '?', c == '#', c == '"', c == '\'', c == '`', c == '<', c == '>', c == '(', c == ')':
			return false
		}
	}
	return false
}

// likelyValue returns a first look for values assigned to names: it suspects values with
// letters and something else.
func likelyValue(to names) func(string, int, int, class) bool {
	return func(s string, at, end int, _ class) bool {
		const name = wordly | dash
		from, ok := likelySign(s, at, end)
		if !ok || !likelyText(s, from) {
			return false
		}
		// An escape before the name may look like a part of it.
		var room [plainLength]byte
		_, ok = to.before(s[name.back(s, at, longestBefore):name.upTo(s, end, longestName)], &room)
		return ok
	}
}

// likelyText suspects a value that begins at a position.
func likelyText(s string, from int) bool {
	for range 2 {
		if from < len(s) && s[from] == '[' {
			return true
		}
		to, ok := likelyRun(s, from)
		if ok {
			return true
		}
		// A type may be between the name and its value.
		if from, ok = likelySign(s, to, to); !ok {
			return false
		}
	}
	return false
}

// likelySign returns where a value begins that is assigned to a name which continues at end.
func likelySign(s string, at, end int) (int, bool) {
	i := (wordly | dash).upTo(s, end, longestName+1)
	if i-end > longestName {
		return 0, false
	}
	i = skip(s, i, "\"'`\\]) \t\r\nt")
	switch {
	case i < len(s) && (s[i] == ':' || s[i] == '='):
	case strings.Contains(s[(wordly|dash).back(s, at, longestBefore):end], "--"):
	default:
		return 0, false
	}
	return skip(s, i, ":=> \t\r\n\"'`\\"), true
}

// likelyRun suspects a run of bytes if an escape ends it, if it has letters and something else,
// or letters of both cases and the length of a secret. It stops as soon as it suspects it, and
// otherwise returns where it ends.
func likelyRun(s string, from int) (to int, ok bool) {
	letter, other, upper, lower := false, false, false, false
	for to = from; to < len(s) && s[to] > ' ' && s[to] != '"'; to++ {
		switch c := s[to]; {
		case c == '\\':
			return to, true
		case upperLetter.has(c):
			letter, upper = true, true
		case letters.has(c):
			letter, lower = true, true
		case c >= 0x80:
			letter, other = true, true
		default:
			other = true
		}
		if n := to + 1 - from; n >= 6 && letter && other || n >= 16 && upper && lower {
			return to, true
		}
	}
	return to, false
}

// likelyHeader suspects what follows Authorization: and long texts after Bearer.
func likelyHeader(s string, at, end int, _ class) bool {
	if lower(s[at]) == 'b' {
		i := skip(s, end, " ")
		return i > end && (base64|dot).upTo(s, i, 8)-i >= 8
	}
	_, ok := likelySign(s, at, end)
	return ok
}
