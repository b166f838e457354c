package shape

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/internal/canon"
)

// MaxProblems is how many problems one Checker keeps. Further ones are only counted, so that a
// hostile document cannot cause a large report.
const MaxProblems = 200

// Checker checks one parsed document and collects its problems.
type Checker struct {
	Doc      *canon.Doc
	Problems []Problem
	Omitted  int
	buf      []byte // unescaped text under inspection
}

// Reset makes c ready for another document.
func (c *Checker) Reset(d *canon.Doc) {
	c.Doc, c.Problems, c.Omitted = d, nil, 0
}

// Add records p.
func (c *Checker) Add(p Problem) {
	if len(c.Problems) < MaxProblems {
		c.Problems = append(c.Problems, p)
	} else {
		c.Omitted++
	}
}

// full reports whether no more problems are kept, and counts one if so. It is called before a
// problem is built: finding the pointer of a value takes time linear in its siblings, and a
// hostile document has many of both.
func (c *Checker) full() bool {
	if len(c.Problems) < MaxProblems {
		return false
	}
	c.Omitted++
	return true
}

// At records a problem with the value n.
func (c *Checker) At(n canon.Node, rule, found, allowed string) {
	if c.full() {
		return
	}
	start, _ := c.Doc.Span(n)
	c.Add(Problem{Pointer: c.Doc.Pointer(n), Rule: rule, Found: found, Allowed: allowed, Offset: start})
}

// Record checks the record n and fills slots, which has one place per field of s, with the
// members found (canon.None if missing). slots may be nil. It reports whether n was a record at
// all.
func (c *Checker) Record(s *Shape, n canon.Node, rule string, slots []canon.Node) bool {
	d := c.Doc
	if d.Kind(n) != canon.Object {
		c.wrongType(s, n, rule)
		return false
	}
	var local [maxFields]canon.Node
	if slots == nil {
		slots = local[:len(s.Fields)]
	}
	for i := range slots {
		slots[i] = canon.None
	}
	var there, wrong uint32 // fields found, and those reported, which are not checked further
	first, end := d.Children(n)
	for m := first; m < end; m = d.After(m) {
		i := s.find(d.Key(m), d.KeyHash(m))
		if i < 0 {
			c.unknown(s, m, rule)
			continue
		}
		if there>>i&1 != 0 {
			continue // a duplicate name: the parser has reported it
		}
		there |= 1 << i
		slots[i] = m
		f := &s.Fields[i]
		if kind, size := d.Measure(m); !f.Shape.quick.fits(kind, size) {
			before := c.count()
			c.Value(f.Shape, m, f.Rule)
			if c.count() != before {
				wrong |= 1 << i
			}
		}
	}
	for missing := s.required &^ there; missing != 0; missing &= missing - 1 {
		c.missing(s, n, bits.TrailingZeros32(missing))
	}
	for i := range s.Switches {
		if w := &s.Switches[i]; wrong>>w.target&1 == 0 {
			c.choose(w, slots)
		}
	}
	for i := range s.Implies {
		p := &s.Implies[i]
		if slots[p.when] != canon.None && slots[p.then] != canon.None && wrong>>p.then&1 == 0 {
			c.Value(p.Shape, slots[p.then], p.Rule)
		}
	}
	return true
}

// count is how many problems there are so far.
func (c *Checker) count() int { return len(c.Problems) + c.Omitted }

func (c *Checker) unknown(s *Shape, m canon.Node, rule string) {
	switch {
	case s.Closed && c.full():
	case s.Closed:
		names := make([]string, len(s.Fields))
		for i, f := range s.Fields {
			names[i] = f.Name
		}
		name := string(c.Doc.Key(m))
		found, allowed := "the unknown field "+Quote(name), "only "+strings.Join(names, ", ")
		if meant, ok := nearest(name, names); ok {
			found, allowed = found+" (did you mean "+Quote(meant)+"?)", "only the fields of the document, by their exact names"
		}
		c.At(m, s.Unknown, found, allowed)
	case s.Names != nil && !slices.Contains(s.Names, string(c.Doc.Key(m))):
		if c.full() {
			return
		}
		c.At(m, s.Unknown, "the name "+Quote(string(c.Doc.Key(m))), "one of "+strings.Join(s.Names, ", "))
	case s.Values != nil:
		c.Value(s.Values, m, rule)
	}
}

func (c *Checker) missing(s *Shape, n canon.Node, i int) {
	if c.full() {
		return
	}
	start, _ := c.Doc.Span(n)
	p := canon.AppendPointerToken([]byte(c.Doc.Pointer(n)+"/"), []byte(s.Fields[i].Name))
	c.Add(Problem{
		Pointer: string(p), Rule: s.Fields[i].Missing, Offset: start,
		Found: "nothing", Allowed: "a required field: " + s.Fields[i].Shape.Describe(),
	})
}

func (c *Checker) choose(w *Switch, slots []canon.Node) {
	on, target := slots[w.on], slots[w.target]
	if on == canon.None || target == canon.None || c.Doc.Kind(on) != canon.String {
		return
	}
	text := c.text(on)
	for i := range w.Cases {
		if k := &w.Cases[i]; k.When == string(text) {
			c.Value(k.Shape, target, k.Rule)
			return
		}
	}
}

// text returns the unescaped text of string n, valid until the next call.
func (c *Checker) text(n canon.Node) []byte {
	if !c.Doc.Escaped(n) {
		raw := c.Doc.Raw(n)
		return raw[1 : len(raw)-1]
	}
	c.buf = c.Doc.AppendString(c.buf[:0], n)
	return c.buf
}

// Value checks n against s; rule is the broken rule if it does not match.
func (c *Checker) Value(s *Shape, n canon.Node, rule string) {
	d := c.Doc
	kind := d.Kind(n)
	if kind == canon.Broken || kind == canon.Null && s.Nullable {
		return
	}
	if s.MaxBytes > 0 {
		if start, end := d.Span(n); end-start > s.MaxBytes {
			c.At(n, s.BytesRule, strconv.Itoa(end-start)+" bytes", "at most "+strconv.Itoa(s.MaxBytes)+" bytes")
		}
	}
	switch s.Type {
	case Text:
		if kind != canon.String {
			c.wrongType(s, n, rule)
			return
		}
		c.checkText(s, n, rule)
	case Num, Integer:
		if kind != canon.Number {
			c.wrongType(s, n, rule)
			return
		}
		c.checkNumber(s, n, rule)
	case Bool:
		if kind != canon.True && kind != canon.False {
			c.wrongType(s, n, rule)
		}
	case List:
		if kind != canon.Array {
			c.wrongType(s, n, rule)
			return
		}
		c.checkList(s, n, rule)
	case Record:
		c.Record(s, n, rule, nil)
	}
}

func (c *Checker) checkText(s *Shape, n canon.Node, rule string) {
	if s.NonEmpty {
		if start, end := c.Doc.Span(n); end-start == 2 {
			c.At(n, rule, "an empty string", s.Describe())
			return
		}
	}
	if s.Format.Match != nil && !s.Format.Match(c.text(n)) {
		c.misfit(s, n, rule)
		return
	}
	if s.Enum != nil {
		text := c.text(n)
		for _, e := range s.Enum {
			if e == string(text) {
				return
			}
		}
		if !c.full() {
			c.At(n, rule, Show(c.Doc, n), Suggest(s.Describe(), string(text), s.Enum))
		}
	}
}

func (c *Checker) checkNumber(s *Shape, n canon.Node, rule string) {
	d := c.Doc
	if s.Type == Integer && !d.Integral(n) {
		c.misfit(s, n, rule)
		return
	}
	if !s.Bounded {
		return
	}
	fits := d.InRange(n, s.Min, s.Max)
	if s.NoMax {
		fits = d.CompareInt(n, s.Min) >= 0
	}
	if !fits {
		c.misfit(s, n, rule)
	}
}

func (c *Checker) checkList(s *Shape, n canon.Node, rule string) {
	d := c.Doc
	count := 0
	first, end := d.Children(n)
	for m := first; m < end; m = d.After(m) {
		count++
		if s.Items == nil {
			continue
		}
		if kind, size := d.Measure(m); !s.Items.quick.fits(kind, size) {
			c.Value(s.Items, m, rule)
		}
	}
	if s.MaxItems > 0 && count > s.MaxItems {
		sized := s.BytesRule
		if sized == "" {
			sized = rule
		}
		c.At(n, sized, strconv.Itoa(count)+" items", "at most "+strconv.Itoa(s.MaxItems)+" items")
	}
	if count < s.MinItems {
		c.At(n, rule, "an empty array", s.Describe())
	}
}

func (c *Checker) wrongType(s *Shape, n canon.Node, rule string) {
	if c.Doc.Kind(n) != canon.Broken {
		c.misfit(s, n, rule)
	}
}

// misfit records that n does not match s.
func (c *Checker) misfit(s *Shape, n canon.Node, rule string) {
	if !c.full() {
		c.At(n, rule, Show(c.Doc, n), s.Describe())
	}
}

// Describe describes in words what s accepts.
func (s *Shape) Describe() string {
	var t string
	switch s.Type {
	case Any:
		t = "any JSON value"
	case Text:
		switch {
		case s.Enum != nil:
			if t = strings.Join(s.Enum, ", "); len(s.Enum) > 1 {
				t = "one of " + t
			}
		case s.Format.Allowed != "":
			t = s.Format.Allowed
		case s.NonEmpty:
			t = "a non-empty string"
		default:
			t = "a string"
		}
	case Num, Integer:
		t = "a number"
		if s.Type == Integer {
			t = "an integer"
		}
		switch {
		case s.Bounded && s.NoMax:
			t += " of at least " + strconv.FormatInt(s.Min, 10)
		case s.Bounded && s.Max == math.MaxInt64:
			t += " from " + strconv.FormatInt(s.Min, 10) + " to 2^63-1"
		case s.Bounded:
			t += " from " + strconv.FormatInt(s.Min, 10) + " to " + strconv.FormatInt(s.Max, 10)
		}
	case Bool:
		t = "true or false"
	case List:
		t = "an array"
		if s.MinItems > 0 {
			t = "a non-empty array"
		}
		if s.Items != nil && s.Items.Type != Any {
			t += " (each item " + s.Items.Describe() + ")"
		}
	case Record:
		t = "an object"
	}
	if s.Nullable {
		t += ", or null"
	}
	return t
}

// Show describes a value for a person: its kind, and its text, cut and with non-printable
// characters escaped.
func Show(d *canon.Doc, n canon.Node) string {
	switch k := d.Kind(n); k {
	case canon.Null:
		return "null"
	case canon.True, canon.False:
		return "the boolean " + string(d.Raw(n))
	case canon.Number:
		return "the number " + cut(string(d.Raw(n)))
	case canon.String:
		return "the string " + Quote(d.Text(n))
	case canon.Array:
		if n := d.Len(n); n != 1 {
			return "an array of " + strconv.Itoa(n) + " items"
		}
		return "an array of 1 item"
	case canon.Object:
		return "an object"
	}
	return "a broken value"
}

const shown = 80

func cut(s string) string {
	if len(s) <= shown {
		return s
	}
	end := shown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Quote shows untrusted text in a message: cut, and with non-graphic characters escaped.
func Quote(s string) string {
	if short := cut(s); len(short) != len(s) {
		return strconv.QuoteToGraphic(strings.TrimSuffix(short, "…")) + "…"
	}
	return strconv.QuoteToGraphic(s)
}
