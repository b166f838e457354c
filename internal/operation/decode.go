package operation

import (
	"encoding"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
)

// Decode reads an HTTP request: a body, and functions, which may be nil, that return a part of
// the path and a parameter of the query. It returns a pointer to a value of the type In.
//
// It is strict. The body is JSON without duplicate names. Names that are unknown or in another
// case, values of the wrong type or out of range, and missing fields are invalid_argument; the
// error names the field, the rule and the fix.
func (o *Operation) Decode(body []byte, path, query func(name string) (string, bool)) (any, error) {
	s, in := shapeOf(o.In), reflect.New(o.In)
	var doc canon.Doc
	root := canon.None
	if o.Body() && len(body) > 0 {
		if err := parse(&doc, body); err != nil {
			return nil, err
		}
		root = doc.Root()
	}
	if root != canon.None && slices.ContainsFunc(s.fields, func(f *Field) bool { return f.Place == AsBody }) {
		// the document is the body itself
	} else if root != canon.None {
		if err := s.check(&doc, root, "", func(f *Field) bool { return f.Place == InBody }); err != nil {
			return nil, err
		}
	}
	for _, f := range s.fields {
		v := in.Elem().FieldByIndex(f.index)
		given, err := false, error(nil)
		switch f.Place {
		case InPath, InQuery:
			given, err = f.parameter(v, path, query)
		case AsBody:
			if given = root != canon.None; given {
				err = f.set(v, &doc, root, f.Name)
			}
		default:
			given, err = f.member(v, &doc, root, "")
		}
		if err != nil {
			return nil, err
		}
		if err := f.absent(v, given, ""); err != nil {
			return nil, err
		}
	}
	if s.raw != nil && root != canon.None {
		in.Elem().FieldByIndex(s.raw).SetBytes(slices.Clone(body))
	}
	return in.Interface(), nil
}

// DecodeArguments reads a request whose fields are all members of one object, as in MCP. It is
// as strict as Decode.
func (o *Operation) DecodeArguments(args []byte) (any, error) {
	s, in := shapeOf(o.In), reflect.New(o.In)
	if len(args) == 0 {
		args = []byte(`{}`)
	}
	var doc canon.Doc
	if err := parse(&doc, args); err != nil {
		return nil, err
	}
	if err := s.fill(in.Elem(), &doc, doc.Root(), ""); err != nil {
		return nil, err
	}
	if s.raw != nil {
		in.Elem().FieldByIndex(s.raw).SetBytes(slices.Clone(args))
	}
	return in.Interface(), nil
}

// CheckQuery refuses query parameters that are unknown or repeated. Decode cannot see these.
func (o *Operation) CheckQuery(query map[string][]string) error {
	var list []*Field
	for _, f := range o.Fields() {
		if f.Place == InQuery {
			list = append(list, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.ContainsFunc(list, func(f *Field) bool { return f.has(name) }) {
			return unknown(name, list, "parameter")
		}
		if len(query[name]) > 1 {
			return fault.Newf(fault.InvalidArgument, "%s: it is given %d times", name, len(query[name])).WithFix("give it once")
		}
	}
	return nil
}

// parse parses strict JSON.
func parse(doc *canon.Doc, text []byte) error {
	flaws := doc.Parse(text)
	if len(flaws) == 0 {
		return nil
	}
	f := flaws[0]
	where := "body"
	if f.Pointer != "" {
		where += f.Pointer
	}
	return fault.Newf(fault.InvalidArgument, "%s: it has %s, but only this is allowed: %s", where, f.Found, f.Allowed).
		WithFix("send one JSON value in UTF-8, with each name once in an object")
}

// fill decodes an object into a struct.
func (s *shape) fill(v reflect.Value, doc *canon.Doc, n canon.Node, path string) error {
	if err := s.check(doc, n, path, func(*Field) bool { return true }); err != nil {
		return err
	}
	for _, f := range s.fields {
		x := v.FieldByIndex(f.index)
		given, err := f.member(x, doc, n, path)
		if err == nil {
			err = f.absent(x, given, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check refuses a value that is no object, and names that are not among the fields.
func (s *shape) check(doc *canon.Doc, n canon.Node, path string, among func(*Field) bool) error {
	if doc.Kind(n) != canon.Object {
		return wrongType(orBody(path), doc, n, "an object")
	}
	for c := doc.First(n); c != canon.None; c = doc.Next(n, c) {
		name := string(doc.Key(c))
		if f := s.named(name); f == nil || !among(f) {
			return unknown(path+name, s.fields, "field")
		}
	}
	return nil
}

func orBody(path string) string {
	if path == "" {
		return "body"
	}
	return strings.TrimSuffix(path, ".")
}

// unknown is the error for an unknown name.
func unknown(path string, fields []*Field, what string) error {
	name := path[strings.LastIndex(path, ".")+1:]
	var known []string
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) && f.Name != name {
			return fault.Newf(fault.InvalidArgument, "%s: there is no such %s", Quoted(path), what).WithFix("names are case-sensitive: write " + f.Name)
		}
		known = append(known, f.Name)
		if f.Also != "" {
			known = append(known, f.Also)
		}
	}
	fix := "leave it out; there are " + strings.Join(known, ", ")
	if len(known) == 0 {
		fix = "leave it out; there are none"
	}
	return fault.Newf(fault.InvalidArgument, "%s: there is no such %s", Quoted(path), what).WithFix(fix)
}

// Quoted returns a foreign name in a form that is safe to show: unchanged if it is short and
// plain, otherwise cut and in quotes.
func Quoted(s string) string {
	const most = 80
	cut := len(s) > most
	if cut {
		for s = s[:most]; !utf8.ValidString(s); {
			s = s[:len(s)-1]
		}
	}
	if q := strconv.QuoteToASCII(s); q[1:len(q)-1] != s || s == "" || strings.Contains(s, " ") {
		s = q
	}
	if cut {
		s += "…"
	}
	return s
}

// absent sets the default of a field that was not given, or refuses the request if the field is
// required.
func (f *Field) absent(v reflect.Value, given bool, path string) error {
	switch {
	case given:
		return nil
	case f.usual != "":
		if err := json.Unmarshal([]byte(f.usual), v.Addr().Interface()); err != nil {
			return fault.Newf(fault.Internal, "%s%s: its default: %w", path, f.Name, err)
		}
	case f.Required:
		what := "give " + f.allowed()
		if f.Doc != "" {
			what += ": " + f.Doc
		}
		return fault.Newf(fault.InvalidArgument, "%s%s: it is missing", path, f.Name).WithFix(what)
	}
	return nil
}

// member decodes the member of an object for a field, if it is there.
func (f *Field) member(v reflect.Value, doc *canon.Doc, n canon.Node, path string) (given bool, err error) {
	if n == canon.None {
		return false, nil
	}
	at, name := doc.Member(n, f.Name), f.Name
	if f.Also != "" {
		if other := doc.Member(n, f.Also); other != canon.None {
			if at != canon.None {
				return true, f.twice(path)
			}
			at, name = other, f.Also
		}
	}
	if at == canon.None {
		return false, nil
	}
	return true, f.set(v, doc, at, path+name)
}

// twice is the error for a field that is given by both of its names.
func (f *Field) twice(path string) error {
	return fault.Newf(fault.InvalidArgument, "%s%s, %s%s: they are two names of one field, and both are given", path, f.Name, path, f.Also).WithFix("give one of them")
}

// set decodes a JSON value into a field.
func (f *Field) set(v reflect.Value, doc *canon.Doc, n canon.Node, path string) error {
	if v.Type() == rawJSON {
		if f.object && doc.Kind(n) != canon.Object {
			return wrongType(path, doc, n, "an object")
		}
		v.SetBytes(slices.Clone(doc.Raw(n)))
		return nil
	}
	if _, own := v.Addr().Interface().(encoding.TextUnmarshaler); own || v.Type() == hmxTime {
		if doc.Kind(n) != canon.String {
			return wrongType(path, doc, n, f.allowed())
		}
		return f.text(v, doc.Text(n), path)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return f.set(v.Elem(), doc, n, path)
	case reflect.Slice:
		return f.list(v, doc, n, path)
	case reflect.Map:
		return f.table(v, doc, n, path)
	case reflect.Struct:
		return shapeOf(v.Type()).fill(v, doc, n, path+".")
	case reflect.String:
		if doc.Kind(n) != canon.String {
			return wrongType(path, doc, n, f.allowed())
		}
		return f.text(v, doc.Text(n), path)
	case reflect.Bool:
		if k := doc.Kind(n); k != canon.True && k != canon.False {
			return wrongType(path, doc, n, "true or false")
		}
		v.SetBool(doc.Kind(n) == canon.True)
		return nil
	}
	if doc.Kind(n) != canon.Number {
		return wrongType(path, doc, n, f.allowed())
	}
	if v.CanFloat() {
		return f.number(v, doc.Float(n), path)
	}
	x, ok := doc.Int(n)
	if !ok {
		return wrongType(path, doc, n, f.allowed())
	}
	return f.integer(v, x, path)
}

// list decodes an array.
func (f *Field) list(v reflect.Value, doc *canon.Doc, n canon.Node, path string) error {
	if doc.Kind(n) != canon.Array {
		return wrongType(path, doc, n, "an array")
	}
	v.Set(reflect.MakeSlice(v.Type(), doc.Len(n), doc.Len(n)))
	i := 0
	for c := doc.First(n); c != canon.None; c = doc.Next(n, c) {
		if err := f.set(v.Index(i), doc, c, path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
		i++
	}
	return nil
}

// table decodes an object with names chosen by the caller.
func (f *Field) table(v reflect.Value, doc *canon.Doc, n canon.Node, path string) error {
	if doc.Kind(n) != canon.Object {
		return wrongType(path, doc, n, "an object")
	}
	v.Set(reflect.MakeMap(v.Type()))
	for c := doc.First(n); c != canon.None; c = doc.Next(n, c) {
		name := string(doc.Key(c))
		x := reflect.New(v.Type().Elem()).Elem()
		if err := (&Field{typ: x.Type()}).set(x, doc, c, path+"."+Quoted(name)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), x)
	}
	return nil
}

// parameter decodes a path segment or a query parameter, if it is there.
func (f *Field) parameter(v reflect.Value, path, query func(string) (string, bool)) (given bool, err error) {
	look := path
	if f.Place == InQuery {
		look = query
	}
	if look == nil {
		return false, nil
	}
	text, ok := look(f.Name)
	if f.Also != "" {
		other, given := look(f.Also)
		switch {
		case given && ok:
			return true, f.twice("")
		case given:
			text, ok = other, true
		}
	}
	if !ok {
		return false, nil
	}
	if !utf8.ValidString(text) {
		return true, fault.Newf(fault.InvalidArgument, "%s: it is not UTF-8", f.Name).WithFix("percent-encode the bytes of UTF-8")
	}
	return true, f.plain(v, text)
}

// plain decodes a parameter, which is always text. A list has commas between its items.
func (f *Field) plain(v reflect.Value, text string) error {
	if _, own := v.Addr().Interface().(encoding.TextUnmarshaler); own || v.Type() == hmxTime || v.Kind() == reflect.String {
		return f.text(v, text, f.Name)
	}
	wrong := fault.Newf(fault.InvalidArgument, "%s: %s is not %s", f.Name, Quoted(text), f.allowed()).WithFix("give " + f.allowed())
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return f.plain(v.Elem(), text)
	case reflect.Slice:
		for part := range strings.SplitSeq(text, ",") {
			x := reflect.New(v.Type().Elem()).Elem()
			if err := f.plain(x, part); err != nil {
				return err
			}
			v.Set(reflect.Append(v, x))
		}
		return nil
	case reflect.Bool:
		switch text {
		case "true", "false":
			v.SetBool(text == "true")
			return nil
		}
		return wrong
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return wrong
		}
		return f.number(v, x, f.Name)
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strings.HasPrefix(text, "+") {
		return wrong
	}
	return f.integer(v, x, f.Name)
}

// text decodes a string.
func (f *Field) text(v reflect.Value, text, path string) error {
	if len(f.enum) > 0 && !slices.Contains(f.enum, text) {
		return fault.Newf(fault.InvalidArgument, "%s: %s is not one of %s", path, Quoted(text), strings.Join(f.enum, ", ")).WithFix("give one of them, as it is written there")
	}
	if v.Type() == hmxTime {
		t, err := hmx.ParseTime(text)
		if err != nil {
			return fault.Newf(fault.InvalidArgument, "%s: %s is not a time", path, Quoted(text)).WithCause(err).WithFix("write it in RFC 3339, such as 2026-03-14T03:00:00Z")
		}
		v.Set(reflect.ValueOf(t))
		return nil
	}
	if own, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := own.UnmarshalText([]byte(text)); err != nil {
			e := fault.From(err)
			return fault.Newf(fault.InvalidArgument, "%s: %s", path, strings.TrimPrefix(e.Error(), "uri: ")).WithCause(err).WithFix(e.Advice())
		}
		return nil
	}
	v.SetString(text)
	return nil
}

// number decodes a number.
func (f *Field) number(v reflect.Value, x float64, path string) error {
	if f.min != nil && x < *f.min || f.max != nil && x > *f.max {
		return fault.Newf(fault.InvalidArgument, "%s: %v is not %s", path, x, f.allowed()).WithFix("give " + f.allowed())
	}
	v.SetFloat(x)
	return nil
}

// integer decodes an integer.
func (f *Field) integer(v reflect.Value, x int64, path string) error {
	wrong := f.min != nil && float64(x) < *f.min || f.max != nil && float64(x) > *f.max
	if v.CanUint() {
		if wrong = wrong || x < 0 || v.OverflowUint(uint64(x)); !wrong {
			v.SetUint(uint64(x))
		}
	} else if wrong = wrong || v.OverflowInt(x); !wrong {
		v.SetInt(x)
	}
	if wrong {
		return fault.Newf(fault.InvalidArgument, "%s: %d is not %s", path, x, f.allowed()).WithFix("give " + f.allowed())
	}
	return nil
}

// allowed describes the values of a field in words.
func (f *Field) allowed() string {
	t := bare(f.typ)
	switch {
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case t == hmxTime:
		return "a time in RFC 3339"
	case f.object:
		return "an object"
	case t.Kind() == reflect.String || reflect.PointerTo(t).Implements(textReads):
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return "an object"
	}
	text := "a whole number"
	if t.Kind() == reflect.Float64 {
		text = "a number"
	}
	switch {
	case f.min != nil && f.max != nil:
		return text + " from " + plainly(*f.min) + " to " + plainly(*f.max)
	case f.min != nil:
		return text + " from " + plainly(*f.min) + " on"
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		return text + " from 0 on"
	}
	return text
}

func plainly(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// oneOf returns a word with its article.
func oneOf(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

// wrongType is the error for a value of the wrong type.
func wrongType(path string, doc *canon.Doc, n canon.Node, want string) error {
	found := oneOf(doc.Kind(n).String())
	if k := doc.Kind(n); k == canon.Number || k == canon.True || k == canon.False {
		found = Quoted(string(doc.Raw(n)))
	}
	if k := doc.Kind(n); k == canon.Null {
		return fault.Newf(fault.InvalidArgument, "%s: null is not %s", path, want).WithFix("give " + want + ", or leave it out")
	}
	return fault.Newf(fault.InvalidArgument, "%s: it is %s, but must be %s", path, found, want).WithFix("give " + want)
}
