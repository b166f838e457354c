package document

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
)

// Name adds what is wrong with a name of 1 to limit bytes, without control or bidirectional control
// characters. It reports whether nothing is.
func (p *Problems) Name(field, s string, limit int) bool {
	switch {
	case s == "":
		p.Add(field, "is empty", fmt.Sprintf("give 1 to %d bytes of text", limit))
		return false
	case len(s) > limit:
		p.Add(field, fmt.Sprintf("has %d bytes and begins with %s, but may have at most %d", len(s), Show(s[:min(len(s), 60)]), limit), "shorten it")
		return false
	}
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				p.Add(field, fmt.Sprintf("has the byte 0x%02X at offset %d, which is not UTF-8", s[i], i), "encode it as UTF-8")
				return false
			}
		case unicode.IsControl(r):
			p.Add(field, fmt.Sprintf("has the control character U+%04X at byte %d", r, i), "leave it out")
			return false
		case bidiControl(r):
			p.Add(field, fmt.Sprintf("has the bidirectional control character U+%04X at byte %d", r, i), "leave it out; it makes a name read as another one")
			return false
		}
	}
	return true
}

// Trimmed adds what is wrong with a name of 1 to limit bytes without white space around it.
func (p *Problems) Trimmed(field, s string, limit int) bool {
	if !p.Name(field, s, limit) {
		return false
	}
	if strings.TrimSpace(s) != s {
		p.Add(field, "is "+Show(s)+" with white space at its begin or end", "remove that white space")
		return false
	}
	return true
}

// Prose adds what is wrong with running text of at most limit bytes. Line breaks and all other
// UTF-8 are allowed.
func (p *Problems) Prose(field, s string, limit int) bool {
	if len(s) > limit {
		p.Add(field, fmt.Sprintf("has %d bytes, but may have at most %d", len(s), limit), "shorten it, or keep the bulk elsewhere and refer to it")
		return false
	}
	return p.UTF8(field, s)
}

// UTF8 adds a problem if a text is not UTF-8.
func (p *Problems) UTF8(field, s string) bool {
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			p.Add(field, fmt.Sprintf("has the byte 0x%02X at offset %d, which is not UTF-8", s[i], i), "encode it as UTF-8")
			return false
		}
	}
	return true
}

// bidiControl reports whether r invisibly changes the direction of the text around it.
func bidiControl(r rune) bool {
	switch {
	case r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// Length adds a problem if a list has too few or too many items.
func (p *Problems) Length(field string, n, least, most int) bool {
	switch {
	case n > most:
		p.Add(field, fmt.Sprintf("has %d items, but may have at most %d", n, most), "leave some out")
		return false
	case n < least:
		p.Add(field, fmt.Sprintf("has %d items, but must have at least %d", n, least), "add what is missing")
		return false
	}
	return true
}

// Ratio adds a problem if v is not from 0 to 1.
func (p *Problems) Ratio(field string, v hmx.Opt[float64]) {
	if v.Set && !(v.Value >= 0 && v.Value <= 1) {
		p.Add(field, fmt.Sprintf("is %v, but must be a number from 0 to 1", v.Value), "give a number in that range, or leave it out")
	}
}

// Harmless returns a text that obeys the rules of [Problems.Name] unless it is empty: invalid characters are replaced by
// U+FFFD, and a text of more than
// limit bytes is cut.
func Harmless(s string, limit int) string {
	const end = "…"
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) || bidiControl(r) {
			r = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(r) > limit-len(end) {
			b.WriteString(end)
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
