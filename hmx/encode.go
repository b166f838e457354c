package hmx

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"lukasa.dev/internal/canon"
)

// encode appends v as compact JSON. Unlike encoding/json it refuses text that is
// not UTF-8 instead of replacing it, writes numbers as RFC 8785 does and escapes
// nothing that need not be. An error names the field.
func encode(dst []byte, v any) ([]byte, error) {
	out, err := appendValue(dst, reflect.ValueOf(v))
	if err != nil {
		return dst, fmt.Errorf("cannot write as JSON: %w", err)
	}
	return out, nil
}

func canonical(v any) ([]byte, error) {
	data, err := encode(nil, v)
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

func appendValue(dst []byte, v reflect.Value) ([]byte, error) {
	switch v.Type() {
	case rawType:
		return appendRaw(dst, Raw(v.String()))
	case timeType:
		return appendText(dst, v.Interface().(Time).text)
	}
	if o, ok := v.Interface().(interface{ content() (any, bool) }); ok {
		inner, set := o.content()
		if !set {
			return append(dst, "null"...), nil
		}
		return appendValue(dst, reflect.ValueOf(inner))
	}
	switch v.Kind() {
	case reflect.String:
		return appendText(dst, v.String())
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case reflect.Float64:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%v is not a finite number", f)
		}
		return canon.AppendNumber(dst, f), nil
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
		return appendStruct(dst, v)
	}
	return nil, fmt.Errorf("%s has no JSON form", v.Type())
}

func appendText(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%s is not valid UTF-8", strconv.Quote(s[:min(len(s), 40)]))
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
		return nil, &canon.Error{Flaws: flaws}
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
			return nil, fmt.Errorf("%d: %w", i, err)
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
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return dst, nil
}

func appendStruct(dst []byte, v reflect.Value) ([]byte, error) {
	p := planOf(v.Type())
	dst = append(dst, '{')
	first := true
	for _, f := range p.fields {
		fv := v.Field(f.index)
		if f.omitZero && fv.IsZero() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		var err error
		if dst, err = appendMember(dst, f.name, fv); err != nil {
			return nil, err
		}
	}
	if p.extra >= 0 {
		extra := v.Field(p.extra).Interface().(Extra)
		for _, name := range slices.Sorted(maps.Keys(extra)) {
			if i, known := p.byName[name]; known && !(p.fields[i].omitZero && v.Field(p.fields[i].index).IsZero()) {
				continue // the typed field has been written
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			var err error
			if dst, err = appendMember(dst, name, reflect.ValueOf(extra[name])); err != nil {
				return nil, err
			}
		}
	}
	return append(dst, '}'), nil
}
