package canon

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDepth(t *testing.T) {
	// Each opens one more level; mixed alternates.
	nests := map[string]func(level int) (open, close, token string){
		"arrays":  func(int) (string, string, string) { return "[", "]", "/0" },
		"objects": func(int) (string, string, string) { return `{"k":`, "}", "/k" },
		"mixed": func(level int) (string, string, string) {
			if level%2 == 0 {
				return "[7, ", "]", "/1"
			}
			return `{"j":0,"k":`, "}", "/k"
		},
	}
	for name, nest := range nests {
		for _, inner := range []string{"0", `"s"`, "null"} {
			for depth := 1; depth <= MaxDepth+2; depth++ {
				var open, end, pointer string
				want := []at(nil)
				for level := range depth {
					o, c, token := nest(level)
					if level == MaxDepth {
						want = []at{{FlawDepth, len(open), pointer}}
					}
					open, end, pointer = open+o, c+end, pointer+token
				}
				var d Doc
				got := places(d.Parse([]byte(open + inner + end)))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, depth %d (-want +got)\n%s", name, depth, diff)
				}
				if d.Complete() != (depth <= MaxDepth) {
					t.Fatalf("%s, depth %d: Complete() = %v", name, depth, d.Complete())
				}
			}
		}
	}
}

func TestDepthIsNestingAndNotCount(t *testing.T) {
	var d Doc
	if f := d.Parse([]byte("[" + strings.Repeat("[[]],{},", 1000) + "[]]")); f != nil {
		t.Errorf("siblings counted as depth: %v", f)
	}
}

func TestDepthHostile(t *testing.T) {
	for _, open := range []string{"[", `{"":`, "[ "} {
		text := bytes.Repeat([]byte(open), 1<<20/len(open))
		var d Doc
		f := d.Parse(text)
		if len(f) != 1 || f[0].Code != FlawDepth || f[0].Offset != MaxDepth*len(open) {
			t.Errorf("1 MB of %q: %v", open, places(f))
		}
		if d.Footprint() > 1<<14 {
			t.Errorf("1 MB of %q made the Doc hold %d bytes", open, d.Footprint())
		}
	}
}

// Every proper prefix of an object is broken: the parser reports it, stays within the text, and
// never calls the tape complete.
func TestTruncation(t *testing.T) {
	text := []byte(` {"a":[1,-0.5e+10,true,false,null,"x\n\u00e9\ud83d\ude00é😀"],"\u0062~/":{"c":{}},"":[[]]}`)
	var d Doc
	if f := d.Parse(text); f != nil {
		t.Fatal(f)
	}
	for n := range len(text) {
		f := d.Parse(text[:n:n])
		if len(f) == 0 || !f[len(f)-1].Fatal() || d.Complete() {
			t.Errorf("%q: flaws %v, Complete() = %v", text[:n], places(f), d.Complete())
			continue
		}
		if last := f[len(f)-1]; last.Offset > n {
			t.Errorf("%q: flaw at byte %d of %d", text[:n], last.Offset, n)
		}
		checkParse(t, text[:n:n])
	}
}

// Every byte of a text replaced by every other one, compared with the peers.
func TestMutation(t *testing.T) {
	text := []byte(`{"a":[1,-0.5e+10,true,null,"x\n\u00e9\ud83d\ude00é😀"],"\u0062~/":{"c":{},"C":0}}`)
	for i := range text {
		for c := range 256 {
			b := bytes.Clone(text)
			b[i] = byte(c)
			checkParse(t, b)
		}
	}
}

func TestMaxFlaws(t *testing.T) {
	doubled := func(i int) string { return fmt.Sprintf(`{"a":1,"a":%d}`, i) }
	for kind, flawed := range map[string]func(i int) string{
		"number":    func(int) string { return "NaN" },
		"range":     func(int) string { return "1e999" },
		"surrogate": func(int) string { return `"\udc00"` },
		"utf8":      func(int) string { return "\"\xFF\"" },
		"duplicate": doubled,
	} {
		for _, n := range []int{MaxFlaws - 1, MaxFlaws, MaxFlaws + 1, MaxFlaws + 50} {
			var b strings.Builder
			stop := 0
			for i := range n {
				b.WriteString("[,"[min(i, 1):][:1])
				if i == MaxFlaws {
					stop = b.Len()
				}
				b.WriteString(flawed(i))
			}
			text := b.String() + "]"
			var d Doc
			f := d.Parse([]byte(text))
			if want := min(n, MaxFlaws+1); len(f) != want {
				t.Errorf("%s: %d flaws in the text, %d reported, want %d", kind, n, len(f), want)
				continue
			}
			if d.Complete() != (n <= MaxFlaws) {
				t.Errorf("%s: Complete() = %v after %d flaws", kind, d.Complete(), n)
			}
			last := f[len(f)-1]
			if (last.Code == FlawTooMany) != (n > MaxFlaws) {
				t.Errorf("%s: the last of %d flaws is %s", kind, n, last.Code)
			}
			if n > MaxFlaws && (last.Offset < stop || last.Offset > stop+len(flawed(0))) {
				t.Errorf("%s: gave up at byte %d, want it in the value at %d", kind, last.Offset, stop)
			}
		}
	}
}

// Nothing is read beyond MaxFlaws: a broken end is not noticed, the tape does not grow, and a
// hostile text cannot make the parser compute a pointer for each of its flaws, which would cost
// n².
func TestMaxFlawsStops(t *testing.T) {
	for _, flawed := range []string{"NaN,", "1e999,", `"\ud800",`, "\"\xFF\",", `{"a":0,"a":0},`, `"` + strings.Repeat(`\ud800`, 200) + `",`} {
		text := []byte("[" + strings.Repeat(flawed, 1<<20/len(flawed)) + "x")
		var d Doc
		f := d.Parse(text)
		if len(f) != MaxFlaws+1 || f[MaxFlaws].Code != FlawTooMany || d.Complete() {
			t.Errorf("%.20q: %d flaws, Complete() = %v", flawed, len(f), d.Complete())
		}
		if d.Footprint() > 1<<16 {
			t.Errorf("%.20q: read on after giving up: the Doc holds %d bytes", flawed, d.Footprint())
		}
	}
}

// One name a hundred thousand times, and as many flaws inside one object.
func TestMaxFlawsInOneObject(t *testing.T) {
	for _, member := range []string{`"a":0,`, `"\u0061":0,`, "\"\xFF\":0,", `"a":NaN,`} {
		text := []byte("{" + strings.Repeat(member, 100_000) + `"z":0}`)
		var d Doc
		f := d.Parse(text)
		if len(f) != MaxFlaws+1 || f[MaxFlaws].Code != FlawTooMany {
			t.Errorf("%s: %d flaws", member, len(f))
		}
	}
}

func TestWideObject(t *testing.T) {
	for _, text := range [][]byte{wideObject(200_000), collidingObject(200_000)} {
		var d Doc
		if f := d.Parse(text); f != nil {
			t.Fatalf("%.40s: %v", text, places(f))
		}
		if n := d.Len(d.Root()); n != 200_000 {
			t.Errorf("%.40s: %d members", text, n)
		}
		// The first name again, at the very end.
		again := append(bytes.TrimSuffix(bytes.Clone(text), []byte("}")), ',')
		want := len(again)
		again = append(append(append(again, '"'), d.Key(1)...), `":0}`...)
		f := d.Parse(again)
		if len(f) != 1 || f[0].Code != FlawDuplicate || f[0].Offset != want {
			t.Errorf("%.40s: doubled at %d, got %v", text, want, places(f))
		}
	}
}
