package document_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
)

type colour string

// level is a text with a form of its own: a number of stars.
type level int

func (l level) String() string { return strings.Repeat("*", int(l)) }

func parseLevel(p *document.Problems, field, text string) level {
	if strings.Trim(text, "*") != "" {
		p.Add(field, "is "+document.Show(text)+", which is not stars", "write stars")
	}
	return level(len(text))
}

type part struct {
	Name string
	Size int64
}

func (x *part) fields(c *document.Codec) {
	document.Word(c, "name", &x.Name)
	c.Integer("size", &x.Size)
}

// sheet has a field of every kind.
type sheet struct {
	Colour   colour
	Colours  []colour
	Parts    []part
	Main     part
	Level    level
	Levels   []level
	Size     int64
	Position uint64
	Ratio    hmx.Opt[float64]
	Active   hmx.Opt[bool]
	At       hmx.Time
	Extra    hmx.Raw
	Key      []byte
}

func (x *sheet) fields(c *document.Codec) {
	document.Word(c, "colour", &x.Colour)
	document.Words(c, "colours", &x.Colours)
	document.Objects(c, "parts", &x.Parts, (*part).fields)
	c.Object("main", x.Main != part{}, x.Main.fields)
	c.Text("level", x.Level.String(), func(p *document.Problems, field, text string) { x.Level = parseLevel(p, field, text) })
	document.Texts(c, "levels", &x.Levels, parseLevel)
	c.Integer("size", &x.Size)
	c.Require("position", "give one")
	c.Count("position", &x.Position, true)
	c.Number("ratio", &x.Ratio)
	c.Flag("active", &x.Active)
	c.Time("at", &x.At)
	c.Raw("extra", &x.Extra)
	c.Hex("key", &x.Key)
	c.Skip("legacy")
}

func decode(data string) (*sheet, error) {
	var p document.Problems
	x := new(sheet)
	document.Decode(&p, []byte(data), x.fields)
	return x, p.Err("sheet")
}

// TestRoundTrip: a document is written compactly, in the order of its fields, without zero values,
// and read back as it was.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	at, err := hmx.ParseTime("2026-03-14T03:00:00+01:00")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sheet sheet
		want  string
	}{
		{sheet{}, `{"position":0}`},
		{sheet{Colour: "r\"ed\n", Colours: []colour{"a", ""}, Parts: []part{{Name: "x"}, {Size: -3}}, Main: part{"m", 1}, Level: 2, Levels: []level{1, 3},
			Size: math.MinInt64, Position: math.MaxUint64, Ratio: hmx.Some(0.0), Active: hmx.Some(false), At: at, Extra: `{"b":1,"a":[2]}`, Key: []byte{0, 255}},
			`{"colour":"r\"ed\n","colours":["a",""],"parts":[{"name":"x"},{"size":-3}],"main":{"name":"m","size":1},"level":"**","levels":["*","***"],` +
				`"size":-9223372036854775808,"position":18446744073709551615,"ratio":0,"active":false,"at":"2026-03-14T03:00:00+01:00","extra":{"b":1,"a":[2]},"key":"00ff"}`},
	} {
		data, err := document.Encode([]byte("before"), "sheet", c.sheet.fields)
		if err != nil || string(data) != "before"+c.want {
			t.Errorf("%s %v, want %s", data, err, c.want)
		}
		back, err := decode(c.want)
		if err != nil || !reflect.DeepEqual(*back, c.sheet) {
			t.Errorf("%s is read as %+v: %v", c.want, back, err)
		}
	}
	if x, err := decode(` { "legacy" : [null], "extra": { }, "key":"", "position": 1 } `); err != nil || !reflect.DeepEqual(*x, sheet{Position: 1}) {
		t.Errorf("%+v %v", x, err)
	}
}

// TestStrict: what is not a document in its one form is refused, with field, rule and fix.
func TestStrict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{``, "document is not strict JSON (empty)"},
		{`[]`, "document is an array, but must be an object: give an object"},
		{`{"position":0} x`, "(trailing-data)"},
		{`{"position":0,"position":0}`, "position is not strict JSON (duplicate-key)"},
		{`{}`, "position is missing: give one"},
		{`{"position":0,"Colour":"x"}`, "Colour is not a field of this object; names are exact, with case: write colour"},
		{`{"position":0,"parts":[{},{"siz":1}]}`, "parts[1].siz is not a field of this object: remove it, or use one of name, size"},
		{`{"position":0,"colour":null}`, "colour is null, but must be a string: leave the field out if there is no value"},
		{`{"position":0,"colours":["a",1]}`, "colours[1] is a number, but must be a string: give a string"},
		{`{"position":0,"main":[]}`, "main is an array, but must be an object"},
		{`{"position":0,"main":{"size":1.5}}`, `main.size is "1.5", which is not a whole number of 64 bits`},
		{`{"position":-1}`, `position is "-1", which is not a whole number from 0 in plain digits`},
		{`{"position":1e3}`, `position is "1e3", which is not a whole number from 0 in plain digits`},
		{`{"position":0,"levels":["*","x"]}`, `levels[1] is "x", which is not stars: write stars`},
		{`{"position":0,"level":"x"}`, `level is "x", which is not stars: write stars`},
		{`{"position":0,"active":1}`, "active is a number, but must be a "},
		{`{"position":0,"at":"2026-03-14"}`, `at is "2026-03-14", which is not an RFC 3339 date-time with a zone`},
		{`{"position":0,"extra":[1]}`, "extra is an array, but must be an object"},
		{`{"position":0,"key":"FF"}`, `key is "FF", which is not lower-case hexadecimal`},
		{`{"position":0,"a/b":{}}`, "a/b is not a field of this object"},
		{`{"position":0,"x\u202ey":1}`, "x<U+202E>y is not a field of this object"},
	} {
		_, err := decode(c.data)
		if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "sheet: ") {
			t.Errorf("%s: %v, want %s", c.data, err, c.want)
		}
	}
}

// TestNoJSON: a Go value without a JSON form is not written.
func TestNoJSON(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]*sheet{
		"colour has the byte 0xFF at offset 1, which is not UTF-8": {Colour: "a\xff"},
		"colours[1] has the byte 0xFE":                             {Colours: []colour{"", "\xfe"}},
		"parts[0].name has the byte 0xFF":                          {Parts: []part{{Name: "\xff"}}},
		"ratio is NaN, which is not a finite number":               {Ratio: hmx.Some(math.NaN())},
		"extra is not strict JSON":                                 {Extra: "{"},
		"extra is a string, but must be an object":                 {Extra: `"x"`},
	} {
		data, err := document.Encode([]byte("kept"), "sheet", x.fields)
		if string(data) != "kept" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %v, want %s", data, err, want)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for raw, want := range map[hmx.Raw]hmx.Raw{"": "", "{}": "", " { } ": "", ` {"b" : 1, "a":[ ] }`: `{"b":1,"a":[]}`, "[1, 2]": "[1, 2]", "{": "{"} {
		if got := document.Compact(raw); got != want {
			t.Errorf("%q becomes %q, not %q", raw, got, want)
		}
		var p document.Problems
		p.Raw("x", raw)
		if bad := want != "" && want[0] != '{' || want == "{"; bad != (p.Err("") != nil) {
			t.Errorf("%q: %v", raw, p.Err(""))
		}
	}
}

// TestProblems: a field has one problem, what contains it included; 32 are listed, and causes are
// matched.
func TestProblems(t *testing.T) {
	t.Parallel()
	var p document.Problems
	if p.Err("x") != nil {
		t.Error("an error without a problem")
	}
	cause := errors.New("cause")
	p.AddErr(cause, "a", "is bad", "make it good")
	for _, field := range []string{"a", "a.b", "a[0]", "a[0].c"} {
		if p.Add(field, "is bad too", "never"); !p.Blamed(field) {
			t.Errorf("%s is not blamed", field)
		}
	}
	if p.Blamed("ab") || p.Blamed("b.a") || p.Blamed("") {
		t.Error("another field is blamed")
	}
	for i := range 40 {
		p.Add(fmt.Sprint("f", i), "is bad", "fix it")
	}
	err := p.Err("thing")
	e, ok := errors.AsType[*document.InvalidError](err)
	if !ok || len(e.Problems) != 32 || e.Omitted != 9 || !errors.Is(err, cause) || fault.CodeOf(err) != fault.InvalidArgument {
		t.Fatalf("%+v", e)
	}
	if text := err.Error(); !strings.HasPrefix(text, "thing: a is bad: make it good; f0 is bad: fix it; ") || !strings.HasSuffix(text, "; and 9 more") {
		t.Error(text)
	}
	if got := (document.Problem{Rule: "is bad", Fix: "fix it"}).String(); got != "document is bad: fix it" {
		t.Error(got)
	}
}

func TestOneOf(t *testing.T) {
	t.Parallel()
	for v, want := range map[colour]string{
		"red": "", "": "x: c is missing: give a colour, one of red, green", "Red": `x: c is "Red", which is not a colour: use one of red, green`,
	} {
		var p document.Problems
		document.OneOf(&p, "c", v, "a colour", []colour{"red", "green"}, nil)
		got := ""
		if err := p.Err("x"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, not %q", v, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check func(p *document.Problems)
		want  string
	}{
		"few":       {func(p *document.Problems) { p.Length("x", 0, 1, 2) }, "has 0 items, but must have at least 1"},
		"many":      {func(p *document.Problems) { p.Length("x", 3, 1, 2) }, "has 3 items, but may have at most 2"},
		"right":     {func(p *document.Problems) { p.Length("x", 2, 1, 2) }, ""},
		"no ratio":  {func(p *document.Problems) { p.Ratio("x", hmx.Some(1.5)) }, "is 1.5, but must be a number from 0 to 1"},
		"NaN":       {func(p *document.Problems) { p.Ratio("x", hmx.Some(math.NaN())) }, "is NaN"},
		"ratio":     {func(p *document.Problems) { p.Ratio("x", hmx.Some(1.0)) }, ""},
		"none":      {func(p *document.Problems) { p.Ratio("x", hmx.Opt[float64]{Value: 7}) }, ""},
		"prose":     {func(p *document.Problems) { p.Prose("x", " a\n\u202e\x00", 10) }, ""},
		"long":      {func(p *document.Problems) { p.Prose("x", "abc", 2) }, "has 3 bytes, but may have at most 2"},
		"not UTF-8": {func(p *document.Problems) { p.Prose("x", "a\xff", 2) }, "has the byte 0xFF at offset 1"},
		"blank":     {func(p *document.Problems) { p.Trimmed("x", "a ", 2) }, "white space at its begin or end"},
		"name":      {func(p *document.Problems) { p.Name("x", " \uFFFD ", 9) }, ""},
		"no name":   {func(p *document.Problems) { p.Name("x", "", 9) }, "is empty: give 1 to 9 bytes of text"},
		"control":   {func(p *document.Problems) { p.Name("x", "a\x7f", 9) }, "control character U+007F at byte 1"},
		"bidi":      {func(p *document.Problems) { p.Name("x", "a\u2066", 9) }, "bidirectional control character U+2066 at byte 1"},
	} {
		var p document.Problems
		c.check(&p)
		if err := p.Err("y"); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzTexts: an error shows every text in one short line of graphic characters, and a harmless text
// is a name.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "plain", "a\xffb", "\u202eevil", "\x00\x1b", strings.Repeat("é", 400), strings.Repeat("\u2066", 50), "…"} {
		f.Add(s, 64)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		shown := document.Show(s)
		if !utf8.ValidString(shown) || len(shown) > 600 || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("%q is shown as %q", s, shown)
		}
		limit = min(max(limit, 8), 1000)
		var p document.Problems
		if h := document.Harmless(s, limit); h != "" && !p.Name("x", h, limit) || (h == "") != (s == "") {
			t.Fatalf("%q becomes %q: %v", s, h, p.Err("name"))
		}
	})
}

// FuzzDecode: what is read can be written, and is then read as the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"position":0}`))
	f.Add([]byte(`{"colour":"x","parts":[{"name":"x"},{"size":-3}],"levels":["*"],"position":1,"ratio":-0.0,"extra":{"b":1},"key":"00ff"}`))
	f.Add([]byte(`{"position":0,"x":null} `))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decode(string(data))
		if err != nil {
			return
		}
		out, err := document.Encode(nil, "sheet", x.fields)
		if err != nil {
			t.Fatalf("%s is read and not written: %v", data, err)
		}
		again, err := decode(string(out))
		if err != nil {
			t.Fatalf("%s became %s: %v", data, out, err)
		}
		if same, _ := document.Encode(nil, "sheet", again.fields); string(same) != string(out) {
			t.Fatalf("%s became %s, then %s", data, out, same)
		}
	})
}
