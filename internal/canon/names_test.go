package canon

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDoubledNames(t *testing.T) {
	long := strings.Repeat("x", 127) + "é"
	for _, c := range []struct {
		text string
		want []at
	}{
		{`{"a":1,"A":2,"á":3,"a ":4,"":5}`, nil},
		{`[{"a":1},{"a":1}]`, nil},
		{`{"a":{"a":{"a":1}}}`, nil},
		{`{"a":["a","a"],"b":"a"}`, nil},
		{"{\"\u00e9\":1,\"e\u0301\":2}", nil}, // no Unicode normalisation

		{`{"a":1,"\u0061":2}`, []at{{FlawDuplicate, 7, "/a"}}},
		{`{"\u0061":1,"a":2}`, []at{{FlawDuplicate, 12, "/a"}}},
		{`{"\u0061":1,"\u0061":2}`, []at{{FlawDuplicate, 12, "/a"}}},
		{`{"é":1,"\u00E9":2}`, []at{{FlawDuplicate, 8, "/é"}}},
		{`{"😀":1,"\ud83d\ude00":2}`, []at{{FlawDuplicate, 10, "/😀"}}},
		{`{"\/":1,"/":2}`, []at{{FlawDuplicate, 8, "/~1"}}},
		{`{"~a/b":1,"~a\/b":2}`, []at{{FlawDuplicate, 10, "/~0a~1b"}}},
		{`{"~1":1,"~1":2}`, []at{{FlawDuplicate, 8, "/~01"}}},
		{`{"a":[{"b":0},{"x":{"c":1,"c":2}}]}`, []at{{FlawDuplicate, 26, "/a/1/x/c"}}},
		{`{"a":{},"a":[],"b":{},"b":[]}`, []at{{FlawDuplicate, 8, "/a"}, {FlawDuplicate, 22, "/b"}}},
		// Pointers are for reading: long names are cut, between characters.
		{`{"` + long + `":1,"` + long + `":2}`, []at{{FlawDuplicate, 135, "/" + long[:127] + "…"}}},
	} {
		var d Doc
		if diff := cmp.Diff(c.want, places(d.Parse([]byte(c.text)))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.text, diff)
		}
		if !d.Complete() {
			t.Errorf("%s: a doubled name left the tape incomplete", c.text)
		}
	}
}

// object writes names as one object and returns the offset of each name.
func object(names []string) (text []byte, offsets []int) {
	text = []byte("[{")
	for i, n := range names {
		if i > 0 {
			text = append(text, " , "...)
		}
		offsets = append(offsets, len(text))
		text = fmt.Appendf(text, ` "%s" : {"in":[%d]}`, n, i)
		offsets[i]++
	}
	return append(text, "}]"...), offsets
}

// Small objects are checked as they are read and large ones at their end; the flaws must be the
// same.
func TestDoubledNamesAnywhere(t *testing.T) {
	spell := map[string]func(i int) string{
		"plain":     func(i int) string { return fmt.Sprintf("n%d", i) },
		"colliding": func(i int) string { return fmt.Sprintf("colliding%03dcolliding", i) },
		"escaped":   func(i int) string { return fmt.Sprintf(`\"%d\\`, i) },
	}
	if a, b := spell["colliding"](1), spell["colliding"](2); HashKey([]byte(a)) != HashKey([]byte(b)) {
		t.Fatalf("%s and %s no longer collide under HashKey: craft others", a, b)
	}
	for kind, name := range spell {
		for _, size := range []int{2, 63, 64, 65, 66, 130, 1000} {
			for _, first := range []int{0, 1, 62, 63, 64, 65, 128} {
				for _, second := range []int{1, 62, 63, 64, 65, 129, 999} {
					if first >= second || second >= size {
						continue
					}
					names := make([]string, size)
					for i := range names {
						names[i] = name(i)
					}
					names[second] = names[first]
					text, offsets := object(names)
					var d Doc
					d.Parse(text)
					key := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(names[first])
					want := []at{{FlawDuplicate, offsets[second], "/0/" + key}}
					if diff := cmp.Diff(want, places(d.Flaws())); diff != "" {
						t.Fatalf("%s: %d names, %d = %d (-want +got)\n%s", kind, size, first, second, diff)
					}
				}
			}
		}
	}
}

// A name that occurs k times is reported k-1 times, in the order of the text.
func TestDoubledNamesOftenInLargeObject(t *testing.T) {
	var names []string
	var want []at
	for i := range 90 {
		names = append(names, fmt.Sprint("n", i))
	}
	for _, i := range []int{70, 3, 3, 65, 3, 70} {
		names = append(names, names[i])
	}
	text, offsets := object(names)
	for i := 90; i < len(names); i++ {
		want = append(want, at{FlawDuplicate, offsets[i], "/0/" + names[i]})
	}
	var d Doc
	if diff := cmp.Diff(want, places(d.Parse(text))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDoubledNamesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.SliceOfN(rapid.StringMatching(`[a-c~/é]{0,3}`), 1, 40).Draw(t, "pool")
		names := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 150).Draw(t, "names")
		text, offsets := object(names)
		seen := map[string]bool{}
		var want []at
		for i, n := range names {
			if seen[n] {
				want = append(want, at{FlawDuplicate, offsets[i], string(AppendPointerToken([]byte("/0/"), []byte(n)))})
			}
			seen[n] = true
		}
		if len(want) > MaxFlaws {
			t.Skip("more than a report holds")
		}
		var d Doc
		if diff := cmp.Diff(want, places(d.Parse(text))); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", text, diff)
		}
	})
}

func TestAppendPointerToken(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"a":                               "a",
		"~/~1/":                           "~0~1~01~1",
		"é😀":                              "é😀",
		"\xFFa":                           "\uFFFDa",
		strings.Repeat("~", 128):          strings.Repeat("~0", 128),
		strings.Repeat("a", 129):          strings.Repeat("a", 128) + "…",
		strings.Repeat("a", 126) + "😀":    strings.Repeat("a", 126) + "…",
		strings.Repeat("é", 65):           strings.Repeat("é", 64) + "…",
		"a" + strings.Repeat("é", 64):     "a" + strings.Repeat("é", 63) + "…",
		strings.Repeat("\x80", 200):       strings.Repeat("\uFFFD", 128) + "…",
		strings.Repeat("a", 128) + "\xFF": strings.Repeat("a", 128) + "…",
		strings.Repeat("a", 127) + "\xC3" + "\xA9zz": strings.Repeat("a", 127) + "…",
	} {
		got := string(AppendPointerToken([]byte("/"), []byte(in)))
		if got != "/"+want {
			t.Errorf("AppendPointerToken(%q) = %q, want %q", in, got, "/"+want)
		}
		if !utf8.ValidString(got) {
			t.Errorf("AppendPointerToken(%q) = %q: not UTF-8", in, got)
		}
	}
}

func compareUTF16Slow(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func TestCompareUTF16(t *testing.T) {
	// The edges of each length of UTF-8 and of the surrogate range.
	edges := []rune{0, 'a', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xEFFF, 0xF000, 0xFFFD, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0x10FFFF}
	names := []string{""}
	for _, r := range edges {
		names = append(names, string(r), "a"+string(r), string(r)+"a", string(r)+"\uFFFF", string(r)+"\U0001F600")
	}
	for _, a := range names {
		for _, b := range names {
			if got, want := CompareUTF16([]byte(a), []byte(b)), compareUTF16Slow(a, b); sign(got) != want {
				t.Errorf("CompareUTF16(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func sign(i int) int {
	switch {
	case i < 0:
		return -1
	case i > 0:
		return 1
	}
	return 0
}
