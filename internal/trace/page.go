package trace

import "lukasa.dev/internal/canon"

// page is one JSON value, parsed. It is used again and again.
type page struct {
	doc  canon.Doc
	buf  []byte
	text string // what buf is a copy of
	ok   bool
	// memo is the last string that had to be unescaped, and where it stands.
	memo    string
	memoAt  canon.Node
	scratch []byte
}

// open parses text, and reports whether it is strict JSON.
func (p *page) open(text string) bool {
	p.text, p.ok, p.memo = text, false, ""
	if text == "" {
		return false
	}
	p.buf = append(p.buf[:0], text...)
	p.ok = p.doc.Parse(p.buf) == nil
	return p.ok
}

// openObject is open for an object.
func (p *page) openObject(text string) bool {
	if p.open(text) && p.doc.Kind(0) != canon.Object {
		p.ok = false
	}
	return p.ok
}

// maxInner is the most bytes of a text that is read as JSON in a string.
const maxInner = 512 << 10

// openInner parses a text if it looks like an object or a list.
func (p *page) openInner(text string) bool {
	i, j := 0, len(text)
	for i < j && classes[text[i]] == cBlank {
		i++
	}
	for j > i && classes[text[j-1]] == cBlank {
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
	if p.ok && p.text == text {
		return true
	}
	return p.open(text)
}

// member returns the first of the named members of n that is there and not null,
// or None.
func (p *page) member(n canon.Node, names ...string) canon.Node {
	if !p.ok || p.doc.Kind(n) != canon.Object {
		return canon.None
	}
	for _, name := range names {
		if c := p.doc.Member(n, name); c != canon.None && p.doc.Kind(c) != canon.Null {
			return c
		}
	}
	return canon.None
}

// str returns the text of the first of the named members that is a string.
func (p *page) str(n canon.Node, names ...string) string {
	for _, name := range names {
		if c := p.member(n, name); c != canon.None && p.doc.Kind(c) == canon.String {
			return p.at(c)
		}
	}
	return ""
}

// at returns the text of the string n, which may be a part of what was parsed.
func (p *page) at(n canon.Node) string {
	if !p.doc.Escaped(n) {
		return p.doc.StringOf(p.text, n)
	}
	if p.memo == "" || p.memoAt != n {
		p.scratch = p.doc.AppendString(p.scratch[:0], n)
		p.memo, p.memoAt = string(p.scratch), n
	}
	return p.memo
}

// truth returns the first of the named members that is true or false.
func (p *page) truth(n canon.Node, names ...string) (value, known bool) {
	for _, name := range names {
		if c := p.member(n, name); c != canon.None {
			if k := p.doc.Kind(c); k == canon.True || k == canon.False {
				return k == canon.True, true
			}
		}
	}
	return false, false
}

// integer returns the first of the named members that is an integer.
func (p *page) integer(n canon.Node, names ...string) (int64, bool) {
	for _, name := range names {
		if c := p.member(n, name); c != canon.None && p.doc.Kind(c) == canon.Number {
			if v, ok := p.doc.Int(c); ok {
				return v, true
			}
		}
	}
	return 0, false
}

// empty reports whether n has nothing in it.
func (p *page) empty(n canon.Node) bool {
	switch p.doc.Kind(n) {
	case canon.Null:
		return true
	case canon.String:
		_, size := p.doc.Measure(n)
		return size <= len(`""`)
	case canon.Array, canon.Object:
		return p.doc.Len(n) == 0
	}
	return false
}

// let lets go of the text, and of memory beyond what is usual.
func (p *page) let() {
	p.text, p.ok, p.memo = "", false, ""
	p.doc.Reset()
	if cap(p.buf)+cap(p.scratch) > 1<<20 {
		p.buf, p.scratch = nil, nil
	}
}
