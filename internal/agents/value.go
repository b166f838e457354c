package agents

import (
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// member is a name and its value in an object of ours. A value is a string, a number, a
// boolean, a list or an object.
type member struct {
	name  string
	value any
	// once says that an existing value is kept.
	once bool
}

// object is a JSON object in the order in which it is written.
type object []member

// list is a JSON array. One of scalars is written on one line.
type list []any

func texts(words []string) list {
	l := list{}
	for _, word := range words {
		l = append(l, word)
	}
	return l
}

// style is the formatting of a document.
type style struct {
	newline string // \n or \r\n
	unit    string // of indentation
	flat    bool   // everything is on one line, without spaces
}

// write renders a value. Its first line is already indented by indent.
func (s style) write(v any, indent string) string {
	switch v := v.(type) {
	case string:
		return string(hujson.String(v))
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	case list:
		return s.writeList(v, indent)
	case object:
		return s.writeObject(v, indent)
	}
	return "null"
}

func (s style) writeList(l list, indent string) string {
	nested := false
	for _, v := range l {
		_, is := v.(object)
		nested = nested || is
	}
	var parts []string
	deeper := indent + s.unit
	for _, v := range l {
		parts = append(parts, s.write(v, deeper))
	}
	switch {
	case s.flat:
		return "[" + strings.Join(parts, ",") + "]"
	case !nested:
		return "[" + strings.Join(parts, ", ") + "]"
	}
	between := s.newline + deeper
	return "[" + between + strings.Join(parts, ","+between) + s.newline + indent + "]"
}

func (s style) writeObject(o object, indent string) string {
	if len(o) == 0 {
		return "{}"
	}
	colon, between, end := ": ", s.newline+indent+s.unit, s.newline+indent
	if s.flat {
		colon, between, end = ":", "", ""
	}
	var parts []string
	for _, m := range o {
		parts = append(parts, string(hujson.String(m.name))+colon+s.write(m.value, indent+s.unit))
	}
	return "{" + between + strings.Join(parts, ","+between) + end + "}"
}

// parsed renders a value and parses it as a tree.
func (s style) parsed(v any, indent string) hujson.ValueTrimmed {
	tree, err := hujson.Parse([]byte(s.write(v, indent)))
	if err != nil {
		panic("agents: a value of ours is no JSON: " + err.Error()) // our values are valid
	}
	return tree.Value
}
