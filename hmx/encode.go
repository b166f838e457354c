package hmx

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

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

// within adds the name of a member or item to the path of err.
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

// encode appends v as compact JSON. Unlike encoding/json it refuses invalid UTF-8 instead of
// replacing it, writes numbers in as few bytes as possible and escapes only what must be
// escaped. An error is an *EncodeError that names the field.
func encode(dst []byte, v any) ([]byte, error) {
	return encoder{}.encode(dst, v)
}

// encodeCanonical appends v directly in canonical form: the same as [canonical] of encode.
func encodeCanonical(dst []byte, v any) ([]byte, error) {
	return encoder{canonical: true}.encode(dst, v)
}

// canonical returns the canonical form of an encoding.
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
	optType   = reflect.TypeFor[interface{ content() (any, bool) }]()
)

// Indexes of the fields of Time and Opt.
const (
	timeText = 0
	optValue = 0
	optSet   = 1
)

// encoder writes values as JSON.
type encoder struct {
	canonical bool
}

func (e encoder) encode(dst []byte, v any) ([]byte, error) {
	out, err := e.value(dst, reflect.ValueOf(v))
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (e encoder) value(dst []byte, v reflect.Value) ([]byte, error) {
	// No value is converted to an interface, which would allocate.
	switch v.Kind() {
	case reflect.String:
		if v.Type() == rawType {
			return e.raw(dst, Raw(v.String()))
		}
		return appendText(dst, v.String())
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Int, reflect.Int64:
		return e.integer(dst, v.Int()), nil
	case reflect.Float64:
		return e.float(dst, v.Float())
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return e.value(dst, v.Elem())
	case reflect.Slice:
		return e.slice(dst, v)
	case reflect.Map:
		return e.mapping(dst, v)
	case reflect.Struct:
		if v.Type() == timeType {
			return appendText(dst, v.Field(timeText).String())
		}
		return e.planned(dst, v, planOf(v.Type()))
	}
	panic("hmx: no JSON form for " + v.Type().String()) // a bug in a type of this package
}

// planned is value for a struct with a known plan, which a Time does not have.
func (e encoder) planned(dst []byte, v reflect.Value, p *plan) ([]byte, error) {
	switch {
	case !p.opt:
		return e.structure(dst, v, p)
	case !v.Field(optSet).Bool():
		return append(dst, "null"...), nil
	}
	return e.value(dst, v.Field(optValue))
}

// integer appends an integer, in canonical form as a double.
func (e encoder) integer(dst []byte, n int64) []byte {
	const exact = 1 << 53
	if e.canonical && (n > exact || n < -exact) {
		return canon.AppendNumber(dst, float64(n))
	}
	return strconv.AppendInt(dst, n, 10)
}

func (e encoder) float(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, notFinite(f)
	}
	if e.canonical {
		return canon.AppendNumber(dst, f), nil
	}
	return canon.AppendShortest(dst, f), nil
}

func appendText(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, &EncodeError{Rule: "HMX-JSON/utf8", Detail: strconv.Quote(s[:min(len(s), 40)]) + " is not valid UTF-8"}
	}
	return canon.AppendQuoted(dst, s), nil
}

// raw appends r without white space between its tokens. It parses r again, so that no Raw can
// break a line or a document.
func (e encoder) raw(dst []byte, r Raw) ([]byte, error) {
	if r == "" {
		return append(dst, "{}"...), nil
	}
	if plain(r) {
		return append(dst, r...), nil
	}
	d := borrow()
	defer d.giveBack()
	d.buf = append(d.buf[:0], r...)
	if flaws := d.doc.Parse(d.buf); flaws != nil {
		f := flaws[0]
		return nil, &EncodeError{f.Pointer, jsonRule(f.Code), "raw JSON with " + f.Found + "; allowed: " + f.Allowed}
	}
	if e.canonical {
		return d.doc.AppendCanonical(dst, d.doc.Root()), nil
	}
	return d.doc.AppendCompact(dst, d.doc.Root()), nil
}

// maxPlain is the maximum length of a Raw that is checked byte by byte.
const maxPlain = 256

// plain reports whether r is short and equals its encoding in either form: an ASCII string
// without escapes, a number of a few digits without a sign or an exponent, or an object of such
// numbers with sorted names.
func plain(r Raw) bool {
	if len(r) > maxPlain {
		return false
	}
	if r[0] == '{' {
		return plainObject(r)
	}
	if r[0] == '"' {
		return plainText(r) == len(r)
	}
	return plainNumber(r) == len(r)
}

// plainObject is plain for an object.
func plainObject(r Raw) bool {
	last := Raw("")
	for first := true; ; first = false {
		r = r[1:] // the brace or a comma
		n := plainText(r)
		if n == 0 || n == len(r) || r[n] != ':' || !first && r[:n-1] <= last {
			return false
		}
		last, r = r[:n-1], r[n+1:]
		if n = plainNumber(r); n == 0 || n == len(r) {
			return false
		}
		if r = r[n:]; r[0] != ',' {
			return r == "}"
		}
	}
}

// plainText returns the length of the ASCII string without escapes at the beginning of r; 0 if
// there is none.
func plainText(r Raw) int {
	if r == "" || r[0] != '"' {
		return 0
	}
	for i := 1; i < len(r); i++ {
		switch c := r[i]; {
		case c == '"':
			return i + 1
		case c < ' ' || c > '~' || c == '\\':
			return 0
		}
	}
	return 0
}

// plainNumber returns the length of the number at the beginning of r, with at most 15 digits,
// none redundant, and at most 6 decimals; 0 if there is none.
func plainNumber(r Raw) int {
	whole := digits(r)
	if whole == 0 || whole > 1 && r[0] == '0' || whole > 15 {
		return 0
	}
	if whole == len(r) || r[whole] != '.' {
		return whole
	}
	part := digits(r[whole+1:])
	n := whole + 1 + part
	if part == 0 || part > 6 || whole+part > 15 || r[n-1] == '0' {
		return 0
	}
	return n
}

// digits returns the number of leading digits of r.
func digits(r Raw) int {
	n := 0
	for n < len(r) && r[n] >= '0' && r[n] <= '9' {
		n++
	}
	return n
}

// manyObjects is how many objects of a list justify another goroutine.
const manyObjects = 64

func (e encoder) slice(dst []byte, v reflect.Value) ([]byte, error) {
	n := v.Len()
	dst = append(dst, '[')
	if n < manyObjects || v.Type().Elem().Kind() != reflect.Struct || runtime.GOMAXPROCS(0) == 1 {
		dst, err := e.items(dst, v, 0, n)
		return append(dst, ']'), err
	}
	type part struct {
		data []byte
		err  error
	}
	rest, room := make(chan part, 1), itemRooms.Get().(*[]byte)
	go func() {
		data, err := e.items((*room)[:0], v, n/2, n)
		rest <- part{data, err}
	}()
	dst, err := e.items(dst, v, 0, n/2)
	other := <-rest
	dst = append(append(dst, other.data...), ']')
	if err == nil {
		err = other.err
	}
	if err == nil {
		*room = other.data
	}
	itemRooms.Put(room)
	return dst, err
}

// itemRooms holds buffers for items that are written concurrently.
var itemRooms = sync.Pool{New: func() any { return new([]byte) }}

// items appends some of the items of a list.
func (e encoder) items(dst []byte, v reflect.Value, from, to int) ([]byte, error) {
	for i := from; i < to; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.value(dst, v.Index(i)); err != nil {
			return nil, within(strconv.Itoa(i), err)
		}
	}
	return dst, nil
}

// sort sorts names in the order in which they are written.
func (e encoder) sort(names []string) {
	if e.canonical {
		slices.SortFunc(names, compareNames)
		return
	}
	slices.Sort(names)
}

func (e encoder) mapping(dst []byte, v reflect.Value) ([]byte, error) {
	names := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		names = append(names, k.String())
	}
	e.sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.member(dst, name, v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (e encoder) member(dst []byte, name string, v reflect.Value) ([]byte, error) {
	dst, err := appendText(dst, name)
	if err != nil {
		return nil, err
	}
	dst, err = e.value(append(dst, ':'), v)
	if err != nil {
		return nil, within(name, err)
	}
	return dst, nil
}

// absent reports whether an optional field is left out: an Opt that is not set, whatever its
// value, or the zero value of another type.
func (f *planField) absent(v reflect.Value) bool {
	switch {
	case v.Kind() != reflect.Struct:
	case f.plan == nil:
		return v.Field(timeText).Len() == 0
	case f.plan.opt:
		return !v.Field(optSet).Bool()
	}
	return v.IsZero()
}

func (e encoder) structure(dst []byte, v reflect.Value, p *plan) (_ []byte, err error) {
	fields, extra, names := p.fields, Extra(nil), []string(nil)
	if e.canonical {
		fields = p.sorted
	}
	if p.extra >= 0 {
		extra = v.Field(p.extra).Interface().(Extra)
		var room [8]string
		names = e.others(room[:0], v, p, extra)
	}
	dst = append(dst, '{')
	for i := range fields {
		f := &fields[i]
		fv := v.Field(f.index)
		if f.absent(fv) {
			if _, instead := extra[f.name]; f.omitZero || instead {
				continue // left out, or of a kind that the field cannot hold
			}
		}
		for e.canonical && len(names) > 0 && compareNames(names[0], f.name) < 0 {
			if dst, err = e.other(comma(dst), names[0], extra); err != nil {
				return nil, err
			}
			names = names[1:]
		}
		dst = append(comma(dst), f.quoted...)
		if f.plan != nil {
			dst, err = e.planned(dst, fv, f.plan)
		} else {
			dst, err = e.value(dst, fv)
		}
		if err != nil {
			return nil, within(f.name, err)
		}
	}
	for _, name := range names {
		if dst, err = e.other(comma(dst), name, extra); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// other appends a member without a field.
func (e encoder) other(dst []byte, name string, extra Extra) ([]byte, error) {
	dst, err := appendText(dst, name)
	if err != nil {
		return nil, err
	}
	if dst, err = e.raw(append(dst, ':'), extra[name]); err != nil {
		return nil, within(name, err)
	}
	return dst, nil
}

// others returns the names of the members without a field that is written, in the order in
// which they are written.
func (e encoder) others(names []string, v reflect.Value, p *plan, extra Extra) []string {
	for name := range extra {
		if !p.says(v, name) {
			names = append(names, name)
		}
	}
	e.sort(names)
	return names
}

// compareNames compares names of members as the canonical form orders them.
func compareNames(a, b string) int { return canon.CompareUTF16([]byte(a), []byte(b)) }

// says reports whether a field writes the member with a name.
func (p *plan) says(v reflect.Value, name string) bool {
	i, known := p.byName[name]
	return known && !p.fields[i].absent(v.Field(p.fields[i].index))
}

// comma appends a comma if a member precedes.
func comma(dst []byte) []byte {
	if dst[len(dst)-1] == '{' {
		return dst
	}
	return append(dst, ',')
}
