package hmx

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"lukasa.dev/internal/canon"
)

// EncodeError says that a value made in Go has no JSON form.
type EncodeError struct {
	Pointer string // JSON Pointer of the value
	Rule    string // the rule of strict JSON that it breaks
	Detail  string
}

func (e *EncodeError) Error() string {
	at := e.Pointer
	if at != "" {
		at += ": "
	}
	return "cannot write as JSON: " + at + e.Detail + " (" + e.Rule + ")"
}

// within says that err belongs to the member or item called name.
func within(name string, err error) error {
	if e, ok := err.(*EncodeError); ok {
		token := canon.AppendPointerToken([]byte("/"), []byte(name))
		return &EncodeError{string(token) + e.Pointer, e.Rule, e.Detail}
	}
	return err
}

func notFinite(f float64) error {
	return &EncodeError{Rule: "HMX-JSON/number", Detail: fmt.Sprint(f) + " is not a finite number"}
}

// checkEncoded applies the rules of kind k to what was encoded, and turns a
// failure to encode into the problem that it is.
func checkEncoded(k Kind, data []byte, err error) ([]Problem, error) {
	if e, ok := err.(*EncodeError); ok {
		return nil, &InvalidError{Kind: k, Problems: []Problem{{Pointer: e.Pointer, Rule: e.Rule, Found: e.Detail, Allowed: "what JSON can say"}}}
	}
	if err != nil {
		return nil, err
	}
	return Check(k, data)
}

// encode appends v as compact JSON. Unlike encoding/json it refuses text that is
// not UTF-8 instead of replacing it, writes numbers in as few bytes as they need and
// escapes nothing that need not be. An error is an *EncodeError that names the field.
func encode(dst []byte, v any) ([]byte, error) {
	out, err := appendValue(dst, reflect.ValueOf(v))
	if err != nil {
		return dst, err
	}
	return out, nil
}

// canonical returns what was encoded in its canonical form.
func canonical(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return canon.Append(nil, data)
}

var (
	rawType   = reflect.TypeFor[Raw]()
	timeType  = reflect.TypeFor[Time]()
	extraType = reflect.TypeFor[Extra]()
)

// Where the fields of Time and Opt are.
const (
	timeText = 0
	optValue = 0
	optSet   = 1
)

var opts sync.Map // reflect.Type → whether it is an Opt

// isOpt reports whether t is an Opt of something.
func isOpt(t reflect.Type) bool {
	is, known := opts.Load(t)
	if !known {
		is = t.Implements(reflect.TypeFor[interface{ content() (any, bool) }]())
		opts.Store(t, is)
	}
	return is.(bool)
}

func appendValue(dst []byte, v reflect.Value) ([]byte, error) {
	// Nothing is asked for as an interface, which would be a copy in memory of its own.
	switch v.Kind() {
	case reflect.String:
		if v.Type() == rawType {
			return appendRaw(dst, Raw(v.String()))
		}
		return appendText(dst, v.String())
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case reflect.Float64:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, notFinite(f)
		}
		return canon.AppendShortest(dst, f), nil
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return appendValue(dst, v.Elem())
	case reflect.Slice:
		return appendSlice(dst, v)
	case reflect.Map:
		return appendMap(dst, v)
	case reflect.Struct:
		switch {
		case v.Type() == timeType:
			return appendText(dst, v.Field(timeText).String())
		case !isOpt(v.Type()):
			return appendStruct(dst, v)
		case !v.Field(optSet).Bool():
			return append(dst, "null"...), nil
		}
		return appendValue(dst, v.Field(optValue))
	}
	panic("hmx: no JSON form for " + v.Type().String()) // a fault in a type of this package
}

func appendText(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, &EncodeError{Rule: "HMX-JSON/utf8", Detail: strconv.Quote(s[:min(len(s), 40)]) + " is not valid UTF-8"}
	}
	return canon.AppendQuoted(dst, s), nil
}

// appendRaw appends r without white space between its tokens. It is read once
// more, so that no Raw, wherever it came from, can break a line or a document.
func appendRaw(dst []byte, r Raw) ([]byte, error) {
	if r == "" {
		return append(dst, "{}"...), nil
	}
	d := borrow()
	defer d.giveBack()
	d.buf = append(d.buf[:0], r...)
	if flaws := d.doc.Parse(d.buf); flaws != nil {
		f := flaws[0]
		return nil, &EncodeError{f.Pointer, jsonRule(f.Code), "raw JSON with " + f.Found + "; allowed: " + f.Allowed}
	}
	return d.doc.AppendCompact(dst, d.doc.Root()), nil
}

func appendSlice(dst []byte, v reflect.Value) ([]byte, error) {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, v.Index(i)); err != nil {
			return nil, within(strconv.Itoa(i), err)
		}
	}
	return append(dst, ']'), nil
}

func appendMap(dst []byte, v reflect.Value) ([]byte, error) {
	names := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		names = append(names, k.String())
	}
	slices.Sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendMember(dst, name, v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendMember(dst []byte, name string, v reflect.Value) ([]byte, error) {
	dst, err := appendText(dst, name)
	if err != nil {
		return nil, err
	}
	dst, err = appendValue(append(dst, ':'), v)
	if err != nil {
		return nil, within(name, err)
	}
	return dst, nil
}

// absent reports whether a field that may be left out is to be: an Opt that is not
// set, whatever its value, or the zero value of another type.
func absent(v reflect.Value) bool {
	if v.Kind() == reflect.Struct {
		switch {
		case v.Type() == timeType:
			return v.Field(timeText).Len() == 0
		case isOpt(v.Type()):
			return !v.Field(optSet).Bool()
		}
	}
	return v.IsZero()
}

func appendStruct(dst []byte, v reflect.Value) ([]byte, error) {
	p := planOf(v.Type())
	var extra Extra
	if p.extra >= 0 {
		extra = v.Field(p.extra).Interface().(Extra)
	}
	dst = append(dst, '{')
	write := func(name string, value reflect.Value) (err error) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst, err = appendMember(dst, name, value)
		return err
	}
	for _, f := range p.fields {
		fv := v.Field(f.index)
		if _, instead := extra[f.name]; absent(fv) && (f.omitZero || instead) {
			continue // left out, or of a kind the field could not take
		}
		if err := write(f.name, fv); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if i, known := p.byName[name]; known && !absent(v.Field(p.fields[i].index)) {
			continue // the typed field has been written
		}
		if err := write(name, reflect.ValueOf(extra[name])); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
