package canon

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// checkParse compares the result of Parse with those of jsontext and encoding/json. They differ
// by design in numbers beyond a double, in depth and in how much of a broken text is still
// read.
func checkParse(t *testing.T, data []byte) *Doc {
	t.Helper()
	var d Doc
	flaws := d.Parse(data)
	codes := map[FlawCode]bool{}
	for i, f := range flaws {
		codes[f.Code] = true
		if f.Offset < 0 || f.Offset > len(data) || f.Found == "" || f.Allowed == "" {
			t.Fatalf("%q: %+v", data, f)
		}
		if !utf8.ValidString(f.Pointer + f.Found) {
			t.Fatalf("%q: a flaw that cannot be printed: %+v", data, f)
		}
		if f.Fatal() && i != len(flaws)-1 {
			t.Fatalf("%q: the reader went on after %+v", data, f)
		}
		if f.Code == FlawDuplicate && d.Complete() && data[f.Offset] != '"' {
			t.Fatalf("%q: no name starts where %+v says", data, f)
		}
	}

	strict := jsontext.Value(data).IsValid()
	switch {
	case flaws == nil && !strict:
		t.Fatalf("%q: accepted, refused by jsontext", data)
	case strict && flaws != nil:
		delete(codes, FlawNumber)
		delete(codes, FlawDepth)
		if len(codes) > 0 {
			t.Fatalf("%q: accepted by jsontext, flaws %+v", data, flaws)
		}
		return &d
	}

	syntax := true // whether only the grammar of RFC 8259 is broken
	for _, f := range flaws {
		switch f.Code {
		case FlawDepth, FlawTooMany:
			return &d // what would have followed is unknown
		case FlawUTF8, FlawSurrogate, FlawDuplicate:
		case FlawNumber:
			syntax = syntax && strings.HasPrefix(f.Found, `"`) // NaN and Infinity are not
		default:
			syntax = false
		}
	}
	if got := json.Valid(data); got != syntax {
		t.Fatalf("%q: encoding/json says %v, flaws %+v", data, got, flaws)
	}
	return &d
}

// checkCanonical compares the canonical form of a flawless text with that of the peers, and
// checks that it is a fixed point.
func checkCanonical(t *testing.T, data []byte) {
	t.Helper()
	got, err := Append(nil, data)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	again, err := Append(nil, got)
	if err != nil || !bytes.Equal(got, again) {
		t.Fatalf("%q: canonical form %q is not a fixed point: %q, %v", data, got, again, err)
	}

	v := jsontext.Value(bytes.Clone(data))
	if err := v.Canonicalize(); err != nil || !bytes.Equal(got, v) {
		t.Fatalf("%q\n   canon %q\njsontext %q, %v", data, got, v, err)
	}
	if peer, err := jcs.Transform(data); err != nil || !bytes.Equal(got, peer) {
		t.Fatalf("%q\ncanon %q\n  jcs %q, %v", data, got, peer, err)
	}

	var d Doc
	d.Parse(data)
	compact := d.AppendCompact(nil, d.Root())
	var want bytes.Buffer
	if err := json.Compact(&want, data); err != nil || !bytes.Equal(compact, want.Bytes()) {
		t.Fatalf("%q: compact %q, encoding/json %q, %v", data, compact, want.Bytes(), err)
	}
	if fromCompact, err := Append(nil, compact); err != nil || !bytes.Equal(got, fromCompact) {
		t.Fatalf("%q: compact %q has canonical form %q, %v, want %q", data, compact, fromCompact, err, got)
	}
}

// checkTape walks every node of a flawless text.
func checkTape(t *testing.T, d *Doc, data []byte) {
	t.Helper()
	text, visited := string(data), 0
	var walk func(n Node)
	walk = func(n Node) {
		visited++
		if at, ok := resolve(d, d.Pointer(n)); ok && at != n {
			t.Fatalf("%q: pointer %s of node %d leads to node %d", data, d.Pointer(n), n, at)
		}
		switch d.Kind(n) {
		case Number:
			checkNumberNode(t, d, n)
		case String:
			var want string
			if err := json.Unmarshal(d.Raw(n), &want); err != nil {
				t.Fatalf("%q: %v", d.Raw(n), err)
			}
			if d.StringOf(text, n) != want || d.Text(n) != want || string(d.AppendString([]byte("x"), n)) != "x"+want {
				t.Fatalf("%q: value %q, want %q", d.Raw(n), d.Text(n), want)
			}
			if quoted := AppendQuoted(nil, want); !d.Escaped(n) && !bytes.Equal(quoted, d.Raw(n)) {
				t.Fatalf("%q: quoted as %q", d.Raw(n), quoted)
			}
		case Broken:
			t.Fatalf("%q: node %d is broken and no flaw says why", data, n)
		}
		var keys []string
		children := 0
		for c := d.First(n); c != None; c = d.Next(n, c) {
			children++
			if d.Kind(n) == Object {
				key := string(d.Key(c))
				if d.Member(n, key) != c || d.KeyHash(c) != HashKey([]byte(key)) {
					t.Fatalf("%q: member %q not found", data, key)
				}
				for _, k := range keys[max(0, len(keys)-20):] {
					if sign(CompareUTF16([]byte(k), []byte(key))) != compareUTF16Slow(k, key) {
						t.Fatalf("CompareUTF16(%q, %q) is wrong", k, key)
					}
				}
				keys = append(keys, key)
			} else if len(d.Key(c)) != 0 || d.KeyHash(c) != 0 {
				t.Fatalf("%q: array element %s has the name %q", data, d.Pointer(c), d.Key(c))
			}
			walk(c)
		}
		walked := 0
		for c, end := d.Children(n); c < end; c = d.After(c) {
			walked++
		}
		if children != d.Len(n) || children != walked {
			t.Fatalf("%q: node %d has %d children by Next, %d by After, Len says %d", data, n, children, walked, d.Len(n))
		}
		if kind, size := d.Measure(n); kind != d.Kind(n) || size != len(d.Raw(n)) {
			t.Fatalf("%q: Measure(%d) = %s, %d", data, n, kind, size)
		}
	}
	walk(d.Root())
	if visited != len(d.tape) {
		t.Fatalf("%q: walked %d of %d nodes", data, visited, len(d.tape))
	}
}

// resolve follows a JSON Pointer. ok is false if a name in it was cut.
func resolve(d *Doc, pointer string) (n Node, ok bool) {
	if pointer == "" {
		return 0, true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if strings.HasSuffix(name, "…") && len(name) > 100 {
			return None, false
		}
		if d.Kind(n) == Object {
			n = d.Member(n, name)
		} else {
			i, err := strconv.Atoi(name)
			if err != nil {
				return None, true
			}
			n = d.First(n)
			parent := n - 1
			for range i {
				n = d.Next(parent, n)
			}
		}
		if n == None {
			return None, true
		}
	}
	return n, true
}

func TestResolve(t *testing.T) {
	var d Doc
	d.Parse([]byte(`{"a":[1,{"~/":2,"":3}]}`))
	var got []string
	for n := range Node(len(d.tape)) {
		got = append(got, d.Pointer(n))
		if at, _ := resolve(&d, d.Pointer(n)); at != n {
			t.Errorf("%s leads to %d, want %d", d.Pointer(n), at, n)
		}
	}
	if want := []string{"", "/a", "/a/0", "/a/1", "/a/1/~0~1", "/a/1/"}; !slices.Equal(got, want) {
		t.Errorf("pointers %q, want %q", got, want)
	}
}
