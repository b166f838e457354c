package canon

import (
	"bytes"
	"strings"
	"testing"
)

// seeds are texts of every form; those that once found a bug are under testdata/fuzz.
var seeds = []string{
	event, prose,
	"", " ", "null", "true", "false", "0", "-0", `""`, "[]", "{}",
	"1e400", "-1e400", "1e-400", "1e21", "1e-7", "123456789012345678901234567890", "0.1e1", "-1.5E+3",
	"9007199254740993", "333333333.33333329", strings.Repeat("9", 309), "1." + strings.Repeat("0", 300) + "e5",
	"NaN", "[Infinity,-Infinity]", "01", "1.", "1e", "-", "+1", ".5",
	"\xEF\xBB\xBF{}", "{} {}", "[1,]", `{"a":1,}`, "[1 2]", `{"a" 1}`, "{1:2}", "[", "{", `"`, `"\`, `"\u`, `"\u00`,
	`"\ud83d\ude00"`, `"\ud800"`, `"\ude00\ud83d"`, `"\ud83d\u0041"`, `"\ud83d\`, `"\/\b\f\n\r\t\"\\\u0000\u001f\u007f"`,
	"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\x80\"", "\"\xC3\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"", "\"\u2028\uFFFF\uFFFE\"",
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1,"A":2}`, `{"":{"":{"":[]}}}`, `{"~":{"/":[{"~1":0}]}}`,
	"{\"\uFB33\":1,\"\uE000\":2,\"\U0001F600\":3,\"\uD7FF\":4,\"\x7f\":5}",
	strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65),
	strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64),
	`"` + strings.Repeat("abcdefgh", 5) + `é` + strings.Repeat("x", 7) + `\n"`,
	"[" + strings.Repeat("NaN,", 120) + "1]",
	"\t[\n1 ,\r2 , {\"a\" : [ ] } ]\n",
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add(wideObject(70))
	f.Add(collidingObject(70))
	f.Add(bytes.Replace(wideObject(70), []byte("name-0000001"), []byte("name-0000069"), 1))
}

// FuzzParse: Parse accepts what the peers accept.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := checkParse(t, data)
		if d.Flaws() == nil {
			checkTape(t, d, data)
		}
		for _, flaw := range d.Flaws() {
			if flaw.Code == FlawDuplicate && d.Complete() {
				if n, ok := resolve(d, flaw.Pointer); n == None && ok && !strings.Contains(flaw.Pointer, "\uFFFD") {
					t.Fatalf("%q: no member at %s", data, flaw.Pointer)
				}
			}
		}
	})
}

// FuzzCanonical: the canonical form equals that of the peers.
func FuzzCanonical(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var d Doc
		if d.Parse(data) == nil {
			checkCanonical(t, data)
			checkTape(t, &d, data)
		}
	})
}
