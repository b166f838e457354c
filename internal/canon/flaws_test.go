package canon

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// at is a flaw in the tables below.
type at struct {
	Code    FlawCode
	Offset  int
	Pointer string
}

func places(flaws []Flaw) []at {
	var p []at
	for _, f := range flaws {
		p = append(p, at{f.Code, f.Offset, f.Pointer})
	}
	return p
}

func TestFlaws(t *testing.T) {
	for _, c := range []struct {
		text string
		want []at
	}{
		{"", []at{{FlawEmpty, 0, ""}}},
		{" \n\t\r", []at{{FlawEmpty, 4, ""}}},

		{"\xEF\xBB\xBF1", []at{{FlawBOM, 0, ""}}},
		{"\xEF\xBB\xBF", []at{{FlawBOM, 0, ""}, {FlawEmpty, 3, ""}}},
		{" \xEF\xBB\xBF1", []at{{FlawSyntax, 1, ""}}},
		{"\xEF\xBB", []at{{FlawSyntax, 0, ""}}},
		{"\xFF\xFE1\x00", []at{{FlawSyntax, 0, ""}}},
		{"[\xEF\xBB\xBF1]", []at{{FlawSyntax, 1, "/0"}}},

		{"1 2", []at{{FlawTrailing, 2, ""}}},
		{`{"a":1}}`, []at{{FlawTrailing, 7, ""}}},
		{"[]\x00", []at{{FlawTrailing, 2, ""}}},
		{"nullx", []at{{FlawTrailing, 4, ""}}},
		{"1\xEF\xBB\xBF", []at{{FlawTrailing, 1, ""}}},
		{"1//", []at{{FlawTrailing, 1, ""}}},

		{`"` + "\x80" + `"`, []at{{FlawUTF8, 1, ""}}},
		{"\"a\xC3\"", []at{{FlawUTF8, 2, ""}}},
		{"\"\u00e9\xC0\xAF\"", []at{{FlawUTF8, 3, ""}}},       // overlong
		{"\"\xED\xA0\x80\"", []at{{FlawUTF8, 1, ""}}},         // surrogate
		{"\"\xF4\x90\x80\x80\"", []at{{FlawUTF8, 1, ""}}},     // beyond U+10FFFF
		{"\"\xF0\x9F\x98\\n\x80\"", []at{{FlawUTF8, 1, ""}}},  // split by an escape
		{"{\"a\":[0,\"\xFF\"]}", []at{{FlawUTF8, 9, "/a/1"}}}, // one flaw for each string
		{"[\"\xFF\xFE\",\"\xFF\"]", []at{{FlawUTF8, 2, "/0"}, {FlawUTF8, 7, "/1"}}},
		{"{\"\xFF\":1}", []at{{FlawUTF8, 2, ""}}}, // a name is a fault of its object
		{"{\"\xFF\":NaN}", []at{{FlawUTF8, 2, ""}, {FlawNumber, 5, "/\uFFFD"}}},
		{"\xFF", []at{{FlawSyntax, 0, ""}}}, // outside strings it is syntax

		{`"\ud800"`, []at{{FlawSurrogate, 1, ""}}},
		{`"\udfff"`, []at{{FlawSurrogate, 1, ""}}},
		{`"x\uDBFFx"`, []at{{FlawSurrogate, 2, ""}}},
		{`"\ud800\ud800"`, []at{{FlawSurrogate, 1, ""}, {FlawSurrogate, 7, ""}}},
		{`"\ud800\u0041"`, []at{{FlawSurrogate, 1, ""}}},
		{`"\udc00\ud800"`, []at{{FlawSurrogate, 1, ""}, {FlawSurrogate, 7, ""}}},
		{`"\ud800\ud800\udc00"`, []at{{FlawSurrogate, 1, ""}}},
		{`"\ud800\n"`, []at{{FlawSurrogate, 1, ""}}},
		{`"\ud800\"`, []at{{FlawSurrogate, 1, ""}, {FlawSyntax, 9, ""}}},
		{`"\ud800\u"`, []at{{FlawSurrogate, 1, ""}, {FlawSyntax, 7, ""}}},
		{`{"\ud800":1}`, []at{{FlawSurrogate, 2, ""}}},

		{"NaN", []at{{FlawNumber, 0, ""}}},
		{"[Infinity,-Infinity]", []at{{FlawNumber, 1, "/0"}, {FlawNumber, 10, "/1"}}},
		{"1e309", []at{{FlawNumber, 0, ""}}},
		{"-1.7976931348623159e308", []at{{FlawNumber, 0, ""}}},
		{strings.Repeat("9", 309), []at{{FlawNumber, 0, ""}}},
		{strings.Repeat("9", 250) + "e99", []at{{FlawNumber, 0, ""}}},
		{`{"n":[1,1e99999999999999999999]}`, []at{{FlawNumber, 8, "/n/1"}}},

		{`{"a":1,"a":2}`, []at{{FlawDuplicate, 7, "/a"}}},
		{`{"a":1, "a" :2,"a":3}`, []at{{FlawDuplicate, 8, "/a"}, {FlawDuplicate, 15, "/a"}}},
		{`[0,{"k":{"":1,"":2}}]`, []at{{FlawDuplicate, 14, "/1/k/"}}},

		{`{"a":NaN,"a":"\ud800","b":[1e999,{"c":1,"c":2}]} x`, []at{
			{FlawNumber, 5, "/a"}, {FlawDuplicate, 9, "/a"}, {FlawSurrogate, 14, "/a"},
			{FlawNumber, 27, "/b/0"}, {FlawDuplicate, 40, "/b/1/c"}, {FlawTrailing, 49, ""},
		}},
		{"\xEF\xBB\xBF[NaN,\"\xFF\"", []at{{FlawBOM, 0, ""}, {FlawNumber, 4, "/0"}, {FlawUTF8, 9, "/1"}, {FlawSyntax, 11, "/2"}}},
	} {
		var d Doc
		got := d.Parse([]byte(c.text))
		if diff := cmp.Diff(c.want, places(got)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", c.text, diff)
		}
		if fatal := c.want[len(c.want)-1]; (Flaw{Code: fatal.Code}).Fatal() == d.Complete() {
			t.Errorf("%q: Complete() = %v after %s", c.text, d.Complete(), fatal.Code)
		}
	}
}

// Broken structure: where the parser stops and what it expects there.
func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		text    string
		offset  int
		pointer string
		allowed string
	}{
		{"x", 0, "", "a value"},
		{"]", 0, "", "a value"},
		{"tru", 0, "", "a value"},
		{"True", 0, "", "a value"},
		{"nul", 0, "", "a value"},
		{"falsy", 0, "", "a value"},
		{"Infinit", 0, "", "a value"},
		{"'a'", 0, "", "a value"},
		{"\x0b1", 0, "", "a value"},
		{"\u00a01", 0, "", "a value"},
		{"[", 1, "/0", "a value"},
		{"[1,]", 3, "/1", "a value"},
		{"[,1]", 1, "/0", "a value"},
		{"[1 2]", 3, "/1", "',' or ']'"},
		{"[1}", 2, "/1", "',' or ']'"},
		{"[nullx]", 5, "/1", "',' or ']'"},
		{"{", 1, "", "a name in double quotes"},
		{"{1:2}", 1, "", "a name in double quotes"},
		{"{a:2}", 1, "", "a name in double quotes"},
		{`{"a":1,}`, 7, "", "a name in double quotes"},
		{`{,"a":1}`, 1, "", "a name in double quotes"},
		{`{"a"}`, 4, "", "':' after the name"},
		{`{"a",1}`, 4, "", "':' after the name"},
		{`{"a"`, 4, "", "':' after the name"},
		{`{"a":}`, 5, "/a", "a value"},
		{`{"a":`, 5, "/a", "a value"},
		{`{"a":1 "b":2}`, 7, "", "',' or '}'"},
		{`{"a":1]`, 6, "", "',' or '}'"},
		{`{"a":{"b":[0,x]}}`, 13, "/a/b/1", "a value"},

		{"-", 1, "", "a digit"},
		{"+1", 0, "", "a value"},
		{"-x", 1, "", "a digit"},
		{"--1", 1, "", "a digit"},
		{".5", 0, "", "a value"},
		{"-.5", 1, "", "a digit"},
		{"1.", 2, "", "a digit after the decimal point"},
		{"1.e5", 2, "", "a digit after the decimal point"},
		{"1e", 2, "", "a digit in the exponent"},
		{"1e+", 3, "", "a digit in the exponent"},
		{"1E-x", 3, "", "a digit in the exponent"},
		{"01", 0, "", "no leading zeros"},
		{"-00", 1, "", "no leading zeros"},
		{`{"n":[007]}`, 6, "/n/0", "no leading zeros"},

		{`"`, 1, "", "a closing quote"},
		{`"abcdefghijklmnop`, 17, "", "a closing quote"},
		{`{"a`, 3, "", "a closing quote"},
		{"\"a\nb\"", 2, "", "control characters escaped, such as \\n"},
		{"\"\x00\"", 1, "", "control characters escaped, such as \\n"},
		{"\"01234567\x1f\"", 9, "", "control characters escaped, such as \\n"},
		{"{\"a\":\"\té\"}", 6, "/a", "control characters escaped, such as \\n"},
		{"{\"\t\":1}", 2, "", "control characters escaped, such as \\n"},
		{`"\`, 2, "", "an escape sequence"},
		{`"\x41"`, 1, "", `one of \" \\ \/ \b \f \n \r \t \uXXXX`},
		{`"\'"`, 1, "", `one of \" \\ \/ \b \f \n \r \t \uXXXX`},
		{`"\U0041"`, 1, "", `one of \" \\ \/ \b \f \n \r \t \uXXXX`},
		{`"\u"`, 1, "", "\\u and four hexadecimal digits"},
		{`"\u12`, 1, "", "\\u and four hexadecimal digits"},
		{`"\u00g0"`, 1, "", "\\u and four hexadecimal digits"},
		{`"\u-001"`, 1, "", "\\u and four hexadecimal digits"},
		{`["a","\u00 0"]`, 6, "/1", "\\u and four hexadecimal digits"},
	} {
		var d Doc
		got := d.Parse([]byte(c.text))
		if len(got) != 1 || places(got)[0] != (at{FlawSyntax, c.offset, c.pointer}) || got[0].Allowed != c.allowed {
			t.Errorf("%q: got %+v\nwant one %s flaw at %d in %q, allowed: %s", c.text, got, FlawSyntax, c.offset, c.pointer, c.allowed)
		}
		if d.Complete() {
			t.Errorf("%q: Complete() after broken structure", c.text)
		}
	}
}

// Strings are read several bytes at a time: whatever ends a plain run must be found at each
// position of a word, beside any plain byte, and in the rest after it.
func TestSpecialBytes(t *testing.T) {
	plain := func(c byte) bool { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\' }
	for fill := range byte(0x80) {
		if !plain(fill) {
			continue
		}
		for c := range 256 {
			for at := range 8 {
				word := bytes.Repeat([]byte{fill}, 8)
				word[at] = byte(c)
				want := at
				if plain(byte(c)) {
					want = 8
				}
				if got := bits.TrailingZeros64(special(binary.LittleEndian.Uint64(word))) / 8; got != want {
					t.Fatalf("special(%q) marks byte %d, want %d", word, got, want)
				}
			}
		}
	}
	for c := range 256 {
		for before := range 35 {
			text := bytes.Repeat([]byte("a"), before+20)
			text[0], text[len(text)-1] = '"', '"'
			text[min(before+1, len(text)-2)] = byte(c)
			checkParse(t, text)
			checkParse(t, text[:before+3])
		}
	}
}

func TestError(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":NaN}`: "not strict JSON: number: found NaN, allowed: a finite number (at /a)",
		"":          "not strict JSON: empty: found nothing, allowed: one JSON value",
	} {
		got, err := Append([]byte("kept"), []byte(text))
		if err == nil || err.Error() != want || string(got) != "kept" {
			t.Errorf("Append(%q) = %s, %v", text, got, err)
		}
	}
}
