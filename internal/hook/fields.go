package hook

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
)

// fields is a JSON object with unknown members.
type fields map[string]any

// parse parses an input, with numbers as written.
func parse(input []byte) (fields, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(input, []byte("\ufeff"))))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errMore
		}
	}
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		e := fault.New(fault.InvalidDocument, "the input is not an object of JSON").WithFix("hand over the JSON as the agent wrote it")
		if err != nil {
			e = e.WithCause(err)
		}
		return nil, e
	}
	return m, nil
}

// errMore says that something follows the end of the input.
var errMore = fault.New(fault.InvalidDocument, "something follows the object")

// text returns the first of the members that is a non-empty string.
func (f fields) text(names ...string) string {
	for _, name := range names {
		if s, ok := f[name].(string); ok && s != "" {
			return s
		}
		if n, ok := f[name].(json.Number); ok {
			return n.String()
		}
	}
	return ""
}

// under returns a member that is an object, or an empty one.
func (f fields) under(name string) fields {
	m, _ := f[name].(map[string]any)
	return m
}

func (f fields) list(name string) []any {
	l, _ := f[name].([]any)
	return l
}

func (f fields) truth(name string) bool {
	t, _ := f[name].(bool)
	return t
}

// words returns the texts of a member that is a list.
func (f fields) words(name string) []string {
	var out []string
	for _, v := range f.list(name) {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// first returns the first of the members that exists.
func (f fields) first(names ...string) any {
	for _, name := range names {
		if v, ok := f[name]; ok && v != nil {
			return v
		}
	}
	return nil
}

// millis returns a member that is a duration.
func (f fields) millis(names ...string) (json.Number, bool) {
	n, _ := f.first(names...).(json.Number)
	ms, err := n.Float64()
	return n, err == nil && ms >= 0 && ms < 1e15
}

// texts returns the text of a content, which is a string or a list of parts with text.
func texts(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b []byte
		for _, part := range v {
			s := texts(part)
			if s != "" && len(b) > 0 {
				b = append(b, '\n')
			}
			b = append(b, s...)
		}
		return string(b)
	case map[string]any:
		s, _ := v["text"].(string)
		return s
	}
	return ""
}

// shorten returns the beginning of a text, at most n bytes, without splitting a character.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
