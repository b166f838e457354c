package hmx

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/canon"
)

// binder fills Go values from a checked document by the exact, case-sensitive names in their
// json tags, which encoding/json does not do.
//
// It is lenient: a value of the wrong kind leaves its field unset and goes to Extra if there is
// one, because typed views are also made of content without rules.
type binder struct {
	doc  *canon.Doc
	text string
}

// optional is the interface of *Opt[T] for the binder.
type optional interface {
	slot() any
	fill()
}

// plan is how a struct maps to JSON.
type plan struct {
	fields []planField // in declaration order
	sorted []planField // in canonical order
	byName map[string]int
	extra  int // index of the Extra field, or -1
	opt    bool
}

type planField struct {
	name     string
	quoted   string // the name as JSON, with a colon
	index    int
	omitZero bool
	plan     *plan // of a struct; nil for others, and for a Time
}

var plans sync.Map // reflect.Type → *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{extra: -1, byName: map[string]int{}, opt: t.Implements(optType)}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == extraType {
			p.extra = i
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		p.byName[name] = len(p.fields)
		quoted := string(canon.AppendQuoted(nil, name)) + ":"
		field := planField{name: name, quoted: quoted, index: i, omitZero: options == "omitzero"}
		if f.Type.Kind() == reflect.Struct && f.Type != timeType {
			field.plan = planOf(f.Type)
		}
		p.fields = append(p.fields, field)
	}
	p.sorted = slices.Clone(p.fields)
	slices.SortFunc(p.sorted, func(a, b planField) int { return compareNames(a.name, b.name) })
	actual, _ := plans.LoadOrStore(t, p)
	return actual.(*plan)
}

// value fills v from n and reports whether n had the right kind.
func (b *binder) value(v reflect.Value, n canon.Node) bool {
	kind := b.doc.Kind(n)
	switch v.Type() {
	case rawType:
		start, end := b.doc.Span(n)
		v.SetString(b.text[start:end])
		return true
	case timeType:
		if kind != canon.String {
			return false
		}
		t, err := ParseTime(b.doc.StringOf(b.text, n))
		v.Set(reflect.ValueOf(t))
		return err == nil
	}
	if o, ok := v.Addr().Interface().(optional); ok {
		if !b.value(reflect.ValueOf(o.slot()).Elem(), n) {
			return false
		}
		o.fill()
		return true
	}
	switch v.Kind() {
	case reflect.String:
		if kind == canon.String {
			v.SetString(b.doc.StringOf(b.text, n))
		}
		return kind == canon.String
	case reflect.Bool:
		v.SetBool(kind == canon.True)
		return kind == canon.True || kind == canon.False
	case reflect.Int, reflect.Int64:
		if kind != canon.Number {
			return false
		}
		i, ok := b.doc.Int(n)
		v.SetInt(i)
		return ok
	case reflect.Float64:
		if kind == canon.Number {
			v.SetFloat(b.doc.Float(n))
		}
		return kind == canon.Number
	case reflect.Pointer:
		if kind == canon.Null {
			return true
		}
		v.Set(reflect.New(v.Type().Elem()))
		return b.value(v.Elem(), n)
	case reflect.Slice:
		return kind == canon.Array && b.slice(v, n)
	case reflect.Map:
		return kind == canon.Object && b.mapping(v, n)
	case reflect.Struct:
		return kind == canon.Object && b.record(v, n)
	}
	return false
}

func (b *binder) slice(v reflect.Value, n canon.Node) bool {
	size := b.doc.Len(n)
	list := reflect.MakeSlice(v.Type(), size, size)
	i := 0
	for c := b.doc.First(n); c != canon.None; c = b.doc.Next(n, c) {
		if !b.value(list.Index(i), c) {
			return false
		}
		i++
	}
	v.Set(list)
	return true
}

func (b *binder) mapping(v reflect.Value, n canon.Node) bool {
	m := reflect.MakeMap(v.Type())
	for c := b.doc.First(n); c != canon.None; c = b.doc.Next(n, c) {
		item := reflect.New(v.Type().Elem()).Elem()
		if !b.value(item, c) {
			return false
		}
		m.SetMapIndex(reflect.ValueOf(string(b.doc.Key(c))).Convert(v.Type().Key()), item)
	}
	v.Set(m)
	return true
}

func (b *binder) record(v reflect.Value, n canon.Node) bool {
	p := planOf(v.Type())
	for c := b.doc.First(n); c != canon.None; c = b.doc.Next(n, c) {
		name := b.doc.Key(c)
		if i, known := p.byName[string(name)]; known {
			f := p.fields[i]
			field := v.Field(f.index)
			switch {
			case !b.value(field, c):
				field.SetZero()
			case !f.omitZero || !f.absent(field):
				continue
			}
			// A value of the wrong kind, or one that equals its absence ("text": ""): Extra
			// records that it was there.
		}
		if p.extra < 0 {
			continue
		}
		extra := v.Field(p.extra)
		if extra.IsNil() {
			extra.Set(reflect.ValueOf(Extra{}))
		}
		start, end := b.doc.Span(c)
		extra.Interface().(Extra)[string(name)] = Raw(b.text[start:end])
	}
	return true
}

// bind fills *v, a struct, from text, which must be strict JSON. The strings of *v share memory
// with text where possible.
func bind(text string, v any) error {
	d := borrow()
	defer d.giveBack()
	d.buf = append(d.buf[:0], text...)
	if flaws := d.doc.Parse(d.buf); flaws != nil {
		return &canon.Error{Flaws: flaws}
	}
	b := binder{&d.doc, text}
	if !b.value(reflect.ValueOf(v).Elem(), d.doc.Root()) {
		return errNotObject
	}
	return nil
}

// view decodes raw into a typed view. If raw is not a strict JSON object, it returns the zero
// view and an error.
func view[T any](raw Raw) (T, error) {
	var out T
	if raw == "" {
		return out, nil
	}
	err := bind(string(raw), &out)
	return out, err
}
