package statement

import (
	"strings"
	"unicode/utf8"
)

// Limits of a subject.
const (
	maxSubjectWords = 10
	maxSubject      = 200 // bytes
)

// key returns a subject: the words that carry meaning, joined, below a prefix. It
// is empty if there is none.
func key(prefix string, words []word) string {
	if prefix == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(prefix)
	n := 0
	for _, w := range words {
		low := strings.Trim(strings.ReplaceAll(w.low, "/", "-"), "-.~")
		if low == "" || idle()[low] || stress()[low] || n == maxSubjectWords {
			continue
		}
		if same, ok := spellings[low]; ok {
			low = same
		}
		if b.Len()+1+len(low) > maxSubject {
			if n > 0 {
				break
			}
			low = cut(low, maxSubject-b.Len()-1)
		}
		if n == 0 {
			b.WriteByte('/')
		} else {
			b.WriteByte('-')
		}
		b.WriteString(low)
		n++
	}
	if n == 0 {
		return ""
	}
	return pairs.Replace(b.String())
}

// pairs are words of a subject that are written in more than one way together.
var pairs = strings.NewReplacer("time-zone", "timezone", "email-address", "email", "phone-number", "phone", "user-name", "username")

// cut returns at most n bytes of a text, whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
