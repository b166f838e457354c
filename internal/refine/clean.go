package refine

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/memory"
)

// Clean returns a text as one line that is fit to be shown, of at most most code points. It
// removes terminal commands, invisible characters, and marks that fence or head a block of
// markdown, and makes white space single. A text that is too long is cut, between words if
// possible, and ends with an ellipsis. Clean is idempotent.
func Clean(s string, most int) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(s) && n <= 4*most+64; {
		if s[i] == 0x1B {
			i += 1 + commandLen(s[i+1:])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
		case unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte(' ')
		case memory.Unseen(r) || !unicode.IsPrint(r):
		default:
			b.WriteRune(r)
			n++
		}
	}
	words := strings.Fields(unfenced(b.String()))
	return shorten(strings.TrimLeft(strings.Join(words, " "), "#> "), most)
}

// commandLen returns the length of the terminal command after an escape character.
func commandLen(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '[': // up to a letter
		for i := 1; i < min(len(s), 64); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7E {
				return i + 1
			}
		}
	case ']', 'P', '^', '_': // up to a bell or another escape
		if end := strings.IndexAny(s, "\x07\x1b"); end > 0 {
			if s[end] == 0x07 || end+1 == len(s) {
				return end + 1
			}
			return end + 2
		}
		return len(s)
	}
	return 1
}

// unfenced returns a text without runs of three or more fence characters.
func unfenced(s string) string {
	fence := func(c byte) bool { return c == '`' || c == '~' }
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && fence(s[end]) {
			end++
		}
		switch n := end - i; {
		case n == 0:
			out = append(out, s[i])
			i++
			continue
		case n < 3:
			out = append(out, s[i:end]...)
		default:
			out = append(out, ' ')
		}
		i = end
	}
	return string(out)
}

// shorten returns a text of at most most code points.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	const end = "…"
	at, n := 0, 0
	for i := range s {
		if n == most-1 {
			at = i
			break
		}
		n++
	}
	cut := s[:at]
	if space := strings.LastIndexByte(cut, ' '); s[at] != ' ' && space >= len(cut)/2 && space > 0 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ") + end
}
