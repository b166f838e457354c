package operation

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/block"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/find"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// Place is where a field of a request is in HTTP. In MCP all fields are members of one object.
type Place string

// The places.
const (
	InBody  Place = "body"     // a member of the body
	InPath  Place = "path"     // a part of the path
	InQuery Place = "query"    // a parameter of the query
	AsBody  Place = "document" // the body as a whole
)

// Field is one field of a request.
type Field struct {
	Name     string
	Place    Place
	Required bool
	Doc      string
	// Told is the description for agents if it differs from Doc, or empty.
	Told string
	// Also is an alternative name, or empty.
	Also string

	typ      reflect.Type
	index    []int
	enum     []string
	min, max *float64
	usual    string // the default as JSON, or empty
	object   bool   // its JSON is an object
}

// shape describes the struct type of a request or of a part of one.
type shape struct {
	fields []*Field
	raw    []int // the field that also keeps the whole body, or nil
}

// has reports whether name is one of the field's names.
func (f *Field) has(name string) bool { return f.Name == name || f.Also != "" && f.Also == name }

// named returns the field with a name.
func (s *shape) named(name string) *Field {
	for _, f := range s.fields {
		if f.has(name) {
			return f
		}
	}
	return nil
}

var shapes sync.Map // reflect.Type to *shape

// shapeOf returns the shape of a struct type, by its tags: json, path, query or body has the name; a query may add
// required after a comma; members of the body are required unless they are omitempty. also has an alternative name;
// told replaces doc for agents; doc, enum, min, max and usual describe the value. raw keeps the body.
func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{}
	s.add(t, nil)
	shapes.Store(t, s)
	return s
}

func (s *shape) add(t reflect.Type, at []int) {
	for i := range t.NumField() {
		x := t.Field(i)
		index := append(append([]int{}, at...), i)
		if x.Anonymous {
			s.add(x.Type, index)
			continue
		}
		if _, raw := x.Tag.Lookup("raw"); raw {
			s.raw = index
			continue
		}
		f := &Field{typ: x.Type, index: index, Doc: x.Tag.Get("doc"), Told: x.Tag.Get("told"), Also: x.Tag.Get("also"), usual: x.Tag.Get("usual"), min: number(x.Tag, "min"), max: number(x.Tag, "max")}
		for _, place := range []struct {
			tag string
			is  Place
		}{{"json", InBody}, {"path", InPath}, {"query", InQuery}, {"body", AsBody}} {
			tag, ok := x.Tag.Lookup(place.tag)
			if !ok {
				continue
			}
			name, option, _ := strings.Cut(tag, ",")
			f.Name, f.Place = name, place.is
			switch place.is {
			case InBody:
				f.Required = option != "omitempty"
			case InQuery:
				f.Required = option == "required"
			default:
				f.Required = true
			}
		}
		f.object = f.Place == AsBody || x.Tag.Get("type") == "object"
		if list := x.Tag.Get("enum"); list != "" {
			f.enum = strings.Split(list, ",")
		} else {
			f.enum = words(bare(x.Type))
		}
		s.fields = append(s.fields, f)
	}
}

// bare returns the element type of a pointer or a list.
func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t != rawJSON {
		t = t.Elem()
	}
	return t
}

func number(tag reflect.StructTag, name string) *float64 {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &x
}

var (
	rawJSON   = reflect.TypeFor[json.RawMessage]()
	hmxTime   = reflect.TypeFor[hmx.Time]()
	textReads = reflect.TypeFor[encoding.TextUnmarshaler]()
	textSays  = reflect.TypeFor[encoding.TextMarshaler]()
	jsonSays  = reflect.TypeFor[json.Marshaler]()
)

// words returns the values of an enumerated type, and nothing for others.
func words(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[memory.Type]():
		return names(memory.Types())
	case reflect.TypeFor[memory.Verb]():
		return names(memory.Verbs())
	case reflect.TypeFor[memory.ObjectKind]():
		return names(memory.ObjectKinds())
	case reflect.TypeFor[memory.Form]():
		return names(memory.FormList())
	case reflect.TypeFor[memory.Visibility]():
		return names(memory.Visibilities())
	case reflect.TypeFor[memory.Outcome]():
		return names(memory.FeedbackOutcomes())
	case reflect.TypeFor[memory.ConflictStatus]():
		return names(memory.ConflictStatuses())
	case reflect.TypeFor[hmx.Strategy]():
		return names(hmx.Strategies())
	case reflect.TypeFor[hmx.Section]():
		return names(hmx.Sections())
	case reflect.TypeFor[hmx.Status]():
		return names(hmx.Statuses())
	case reflect.TypeFor[block.Ordering]():
		return names(block.Orderings())
	case reflect.TypeFor[bundle.Tier]():
		return names(bundle.Tiers())
	case reflect.TypeFor[find.FindOrder]():
		return names(find.FindOrders())
	case reflect.TypeFor[find.Direction]():
		return names([]lukasa.Direction{lukasa.Outward, lukasa.Inward, lukasa.BothWay})
	case reflect.TypeFor[lukasa.State]():
		return names([]lukasa.State{lukasa.Live, lukasa.Forgotten, lukasa.Ended})
	case reflect.TypeFor[scope.Mode]():
		return names(scope.Modes())
	case reflect.TypeFor[record.Trust]():
		var list []string
		for t := lukasa.External; t <= lukasa.Operator; t++ {
			list = append(list, t.String())
		}
		return list
	case reflect.TypeFor[record.Kind]():
		list := []string{record.Event.String()}
		for _, k := range memory.BodyKinds() {
			list = append(list, k.String())
		}
		return list
	}
	return nil
}

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// Type is the type of the field's value.
func (f *Field) Type() reflect.Type { return f.typ }

// Range returns the bounds of a number in the field; ok is false unless it is bounded on both sides.
func (f *Field) Range() (least, most float64, ok bool) {
	if f.min == nil || f.max == nil {
		return 0, 0, false
	}
	return *f.min, *f.max, true
}

// Default returns the value of a missing field as JSON, or empty if that is the zero value.
func (f *Field) Default() string { return f.usual }

// Choices returns the values of an enumerated field, or nothing for others.
func (f *Field) Choices() []string { return f.enum }
