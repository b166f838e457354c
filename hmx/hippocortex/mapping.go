package hippocortex

import (
	"fmt"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

// host is an object of the older document that contains HMX fields.
type host uint8

const (
	inRoot     host = iota // the document itself
	inMetadata             // metadata
	inAssembly             // assemblyResult, only in a ContextPack
	inEnvelope             // metadata.hmx
	hosts
)

// Names of the objects above, and of the one inside the envelope.
const (
	metadataName = "metadata"
	assemblyName = "assemblyResult"
	envelopeName = "hmx"
	shadowedName = "shadowed"
)

// pointer returns the JSON Pointer of h.
func (h host) pointer() string {
	switch h {
	case inMetadata:
		return "/" + metadataName
	case inAssembly:
		return "/" + assemblyName
	case inEnvelope:
		return "/" + metadataName + "/" + envelopeName
	}
	return ""
}

// row is the place of one HMX field in the older document.
type row struct {
	field string
	in    host
	name  string // its name there; empty if its members are spread over the host
}

// mapping is one mapping as data. Rows are in the order of HMX; the older document has the same
// order, with metadata and assemblyResult last.
type mapping struct {
	kind     hmx.Kind
	form     Form
	rule     string // rule code of the mapping itself
	sizeRule string
	rows     []row

	// complete runs before the document is converted to HMX, and adds what the older form
	// lacks.
	complete func(*reader)
}

// slack is how many bytes longer than its HMX document an older document may be: names of the
// envelope, and of its content.
const slack = 1 << 10

// row returns the row of an HMX field.
func (m *mapping) row(field string) (row, bool) {
	for _, r := range m.rows {
		if r.field == field {
			return r, true
		}
	}
	return row{}, false
}

// documented lists the names with a meaning in h.
func (m *mapping) documented(h host) []string {
	var names []string
	for _, r := range m.rows {
		if r.in == h && r.name != "" {
			names = append(names, r.name)
		}
	}
	switch h {
	case inRoot:
		names = append(names, metadataName)
		if m.uses(inAssembly) {
			names = append(names, assemblyName)
		}
	case inMetadata:
		names = append(names, envelopeName)
	case inEnvelope:
		names = append(names, shadowedName)
	}
	return names
}

// reserved reports whether name has a meaning in h.
func (m *mapping) reserved(h host, name []byte) bool {
	for i := range m.rows {
		if r := &m.rows[i]; r.in == h && r.name != "" && r.name == string(name) {
			return true
		}
	}
	switch h {
	case inRoot:
		return string(name) == metadataName || string(name) == assemblyName && m.uses(inAssembly)
	case inMetadata:
		return string(name) == envelopeName
	case inEnvelope:
		return string(name) == shadowedName
	}
	return false
}

func (m *mapping) uses(h host) bool {
	for _, r := range m.rows {
		if r.in == h {
			return true
		}
	}
	return false
}

// open reports whether h may have undocumented members, because the members of an HMX field are
// spread over it.
func (m *mapping) open(h host) bool {
	for _, r := range m.rows {
		if r.in == h && r.name == "" {
			return true
		}
	}
	return false
}

// older converts a pointer into the HMX document to one into the older document.
func (m *mapping) older(pointer string) string {
	field, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	r, known := m.row(field)
	if !known {
		return pointer
	}
	at := r.in.pointer()
	if r.name != "" {
		at += "/" + r.name
	} else if name, _, _ := strings.Cut(rest, "/"); deeper && m.reserved(r.in, []byte(name)) {
		at = inEnvelope.pointer() + "/" + shadowedName + "/" + field
	}
	if deeper {
		at += "/" + rest
	}
	return at
}

// toOlder writes data, a valid HMX document, in the older form.
func (m *mapping) toOlder(data []byte) ([]byte, error) {
	var d canon.Doc
	d.Parse(data)
	var at [hosts]object
	var shadowed object
	for _, r := range m.rows {
		n := d.Member(d.Root(), r.field)
		switch {
		case n == canon.None:
		case r.name != "":
			at[r.in].copy(r.name, &d, n)
		default:
			var hidden object
			members(&d, n, func(c canon.Node) {
				if m.reserved(r.in, d.Key(c)) {
					hidden.member(&d, c)
				} else {
					at[r.in].member(&d, c)
				}
			})
			if !hidden.empty() {
				shadowed.add(r.field, hidden.text())
			}
		}
	}
	if !shadowed.empty() {
		at[inEnvelope].add(shadowedName, shadowed.text())
	}
	at[inMetadata].add(envelopeName, at[inEnvelope].text())
	at[inRoot].add(metadataName, at[inMetadata].text())
	if m.uses(inAssembly) {
		at[inRoot].add(assemblyName, at[inAssembly].text())
	}
	out := at[inRoot].text()
	if err := m.readable(out); err != nil {
		return nil, err
	}
	return out, nil
}

// readable checks that the output can be read again. Only nesting can prevent that, as the
// envelope adds to it.
func (m *mapping) readable(out []byte) error {
	var d canon.Doc
	flaws := d.Parse(out)
	if flaws == nil {
		return nil
	}
	invalid := &hmx.InvalidError{Kind: m.kind}
	for _, f := range flaws {
		invalid.Problems = append(invalid.Problems, hmx.Problem{
			Pointer: f.Pointer, Rule: m.rule, Offset: f.Offset,
			Found: f.Found, Allowed: f.Allowed + " once it is carried in the older form; make it flatter",
		})
	}
	return fmt.Errorf("no place in %s: %w", m.form, invalid)
}
