// Package jsonpage parses the JSON values of events one after another, and reuses its memory.
package jsonpage

import (
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/trace/shapes"
)

// Page is one parsed JSON value. It is reused.
type Page struct {
	Doc  canon.Doc
	buf  []byte
	Text string // what buf is a copy of
	Ok   bool
	// memo is the last string that had to be unescaped, and where it stands.
	memo    string
	memoAt  canon.Node
	scratch []byte
}

// open parses text, and reports whether it is strict JSON.
func (p *Page) open(text string) bool {
	p.Text, p.Ok, p.memo = text, false, ""
	if text == "" {
		return false
	}
	p.buf = append(p.buf[:0], text...)
	p.Ok = p.Doc.Parse(p.buf) == nil
	return p.Ok
}

// OpenObject is open for an object.
func (p *Page) OpenObject(text string) bool {
	if p.open(text) && p.Doc.Kind(0) != canon.Object {
		p.Ok = false
	}
	return p.Ok
}

// maxInner is the most bytes of a text that is read as JSON in a string.
const maxInner = 512 << 10

// OpenInner parses a text if it looks like an object or a list.
func (p *Page) OpenInner(text string) bool {
	i, j := 0, len(text)
	for i < j && shapes.Classes[text[i]] == shapes.ClassBlank {
		i++
	}
	for j > i && shapes.Classes[text[j-1]] == shapes.ClassBlank {
		j--
	}
	text = text[i:j]
	if len(text) < 2 || len(text) > maxInner {
		return false
	}
	first, last := text[0], text[len(text)-1]
	if !(first == '{' && last == '}' || first == '[' && last == ']') {
		return false
	}
	if p.Ok && p.Text == text {
		return true
	}
	return p.open(text)
}

// Member returns the first of the named members of n that is there and not null,
// or None.
func (p *Page) Member(n canon.Node, names ...string) canon.Node {
	if !p.Ok || p.Doc.Kind(n) != canon.Object {
		return canon.None
	}
	for _, name := range names {
		if c := p.Doc.Member(n, name); c != canon.None && p.Doc.Kind(c) != canon.Null {
			return c
		}
	}
	return canon.None
}

// Str returns the text of the first of the named members that is a string.
func (p *Page) Str(n canon.Node, names ...string) string {
	for _, name := range names {
		if c := p.Member(n, name); c != canon.None && p.Doc.Kind(c) == canon.String {
			return p.At(c)
		}
	}
	return ""
}

// At returns the text of the string n, which may be a part of what was parsed.
func (p *Page) At(n canon.Node) string {
	if !p.Doc.Escaped(n) {
		return p.Doc.StringOf(p.Text, n)
	}
	if p.memo == "" || p.memoAt != n {
		p.scratch = p.Doc.AppendString(p.scratch[:0], n)
		p.memo, p.memoAt = string(p.scratch), n
	}
	return p.memo
}

// Truth returns the first of the named members that is a boolean.
func (p *Page) Truth(n canon.Node, names ...string) (value, known bool) {
	for _, name := range names {
		if c := p.Member(n, name); c != canon.None {
			if k := p.Doc.Kind(c); k == canon.True || k == canon.False {
				return k == canon.True, true
			}
		}
	}
	return false, false
}

// Integer returns the first of the named members that is an integer.
func (p *Page) Integer(n canon.Node, names ...string) (int64, bool) {
	for _, name := range names {
		if c := p.Member(n, name); c != canon.None && p.Doc.Kind(c) == canon.Number {
			if v, ok := p.Doc.Int(c); ok {
				return v, true
			}
		}
	}
	return 0, false
}

// Empty reports whether n has nothing in it.
func (p *Page) Empty(n canon.Node) bool {
	switch p.Doc.Kind(n) {
	case canon.Null:
		return true
	case canon.String:
		_, size := p.Doc.Measure(n)
		return size <= len(`""`)
	case canon.Array, canon.Object:
		return p.Doc.Len(n) == 0
	}
	return false
}

// Let releases the text, and memory beyond the usual size.
func (p *Page) Let() {
	p.Text, p.Ok, p.memo = "", false, ""
	p.Doc.Reset()
	if cap(p.buf)+cap(p.scratch) > 1<<20 {
		p.buf, p.scratch = nil, nil
	}
}
