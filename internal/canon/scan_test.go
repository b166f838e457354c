package canon

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// PlainString accepts exactly the strings that Parse reads without an escape and without a
// flaw, at any position of the text.
func TestPlainString(t *testing.T) {
	pieces := []string{"", "a", "event_id", "é", "😀", "\xff", "\xed\xa0\x80", `\n`, `\"`, "\x01", "\x1f", " ", "\x7f", "0123456789abcdef", `"`}
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
		text := []byte(`"` + body + `"` + rapid.SampledFrom([]string{"", ",", `:"next member"}`}).Draw(t, "after"))
		end := PlainString(text, 1)
		close := strings.IndexByte(string(text[1:]), '"') + 2
		var d Doc
		plainly := d.Parse(text[:close]) == nil && !d.Escaped(0)
		if plainly != (end >= 0) || end >= 0 && end != close {
			t.Fatalf("PlainString(%q) = %d, Parse says %v up to %d", text, end, plainly, close)
		}
	})
	for _, open := range []string{`"`, `"abc`, `"0123456789abcdef0123`, "\"é"} {
		if end := PlainString([]byte(open), 1); end >= 0 {
			t.Errorf("PlainString(%q) = %d, but nothing closes it", open, end)
		}
	}
}

// Values that are scanned one by one equal those of Parse.
func TestScan(t *testing.T) {
	text := []byte(`{"a": {"x":[1,{"y":null}]} , "b": [ "s" ], "c": 7}`)
	var d Doc
	d.Begin(text)
	for _, want := range []string{`{"x":[1,{"y":null}]}`, `[ "s" ]`, `7`} {
		at := strings.Index(string(text), want)
		n, end, ok := d.Scan(at)
		if !ok || end != at+len(want) || string(d.Raw(n)) != want {
			t.Errorf("Scan(%d) = %v, %d, %v", at, n, end, ok)
		}
	}
	// The tape stays consistent in between: pointers end, whatever was on it before.
	for n := range Node(len(d.tape)) {
		if p := d.Pointer(n); n > 0 && p == "" {
			t.Errorf("node %d has no pointer", n)
		}
	}
	if p := d.Pointer(Node(len(d.tape) + 7)); p != "" {
		t.Errorf("a node that is not there is at %q", p)
	}
	for _, flawed := range []string{`{"a": NaN}`, `{"a": {"x":1,"x":2}}`, `{"a": "\ud800"}`, `{"a": [`, `{"a": `, `{"a": }`, `{"a":` + strings.Repeat("[", MaxDepth)} {
		d.Begin([]byte(flawed))
		if _, _, ok := d.Scan(strings.IndexByte(flawed, ':') + 1 + strings.Count(flawed[:6], " ")); ok {
			t.Errorf("%s was read without a flaw", flawed)
		}
	}
	// The outermost object counts: a member has one level less.
	deep := strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1)
	d.Begin([]byte(`{"a":` + deep + `}`))
	if _, _, ok := d.Scan(5); !ok {
		t.Error("the deepest allowed value was refused")
	}
}
