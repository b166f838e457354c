package shape

import (
	"bytes"
	"encoding/json"
	"strconv"

	"lukasa.dev/internal/canon"
)

// Schema returns s as a JSON Schema (2020-12) document, indented, with the keys
// in a fixed order.
func (s *Shape) Schema(id, title string) []byte {
	w := &writer{}
	w.open('{')
	w.member("$schema", "https://json-schema.org/draft/2020-12/schema")
	w.member("$id", id)
	w.member("title", title)
	w.body(s)
	w.close('}')
	var out bytes.Buffer
	if err := json.Indent(&out, w.buf, "", "  "); err != nil {
		panic("shape: schema is not JSON: " + err.Error()) // a bug in the tables
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// writer writes JSON tokens with their commas.
type writer struct{ buf []byte }

func (w *writer) comma() {
	if n := len(w.buf); n > 0 && w.buf[n-1] != '{' && w.buf[n-1] != '[' && w.buf[n-1] != ':' {
		w.buf = append(w.buf, ',')
	}
}

func (w *writer) open(c byte)  { w.comma(); w.buf = append(w.buf, c) }
func (w *writer) close(c byte) { w.buf = append(w.buf, c) }

func (w *writer) key(k string) {
	w.comma()
	w.buf = append(canon.AppendQuoted(w.buf, k), ':')
}

func (w *writer) text(v string) {
	w.comma()
	w.buf = canon.AppendQuoted(w.buf, v)
}

func (w *writer) member(k, v string) { w.key(k); w.text(v) }

func (w *writer) int(k string, v int64) {
	w.key(k)
	w.buf = strconv.AppendInt(w.buf, v, 10)
}

func (w *writer) texts(k string, vs []string) {
	w.key(k)
	w.open('[')
	for _, v := range vs {
		w.text(v)
	}
	w.close(']')
}

func (w *writer) schema(s *Shape) {
	w.open('{')
	w.body(s)
	w.close('}')
}

var typeNames = [...]string{Text: "string", Num: "number", Integer: "integer", Bool: "boolean", List: "array", Record: "object"}

func (w *writer) body(s *Shape) {
	if s.Doc != "" {
		w.member("description", s.Doc)
	}
	if s.Type != Any {
		if s.Nullable {
			w.texts("type", []string{typeNames[s.Type], "null"})
		} else {
			w.member("type", typeNames[s.Type])
		}
	}
	if s.MaxBytes > 0 {
		w.member("$comment", "at most "+strconv.Itoa(s.MaxBytes)+" bytes of JSON text ("+s.BytesRule+"); a JSON Schema cannot say so")
	}
	switch s.Type {
	case Text:
		w.textBody(s)
	case Num, Integer:
		if s.Bounded {
			w.int("minimum", s.Min)
			if !s.NoMax {
				w.int("maximum", s.Max)
			}
		}
	case List:
		if s.Items != nil {
			w.key("items")
			w.schema(s.Items)
		}
		if s.MinItems > 0 {
			w.int("minItems", int64(s.MinItems))
		}
		if s.MaxItems > 0 {
			w.int("maxItems", int64(s.MaxItems))
		}
	case Record:
		w.recordBody(s)
	}
}

func (w *writer) textBody(s *Shape) {
	if s.NonEmpty {
		w.int("minLength", 1)
	}
	if s.Enum != nil {
		w.texts("enum", s.Enum)
	}
	if s.Format.Format != "" {
		w.member("format", s.Format.Format)
	}
	if s.Format.Pattern != "" {
		w.member("pattern", s.Format.Pattern)
	}
}

func (w *writer) recordBody(s *Shape) {
	var required []string
	for _, f := range s.Fields {
		if f.Missing != "" {
			required = append(required, f.Name)
		}
	}
	if required != nil {
		w.texts("required", required)
	}
	if s.Fields != nil {
		w.key("properties")
		w.open('{')
		for _, f := range s.Fields {
			w.key(f.Name)
			w.schema(f.Shape)
		}
		w.close('}')
	}
	if s.Names != nil {
		w.key("propertyNames")
		w.open('{')
		w.texts("enum", s.Names)
		w.close('}')
	}
	switch {
	case s.Closed:
		w.key("additionalProperties")
		w.buf = append(w.buf, "false"...)
	case s.Values != nil:
		w.key("additionalProperties")
		w.schema(s.Values)
	}
	if s.Switches != nil || s.Implies != nil {
		w.key("allOf")
		w.open('[')
		w.conditions(s)
		w.close(']')
	}
}

// conditions writes the switches and implications as if/then pairs.
func (w *writer) conditions(s *Shape) {
	for _, sw := range s.Switches {
		for _, c := range sw.Cases {
			w.open('{')
			w.key("if")
			w.open('{')
			w.key("properties")
			w.open('{')
			w.key(sw.On)
			w.open('{')
			w.member("const", c.When)
			w.close('}')
			w.close('}')
			w.texts("required", []string{sw.On})
			w.close('}')
			w.then(sw.Target, c.Shape)
			w.close('}')
		}
	}
	for _, p := range s.Implies {
		w.open('{')
		w.key("if")
		w.open('{')
		w.texts("required", []string{p.If})
		w.close('}')
		w.then(p.Then, p.Shape)
		w.close('}')
	}
}

func (w *writer) then(target string, s *Shape) {
	w.key("then")
	w.open('{')
	w.key("properties")
	w.open('{')
	w.key(target)
	w.schema(s)
	w.close('}')
	w.close('}')
}
