// Package jsonform writes Go structs as JSON and fills them from JSON, by the tags of their fields.
//
// # What is guaranteed
//
//   - Names are exact and case-sensitive, unlike those of encoding/json. Members without a field
//     are kept, if the struct has a map for them, and written back.
//   - Fields are written in the order of their declaration, or in canonical order (RFC 8785). The
//     canonical form equals that of the compact one.
//   - A value without a JSON form (text that is not UTF-8, a number that is not finite, raw JSON
//     that is not strict) is refused, with its place.
//   - A raw value is parsed again when it is written, so that it cannot break a document.
//
// The package knows no protocol: which types are raw values, times, options and maps of other
// members is given to [New]. What documents must contain is not its concern.
package jsonform

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/canon"
)

// Form is the JSON form of structs: R is raw JSON, E holds members without a field, and T is a time,
// whose first field is its text. It is safe for concurrent use.
type Form[R ~string, E ~map[string]R, T any] struct {
	raw, extra, time reflect.Type
	parseTime        func(string) (T, error)
	isOpt            func(reflect.Type) bool
	plans            sync.Map // reflect.Type → *plan
}

// New returns a form. isOpt says which types are options: structs of a value and of whether it is
// set.
func New[R ~string, E ~map[string]R, T any](parseTime func(string) (T, error), isOpt func(reflect.Type) bool) *Form[R, E, T] {
	return &Form[R, E, T]{
		raw: reflect.TypeFor[R](), extra: reflect.TypeFor[E](), time: reflect.TypeFor[T](),
		parseTime: parseTime, isOpt: isOpt,
	}
}

// plan is how a struct maps to JSON.
type plan struct {
	fields []planField // in declaration order
	sorted []planField // in canonical order
	byName map[string]int
	extra  int // index of the field for other members, or -1
	opt    bool
}

type planField struct {
	name     string
	quoted   string // the name as JSON, with a colon
	index    int
	omitZero bool
	plan     *plan // of a struct; nil for others, and for a time
}

func (f *Form[R, E, T]) planOf(t reflect.Type) *plan {
	if p, ok := f.plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{extra: -1, byName: map[string]int{}, opt: f.isOpt(t)}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Type == f.extra {
			p.extra = i
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		p.byName[name] = len(p.fields)
		quoted := string(canon.AppendQuoted(nil, name)) + ":"
		planned := planField{name: name, quoted: quoted, index: i, omitZero: options == "omitzero"}
		if field.Type.Kind() == reflect.Struct && field.Type != f.time {
			planned.plan = f.planOf(field.Type)
		}
		p.fields = append(p.fields, planned)
	}
	p.sorted = slices.Clone(p.fields)
	slices.SortFunc(p.sorted, func(a, b planField) int { return compareNames(a.name, b.name) })
	actual, _ := f.plans.LoadOrStore(t, p)
	return actual.(*plan)
}
