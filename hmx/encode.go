package hmx

import (
	"reflect"

	"lukasa.dev/hmx/internal/jsonform"
	"lukasa.dev/internal/canon"
)

// EncodeError says that a Go value has no JSON form.
type EncodeError struct {
	Pointer string // JSON Pointer of the value
	Rule    string // the broken rule of strict JSON
	Detail  string
}

func (e *EncodeError) Error() string {
	at := e.Pointer
	if at != "" {
		at += ": "
	}
	return "cannot write as JSON: " + at + e.Detail + " (" + e.Rule + ")"
}

// checkEncoded applies the rules of kind k to an encoding, and turns an encoding error into a
// problem.
func checkEncoded(k Kind, data []byte, err error) ([]Problem, error) {
	if e, ok := err.(*EncodeError); ok {
		return nil, &InvalidError{Kind: k, Problems: []Problem{{Pointer: e.Pointer, Rule: e.Rule, Found: e.Detail, Allowed: "what JSON can say"}}}
	}
	if err != nil {
		return nil, err
	}
	return Check(k, data)
}

// form is the JSON form of the types of this package.
var form = jsonform.New[Raw, Extra](ParseTime, isOpt)

// isOpt reports whether a type is an Opt.
func isOpt(t reflect.Type) bool { return t.Implements(reflect.TypeFor[interface{ optional() }]()) }

// encodeError turns the error of the form into an *EncodeError.
func encodeError(err error) error {
	if e, ok := err.(*jsonform.Error); ok {
		return &EncodeError{e.Pointer, jsonRule(e.Code), e.Detail}
	}
	return err
}

// encode appends v as compact JSON. An error is an *EncodeError that names the field.
func encode(dst []byte, v any) ([]byte, error) {
	out, err := form.Append(dst, v)
	return out, encodeError(err)
}

// encodeCanonical appends v directly in canonical form: the same as [canonical] of encode.
func encodeCanonical(dst []byte, v any) ([]byte, error) {
	out, err := form.AppendCanonical(dst, v)
	return out, encodeError(err)
}

// canonical returns the canonical form of an encoding.
func canonical(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return canon.Append(nil, data)
}

// view decodes raw into a typed view. If raw is not a strict JSON object, it returns the zero
// view and an error.
func view[T any](raw Raw) (T, error) {
	var out T
	if raw == "" {
		return out, nil
	}
	err := form.Decode(string(raw), &out)
	return out, err
}
