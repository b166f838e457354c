package jsonform

import (
	"errors"
	"reflect"
	"sync"

	"lukasa.dev/internal/canon"
)

// Bind fills *v, a struct, from a parsed document and its text, by exact, case-sensitive names,
// which encoding/json does not do. It reports whether the document is an object. The strings of
// *v share memory with text where possible.
//
// It is lenient: a value of the wrong kind leaves its field unset and goes to the other members if
// the struct keeps them, because typed views are also made of content without rules.
func (f *Form[R, E, T]) Bind(doc *canon.Doc, text string, v any) bool {
	b := binder[R, E, T]{f, doc, text}
	return b.value(reflect.ValueOf(v).Elem(), doc.Root())
}

var errNotObject = errors.New("not a JSON object")

// Decode is Bind for a text, which must be strict JSON.
func (f *Form[R, E, T]) Decode(text string, v any) error {
	d := borrow()
	defer d.giveBack()
	d.buf = append(d.buf[:0], text...)
	if flaws := d.doc.Parse(d.buf); flaws != nil {
		return &canon.Error{Flaws: flaws}
	}
	if !f.Bind(&d.doc, text, v) {
		return errNotObject
	}
	return nil
}

// scratch is the working memory of one parse. It is reused.
type scratch struct {
	doc canon.Doc
	buf []byte
}

// keepBytes is the largest scratch that is kept for reuse.
const keepBytes = 1 << 20

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func borrow() *scratch { return scratches.Get().(*scratch) }

func (d *scratch) giveBack() {
	if d.doc.Footprint()+cap(d.buf) <= keepBytes {
		d.doc.Reset()
		scratches.Put(d)
	}
}

// binder fills Go values from a document.
type binder[R ~string, E ~map[string]R, T any] struct {
	form *Form[R, E, T]
	doc  *canon.Doc
	text string
}

// value fills v from n and reports whether n had the right kind.
func (b *binder[R, E, T]) value(v reflect.Value, n canon.Node) bool {
	kind := b.doc.Kind(n)
	switch v.Type() {
	case b.form.raw:
		start, end := b.doc.Span(n)
		v.SetString(b.text[start:end])
		return true
	case b.form.time:
		if kind != canon.String {
			return false
		}
		t, err := b.form.parseTime(b.doc.StringOf(b.text, n))
		v.Set(reflect.ValueOf(t))
		return err == nil
	}
	if v.Kind() == reflect.Struct && b.form.planOf(v.Type()).opt {
		if !b.value(v.Field(optValue), n) {
			return false
		}
		v.Field(optSet).SetBool(true)
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

func (b *binder[R, E, T]) slice(v reflect.Value, n canon.Node) bool {
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

func (b *binder[R, E, T]) mapping(v reflect.Value, n canon.Node) bool {
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

func (b *binder[R, E, T]) record(v reflect.Value, n canon.Node) bool {
	p := b.form.planOf(v.Type())
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
			// A value of the wrong kind, or one that equals its absence ("text": ""): the others
			// record that it was there.
		}
		if p.extra < 0 {
			continue
		}
		extra := v.Field(p.extra)
		if extra.IsNil() {
			extra.Set(reflect.ValueOf(E{}))
		}
		start, end := b.doc.Span(c)
		extra.Interface().(E)[string(name)] = R(b.text[start:end])
	}
	return true
}
