package recognize

import (
	"strings"
	"unicode/utf8"
)

// This file says what a word is by its form: a version, a ticket, the hash of a
// commit, a booking, a name in a program.

func digits(w string) bool {
	for i := range len(w) {
		if w[i]-'0' >= 10 {
			return false
		}
	}
	return w != ""
}

// plainTag reports whether w is of letters, digits, hyphens and underscores.
func plainTag(w string) bool {
	for i := 0; i < len(w); {
		c, size := rune(w[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(w[i:])
		}
		if !letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-' {
			return false
		}
		i += size
	}
	return hasLetter(w)
}

// identifier reports whether w is a name in a programming language, or several with
// stops between them.
func identifier(w string) bool {
	if len(w) < 3 || len(w) > maxNameBytes || !hasLetter(strings.Trim(w, "_")) || w[len(w)-1] == '_' || w[0] == '.' {
		return false
	}
	for i := range len(w) {
		switch c := w[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c-'0' < 10, c == '_', c == '.' && w[i-1] != '.':
		default:
			return false
		}
	}
	return true
}

// camel reports whether w is of letters with a capital after a small one, and not a
// name such as McDonald.
func camel(w string) bool {
	if len(w) < 4 || len(w) > maxNameBytes {
		return false
	}
	turns := false
	for i := range len(w) {
		c := w[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
		if i > 0 && c < 'a' && w[i-1] >= 'a' {
			turns = true
		}
	}
	return turns && !strings.HasPrefix(w, "Mc") && !strings.HasPrefix(w, "Mac")
}

// numbered classifies a word with digits in it.
func numbered(w string) (typ, name string) {
	switch {
	case versionLike(w):
		return EntityVersion, w
	case ticket(w), hash(w), booking(w):
		return EntityIdentifier, w
	case camel(strings.TrimRight(w, "0123456789")):
		return EntityIdentifier, w
	}
	return skipWord, ""
}

// versionLike reports whether w is v1, v1.2, 1.2.3 or one of these with something
// behind a hyphen or plus.
func versionLike(w string) bool {
	rest := w
	marked := w[0]|0x20 == 'v' && len(w) > 1
	if marked {
		rest = w[1:]
	}
	if i := strings.IndexAny(rest, "-+"); i > 0 && len(rest)-i <= 24 {
		rest = rest[:i]
	}
	parts := 0
	for {
		n := 0
		for n < len(rest) && rest[n]-'0' < 10 {
			n++
		}
		if n == 0 || n > 5 {
			return false
		}
		parts++
		if rest = rest[n:]; rest == "" {
			break
		}
		if rest[0] != '.' {
			return false
		}
		rest = rest[1:]
	}
	return marked && parts <= 4 || parts == 3
}

// ticket reports whether w is like ABC-123.
func ticket(w string) bool {
	i := strings.IndexByte(w, '-')
	if i < 2 || i > 10 || len(w)-i > 9 || !digits(w[i+1:]) || w[0]-'A' >= 26 {
		return false
	}
	for _, c := range []byte(w[:i]) {
		if c-'A' >= 26 && c-'0' >= 10 {
			return false
		}
	}
	return true
}

// hash reports whether w is the hash of a commit, or a UUID.
func hash(w string) bool {
	if len(w) < 7 || len(w) > 64 {
		return false
	}
	letters, numbers, hyphens := 0, 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c-'0' < 10:
			numbers++
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F' && len(w) == 36:
			letters++
		case c == '-' && len(w) == 36:
			hyphens++
		default:
			return false
		}
	}
	return letters > 0 && numbers > 0 && (hyphens == 0 && len(w) <= 40 || len(w) == 64 || hyphens == 4)
}

// booking reports whether w is a code of capitals and digits, as bookings, flights
// and products have.
func booking(w string) bool {
	if len(w) < 4 || len(w) > 16 {
		return false
	}
	letters, numbers := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c-'A' < 26:
			letters++
		case c-'0' < 10:
			numbers++
		default:
			return false
		}
	}
	return letters > 0 && numbers > 0 && (len(w) > 4 || w[0]-'A' < 26)
}
