package document

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

// Codec walks the fields of a document and either reads or writes each. A document lists its
// fields once, in a function, so that reading and writing cannot diverge.
//
// Reading is strict: flaws of [canon.Doc], unknown names, null, and values of the wrong kind
// are problems. Writing is compact, in the order of the fields, and leaves out zero values.
type Codec struct {
	problems *Problems
	path     string // of the current object: empty, or ends in a dot

	writing bool
	dst     []byte
	more    bool // the current object has a member already

	doc   *canon.Doc
	at    canon.Node // the current object
	known []string   // names read in it
}

// Writing reports whether the document is written, not read.
func (c *Codec) Writing() bool { return c.writing }

// Fail adds a problem of the member called name.
func (c *Codec) Fail(name, rule, fix string) { c.problems.Add(c.path+name, rule, fix) }

// Require adds a problem if the document is read and has no member called name.
func (c *Codec) Require(name, fix string) {
	if !c.writing && c.doc.Member(c.at, name) == canon.None {
		c.Fail(name, "is missing", fix)
	}
}

// Skip reads a member called name without looking at it, if there is one.
func (c *Codec) Skip(name string) { c.known = append(c.known, name) }

// member returns the value called name. ok is false if it is missing or of another kind.
func (c *Codec) member(name string, kind canon.Kind) (n canon.Node, ok bool) {
	c.known = append(c.known, name)
	n = c.doc.Member(c.at, name)
	if n == canon.None {
		return n, false
	}
	return n, c.is(n, c.path+name, kind)
}

// is reports whether n is of the wanted kind, and adds a problem if not.
func (c *Codec) is(n canon.Node, field string, kind canon.Kind) bool {
	switch found := c.doc.Kind(n); {
	case found == kind, kind == canon.True && found == canon.False:
		return true
	case found == canon.Broken: // already a problem
	case found == canon.Null:
		c.problems.Add(field, "is null, but must be "+article(kind), "leave the field out if there is no value")
	default:
		c.problems.Add(field, "is "+article(found)+", but must be "+article(kind), "give "+article(kind))
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
func (c *Codec) name(name string) {
	if c.more {
		c.dst = append(c.dst, ',')
	}
	c.more = true
	c.dst = append(canon.AppendQuoted(c.dst, name), ':')
}

// quote writes a string.
func (c *Codec) quote(field, s string) {
	if !utf8.ValidString(s) {
		c.problems.UTF8(field, s)
		s = ""
	}
	c.dst = canon.AppendQuoted(c.dst, s)
}

// Word reads or writes a string.
func Word[T ~string](c *Codec, name string, v *T) {
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

// Words reads or writes an array of strings.
func Words[T ~string](c *Codec, name string, v *[]T) {
	list(c, name, v, func(c *Codec, field string, n canon.Node, item *T) {
		if c.writing {
			c.quote(field, string(*item))
		} else if c.is(n, field, canon.String) {
			*item = T(c.doc.Text(n))
		}
	})
}

// Text reads or writes a string with a form of its own: text is what is written, nothing if it is
// empty, and read gets what was read, with its field and
// where to add what is wrong with it.
func (c *Codec) Text(name, text string, read func(p *Problems, field, text string)) {
	if c.writing {
		if text != "" {
			c.name(name)
			c.quote(c.path+name, text)
		}
		return
	}
	if n, ok := c.member(name, canon.String); ok {
		read(c.problems, c.path+name, c.doc.Text(n))
	}
}

// Texts reads or writes an array of strings with a form of their own.
func Texts[T fmt.Stringer](c *Codec, name string, v *[]T, read func(p *Problems, field, text string) T) {
	list(c, name, v, func(c *Codec, field string, n canon.Node, item *T) {
		if c.writing {
			c.quote(field, (*item).String())
		} else if c.is(n, field, canon.String) {
			*item = read(c.problems, field, c.doc.Text(n))
		}
	})
}

// list reads or writes an array; one does so for an item.
func list[T any](c *Codec, name string, v *[]T, one func(c *Codec, field string, n canon.Node, item *T)) {
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
			one(c, Indexed(field, i), canon.None, &(*v)[i])
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
		one(c, Indexed(field, len(out)), e, &item)
		out = append(out, item)
	}
	*v = out
}

// Indexed returns the name of an item of a list.
func Indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// Objects reads or writes an array of objects.
func Objects[T any](c *Codec, name string, v *[]T, fields func(*T, *Codec)) {
	list(c, name, v, func(c *Codec, field string, n canon.Node, item *T) {
		if c.writing || c.is(n, field, canon.Object) {
			c.inside(field, n, func(c *Codec) { fields(item, c) })
		}
	})
}

// Object reads or writes a member that is an object. It writes nothing unless there is set.
func (c *Codec) Object(name string, there bool, fields func(*Codec)) (found bool) {
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
func (c *Codec) inside(field string, n canon.Node, fields func(*Codec)) {
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
func (c *Codec) refuseUnknown() {
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
		field := c.path + strings.Trim(Show(name), `"`)
		if near != "" {
			c.problems.Add(field, "is not a field of this object; names are exact, with case", "write "+near)
		} else {
			c.problems.Add(field, "is not a field of this object", "remove it, or use one of "+listing(c.known))
		}
	}
}

// Integer is an integer; zero is left out.
func (c *Codec) Integer(name string, v *int64) {
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
			c.problems.Add(c.path+name, "is "+Show(string(c.doc.Raw(n)))+", which is not a whole number of 64 bits", "give a whole number")
			return
		}
		*v = i
	}
}

// Count is an integer from 0; zero is left out unless keepZero is set.
func (c *Codec) Count(name string, v *uint64, keepZero bool) {
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
			c.problems.Add(c.path+name, "is "+Show(string(c.doc.Raw(n)))+", which is not a whole number from 0 in plain digits", "give a number in that range")
			return
		}
		*v = u
	}
}

// Number is a number that may be absent.
func (c *Codec) Number(name string, v *hmx.Opt[float64]) {
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

func (c *Codec) float(field string, f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		c.problems.Add(field, fmt.Sprintf("is %v, which is not a finite number", f), "give a finite number")
		f = 0
	}
	if f == 0 {
		f = 0 // JSON readers disagree about the sign of zero
	}
	c.dst = canon.AppendShortest(c.dst, f)
}

// Flag is a boolean that may be absent.
func (c *Codec) Flag(name string, v *hmx.Opt[bool]) {
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

// Time is a point in time, kept as it was written.
func (c *Codec) Time(name string, v *hmx.Time) {
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
			c.problems.Add(c.path+name, "is "+Show(c.doc.Text(n))+", which is not an RFC 3339 date-time with a zone", "write it such as 2026-03-14T03:00:00.000Z")
			return
		}
		*v = t
	}
}

// Raw is a free-form object of the caller; nil and {} are left out.
func (c *Codec) Raw(name string, v *hmx.Raw) {
	if c.writing {
		if *v == "" {
			return
		}
		var d canon.Doc
		if flaws := d.Parse([]byte(*v)); flaws != nil {
			c.problems.Add(c.path+name, "is not strict JSON: found "+flaws[0].Found, "give "+flaws[0].Allowed)
			return
		}
		if d.Kind(d.Root()) != canon.Object {
			c.problems.Add(c.path+name, "is "+article(d.Kind(d.Root()))+", but must be an object", "give an object")
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

// Hex is bytes in lower-case hexadecimal; none are left out.
func (c *Codec) Hex(name string, v *[]byte) {
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
			c.problems.Add(c.path+name, "is "+Show(s)+", which is not lower-case hexadecimal", "write two of 0-9a-f for each byte")
			return
		}
		if len(b) > 0 {
			*v = b
		}
	}
}

// Encode appends the JSON that fields writes to dst. The error of a value without a JSON form names
// it as what.
func Encode(dst []byte, what string, fields func(*Codec)) ([]byte, error) {
	var p Problems
	c := Codec{problems: &p, writing: true, dst: dst}
	c.inside("", canon.None, fields)
	if err := p.Err(what); err != nil {
		return dst, err
	}
	return c.dst, nil
}

// Compact returns a free-form object as it is written: without white space, and empty for {}. It
// returns anything but an object unchanged, for [Problems.Raw] to find.
func Compact(raw hmx.Raw) hmx.Raw {
	var p Problems
	c := Codec{problems: &p, writing: true}
	c.Raw("", &raw)
	if len(p.list) > 0 {
		return raw
	}
	return hmx.Raw(strings.TrimPrefix(string(c.dst), `"":`))
}

// Raw adds what is wrong with a free-form object.
func (p *Problems) Raw(field string, raw hmx.Raw) {
	c := Codec{problems: p, writing: true}
	c.Raw(field, &raw)
}

// Decode reads data with fields and adds what is wrong with its form. It reports whether there
// was an object at all.
func Decode(p *Problems, data []byte, fields func(*Codec)) (read bool) {
	var d canon.Doc
	for _, flaw := range d.Parse(data) {
		p.Add(pathOf(flaw.Pointer), "is not strict JSON ("+string(flaw.Code)+"): found "+flaw.Found, "give "+flaw.Allowed)
	}
	c := Codec{problems: p, doc: &d}
	if !d.Complete() || !c.is(d.Root(), "", canon.Object) {
		return false
	}
	c.inside("", d.Root(), fields)
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
		b.WriteString(strings.Trim(Show(token), `"`))
	}
	return b.String()
}
