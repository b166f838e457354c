package english

import (
	"strings"
	"unicode/utf8"
)

// Limits of a subject.
const (
	maxSubjectWords = 10
	maxSubject      = 200 // bytes
)

// Subject returns a subject: the words that carry meaning, joined, below a prefix. It
// is empty if there is none.
func Subject(prefix string, words []Word) string {
	if prefix == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(prefix)
	n, way := 0, false
	for _, w := range words {
		low := strings.Trim(strings.ReplaceAll(w.Low, "/", "-"), "-.~")
		if low == "" || idle()[low] || Stress()[low] || n == maxSubjectWords {
			continue
		}
		if n > 1 && way && straight()[low] {
			continue // "push to main directly" is to push to main
		}
		if same, ok := spellings[low]; ok {
			low = same
		}
		if n == 0 && prefix == "rule" {
			way = leads()[low]
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

var (
	// leads are verbs of bringing something somewhere, for which it makes no difference
	// whether that is done straight.
	leads = List("push commit merge deploy publish release ship land upload force-push rebase")

	// straight are words that say so.
	straight = List("directly straight")
)

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
