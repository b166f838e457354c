package memory

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/record"
)

// codec walks the fields of a document and either reads or writes each. A document lists its
// fields once, in its method fields, so that reading and writing cannot diverge.
//
// Reading is strict: flaws of [canon.Doc], unknown names, null, and values of the wrong kind
// are problems. Writing is compact, in the order of the fields, and leaves out zero values.
type codec struct {
	faults *faults
	path   string // of the current object: empty, or ends in a dot

	writing bool
	dst     []byte
	more    bool // the current object has a member already

	doc   *canon.Doc
	at    canon.Node // the current object
	known []string   // names read in it
}

// document is what the codec can walk.
type document interface {
	fields(*codec)
}

// member returns the value called name. ok is false if it is missing or of another kind.
func (c *codec) member(name string, kind canon.Kind) (n canon.Node, ok bool) {
	c.known = append(c.known, name)
	n = c.doc.Member(c.at, name)
	if n == canon.None {
		return n, false
	}
	return n, c.is(n, c.path+name, kind)
}

// is reports whether n is of the wanted kind, and adds a problem if not.
func (c *codec) is(n canon.Node, field string, kind canon.Kind) bool {
	switch found := c.doc.Kind(n); {
	case found == kind, kind == canon.True && found == canon.False:
		return true
	case found == canon.Broken: // already a problem
	case found == canon.Null:
		c.faults.add(field, "is null, but must be "+article(kind), "leave the field out if there is no value")
	default:
		c.faults.add(field, "is "+article(found)+", but must be "+article(kind), "give "+article(kind))
	}
	return false
}

func article(k canon.Kind) string {
	switch k {
	case canon.Array, canon.Object:
		return "an " + k.String()
	case canon.Null:
		return "null"
	}
	return "a " + k.String()
}

// name writes the name of a member.
func (c *codec) name(name string) {
	if c.more {
		c.dst = append(c.dst, ',')
	}
	c.more = true
	c.dst = append(canon.AppendQuoted(c.dst, name), ':')
}

// quote writes a string.
func (c *codec) quote(field, s string) {
	if !utf8.ValidString(s) {
		c.faults.utf8(field, s)
		s = ""
	}
	c.dst = canon.AppendQuoted(c.dst, s)
}

// word reads or writes a string.
func word[T ~string](c *codec, name string, v *T) {
	if c.writing {
		if *v != "" {
			c.name(name)
			c.quote(c.path+name, string(*v))
		}
		return
	}
	if n, ok := c.member(name, canon.String); ok {
		*v = T(c.doc.Text(n))
	}
}

// words reads or writes an array of strings.
func words[T ~string](c *codec, name string, v *[]T) {
	list(c, name, v, func(c *codec, field string, n canon.Node, item *T) {
		if c.writing {
			c.quote(field, string(*item))
		} else if c.is(n, field, canon.String) {
			*item = T(c.doc.Text(n))
		}
	})
}

// list reads or writes an array; one does so for an item.
func list[T any](c *codec, name string, v *[]T, one func(c *codec, field string, n canon.Node, item *T)) {
	field := c.path + name
	if c.writing {
		if len(*v) == 0 {
			return
		}
		c.name(name)
		c.dst = append(c.dst, '[')
		for i := range *v {
			if i > 0 {
				c.dst = append(c.dst, ',')
			}
			one(c, indexed(field, i), canon.None, &(*v)[i])
		}
		c.dst = append(c.dst, ']')
		return
	}
	n, ok := c.member(name, canon.Array)
	if !ok || c.doc.Len(n) == 0 {
		return
	}
	out := make([]T, 0, c.doc.Len(n))
	for e := c.doc.First(n); e != canon.None; e = c.doc.Next(n, e) {
		var item T
		one(c, indexed(field, len(out)), e, &item)
		out = append(out, item)
	}
	*v = out
}

func indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// objects reads or writes an array of objects.
func objects[T any](c *codec, name string, v *[]T, fields func(*T, *codec)) {
	list(c, name, v, func(c *codec, field string, n canon.Node, item *T) {
		if c.writing || c.is(n, field, canon.Object) {
			c.inside(field, n, func(c *codec) { fields(item, c) })
		}
	})
}

// object reads or writes a member that is an object. It writes nothing unless there is set.
func (c *codec) object(name string, there bool, fields func(*codec)) (found bool) {
	if c.writing {
		if there {
			c.name(name)
			c.inside(c.path+name, canon.None, fields)
		}
		return there
	}
	n, ok := c.member(name, canon.Object)
	if ok {
		c.inside(c.path+name, n, fields)
	}
	return ok
}

// inside walks the fields of one object and returns to the outer one.
func (c *codec) inside(field string, n canon.Node, fields func(*codec)) {
	path, more, at, known := c.path, c.more, c.at, c.known
	if c.path, c.more, c.at, c.known = field, false, n, nil; field != "" {
		c.path += "."
	}
	if c.writing {
		c.dst = append(c.dst, '{')
		fields(c)
		c.dst = append(c.dst, '}')
	} else {
		fields(c)
		c.refuseUnknown()
	}
	c.path, c.more, c.at, c.known = path, more, at, known
}

// refuseUnknown adds a problem for every unknown member.
func (c *codec) refuseUnknown() {
next:
	for n := c.doc.First(c.at); n != canon.None; n = c.doc.Next(c.at, n) {
		name := string(c.doc.Key(n))
		near := ""
		for _, k := range c.known {
			if k == name {
				continue next
			}
			if strings.EqualFold(k, name) {
				near = k
			}
		}
		field := c.path + strings.Trim(show(name), `"`)
		if near != "" {
			c.faults.add(field, "is not a field of this object; names are exact, with case", "write "+near)
		} else {
			c.faults.add(field, "is not a field of this object", "remove it, or use one of "+listing(c.known))
		}
	}
}

// integer is an integer; zero is left out.
func (c *codec) integer(name string, v *int64) {
	if c.writing {
		if *v != 0 {
			c.name(name)
			c.dst = strconv.AppendInt(c.dst, *v, 10)
		}
		return
	}
	if n, ok := c.member(name, canon.Number); ok {
		i, whole := c.doc.Int(n)
		if !whole {
			c.faults.add(c.path+name, "is "+show(string(c.doc.Raw(n)))+", which is not a whole number of 64 bits", "give a whole number")
			return
		}
		*v = i
	}
}

// count is an integer from 0; zero is left out unless keepZero is set.
func (c *codec) count(name string, v *uint64, keepZero bool) {
	if c.writing {
		if *v != 0 || keepZero {
			c.name(name)
			c.dst = strconv.AppendUint(c.dst, *v, 10)
		}
		return
	}
	if n, ok := c.member(name, canon.Number); ok {
		u, err := strconv.ParseUint(string(c.doc.Raw(n)), 10, 64)
		if err != nil {
			c.faults.add(c.path+name, "is "+show(string(c.doc.Raw(n)))+", which is not a whole number from 0 in plain digits", "give such a number")
			return
		}
		*v = u
	}
}

// number is a number that may be absent.
func (c *codec) number(name string, v *hmx.Opt[float64]) {
	if c.writing {
		if v.Set {
			c.name(name)
			c.float(c.path+name, v.Value)
		}
		return
	}
	if n, ok := c.member(name, canon.Number); ok {
		*v = hmx.Some(c.doc.Float(n))
	}
}

func (c *codec) float(field string, f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		c.faults.add(field, fmt.Sprintf("is %v, which is not a finite number", f), "give a finite number")
		f = 0
	}
	if f == 0 {
		f = 0 // JSON readers disagree about the sign of zero
	}
	c.dst = canon.AppendShortest(c.dst, f)
}

// flag is a boolean that may be absent.
func (c *codec) flag(name string, v *hmx.Opt[bool]) {
	if c.writing {
		if v.Set {
			c.name(name)
			c.dst = strconv.AppendBool(c.dst, v.Value)
		}
		return
	}
	if n, ok := c.member(name, canon.True); ok {
		*v = hmx.Some(c.doc.Kind(n) == canon.True)
	}
}

// time is a point in time, kept as it was written.
func (c *codec) time(name string, v *hmx.Time) {
	if c.writing {
		if !v.IsZero() {
			c.name(name)
			c.quote(c.path+name, v.String())
		}
		return
	}
	if n, ok := c.member(name, canon.String); ok {
		t, err := hmx.ParseTime(c.doc.Text(n))
		if err != nil {
			c.faults.add(c.path+name, "is "+show(c.doc.Text(n))+", which is not an RFC 3339 date-time with a zone", "write it such as 2026-03-14T03:00:00.000Z")
			return
		}
		*v = t
	}
}

// raw is a free-form object of the caller; nil and {} are left out.
func (c *codec) raw(name string, v *hmx.Raw) {
	if c.writing {
		if *v == "" {
			return
		}
		var d canon.Doc
		if flaws := d.Parse([]byte(*v)); flaws != nil {
			c.faults.add(c.path+name, "is not strict JSON: found "+flaws[0].Found, "give "+flaws[0].Allowed)
			return
		}
		if d.Kind(d.Root()) != canon.Object {
			c.faults.add(c.path+name, "is "+article(d.Kind(d.Root()))+", but must be an object", "give an object")
			return
		}
		if d.First(d.Root()) == canon.None {
			return
		}
		c.name(name)
		c.dst = d.AppendCompact(c.dst, d.Root())
		return
	}
	if n, ok := c.member(name, canon.Object); ok && c.doc.First(n) != canon.None {
		*v = hmx.Raw(c.doc.AppendCompact(nil, n))
	}
}

// uri is a URI; the zero one is left out.
func (c *codec) uri(name string, v *URI) {
	if c.writing {
		if !v.IsZero() {
			c.name(name)
			c.quote(c.path+name, v.String())
		}
		return
	}
	if n, ok := c.member(name, canon.String); ok {
		*v = c.faults.parseURI(c.path+name, c.doc.Text(n))
	}
}

// uris is an array of URIs.
func (c *codec) uris(name string, v *[]URI) {
	list(c, name, v, func(c *codec, field string, n canon.Node, item *URI) {
		if c.writing {
			c.quote(field, item.String())
		} else if c.is(n, field, canon.String) {
			*item = c.faults.parseURI(field, c.doc.Text(n))
		}
	})
}

// kind is the name of a kind of record.
func (c *codec) kind(name string, v *record.Kind) {
	if c.writing {
		if *v != 0 {
			c.name(name)
			c.quote(c.path+name, v.String())
		}
		return
	}
	if n, ok := c.member(name, canon.String); ok {
		*v = c.parseKind(c.path+name, c.doc.Text(n))
	}
}

func (c *codec) kinds(name string, v *[]record.Kind) {
	list(c, name, v, func(c *codec, field string, n canon.Node, item *record.Kind) {
		if c.writing {
			c.quote(field, item.String())
		} else if c.is(n, field, canon.String) {
			*item = c.parseKind(field, c.doc.Text(n))
		}
	})
}

func (c *codec) parseKind(field, name string) record.Kind {
	k, ok := record.ParseKind(name)
	if !ok {
		c.faults.add(field, "is "+show(name)+", which is not a kind of record", "use one of "+kindNames(record.Kinds()))
	}
	return k
}

// hash is a SHA-256 in lower-case hexadecimal; the zero one is left out.
func (c *codec) hash(name string, v *record.Hash) {
	b := v[:]
	if c.writing && *v == (record.Hash{}) {
		b = nil
	}
	c.hex(name, &b)
	if !c.writing && len(b) > 0 {
		if len(b) != len(v) {
			c.faults.add(c.path+name, fmt.Sprintf("has %d bytes, but must have %d", len(b), len(v)), "give 64 lower-case hexadecimal digits")
			return
		}
		copy(v[:], b)
	}
}

// hex is bytes in lower-case hexadecimal; none are left out.
func (c *codec) hex(name string, v *[]byte) {
	if c.writing {
		if len(*v) > 0 {
			c.name(name)
			c.dst = append(c.dst, '"')
			c.dst = hex.AppendEncode(c.dst, *v)
			c.dst = append(c.dst, '"')
		}
		return
	}
	*v = nil
	if n, ok := c.member(name, canon.String); ok {
		s := c.doc.Text(n)
		b, err := hex.DecodeString(s)
		if err != nil || strings.ToLower(s) != s {
			c.faults.add(c.path+name, "is "+show(s)+", which is not lower-case hexadecimal", "write two of 0-9a-f for each byte")
			return
		}
		if len(b) > 0 {
			*v = b
		}
	}
}

// encode appends the JSON of doc to dst.
func encode(dst []byte, what string, doc document) ([]byte, error) {
	var f faults
	c := codec{faults: &f, writing: true, dst: dst}
	c.inside("", canon.None, doc.fields)
	if err := f.err(what); err != nil {
		return dst, err
	}
	return c.dst, nil
}

// decode decodes data into doc and adds what is wrong with its form. It reports whether there
// was an object at all.
func decode(f *faults, data []byte, doc document) (read bool) {
	var d canon.Doc
	for _, flaw := range d.Parse(data) {
		f.add(pathOf(flaw.Pointer), "is not strict JSON ("+string(flaw.Code)+"): found "+flaw.Found, "give "+flaw.Allowed)
	}
	c := codec{faults: f, doc: &d}
	if !d.Complete() || !c.is(d.Root(), "", canon.Object) {
		return false
	}
	c.inside("", d.Root(), doc.fields)
	return true
}

// pathOf turns a JSON Pointer into the notation of fields.
func pathOf(pointer string) string {
	var b strings.Builder
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strings.Trim(show(token), `"`))
	}
	return b.String()
}
