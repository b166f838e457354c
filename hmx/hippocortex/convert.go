package hippocortex

import (
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

// Convert converts data from one form to another, in one line of JSON. It copies values as
// text. A form converts to its counterpart and to itself: an HMX form is checked and made
// compact, an older one goes to HMX and back, so that it gets its envelope. A nil opts is the
// zero Options.
//
// It returns the result with any warnings about data, or an error, which wraps an
// *[hmx.InvalidError] with all problems if data is invalid.
func Convert(from, to Form, data []byte, opts *Options) ([]byte, []hmx.Problem, error) {
	m := from.mapping()
	if m == nil {
		return nil, nil, fmt.Errorf("unknown form %q: allowed are %s", from, list(Forms()))
	}
	if to.mapping() != m {
		return nil, nil, fmt.Errorf("%s cannot become %q: allowed are %s and %s", from, to, m.kind, m.form)
	}
	if !from.Older() {
		warnings, err := hmx.Check(m.kind, data)
		if err != nil {
			return nil, nil, err
		}
		out, err := m.write(data, to)
		return out, warnings, err
	}
	converted, warnings, err := m.toHMX(data, opts)
	if err != nil {
		return nil, nil, err
	}
	out, err := m.write(converted, to)
	return out, warnings, err
}

// write writes a valid HMX document in one of the two forms of its kind.
func (m *mapping) write(data []byte, to Form) ([]byte, error) {
	if to.Older() {
		return m.toOlder(data)
	}
	var d canon.Doc
	d.Parse(data)
	return d.AppendCompact(nil, d.Root()), nil
}

// document is what Event, Artifact and Pack have in common.
type document interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// encode writes v in the older form, if it is valid.
func encode(m *mapping, v document) ([]byte, error) {
	data, err := v.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	out, _, err := Convert(Form(m.kind), m.form, data, nil)
	return out, err
}

// decode reads data in the older form.
func decode[T any](m *mapping, data []byte, opts *Options, read func([]byte) (*T, []hmx.Problem, error)) (*T, []hmx.Problem, error) {
	converted, warnings, err := m.toHMX(data, opts)
	if err != nil {
		return nil, nil, err
	}
	v, _, err := read(converted)
	return v, warnings, err
}
