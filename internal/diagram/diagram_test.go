package diagram

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is a graph with everything: columns, a pair with two edges, a loop, an isolated node,
// and hostile names.
func sample() *Graph {
	return &Graph{Focus: 1, Nodes: []Node{
		{"memory", "fact", "Releases are cut every second Tuesday, after the tests were green for a whole day.", "lukasa://acme/memory/m1"},
		{"entity", "person", "Dana", "lukasa://acme/entity/e1"},
		{"artifact", "task_schema", `Cut a release </text><script>alert("1")</script>`, "lukasa://acme/artifact/a1"},
		{"name", "file", "日本語のファイル名がここにあります長い長い", "name:file:x"},
		{"event", "message", "alone\x1b[31m\u202etxt.exe\x00]]>", "lukasa://acme/event/ev\"1"},
		{"policy", "", "", ""},
	}, Edges: []Edge{{0, 1, "mentions", true}, {2, 1, "derived_from", false}, {1, 0, `owns "all" \N & <more>`, false}, {3, 0, "mentions", true}, {0, 0, "relates_to", false}}}
}

func TestGolden(t *testing.T) {
	for name, draw := range map[string]func(io.Writer, *Graph) error{"sample.svg": SVG, "sample.dot": DOT} {
		var b bytes.Buffer
		if err := draw(&b, sample()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s is not what is drawn (-update writes it): %v\n%s", name, err, b.Bytes())
		}
	}
}

// wellFormed fails unless a picture is XML with only our elements and attributes.
func wellFormed(t testing.TB, picture []byte) (texts int) {
	t.Helper()
	known := map[string]bool{"svg": true, "title": true, "defs": true, "marker": true, "path": true, "style": true, "rect": true, "g": true, "text": true}
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if !known[x.Name.Local] {
				t.Fatalf("the element %s is not ours:\n%s", x.Name.Local, picture)
			}
			if x.Name.Local == "text" {
				texts++
			}
			for _, a := range x.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("the attribute %s is not ours", a.Name.Local)
				}
			}
		case xml.Directive, xml.ProcInst, xml.Comment:
			t.Fatalf("%T is not ours", token)
		}
	}
}

// statement matches a line of our DOT.
var statement = regexp.MustCompile(`^(digraph lukasa \{|\}|  rankdir=LR;|  (node|edge|n\d+( -> n\d+)?) \[([a-z]+=("(\\.|[^"\\])*"|[\w.]+)(, )?)+\];)$`)

// oneStatement fails unless every line is a statement of ours.
func oneStatement(t testing.TB, text []byte, lines int) {
	t.Helper()
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(all) != lines {
		t.Fatalf("%d lines, want %d:\n%s", len(all), lines, text)
	}
	for _, line := range all {
		if !statement.MatchString(line) {
			t.Fatalf("%q is no statement of ours", line)
		}
	}
}

// Any name gives a well-formed picture, and DOT with one statement a line.
func FuzzNames(f *testing.F) {
	f.Add("Dana", "owns", "person")
	f.Add(`</text><script>`, `"]; n0 -> n0 [label="`, "\x00\x1b]8;;\ufffe\uffff")
	f.Add("&amp;&#0;]]>", `\`, `\"`)
	f.Add("\xff\xfe", "\u202e\u2066", strings.Repeat("W", 5000))
	f.Fuzz(func(t *testing.T, label, rel, typ string) {
		g := &Graph{Focus: 0, Nodes: []Node{{"memory", typ, label, label}, {typ, label, rel, rel}}, Edges: []Edge{{0, 1, rel, false}, {1, 0, label, true}}}
		var b bytes.Buffer
		if err := SVG(&b, g); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(b.Bytes()) || wellFormed(t, b.Bytes()) < 4 {
			t.Fatalf("not all of it is drawn:\n%s", b.Bytes())
		}
		if b.Len() > 20_000 {
			t.Fatalf("%d bytes for two boxes", b.Len())
		}
		b.Reset()
		if err := DOT(&b, g); err != nil {
			t.Fatal(err)
		}
		oneStatement(t, b.Bytes(), 4+2+2+1)
	})
}

// No two boxes overlap, all are within the picture, and the order of equal edges does not
// change the layout.
func TestLayout(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		g := &Graph{Focus: rnd.IntN(3) - 1}
		for i := range 1 + rnd.IntN(80) {
			g.Nodes = append(g.Nodes, Node{"memory", "fact", strings.Repeat(fmt.Sprint("word", i, " "), 1+rnd.IntN(9)), ""})
		}
		for range rnd.IntN(120) {
			g.Edges = append(g.Edges, Edge{rnd.IntN(len(g.Nodes)), rnd.IntN(len(g.Nodes)), "r", false})
		}
		d := layout(g)
		for i := range d.boxes {
			a := &d.boxes[i]
			if a.x < 0 || a.y < 0 || a.x+a.w > d.w || a.y+a.h > d.h {
				t.Fatalf("box %d %+v is outside of %d x %d", i, *a, d.w, d.h)
			}
			for j := range i {
				if b := &d.boxes[j]; a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
					t.Fatalf("boxes %d and %d are over each other: %+v %+v", i, j, *a, *b)
				}
			}
		}
		rnd.Shuffle(len(g.Edges), func(i, j int) { g.Edges[i], g.Edges[j] = g.Edges[j], g.Edges[i] })
		again := layout(g)
		for i := range d.boxes {
			if a, b := d.boxes[i], again.boxes[i]; a.x != b.x || a.y != b.y {
				t.Fatalf("box %d is at %d,%d and at %d,%d", i, a.x, a.y, b.x, b.y)
			}
		}
	}
}

// An edge without valid ends is refused, and an empty graph is a picture as well.
func TestOdd(t *testing.T) {
	for _, e := range []Edge{{From: 0, To: 1}, {From: -1}, {From: 1}, {To: -1}} {
		g := &Graph{Nodes: []Node{{}}, Edges: []Edge{e}}
		if SVG(io.Discard, g) == nil || DOT(io.Discard, g) == nil {
			t.Errorf("%+v", e)
		}
	}
	var b bytes.Buffer
	if err := SVG(&b, &Graph{Focus: -1}); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.Bytes())
}

// No edge label covers another, or a box, or leaves the picture, on graphs of many shapes with
// up to 60 nodes. No text is wider than its box.
func TestLabels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	rels := []string{"supports", "contradicts", "derived_from", "relates_to", "supersedes", "WWWWWWWWWWWWWWWWWWWWWWWW", "日本語の関係"}
	shapes := map[string]func(n int) (edges [][2]int){
		"star": func(n int) (edges [][2]int) {
			for i := 1; i < n; i++ {
				edges = append(edges, [2]int{0, i})
			}
			return edges
		},
		"chain": func(n int) (edges [][2]int) {
			for i := 1; i < n; i++ {
				edges = append(edges, [2]int{i, i - 1})
			}
			return edges
		},
		"tangle": func(n int) (edges [][2]int) {
			for range 3 * n {
				edges = append(edges, [2]int{rnd.IntN(n), rnd.IntN(n)})
			}
			return edges
		},
		"two sides": func(n int) (edges [][2]int) {
			for i := range n / 2 {
				for j := n / 2; j < n; j += 3 {
					edges = append(edges, [2]int{i, j})
				}
			}
			return edges
		},
		"many between two": func(n int) (edges [][2]int) {
			for range n {
				edges = append(edges, [2]int{0, 1}, [2]int{1, 0})
			}
			return edges
		},
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		for _, n := range []int{2, 7, 20, 60} {
			g := &Graph{Focus: 0}
			for i := range n {
				g.Nodes = append(g.Nodes, Node{"memory", "fact", strings.Repeat(fmt.Sprint("Word", i, " "), 1+rnd.IntN(9)), ""})
			}
			for i, e := range shapes[name](n) {
				g.Edges = append(g.Edges, Edge{From: e[0], To: e[1], Label: rels[i%len(rels)]})
			}
			d := layout(g)
			list, left := d.labels(g, d.curves(g))
			if len(list)+left != len(g.Edges) {
				t.Errorf("%s of %d: %d labels and %d left out, of %d", name, n, len(list), left, len(g.Edges))
			}
			if (name == "star" || name == "chain") && left*3 > len(g.Edges) {
				t.Errorf("%s of %d: %d of %d labels are left out", name, n, left, len(g.Edges))
			}
			for i := range list {
				a := list[i].area
				if a.x < 0 || a.y < 0 || a.x+a.w > d.w || a.y+a.h > d.h {
					t.Fatalf("%s of %d: label %+v is outside", name, n, list[i])
				}
				for j := range i {
					if a.meets(list[j].area) {
						t.Fatalf("%s of %d: labels %+v and %+v cover each other", name, n, list[i], list[j])
					}
				}
				for _, b := range d.boxes {
					if a.meets(area{b.x, b.y, b.w, b.h}) {
						t.Fatalf("%s of %d: label %+v covers a box", name, n, list[i])
					}
				}
			}
			for _, b := range d.boxes {
				for _, line := range b.text {
					if textWidth(line, textSize) > b.w-2*padding {
						t.Fatalf("%q is wider than its box", line)
					}
				}
			}
		}
	}
}
