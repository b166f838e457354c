package canon

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// dump prints everything that a Doc contains about its text.
func dump(d *Doc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "complete %v, flaws %+v\n", d.Complete(), d.Flaws())
	if !d.Complete() {
		return b.String()
	}
	for n := range Node(len(d.tape)) {
		start, end := d.Span(n)
		fmt.Fprintf(&b, "%d %s %d-%d key %q %x pointer %q first %d len %d escaped %v\n", n, d.Kind(n),
			start, end, d.Key(n), d.KeyHash(n), d.Pointer(n), d.First(n), d.Len(n), d.Escaped(n))
		if d.Kind(n) == Number {
			v, ok := d.Int(n)
			fmt.Fprintln(&b, d.Float(n), v, ok, d.Integral(n))
		}
	}
	if len(d.Flaws()) == 0 {
		b.Write(d.AppendCanonical(nil, d.Root()))
	}
	return b.String()
}

// value draws a JSON text, sometimes with a flaw.
func value(depth int) *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{
		"0", "-0", "12345", "1e3", "0.5", "1e21", "9007199254740993", "true", "false", "null", `""`, `"plain"`,
		`"a longer piece of plain text"`, `"esc\n\u00e9\ud83d\ude00"`, `"é😀"`, "NaN", "1e999", `"\ud800"`, "\"\xFF\"", "x",
	})
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			items := rapid.SliceOfN(value(depth-1), 0, 5).Draw(t, "items")
			return "[" + strings.Join(items, space.Draw(t, "space")+",") + "]"
		case 1, 2:
			names := rapid.SliceOfN(rapid.StringMatching(`([a-z]|\\n|\\u006[1-5]|~|/|é){0,9}`), 0, 80).Draw(t, "names")
			for i, n := range names {
				names[i] = `"` + n + `":` + space.Draw(t, "space") + value(depth-1).Draw(t, "value")
			}
			return "{" + strings.Join(names, ","+space.Draw(t, "space")) + "}"
		}
		return leaf.Draw(t, "leaf")
	})
}

// A Doc that was used before, even for broken texts, parses the next text like a new one.
func TestReuse(t *testing.T) {
	var used Doc
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(value(3).Draw(t, "text"))
		if rapid.Bool().Draw(t, "cut") {
			text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
		}
		var fresh Doc
		fresh.Parse(text)
		used.Parse(text)
		if diff := cmp.Diff(dump(&fresh), dump(&used)); diff != "" {
			t.Fatalf("%q (-fresh +used)\n%s", text, diff)
		}
	})
}

func TestReuseAfterFailure(t *testing.T) {
	var used Doc
	for _, broken := range []string{
		`{"\u0061":[{"\u0062":`, strings.Repeat("[", 100), `{"a":1,"a":`, "", "NaN", "[" + strings.Repeat("NaN,", 200),
		string(bytes.TrimSuffix(wideObject(300), []byte("}"))),
	} {
		used.Parse([]byte(broken))
		for _, text := range []string{event, prose, `{"\u0061":1,"\n":[{"\u0062":2}]}`, "0", string(wideObject(100))} {
			var fresh Doc
			fresh.Parse([]byte(text))
			used.Parse([]byte(text))
			if diff := cmp.Diff(dump(&fresh), dump(&used)); diff != "" {
				t.Fatalf("%s after %.30q (-fresh +used)\n%s", text, broken, diff)
			}
		}
	}
}

func TestZeroDoc(t *testing.T) {
	var d Doc
	if d.Complete() {
		t.Error("a Doc that has read nothing has a tape to walk")
	}
	if d.Flaws() != nil || d.Footprint() != 0 {
		t.Error("a new Doc is not empty")
	}
}

func TestReset(t *testing.T) {
	var d Doc
	d.Parse([]byte(`{"\u0061":NaN}`))
	held := d.Footprint()
	d.Reset()
	if d.Complete() || d.Flaws() != nil || d.data != nil || d.Footprint() != held {
		t.Errorf("after Reset: Complete() = %v, flaws %v, %d bytes held of %d", d.Complete(), d.Flaws(), d.Footprint(), held)
	}
}

func TestFootprintCountsEntries(t *testing.T) {
	var d Doc
	d.Parse([]byte(event))
	if size := int(reflect.TypeFor[entry]().Size()); d.Footprint() < cap(d.tape)*size {
		t.Errorf("Footprint() = %d for %d entries of %d bytes", d.Footprint(), cap(d.tape), size)
	}
}

func TestKindNames(t *testing.T) {
	var d Doc
	d.Parse([]byte(`[null,false,true,0,"",[],{},NaN]`))
	var got []string
	for c := d.First(0); c != None; c = d.Next(0, c) {
		got = append(got, d.Kind(c).String())
	}
	want := []string{"null", "boolean", "boolean", "number", "string", "array", "object", "broken value"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestMember(t *testing.T) {
	var d Doc
	d.Parse([]byte(`{"a":1,"\u0062":{"a":2},"":[3]}`))
	for key, want := range map[string]string{"a": "1", "b": `{"a":2}`, "": "[3]"} {
		if n := d.Member(0, key); n == None || string(d.Raw(n)) != want {
			t.Errorf("Member(%q) = %d", key, n)
		}
	}
	for _, n := range []Node{d.Member(0, "B"), d.Member(0, `\u0062`), d.Member(d.Member(0, ""), ""), d.Member(1, "a")} {
		if n != None {
			t.Errorf("found a member that is not there: %d", n)
		}
	}
}

// The ingest path: a Doc that has parsed an event before allocates nothing for the next one.
func TestNoAllocation(t *testing.T) {
	kilobyte := []byte(`[` + event + `,` + prose + `,{"\u0061\n":"` + strings.Repeat("x", 100) + `"}]`)
	if len(kilobyte) < 1000 {
		t.Fatalf("the text has only %d bytes", len(kilobyte))
	}
	wide := wideObject(200)
	var d, other Doc
	var out []byte
	d.Parse(kilobyte)
	out = d.AppendCanonical(out, 0)
	for name, f := range map[string]func(){
		"Parse":           func() { d.Parse(kilobyte) },
		"AppendCanonical": func() { out = d.AppendCanonical(out[:0], 0) },
		"AppendCompact":   func() { out = d.AppendCompact(out[:0], 0) },
		"Parse, wide":     func() { other.Parse(wide) },
	} {
		f() // warms up each separately
		held := d.Footprint()
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
		if d.Footprint() != held {
			t.Errorf("%s made the Doc grow from %d to %d bytes", name, held, d.Footprint())
		}
	}
}
