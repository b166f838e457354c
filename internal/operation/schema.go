package operation

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Fields returns the fields of a request, in the order in which they are documented.
func (o *Operation) Fields() []*Field { return shapeOf(o.In).fields }

// Schema returns the JSON Schema of a field.
func (f *Field) Schema() json.RawMessage { return f.append(nil, false) }

// BodySchema returns the schema of the body of an HTTP request, or nothing if it has none.
func (o *Operation) BodySchema() json.RawMessage {
	if !o.Body() {
		return nil
	}
	var list []*Field
	for _, f := range o.Fields() {
		switch f.Place {
		case AsBody:
			return f.Schema()
		case InBody:
			list = append(list, f)
		}
	}
	return ObjectSchema(list)
}

// OutSchema returns the JSON Schema (2020-12) of the answer. Further members are allowed.
func (o *Operation) OutSchema() json.RawMessage {
	if o.Media != "" {
		return json.RawMessage(text)
	}
	return appendType(nil, o.Out)
}

// ObjectSchema returns the schema of an object with these fields and no others.
func ObjectSchema(fields []*Field) json.RawMessage {
	dst := []byte(`{"type":"object","properties":{`)
	var required, either []string
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, f.Name), ':')
		dst = f.append(dst, true)
		switch {
		case f.Also != "":
			dst = append(appendString(append(dst, ','), f.Also), ':')
			dst = f.append(dst, true)
			either = append(either, f.either())
		case f.Required:
			required = append(required, f.Name)
		}
	}
	dst = append(dst, '}')
	if len(either) > 0 {
		dst = append(append(append(dst, `,"allOf":[`...), strings.Join(either, ",")...), ']')
	}
	if len(required) > 0 {
		dst = appendStrings(append(dst, `,"required":`...), required)
	}
	return append(dst, `,"additionalProperties":false}`...)
}

// either returns a schema that allows one of the two names of a field, and none if it is
// optional.
func (f *Field) either() string {
	a, b := string(appendString(nil, f.Name)), string(appendString(nil, f.Also))
	if f.Required {
		return `{"oneOf":[{"required":[` + a + `]},{"required":[` + b + `]}]}`
	}
	return `{"not":{"required":[` + a + `,` + b + `]}}`
}

// append appends the schema of a field, with its description if described is set.
func (f *Field) append(dst []byte, described bool) []byte {
	t := f.typ
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var inner []byte
	switch {
	case f.object:
		inner = []byte(`{"type":"object"}`)
	case t.Kind() == reflect.Slice && t != rawJSON:
		inner = append(append([]byte(`{"type":"array","items":`), appendEnum(appendRequest(nil, t.Elem()), f.enum)...), '}')
	default:
		inner = appendEnum(appendRequest(nil, t), f.enum)
	}
	inner = inner[:len(inner)-1]
	for _, x := range []struct {
		name  string
		value *float64
	}{{"minimum", f.min}, {"maximum", f.max}} {
		if x.value != nil {
			inner = appendMember(inner, x.name, strconv.AppendFloat(nil, *x.value, 'f', -1, 64))
		}
	}
	if f.usual != "" {
		inner = appendMember(inner, "default", []byte(f.usual))
	}
	if f.Doc != "" && described {
		inner = appendMember(inner, "description", appendString(nil, f.Doc))
	}
	return append(append(dst, inner...), '}')
}

// appendRequest appends the schema of a request type, whose structs are closed.
func appendRequest(dst []byte, t reflect.Type) []byte {
	if t.Kind() == reflect.Struct && !leaf(t) {
		return append(dst, ObjectSchema(shapeOf(t).fields)...)
	}
	return appendType(dst, t)
}

func appendEnum(schema []byte, enum []string) []byte {
	if len(enum) == 0 {
		return schema
	}
	return append(appendMember(schema[:len(schema)-1], "enum", appendStrings(nil, enum)), '}')
}

// appendMember appends a member to an object that is still open.
func appendMember(dst []byte, name string, value []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(appendString(dst, name), ':'), value...)
}

func appendString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return append(dst, `""`...) // a string always has JSON
	}
	return append(dst, text...)
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// text is the schema of a text.
const text = `{"type":"string"}`

// leaf reports whether a struct has its own JSON encoding.
func leaf(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(textSays) || p.Implements(jsonSays)
}

// appendType appends the schema of an answer type.
func appendType(dst []byte, t reflect.Type) []byte {
	p := reflect.PointerTo(t)
	switch {
	case t == rawJSON:
		return append(dst, `{}`...)
	case t == hmxTime:
		return append(dst, `{"type":"string","format":"date-time"}`...)
	case p.Implements(jsonSays) && t.Kind() == reflect.Struct:
		return append(dst, `{"type":"object"}`...)
	case p.Implements(textSays):
		return append(dst, text...)
	case p.Implements(jsonSays):
		return append(dst, `{}`...)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return appendType(dst, t.Elem())
	case reflect.Bool:
		return append(dst, `{"type":"boolean"}`...)
	case reflect.String:
		return append(dst, text...)
	case reflect.Float32, reflect.Float64:
		return append(dst, `{"type":"number"}`...)
	case reflect.Slice:
		return append(appendType(append(dst, `{"type":"array","items":`...), t.Elem()), '}')
	case reflect.Map:
		return append(appendType(append(dst, `{"type":"object","additionalProperties":`...), t.Elem()), '}')
	case reflect.Struct:
		return appendStruct(dst, t)
	}
	return append(dst, `{"type":"integer"}`...)
}

// appendStruct appends the schema of a struct of an answer.
func appendStruct(dst []byte, t reflect.Type) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	var required []string
	first := true
	for _, x := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(x.Tag.Get("json"), ",")
		if name == "" || !x.IsExported() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, name), ':')
		at := len(dst)
		dst = appendType(dst, x.Type)
		if option != "" {
			continue
		}
		required = append(required, name)
		if x.Type.Kind() == reflect.Pointer {
			dst = append(dst[:at], nullable(dst[at:])...)
		}
	}
	dst = append(dst, '}')
	if len(required) > 0 {
		dst = appendStrings(append(dst, `,"required":`...), required)
	}
	return append(dst, '}')
}

// nullable makes a schema accept null as well.
func nullable(schema []byte) []byte {
	rest, ok := strings.CutPrefix(string(schema), `{"type":`)
	if !ok {
		return schema
	}
	name, rest, _ := strings.Cut(rest[1:], `"`)
	return []byte(`{"type":["` + name + `","null"]` + rest)
}
