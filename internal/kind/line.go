package kind

import (
	"strconv"
	"unicode/utf8"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
)

// MaxText is the most bytes that the text of an event has.
const MaxText = 400

// ellipsis stands where text was cut.
const ellipsis = "…"

// line writes the text of an event: words of the engine, and content that never leaves
// the quotes around it. Text of the event is between two double quotes or two
// backticks, and contains no such mark. Outside of them are the words of the engine, and
// names that need no quotes.
type line struct {
	buf []byte
	max int
}

// maxBare is the most bytes of a name.
const maxBare = 120

// ownWords is the space reserved for words of the engine behind the last content.
const ownWords = 40

// room returns how many bytes of content fit, with the marks around them.
func (l *line) room() int { return l.max - len(l.buf) - len(`""`) - len(ellipsis) - ownWords }

// word appends words of the engine.
func (l *line) word(s string) { l.buf = append(l.buf, s...) }

// integer appends a number.
func (l *line) integer(n int64) { l.buf = strconv.AppendInt(l.buf, n, 10) }

// quoted appends lead and up to limit bytes of s in double quotes, or nothing if s is
// empty or there is no space for it. More says that s is only the beginning of a longer
// text.
func (l *line) quoted(lead string, s []byte, limit int, more bool) bool {
	return l.marked(lead, '"', s, limit, more)
}

// code is quoted with backticks.
func (l *line) code(lead string, s []byte, limit int, more bool) bool {
	return l.marked(lead, '`', s, limit, more)
}

func (l *line) marked(lead string, mark byte, s []byte, limit int, more bool) bool {
	limit = min(limit, l.room()-len(lead))
	if limit < 4 {
		return false
	}
	before := len(l.buf)
	l.buf = append(append(l.buf, lead...), mark)
	began := len(l.buf)
	cut := l.clean(s, limit, mark)
	if len(l.buf) == began {
		l.buf = l.buf[:before]
		return false
	}
	if cut || more {
		l.buf = append(l.buf, ellipsis...)
	}
	l.buf = append(l.buf, mark)
	return true
}

// name appends s as it is if it is a plain name, and in quotes otherwise.
func (l *line) name(lead, s string) bool {
	if len(s) > maxBare || len(s) > l.room()-len(lead) || !bare(s) {
		text := []byte(s[:min(len(s), 4*maxBare)])
		return l.quoted(lead, wholeRunes(text), maxBare, len(text) < len(s))
	}
	l.buf = append(append(l.buf, lead...), s...)
	return true
}

// path is name for a path, which is cut at its beginning.
func (l *line) path(lead, s string) bool {
	if len(s) <= maxBare {
		return l.name(lead, s)
	}
	end := s[len(s)-maxBare+len(ellipsis):]
	for !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	return l.quoted(lead, []byte(ellipsis+end), maxBare, false)
}

// bare reports whether s can stand without quotes: it has no blank, no quote and
// nothing that is not ASCII.
func bare(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c-'0' < 10, c|0x20 >= 'a' && c|0x20 <= 'z':
		case c == '_', c == '-', c == '.', c == '/', c == ':', c == '@', c == '+', c == '~', c == '=', c == '%', c == '&', c == '?', c == ',', c == '#':
		default:
			return false
		}
	}
	return s != ""
}

// clean appends s, at most limit bytes of it, with white space collapsed, and without
// characters that control a terminal, reorder or hide text, or end a quote. Mark is the
// quote around it. It reports whether s was cut.
func (l *line) clean(s []byte, limit int, mark byte) (cut bool) {
	end := len(l.buf) + limit
	began, blank := len(l.buf), false
	for i := 0; i < len(s); {
		// Words of plain ASCII, with one blank between them, go as a whole.
		n, rest := 0, s[i:]
		for n < len(rest) && (plainBytes[rest[n]] || rest[n] == ' ' && n > 0 && n+1 < len(rest) && plainBytes[rest[n+1]]) {
			n++
		}
		c, size := rune(0), 0
		if n == 0 {
			if c, size = rune(s[i]), 1; c >= utf8.RuneSelf {
				c, size = utf8.DecodeRune(rest)
			}
			switch {
			case c <= ' ' || recognize.SpaceLike(c):
				blank = true
				i += size
				continue
			case hidden(c):
				i += size
				continue
			case c == '"', c == rune(mark), quoteLike(c):
				c = '\''
			}
		}
		if blank && len(l.buf) > began {
			if len(l.buf) >= end {
				return true
			}
			l.buf = append(l.buf, ' ')
		}
		blank = false
		if n > 0 {
			fits := min(n, end-len(l.buf))
			l.buf = append(l.buf, rest[:fits]...)
			if fits < n {
				return true
			}
			i += n
			continue
		}
		if len(l.buf)+utf8.RuneLen(c) > end {
			return true
		}
		l.buf = utf8.AppendRune(l.buf, c)
		i += size
	}
	return false
}

// plainBytes are the bytes that stand for themselves between any quotes.
var plainBytes = func() (plain [256]bool) {
	for c := '!'; c <= '~'; c++ {
		plain[c] = c != '"' && c != '`'
	}
	return plain
}()

// hidden reports whether c is invisible and yet read by a machine: marks of direction,
// joiners of words, tags, and the variation selectors that have been used to smuggle
// text. The two joiners of letters stay, because scripts and emoji need them.
func hidden(c rune) bool {
	switch {
	case c == 0xAD, c == 0x061C, c == 0x180E, c == 0x200B, c == 0x200E, c == 0x200F, c >= 0x202A && c <= 0x202E,
		c >= 0x2060 && c <= 0x206F, c == 0xFEFF, c >= 0xFFF9 && c <= 0xFFFB,
		c >= 0x1BCA0 && c <= 0x1BCA3, c >= 0x1D173 && c <= 0x1D17A, c >= 0xE0000 && c <= 0xE0FFF:
		return true
	}
	return false
}

// quoteLike reports whether c looks like a double quote.
func quoteLike(c rune) bool { return c >= 0x201C && c <= 0x201F || c == 0xFF02 || c == 0x2033 }

// json appends value n on p as compact JSON whose strings are quoted like all content.
// Strings longer than each are cut; values deeper than depth, and those that do not fit,
// become an ellipsis.
func (l *line) json(r *reader, p *page, n canon.Node, depth, each int) {
	// Room to end it at any place: a name, a value, and at each depth an ellipsis
	// and a bracket.
	reserve := len(`,"…":"…"`) + depth*len("…}")
	j := jsonWriter{line: l, r: r, p: p, end: l.max - reserve, depth: depth, each: each}
	j.value(n, 0)
}

// lineDepth is how deep a line shows JSON.
const lineDepth = 4

type jsonWriter struct {
	*line
	r                *reader
	p                *page
	end, depth, each int
}

func (j *jsonWriter) full() bool { return len(j.buf) >= j.end }

func (j *jsonWriter) value(n canon.Node, depth int) {
	doc := &j.p.doc
	switch kind := doc.Kind(n); kind {
	case canon.Object, canon.Array:
		j.members(n, kind, depth)
	case canon.String:
		text, more := j.r.bytes(j.p, n, 2*j.each)
		j.text(text, more)
	default:
		if raw := doc.Raw(n); len(raw) <= 32 && len(raw) <= j.end-len(j.buf)+len(ellipsis) {
			j.buf = append(j.buf, raw...)
		} else {
			j.word(ellipsis)
		}
	}
}

// text appends a string in its quotes, be it empty.
func (j *jsonWriter) text(s []byte, more bool) {
	j.buf = append(j.buf, '"')
	if j.clean(s, min(j.each, max(0, j.end-len(j.buf))), '"') || more {
		j.word(ellipsis)
	}
	j.buf = append(j.buf, '"')
}

func (j *jsonWriter) members(n canon.Node, kind canon.Kind, depth int) {
	doc := &j.p.doc
	opening, closing := byte('{'), byte('}')
	if kind == canon.Array {
		opening, closing = '[', ']'
	}
	j.buf = append(j.buf, opening)
	first, end := doc.Children(n)
	for c := first; c < end; c = doc.After(c) {
		if j.full() || depth == j.depth-1 {
			j.word(ellipsis)
			break
		}
		if c > first {
			j.buf = append(j.buf, ',')
		}
		if kind == canon.Object {
			key := doc.Key(c)
			j.text(wholeRunes(key[:min(len(key), 40)]), len(key) > 40)
			j.buf = append(j.buf, ':')
		}
		j.value(c, depth+1)
	}
	j.buf = append(j.buf, closing)
}
