package kind

import (
	"bytes"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
)

// MaxFull is the most bytes that the whole text of an event has.
const MaxFull = 64 << 10

// inLine is the most bytes of a text that stands behind its name, and not on
// lines of its own.
const inLine = 120

// fullDepth is how deep the whole text shows JSON.
const fullDepth = 16

// Full returns the whole text of an event: its line, and below it every member of
// its content and what metadata it has. A text of several lines stands on lines
// that each begin with "> ", so that no text can be taken for a line of ours; as
// in the line, there is nothing in it that commands a terminal, reorders or
// hides. What does not fit ends in an ellipsis.
func Full(ev *hmx.Event) string {
	r := borrow(ev)
	defer r.giveBack()
	r.judge()
	r.line.max = MaxText
	r.tell()
	r.line.max = MaxFull
	if r.content.ok {
		doc := &r.content.doc
		first, end := doc.Children(0)
		for c := first; c < end && !r.fullUp(); c = doc.After(c) {
			if r.bit == onBrowserAction && string(doc.Key(c)) == "value" {
				continue // what was typed may be a password
			}
			r.writeMember(&r.content, c, string(doc.Key(c)))
		}
	}
	if r.metadata.ok && !r.fullUp() {
		r.writeMember(&r.metadata, 0, "metadata")
	}
	return string(r.line.buf)
}

// fullUp reports whether there is no room for one more member, and says so.
func (r *reader) fullUp() bool {
	if r.line.max-len(r.line.buf) > 4*inLine {
		return false
	}
	if !bytes.HasSuffix(r.line.buf, []byte("\n"+ellipsis)) {
		r.line.word("\n" + ellipsis)
	}
	return true
}

// writeMember writes a member on a line of its own, or on several.
func (r *reader) writeMember(p *page, n canon.Node, name string) {
	doc := &p.doc
	kind := doc.Kind(n)
	if kind == canon.Null || kind == canon.String && len(doc.Raw(n)) == len(`""`) {
		return
	}
	r.line.word("\n")
	if !r.line.name("", name) {
		r.line.word("(no name)")
	}
	r.line.word(":")
	if kind != canon.String {
		r.line.word(" ")
		r.line.json(r, p, n, fullDepth, MaxFull/8)
		return
	}
	text, more := r.bytes(p, n, MaxFull)
	if len(text) <= inLine && bytes.IndexByte(text, '\n') < 0 {
		if !r.line.quoted(" ", text, inLine, more) {
			r.line.word(` ""`)
		}
		return
	}
	r.line.block(text, more)
}

// block writes text on lines that begin with a mark, as it is but for what does
// not belong on a screen. It leaves room for an ellipsis and a few words.
func (l *line) block(s []byte, more bool) {
	const begin = "\n> "
	end := l.max - 2*inLine
	l.word(begin)
	s = bytes.TrimRight(s, "\r\n")
	for i := 0; i < len(s); {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(s[i:])
		}
		i += size
		if len(l.buf)+len(begin)+utf8.UTFMax > end {
			more = true
			break
		}
		switch {
		case c == '\r' && i < len(s) && s[i] == '\n', hidden(c):
		case c == '\n', c == '\r':
			l.word(begin)
		case c == '\t' || c > ' ' && c < 0x7F:
			l.buf = append(l.buf, byte(c))
		case c <= ' ' || recognize.SpaceLike(c):
			l.buf = append(l.buf, ' ')
		default:
			l.buf = utf8.AppendRune(l.buf, c)
		}
	}
	if more {
		l.word(ellipsis)
	}
}
