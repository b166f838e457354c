package find

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// CompareFields lists the fields that can be compared.
func CompareFields() []string {
	return []string{
		"text", "key", "id", "actor", "trust", "type", "status", "importance", "confidence", "created", "updated",
		"data.<name>", "metadata.<name>",
	}
}

// CompareOps lists the comparisons.
func CompareOps() []string { return []string{"=", "!=", "<", "<=", ">", ">=", "contains", "prefix"} }

// comparison is a validated Compare.
type comparison struct {
	field string // without the name in data or metadata
	name  string // that name
	op    string
	text  string // the value
	lower string // the value in lower case, for contains

	number   float64
	isNumber bool
	time     int64
	isTime   bool
}

// compileCompare judges one comparison.
func compileCompare(c Compare, at string, p *problems) (comparison, bool) {
	before := len(*p)
	out := comparison{field: c.Field, op: c.Op, text: c.Value, lower: strings.ToLower(c.Value)}
	if head, name, ok := strings.Cut(c.Field, "."); ok && (head == "data" || head == "metadata") {
		out.field, out.name = head, name
		if name == "" || len(name) > memory.MaxName {
			p.add(at+".field", fmt.Sprintf("names a member of %s with %d bytes", head, len(name)), fmt.Sprintf("give 1 to %d bytes after the dot", memory.MaxName))
		}
	} else if !slices.Contains(CompareFields(), c.Field) || strings.Contains(c.Field, ".") {
		p.add(at+".field", "is "+retrieval.Quoted(c.Field)+", which cannot be compared", "use one of "+retrieval.Words(CompareFields()))
	}
	if !slices.Contains(CompareOps(), c.Op) {
		p.add(at+".op", "is "+retrieval.Quoted(c.Op)+", which is not a comparison", "use one of "+retrieval.Words(CompareOps()))
	}
	if len(c.Value) > maxFindText {
		p.add(at+".value", fmt.Sprintf("has %d bytes, but may have at most %d", len(c.Value), maxFindText), "shorten it")
	} else if !utf8.ValidString(c.Value) {
		p.add(at+".value", "is not UTF-8", "encode it as UTF-8")
	}
	textual := c.Op == "contains" || c.Op == "prefix"
	if textual && c.Value == "" {
		p.add(at+".value", "is empty, which every text "+map[string]string{"contains": "contains", "prefix": "begins with"}[c.Op], "give what to look for")
	}
	if len(*p) > before {
		return out, false
	}
	out.number, out.isNumber = plainNumber(c.Value)
	if t, err := hmx.ParseTime(c.Value); err == nil {
		out.time, out.isTime = index.Nanos(t.Time()), true
	}
	typed := ""
	switch out.field {
	case "trust":
		tier, ok := record.ParseTrust(c.Value)
		if typed = "a tier of trust"; !ok {
			var tiers []string
			for _, t := range record.Trusts() {
				tiers = append(tiers, t.String())
			}
			p.add(at+".value", "is "+retrieval.Quoted(c.Value)+", which is not a tier of trust", "use one of "+retrieval.Words(tiers))
		}
		out.number = float64(tier)
	case "importance", "confidence":
		if typed = "a number"; !out.isNumber {
			p.add(at+".value", "is "+retrieval.Quoted(c.Value)+", which is not a number", "give a number such as 0.5")
		}
	case "created", "updated":
		if typed = "a time"; !out.isTime {
			p.add(at+".value", "is "+retrieval.Quoted(c.Value)+", which is not an RFC 3339 date-time with a zone", "write it such as 2026-03-14T03:00:00.000Z")
		}
	}
	if textual && typed != "" {
		p.add(at+".op", "is "+c.Op+", but "+out.field+" is "+typed+" and no text", "use one of "+retrieval.Words(CompareOps()[:6]))
	}
	return out, len(*p) == before
}

// plainNumber reads a number as JSON writes it.
func plainNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// inContent reports whether the field is in the content of a record, and not
// in its head.
func (c *comparison) inContent() bool {
	return c.field == "text" || c.field == "data" || c.field == "metadata"
}

// ordered reports whether a result n of comparing two values satisfies the
// comparison.
func (c *comparison) ordered(n int) bool {
	switch c.op {
	case "=":
		return n == 0
	case "!=":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	case ">=":
		return n >= 0
	}
	return false
}

// texts compares an existing text.
func (c *comparison) texts(s string) bool {
	switch c.op {
	case "contains":
		return strings.Contains(strings.ToLower(s), c.lower)
	case "prefix":
		return strings.HasPrefix(s, c.text)
	}
	return c.ordered(strings.Compare(s, c.text))
}

// fields is what comparisons see of a record or an event without its content.
type fields struct {
	key, id, actor, class, status string
	trust                         record.Trust
	importance                    float64
	confidence                    float64
	certain                       bool // it has a confidence
	created, updated              int64
}

func fieldsOf(h *catalog.Head) fields {
	return fields{
		key: h.Key, id: h.ID, actor: h.Actor, class: h.Class, status: h.Status, trust: h.Trust,
		importance: h.Importance, confidence: h.Confidence, certain: true, created: h.Created, updated: h.Updated,
	}
}

func fieldsOfEvent(ev *board.StoredEvent, x *kind.Facets) fields {
	stamp := index.Nanos(ev.Event.Timestamp.Time())
	return fields{
		id: ev.Event.EventID, actor: ev.Actor, class: string(ev.Event.EventType), status: string(x.Outcome), trust: ev.Trust,
		importance: x.Importance, created: stamp, updated: stamp,
	}
}

// holds compares a field that is not in the content.
func (c *comparison) holds(f *fields) bool {
	text := ""
	switch c.field {
	case "key":
		text = f.key
	case "id":
		text = f.id
	case "actor":
		text = f.actor
	case "type":
		text = f.class
	case "status":
		text = f.status
	case "trust":
		return c.ordered(cmp.Compare(float64(f.trust), c.number))
	case "importance":
		return c.ordered(cmp.Compare(f.importance, c.number))
	case "confidence":
		return f.certain && c.ordered(cmp.Compare(f.confidence, c.number))
	case "created":
		return c.ordered(cmp.Compare(f.created, c.time))
	case "updated":
		return c.ordered(cmp.Compare(f.updated, c.time))
	}
	return text != "" && c.texts(text)
}

// holdsIn compares a field of the content.
func (c *comparison) holdsIn(x *content) bool {
	if c.field == "text" {
		return x.text != "" && c.texts(x.text)
	}
	doc, n := x.document()
	if doc == nil {
		return false
	}
	if c.field == "metadata" {
		n = doc.Member(n, "metadata")
	} else if x.data != "" {
		n = doc.Member(n, x.data)
	}
	if n == canon.None || doc.Kind(n) != canon.Object {
		return false
	}
	if n = doc.Member(n, c.name); n == canon.None {
		return false
	}
	if c.op == "!=" {
		same := *c
		same.op = "="
		return doc.Kind(n) != canon.Null && !same.value(doc, n)
	}
	return c.value(doc, n)
}

// value compares the value of a name by its own type.
func (c *comparison) value(doc *canon.Doc, n canon.Node) bool {
	switch doc.Kind(n) {
	case canon.String:
		s := doc.Text(n)
		if c.isTime && c.op != "contains" && c.op != "prefix" {
			if t, err := hmx.ParseTime(s); err == nil {
				return c.ordered(cmp.Compare(index.Nanos(t.Time()), c.time))
			}
		}
		return c.texts(s)
	case canon.Number:
		return c.isNumber && c.ordered(cmp.Compare(doc.Float(n), c.number))
	case canon.True, canon.False:
		return c.op == "=" && c.text == string(doc.Raw(n))
	case canon.Array:
		for e := doc.First(n); e != canon.None; e = doc.Next(n, e) {
			if k := doc.Kind(e); k != canon.Array && k != canon.Object && c.value(doc, e) {
				return true
			}
		}
	}
	return false
}
