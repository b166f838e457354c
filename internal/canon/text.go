package canon

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special returns a word whose lowest set high bit marks the first of the eight bytes of w that
// ends a plain run: a quote, a backslash, a control character or a non-ASCII byte. Bits above
// the lowest one may be wrong.
//
// Flipping bit 1 moves the quote (0x22) to 0x20, next to the control characters,
// so that one subtraction finds both.
func special(w uint64) uint64 {
	return (((w ^ ones*0x02) - ones*0x21) | ((w ^ ones*'\\') - ones) | w) & highs
}

// plain returns the position after the closing quote of a string that starts at i, if it has at
// most 16 bytes and nothing special, as most names and many values; and -1 otherwise, for str
// to parse.
func plain(b []byte, i int) int {
	if len(b)-i <= 16 {
		return -1
	}
	q := b[i : i+16]
	m := special(binary.LittleEndian.Uint64(q))
	if m == 0 {
		i += 8
		m = special(binary.LittleEndian.Uint64(q[8:]))
	}
	if i += bits.TrailingZeros64(m) / 8; b[i] != '"' {
		return -1
	}
	return i + 1
}

// PlainString returns the position after the closing quote of the string whose first byte after
// the opening quote is at i, if it is valid and without escapes, so that its bytes are its
// value; and -1 otherwise.
func PlainString(b []byte, i int) int {
	for start := i; ; i++ {
		for len(b)-i >= 8 {
			if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		switch {
		case i >= len(b) || b[i] == '\\' || b[i] < 0x20:
			return -1
		case b[i] == '"':
			return i + 1
		case b[i] >= 0x80:
			return wideString(b, start, i)
		}
	}
}

// wideString is PlainString from the first byte at i that is not ASCII.
func wideString(b []byte, start, i int) int {
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			if !utf8.Valid(b[start:i]) {
				return -1
			}
			return i + 1
		case c == '\\' || c < 0x20:
			return -1
		}
	}
	return -1
}

// str reads a string whose first byte after the opening quote is at i, and
// returns the position after the closing quote, or -1 after a fatal flaw.
func (d *Doc) str(i, depth int) (end int, flags uint8) {
	b, start, wide := d.data, i, false
	for {
		for len(b)-i >= 16 {
			q := b[i : i+16]
			m, n := special(binary.LittleEndian.Uint64(q)), special(binary.LittleEndian.Uint64(q[8:]))
			if m|n == 0 {
				i += 16
				continue
			}
			if m == 0 {
				m, i = n, i+8
			}
			i += bits.TrailingZeros64(m) / 8
			break
		}
		if i >= len(b) {
			return d.fatal(i, depth, "the end of the text", "a closing quote"), 0
		}
		switch c := b[i]; {
		case c == '"':
			if wide && !utf8.Valid(b[start:i]) && !d.badUTF8(start, i, depth) {
				return -1, 0
			}
			return i + 1, flags
		case c == '\\':
			flags |= flagEscaped
			if i = d.escape(i, depth); i < 0 {
				return -1, 0
			}
		case c < 0x20:
			return d.fatal(i, depth, "a raw control character ("+d.show(i)+") in a string", "control characters escaped, such as \\n"), 0
		case c >= 0x80:
			wide = true
			for i++; i < len(b) && b[i] >= 0x80; i++ {
			}
		default:
			i++
		}
	}
}

// escape checks the escape sequence at i and returns the position after it.
func (d *Doc) escape(i, depth int) int {
	b := d.data
	if i+1 >= len(b) {
		return d.fatal(i+1, depth, "the end of the text", "an escape sequence")
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		r := hex4(b, i+2)
		if r < 0 {
			return d.fatal(i, depth, "an incomplete \\u escape", "\\u and four hexadecimal digits")
		}
		switch {
		case r < 0xD800 || r > 0xDFFF:
			return i + 6
		case r < 0xDC00 && i+7 < len(b) && b[i+6] == '\\' && b[i+7] == 'u':
			if low := hex4(b, i+8); low >= 0xDC00 && low <= 0xDFFF {
				return i + 12
			}
		}
		if !d.flaw(FlawSurrogate, i, d.here(depth), "the lone surrogate "+string(b[i:i+6]), "surrogates in pairs, high then low") {
			return -1
		}
		return i + 6
	}
	return d.fatal(i, depth, "the escape \\"+d.show(i+1), `one of \" \\ \/ \b \f \n \r \t \uXXXX`)
}

func (d *Doc) badUTF8(start, end, depth int) bool {
	i := start
	for i < end {
		r, n := utf8.DecodeRune(d.data[i:end])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return d.flaw(FlawUTF8, i, d.here(depth), d.show(i)+", which is not UTF-8", "valid UTF-8")
}

// hex4 reads four hexadecimal digits at i, or returns -1.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// appendUnescaped appends the value of the checked string body s. A lone
// surrogate, reported already, becomes U+FFFD.
func appendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			j := i + 1
			for j < len(s) && s[j] != '\\' {
				j++
			}
			dst = append(dst, s[i:j]...)
			i = j
			continue
		}
		switch c := s[i+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(s, i+2)
			if r >= 0xD800 && r < 0xDC00 {
				if low := hex4(s, i+8); i+7 < len(s) && s[i+6] == '\\' && s[i+7] == 'u' && low >= 0xDC00 && low <= 0xDFFF {
					r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
			i += 4
		default:
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

// number reads the number at i.
func (d *Doc) number(i, depth int) int {
	b, start := d.data, i
	var flags uint8
	if b[i] == '-' {
		i++
		if d.has(i, "Infinity") {
			return d.notFinite(start, i+8, depth)
		}
	}
	lead := i
	i = digits(b, i)
	switch {
	case i == lead:
		return d.fatal(i, depth, d.show(i), "a digit")
	case b[lead] == '0' && i-lead > 1:
		return d.fatal(lead, depth, "a number with a leading zero", "no leading zeros")
	}
	if i < len(b) && b[i] == '.' {
		flags = flagFraction
		at := i + 1
		if i = digits(b, at); i == at {
			return d.fatal(i, depth, d.show(i), "a digit after the decimal point")
		}
	}
	large := i-start > 300
	if i < len(b) && b[i]|0x20 == 'e' {
		flags = flagFraction
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		at := i
		if i = digits(b, at); i == at {
			return d.fatal(i, depth, d.show(i), "a digit in the exponent")
		}
		large = large || i-at > 2 || at-start > 200
	}
	if large {
		if _, err := strconv.ParseFloat(string(b[start:i]), 64); err != nil {
			if !d.flaw(FlawNumber, start, d.here(depth), quoted(b[start:i]), "a number that a double can hold (up to about 1.8e308)") {
				return -1
			}
			d.leaf(Broken, start, i, 0)
			return i
		}
	}
	d.leaf(Number, start, i, flags)
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	return i
}
