package jsonform

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

// Error says that a Go value has no JSON form.
type Error struct {
	Pointer string         // JSON Pointer of the value
	Code    canon.FlawCode // the broken rule of strict JSON
	Detail  string
}

func (e *Error) Error() string { return e.Pointer + ": " + e.Detail + " (" + string(e.Code) + ")" }

// Within adds the name of a member or item to the path of an *Error.
func Within(name string, err error) error {
	if e, ok := err.(*Error); ok {
		token := canon.AppendPointerToken([]byte("/"), []byte(name))
		return &Error{string(token) + e.Pointer, e.Code, e.Detail}
	}
	return err
}

// Append appends v as compact JSON. Unlike encoding/json it refuses invalid UTF-8 instead of
// replacing it, writes numbers in as few bytes as possible and escapes only what must be
// escaped. An error is an *Error that names the field; dst is returned as it was.
func (f *Form[R, E, T]) Append(dst []byte, v any) ([]byte, error) {
	return encoder[R, E, T]{form: f}.encode(dst, v)
}

// AppendCanonical appends v in the canonical form of RFC 8785.
func (f *Form[R, E, T]) AppendCanonical(dst []byte, v any) ([]byte, error) {
	return encoder[R, E, T]{form: f, canonical: true}.encode(dst, v)
}

// AppendRaw appends a raw value without white space between its tokens.
func (f *Form[R, E, T]) AppendRaw(dst []byte, r R) ([]byte, error) {
	return encoder[R, E, T]{form: f}.raw(dst, string(r))
}

// Indexes of the fields of a time and of an option.
const (
	timeText = 0
	optValue = 0
	optSet   = 1
)

// encoder writes values as JSON.
type encoder[R ~string, E ~map[string]R, T any] struct {
	form      *Form[R, E, T]
	canonical bool
}

func (e encoder[R, E, T]) encode(dst []byte, v any) ([]byte, error) {
	out, err := e.value(dst, reflect.ValueOf(v))
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (e encoder[R, E, T]) value(dst []byte, v reflect.Value) ([]byte, error) {
	// No value is converted to an interface, which would allocate.
	switch v.Kind() {
	case reflect.String:
		if v.Type() == e.form.raw {
			return e.raw(dst, v.String())
		}
		return AppendText(dst, v.String())
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
		if v.Type() == e.form.time {
			return AppendText(dst, v.Field(timeText).String())
		}
		return e.planned(dst, v, e.form.planOf(v.Type()))
	}
	panic("jsonform: no JSON form for " + v.Type().String()) // a bug in the type
}

// planned is value for a struct with a known plan, which a Time does not have.
func (e encoder[R, E, T]) planned(dst []byte, v reflect.Value, p *plan) ([]byte, error) {
	switch {
	case !p.opt:
		return e.structure(dst, v, p)
	case !v.Field(optSet).Bool():
		return append(dst, "null"...), nil
	}
	return e.value(dst, v.Field(optValue))
}

// integer appends an integer, in canonical form as a double.
func (e encoder[R, E, T]) integer(dst []byte, n int64) []byte {
	const exact = 1 << 53
	if e.canonical && (n > exact || n < -exact) {
		return canon.AppendNumber(dst, float64(n))
	}
	return strconv.AppendInt(dst, n, 10)
}

func (e encoder[R, E, T]) float(dst []byte, f float64) ([]byte, error) {
	if e.canonical && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return canon.AppendNumber(dst, f), nil
	}
	return AppendNumber(dst, f)
}

// AppendNumber appends a number in as few digits as possible.
func AppendNumber(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, &Error{Code: canon.FlawNumber, Detail: fmt.Sprint(f) + " is not a finite number"}
	}
	return canon.AppendShortest(dst, f), nil
}

// AppendText appends a string.
func AppendText(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, &Error{Code: canon.FlawUTF8, Detail: strconv.Quote(s[:min(len(s), 40)]) + " is not valid UTF-8"}
	}
	return canon.AppendQuoted(dst, s), nil
}

// raw appends r without white space between its tokens. It parses r again, so that no Raw can
// break a line or a document.
func (e encoder[R, E, T]) raw(dst []byte, r string) ([]byte, error) {
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
		return nil, &Error{f.Pointer, f.Code, "raw JSON with " + f.Found + "; allowed: " + f.Allowed}
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
func plain(r string) bool {
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
func plainObject(r string) bool {
	last := ""
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
func plainText(r string) int {
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
func plainNumber(r string) int {
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
func digits(r string) int {
	n := 0
	for n < len(r) && r[n] >= '0' && r[n] <= '9' {
		n++
	}
	return n
}

// manyObjects is how many objects of a list justify another goroutine.
const manyObjects = 64

func (e encoder[R, E, T]) slice(dst []byte, v reflect.Value) ([]byte, error) {
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
func (e encoder[R, E, T]) items(dst []byte, v reflect.Value, from, to int) ([]byte, error) {
	for i := from; i < to; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.value(dst, v.Index(i)); err != nil {
			return nil, Within(strconv.Itoa(i), err)
		}
	}
	return dst, nil
}

// sort sorts names in the order in which they are written.
func (e encoder[R, E, T]) sort(names []string) {
	if e.canonical {
		slices.SortFunc(names, compareNames)
		return
	}
	slices.Sort(names)
}

func (e encoder[R, E, T]) mapping(dst []byte, v reflect.Value) ([]byte, error) {
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

func (e encoder[R, E, T]) member(dst []byte, name string, v reflect.Value) ([]byte, error) {
	dst, err := AppendText(dst, name)
	if err != nil {
		return nil, err
	}
	dst, err = e.value(append(dst, ':'), v)
	if err != nil {
		return nil, Within(name, err)
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

func (e encoder[R, E, T]) structure(dst []byte, v reflect.Value, p *plan) (_ []byte, err error) {
	fields, extra, names := p.fields, E(nil), []string(nil)
	if e.canonical {
		fields = p.sorted
	}
	if p.extra >= 0 {
		extra = v.Field(p.extra).Interface().(E)
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
			return nil, Within(f.name, err)
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
func (e encoder[R, E, T]) other(dst []byte, name string, extra E) ([]byte, error) {
	dst, err := AppendText(dst, name)
	if err != nil {
		return nil, err
	}
	if dst, err = e.raw(append(dst, ':'), string(extra[name])); err != nil {
		return nil, Within(name, err)
	}
	return dst, nil
}

// others returns the names of the members without a field that is written, in the order in
// which they are written.
func (e encoder[R, E, T]) others(names []string, v reflect.Value, p *plan, extra E) []string {
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
