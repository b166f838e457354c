package canon

import (
	"slices"
)

// Append appends the canonical form of data. It fails with *Error if data is not strict JSON;
// dst is then returned unchanged.
func Append(dst, data []byte) ([]byte, error) {
	var d Doc
	if flaws := d.Parse(data); flaws != nil {
		return dst, &Error{slices.Clone(flaws)}
	}
	return d.AppendCanonical(dst, d.Root()), nil
}

// AppendCanonical appends the canonical form of n, which must have no flaws.
func (d *Doc) AppendCanonical(dst []byte, n Node) []byte {
	e := &d.tape[n]
	switch e.kind {
	case Object:
		return d.appendObject(dst, n)
	case Array:
		dst = append(dst, '[')
		for c := d.First(n); c != None; c = d.Next(n, c) {
			if c != n+1 {
				dst = append(dst, ',')
			}
			dst = d.AppendCanonical(dst, c)
		}
		return append(dst, ']')
	case String:
		if e.flags&flagEscaped == 0 {
			return append(dst, d.data[e.start:e.end]...)
		}
		names := len(d.arena) // the space after the names is free for now
		d.arena = appendUnescaped(d.arena, d.data[e.start+1:e.end-1])
		dst = AppendQuoted(dst, d.arena[names:])
		d.arena = d.arena[:names]
		return dst
	case Number:
		return appendNumberText(dst, d.data[e.start:e.end], e.flags&flagFraction != 0)
	}
	return append(dst, d.data[e.start:e.end]...)
}

func (d *Doc) appendObject(dst []byte, n Node) []byte {
	base := len(d.order)
	for c := d.First(n); c != None; c = d.Next(n, c) {
		d.order = append(d.order, c)
	}
	count := len(d.order) - base
	slices.SortFunc(d.order[base:], func(a, b Node) int { return CompareUTF16(d.Key(a), d.Key(b)) })
	dst = append(dst, '{')
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		c := d.order[base+i] // members below may have moved the slice
		dst = AppendQuoted(dst, d.Key(c))
		dst = append(dst, ':')
		dst = d.AppendCanonical(dst, c)
	}
	d.order = d.order[:base]
	return append(dst, '}')
}

// AppendCompact appends the text of n without white space between tokens and otherwise as it
// was written: the order of names, escapes and digits stay.
func (d *Doc) AppendCompact(dst []byte, n Node) []byte {
	e := &d.tape[n]
	if e.kind != Object && e.kind != Array {
		return append(dst, d.data[e.start:e.end]...)
	}
	at := e.start
	first, end := d.Children(n)
	for c := first; c < end; c = d.After(c) {
		dst = appendTokens(dst, d.data[at:d.tape[c].start])
		dst = d.AppendCompact(dst, c)
		at = d.tape[c].end
	}
	return appendTokens(dst, d.data[at:d.tape[n].end])
}

// appendTokens appends the text between two values, which is brackets, commas,
// colons and names, without its white space.
func appendTokens(dst, text []byte) []byte {
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString:
			dst = append(dst, c)
			if c == '\\' {
				i++
				dst = append(dst, text[i])
			}
			inString = c != '"'
		case c > ' ':
			dst = append(dst, c)
			inString = c == '"'
		}
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string with the escapes of RFC 8785: only what must be
// escaped, in exactly one form. s must be valid UTF-8.
func AppendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// CompareUTF16 orders names by their UTF-16 code units, as RFC 8785 requires. For valid UTF-8
// that is byte order, with one exception: characters beyond U+FFFF (lead byte F0 and up) come
// before U+E000 to U+FFFF (lead bytes EE and EF).
func CompareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			return int(y) - int(x)
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
