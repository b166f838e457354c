// Package foreign reads and cleans what other programs wrote: names, texts, times and JSON of
// uncertain shape. Readers of files and of hooks use it alike, so that both make the same of it.
//
// It guarantees that
//
//   - a value of another shape than expected is skipped, never an error: [Text], [Truth], [List]
//     and [Object] take any JSON;
//   - what [Name], [Tags], [Content] and [Metadata] return obeys the rules of HMX and fits into an
//     event, and [Content] says whether something was cut;
//   - the same item of the same program has the same id everywhere: see [EventID] and [SaidID].
package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
)

// Text is a string that a program may also have written as a number, or not at all.
type Text string

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *Text) UnmarshalJSON(data []byte) error {
	*l = ""
	switch {
	case len(data) > 0 && data[0] == '"':
		var s string
		if json.Unmarshal(data, &s) == nil {
			*l = Text(s)
		}
	case len(data) > 0 && (data[0] == '-' || data[0] >= '0' && data[0] <= '9'):
		*l = Text(data)
	}
	return nil
}

// Truth is a boolean that a program may also have written as something else.
type Truth bool

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (f *Truth) UnmarshalJSON(data []byte) error {
	*f = string(data) == "true"
	return nil
}

// List is a list that a program may also have left out, or written as a single value.
type List []json.RawMessage

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *List) UnmarshalJSON(data []byte) error {
	*l = nil
	switch {
	case len(data) == 0 || string(data) == "null":
	case data[0] == '[':
		var all []json.RawMessage
		if json.Unmarshal(data, &all) == nil {
			*l = all
		}
	default:
		*l = List{slices.Clone(data)}
	}
	return nil
}

// Words are the strings of a list.
func (l List) Words() []string {
	var out []string
	for _, one := range l {
		var w Text
		if _ = json.Unmarshal(one, &w); w != "" {
			out = append(out, string(w))
		}
	}
	return out
}

// Object is an object, of which names that are not known are kept; anything else is nothing.
type Object map[string]any

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (o *Object) UnmarshalJSON(data []byte) error {
	*o = nil
	if m, ok := Value(data).(map[string]any); ok {
		*o = m
	}
	return nil
}

// Text returns a member that is a string.
func (o Object) Text(name string) string {
	s, _ := o[name].(string)
	return s
}

// Value reads any JSON, with numbers as they are written.
func Value(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// AsObject returns a value as the object that arguments and results have to be: text that is
// an object in JSON as that object, other values under a name.
func AsObject(v any, under string) map[string]any {
	switch v := v.(type) {
	case nil:
		return map[string]any{}
	case map[string]any:
		return v
	case string:
		if s := strings.TrimSpace(v); strings.HasPrefix(s, "{") {
			if m, ok := Value([]byte(s)).(map[string]any); ok && json.Valid([]byte(s)) {
				return m
			}
		}
		if v == "" {
			return map[string]any{}
		}
	}
	return map[string]any{under: v}
}

// Limits of what is made. They are below those of HMX, which counts the JSON around it.
const (
	maxContent  = 480 << 10
	maxMetadata = 32 << 10
	maxName     = 512
)

// Content writes the content of an event such that it can be kept. Long texts and lists are
// cut until it fits, and cut says so.
func Content(v map[string]any) (out hmx.Raw, cut bool) { return fit(v, maxContent) }

// Metadata is [Content] for the metadata of an event or a memory.
func Metadata(v map[string]any) hmx.Raw {
	out, _ := fit(v, maxMetadata)
	return out
}

// fit writes an object as JSON of at most limit bytes, obeying the strict rules of HMX. Long
// texts and lists are cut until it fits.
func fit(v map[string]any, limit int) (out hmx.Raw, cut bool) {
	for most := limit; most >= 64; most /= 4 {
		c := cleaner{text: most, items: max(most/16, 8)}
		text := Encode(c.clean(v, 0))
		if len(text) <= limit {
			return hmx.Raw(text), c.cut
		}
	}
	return "{}", true
}

// Encode writes a value that can be written.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}

// MaxNesting is how deep what is kept may be nested. HMX allows some more, with what is
// around it.
const MaxNesting = 48

// cleaner makes a value such that it can be kept.
type cleaner struct {
	text, items int // the longest text and list
	cut         bool
}

func (c *cleaner) clean(v any, depth int) any {
	if depth > MaxNesting {
		c.cut = true
		return "…"
	}
	switch v := v.(type) {
	case string:
		return c.short(v)
	case json.Number:
		if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
			return c.short(v.String())
		}
		return v
	case []any:
		out := make([]any, 0, min(len(v), c.items))
		for _, item := range v[:min(len(v), c.items)] {
			out = append(out, c.clean(item, depth+1))
		}
		c.cut = c.cut || len(out) < len(v)
		return out
	case map[string]any:
		out := make(map[string]any, min(len(v), c.items))
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i == c.items {
				c.cut = true
				break
			}
			out[c.short(name)] = c.clean(v[name], depth+1)
		}
		return out
	}
	return v
}

// short cuts a text, between characters.
func (c *cleaner) short(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= c.text {
		return s
	}
	c.cut = true
	return Shorten(s, c.text) + "…"
}

// Shorten returns the beginning of a text, of at most n bytes, up to a whole character.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Name returns a text as the name of something: on one line, without what turns the
// direction of text, not too long. One of which nothing is left is the fallback.
func Name(s, fallback string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > 4*maxName {
		s = Shorten(s, 4*maxName)
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(Shorten(strings.TrimSpace(s), maxName))
	if s == "" {
		return fallback
	}
	return s
}

// Tags returns words as tags, without doubles, in their order.
func Tags(list []string) []string {
	var out []string
	for _, t := range list {
		t = strings.TrimSpace(Shorten(Name(strings.TrimPrefix(t, "#"), ""), 128))
		if t != "" && !slices.Contains(out, t) && len(out) < hmx.MaxTags {
			out = append(out, t)
		}
	}
	return out
}

// When reads a time as programs write it: RFC 3339, without a zone as UTC, a day, or a number
// of seconds, milliseconds, microseconds or nanoseconds, whichever is plausible.
func When(v any) (hmx.Time, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case Text:
		s = string(v)
	case json.Number:
		s = v.String()
	case uint64:
		s = strconv.FormatUint(v, 10)
	}
	if s = strings.TrimSpace(s); s == "" || len(s) > 64 {
		return hmx.Time{}, false
	}
	if t, err := hmx.ParseTime(s); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1970 {
			return hmx.TimeOf(t), true
		}
	}
	return count(s)
}

// count reads a number as a time since 1970.
func count(s string) (hmx.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		switch {
		case n <= 0:
			return hmx.Time{}, false
		case n < 1e11:
			return hmx.TimeOf(time.Unix(n, 0)), true
		case n < 1e14:
			return hmx.TimeOf(time.UnixMilli(n)), true
		case n < 1e17:
			return hmx.TimeOf(time.UnixMicro(n)), true
		}
		return hmx.TimeOf(time.Unix(0, n)), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0 && f < 1e11) {
		return hmx.Time{}, false
	}
	return hmx.TimeOf(time.UnixMilli(int64(math.Round(f * 1000)))), true
}

// TextIn returns the first of members that is a text and not empty.
func TextIn(m map[string]any, names ...string) string {
	for _, name := range names {
		if s, ok := m[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// Decode reads an object into v. It skips members of another shape.
func Decode(text []byte, v any) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	err := json.Unmarshal(text, v)
	if err == nil {
		return true
	}
	_, shape := errors.AsType[*json.UnmarshalTypeError](err)
	return shape
}
