package hippocortex

import "lukasa.dev/internal/canon"

// object writes a JSON object member by member, from text.
type object struct{ buf []byte }

// add appends a member whose value is the JSON text value.
func (o *object) add(name string, value []byte) {
	o.name([]byte(name))
	o.buf = append(o.buf, value...)
}

// copy appends a member with the value n, as it was written but without white space.
func (o *object) copy(name string, d *canon.Doc, n canon.Node) {
	o.name([]byte(name))
	o.buf = d.AppendCompact(o.buf, n)
}

// member appends the member n under its own name.
func (o *object) member(d *canon.Doc, n canon.Node) {
	o.name(d.Key(n))
	o.buf = d.AppendCompact(o.buf, n)
}

func (o *object) name(name []byte) {
	sep := byte(',')
	if o.buf == nil {
		sep = '{'
	}
	o.buf = append(canon.AppendQuoted(append(o.buf, sep), name), ':')
}

// empty reports whether nothing was added.
func (o *object) empty() bool { return o.buf == nil }

// text returns the finished object.
func (o *object) text() []byte {
	if o.buf == nil {
		return []byte("{}")
	}
	return append(o.buf, '}')
}

// members calls f for each child of n.
func members(d *canon.Doc, n canon.Node, f func(canon.Node)) {
	for c := d.First(n); c != canon.None; c = d.Next(n, c) {
		f(c)
	}
}

func quoted(s string) []byte { return canon.AppendQuoted(nil, s) }
