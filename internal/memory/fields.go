package memory

import (
	"fmt"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/record"
)

// faults collects the problems of a document by the rules of this package.
type faults struct {
	document.Problems
}

// listed is a document with a list of its fields.
type listed interface {
	fields(*document.Codec)
}

// encode appends the JSON of doc to dst.
func encode(dst []byte, what string, doc listed) ([]byte, error) {
	return document.Encode(dst, what, doc.fields)
}

// decode reads data into doc and adds what is wrong with its form. It reports whether there was an
// object at all.
func decode(f *faults, data []byte, doc listed) (read bool) {
	return document.Decode(&f.Problems, data, doc.fields)
}

// uriField is a URI; the zero one is left out.
func uriField(c *document.Codec, name string, v *URI) {
	text := ""
	if c.Writing() && !v.IsZero() {
		text = v.String()
	}
	c.Text(name, text, func(p *document.Problems, field, text string) { *v = parseURI(p, field, text) })
}

// urisField is an array of URIs.
func urisField(c *document.Codec, name string, v *[]URI) {
	document.Texts(c, name, v, parseURI)
}

// kindField is the name of a kind of record; none is left out.
func kindField(c *document.Codec, name string, v *record.Kind) {
	text := ""
	if c.Writing() && *v != 0 {
		text = v.String()
	}
	c.Text(name, text, func(p *document.Problems, field, text string) { *v = parseKind(p, field, text) })
}

// kindsField is an array of kinds.
func kindsField(c *document.Codec, name string, v *[]record.Kind) {
	document.Texts(c, name, v, parseKind)
}

func parseKind(p *document.Problems, field, name string) record.Kind {
	k, ok := record.ParseKind(name)
	if !ok {
		p.Add(field, "is "+document.Show(name)+", which is not a kind of record", "use one of "+kindNames(record.Kinds()))
	}
	return k
}

// hashField is a SHA-256 in lower-case hexadecimal; the zero one is left out.
func hashField(c *document.Codec, name string, v *record.Hash) {
	b := v[:]
	if c.Writing() && *v == (record.Hash{}) {
		b = nil
	}
	c.Hex(name, &b)
	if !c.Writing() && len(b) > 0 {
		if len(b) != len(v) {
			c.Fail(name, fmt.Sprintf("has %d bytes, but must have %d", len(b), len(v)), "give 64 lower-case hexadecimal digits")
			return
		}
		copy(v[:], b)
	}
}
