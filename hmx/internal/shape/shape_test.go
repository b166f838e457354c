package shape

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/internal/canon"
	"pgregory.net/rapid"
)

// problems checks text against s and returns "rule pointer" for each problem.
func problems(t testing.TB, s *Shape, text string) []string {
	t.Helper()
	var d canon.Doc
	if flaws := d.Parse([]byte(text)); flaws != nil {
		t.Fatalf("%s: %v", text, flaws)
	}
	var c Checker
	c.Reset(&d)
	c.Value(s, d.Root(), "root")
	var out []string
	for _, p := range c.Problems {
		out = append(out, p.Rule+" "+p.Pointer)
	}
	return out
}

// sample uses every feature of a Shape.
var sample = (&Shape{
	Type: Record, Closed: true, Unknown: "unknown",
	Fields: []Field{
		{Name: "kind", Rule: "kind", Missing: "missing", Shape: &Shape{Type: Text, Enum: []string{"a", "b"}}},
		{Name: "body", Rule: "body", Shape: &Shape{Type: Record, MaxBytes: 40, BytesRule: "bytes"}},
		{Name: "n", Rule: "n", Shape: &Shape{Type: Integer, Bounded: true, Min: -2, Max: 5}},
		{Name: "list", Rule: "list", Shape: &Shape{Type: List, Items: &Shape{Type: Num}, MinItems: 1, MaxItems: 3, BytesRule: "count"}},
		{Name: "map", Rule: "map", Shape: &Shape{Type: Record, Names: []string{"x", "y"}, Unknown: "names", Values: &Shape{Type: Bool}}},
		{Name: "maybe", Rule: "maybe", Shape: &Shape{Type: Text, Nullable: true, NonEmpty: true}},
	},
	Switches: []Switch{{On: "kind", Target: "body", Cases: []Case{
		{When: "a", Rule: "case-a", Shape: &Shape{Type: Record, Fields: []Field{{Name: "v", Rule: "v", Missing: "v-missing", Shape: &Shape{Type: Text}}}}},
	}}},
	Implies: []Implication{{If: "maybe", Then: "n", Rule: "implied", Shape: &Shape{Type: Integer, Bounded: true, Min: 0, NoMax: true}}},
}).Compile()

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"b"}`:                           "",
		`{"kind":"a","body":{"v":"x","more":1}}`: "",
		`{}`:                                     "missing /kind",
		`[]`:                                     "root ",
		`{"kind":"c"}`:                           "kind /kind",
		`{"kind":"a","body":{}}`:                 "v-missing /body/v",
		`{"kind":"a","body":[]}`:                 "body /body", // reported once, not again by the switch
		`{"kind":"b","body":{}}`:                 "",
		`{"kind":"b","body":{"long":"` + strings.Repeat("x", 40) + `"}}`: "bytes /body",
		`{"kind":"b","n":-2,"list":[1]}`:                                 "",
		`{"kind":"b","n":-3}`:                                            "n /n",
		`{"kind":"b","n":5.0}`:                                           "",
		`{"kind":"b","n":5.5}`:                                           "n /n",
		`{"kind":"b","n":6}`:                                             "n /n",
		`{"kind":"b","list":[]}`:                                         "list /list",
		`{"kind":"b","list":[1,2,3,4]}`:                                  "count /list",
		`{"kind":"b","list":[1,"2",null]}`:                               "list /list/1,list /list/2",
		`{"kind":"b","map":{"x":true,"z":true,"y":1}}`:                   "names /map/z,map /map/y",
		`{"kind":"b","maybe":null}`:                                      "",
		`{"kind":"b","maybe":""}`:                                        "maybe /maybe",
		`{"kind":"b","maybe":"m","n":-1}`:                                "implied /n",
		`{"kind":"b","maybe":"m","n":99}`:                                "n /n",
		`{"KIND":"b","kind":"b"}`:                                        "unknown /KIND",
	} {
		if got := strings.Join(problems(t, sample, text), ","); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// Every field is found by its name, and no other name is.
func TestFieldLookup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringN(0, 12, 40), 1, maxFields, rapid.ID[string]).Draw(t, "names")
		s := &Shape{Type: Record}
		for _, n := range names {
			s.Fields = append(s.Fields, Field{Name: n, Shape: &Shape{}})
		}
		s.Compile()
		for i, n := range names {
			if got := s.find([]byte(n), canon.HashKey([]byte(n))); got != i || s.Index(n) != i {
				t.Fatalf("field %q found at %d and %d, want %d", n, got, s.Index(n), i)
			}
		}
		other := rapid.String().Draw(t, "other")
		if got := s.find([]byte(other), canon.HashKey([]byte(other))); got != s.Index(other) {
			t.Fatalf("%q found at %d, want %d", other, got, s.Index(other))
		}
	})
}

// The quick decision agrees with the full check.
func TestQuickAgreesWithTheCheck(t *testing.T) {
	values := []string{`null`, `true`, `0`, `-1`, `1.5`, `""`, `"a"`, `"zz"`, `[]`, `["a",1]`, `{}`, `{"a":{"b":1}}`, `"` + strings.Repeat("x", 50) + `"`}
	shapes := []*Shape{
		{}, {Type: Text}, {Type: Text, NonEmpty: true}, {Type: Text, Enum: []string{"a"}}, {Type: Num}, {Type: Num, Bounded: true, Max: 1},
		{Type: Integer}, {Type: Bool}, {Type: List}, {Type: List, Items: &Shape{Type: Text}}, {Type: Record}, {Type: Record, Closed: true},
		{Type: Record, Values: &Shape{Type: Bool}}, {Type: Text, Nullable: true}, {Type: Text, MaxBytes: 20}, {MaxBytes: 3}, sample,
	}
	for i, s := range shapes {
		s.Compile()
		for _, v := range values {
			var d canon.Doc
			d.Parse([]byte(v))
			if kind, size := d.Measure(0); s.quick.fits(kind, size) && len(problems(t, s, v)) > 0 {
				t.Errorf("shape %d passes %s at a glance, but it has problems", i, v)
			}
		}
	}
}

func TestProblemsAreCounted(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `"u%d":1,`, i)
	}
	var d canon.Doc
	d.Parse([]byte(`{` + b.String() + `"kind":"b"}`))
	var c Checker
	c.Reset(&d)
	c.Record(sample, 0, "root", nil)
	if len(c.Problems) != MaxProblems || c.Omitted != 1000-MaxProblems {
		t.Errorf("%d problems, %d omitted", len(c.Problems), c.Omitted)
	}
}

func TestShowIsSafe(t *testing.T) {
	for text, want := range map[string]string{
		`"\u001b[2J\n\u202e"`:                `the string "\x1b[2J\n\u202e"`,
		`"` + strings.Repeat("é", 100) + `"`: `the string "` + strings.Repeat("é", 40) + `"…`,
		`1` + strings.Repeat("0", 100):       "the number 1" + strings.Repeat("0", 79) + "…",
		`[1,2]`:                              "an array of 2 items",
		`{"a":1}`:                            "an object",
		`null`:                               "null",
		`true`:                               "the boolean true",
	} {
		var d canon.Doc
		d.Parse([]byte(text))
		if got := Show(&d, 0); got != want {
			t.Errorf("Show(%s) = %s, want %s", text, got, want)
		}
	}
}

// A schema is JSON in a fixed order, and agrees with the table.
func TestSchema(t *testing.T) {
	got := string(sample.Schema("https://example.com/s.json", "Sample"))
	for _, want := range []string{
		`"$id": "https://example.com/s.json"`, `"additionalProperties": false`, `"minimum": -2`, `"maximum": 5`, `"minItems": 1`, `"maxItems": 3`,
		`"propertyNames": {`, `"const": "a"`, "\"type\": [\n        \"string\",\n        \"null\"\n      ]",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if again := string(sample.Schema("https://example.com/s.json", "Sample")); again != got {
		t.Error("the second time it reads otherwise")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"agent_id", "tenant_id", "event_type", "tool_call", "tags"}
	for got, want := range map[string]string{
		"agentId": "agent_id", "AGENT_ID": "agent_id", "agent-id": "agent_id", "agnet_id": "agent_id", "tenantid": "tenant_id",
		"tenent_id": "tenant_id", "toolcall": "tool_call", "tool_calls": "tool_call", "tag": "", "agents": "", "": "", "x": "",
	} {
		if name, _ := nearest(got, names); name != want {
			t.Errorf("nearest(%q) = %q, want %q", got, name, want)
		}
	}
	if _, ok := nearest(strings.Repeat("a", 1<<20), names); ok {
		t.Error("a megabyte is near nothing")
	}
}

// Beyond the limit problems are counted and not built: the work for a hostile document is
// linear in its size and not quadratic.
func TestManyProblemsAreCheap(t *testing.T) {
	for name, text := range map[string]string{
		"items": `{"kind":"b","list":[` + strings.Repeat(`"x",`, 100_000) + `1]}`,
		"unknown": `{"kind":"b"` + func() string {
			var b strings.Builder
			for i := range 50_000 {
				fmt.Fprintf(&b, `,"u%d":1`, i)
			}
			return b.String()
		}() + `}`,
		"names": `{"kind":"b","map":{"x":true` + func() string {
			var b strings.Builder
			for i := range 50_000 {
				fmt.Fprintf(&b, `,"u%d":1`, i)
			}
			return b.String()
		}() + `}}`,
	} {
		var d canon.Doc
		if flaws := d.Parse([]byte(text)); flaws != nil {
			t.Fatal(flaws)
		}
		var c Checker
		work := testing.AllocsPerRun(1, func() {
			c.Reset(&d)
			c.Record(sample, 0, "root", nil)
		})
		if work > 100*MaxProblems || len(c.Problems) != MaxProblems || c.Omitted < 49_000 {
			t.Errorf("%s: %v allocations for %d problems and %d more", name, work, len(c.Problems), c.Omitted)
		}
	}
}
