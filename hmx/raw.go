package hmx

import (
	"encoding/json"
	"errors"

	"lukasa.dev/internal/canon"
)

// Raw is one JSON value as text, kept as it was written: the order of names, digits and escapes
// are the sender's. The zero Raw stands for {}. Make one from a Go value with json.Marshal:
// Raw(data).
type Raw string

// MarshalJSON returns the text without white space between tokens.
func (r Raw) MarshalJSON() ([]byte, error) {
	data, err := form.AppendRaw(nil, r)
	return data, encodeError(err)
}

// UnmarshalJSON stores data, which must be strict JSON.
func (r *Raw) UnmarshalJSON(data []byte) error {
	d := borrow()
	defer d.giveBack()
	if flaws := d.doc.Parse(data); flaws != nil {
		return &canon.Error{Flaws: flaws}
	}
	*r = Raw(data)
	return nil
}

// Canonical returns the value in the canonical form of RFC 8785. Its numbers are doubles: an
// integer above 2^53 is rounded, so use a string for it.
func (r Raw) Canonical() ([]byte, error) {
	if r == "" {
		return []byte("{}"), nil
	}
	return canon.Append(nil, []byte(r))
}

// Opt is a field that may be absent, which is not the same as being empty.
type Opt[T any] struct {
	Value T
	Set   bool
}

// Some returns an Opt that is set.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Or returns the value, or other if the field is absent.
func (o Opt[T]) Or(other T) T {
	if o.Set {
		return o.Value
	}
	return other
}

// IsZero reports whether the field is absent, for omitzero of encoding/json.
func (o Opt[T]) IsZero() bool { return !o.Set }

// MarshalJSON writes the value, or null if it is absent.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.Set {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// UnmarshalJSON reads the value; null leaves it absent.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	*o = Opt[T]{}
	if string(data) == "null" {
		return nil
	}
	if err := json.Unmarshal(data, &o.Value); err != nil {
		return err
	}
	o.Set = true
	return nil
}

// optional marks the type for its JSON form.
func (o Opt[T]) optional() {}

// Extra holds the members that a typed view does not know, by name. They are written after the
// known ones, in the order of their names.
type Extra map[string]Raw

var errNoContent = errors.New("there is no content (nil)")
