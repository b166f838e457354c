package agents

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"lukasa.dev/internal/fault"
)

// byteOrderMark may precede a file from Windows.
const byteOrderMark = "\xef\xbb\xbf"

// maxNesting is the maximum depth of a document, as in encoding/json.
const maxNesting = 10000

// document is a JSON file, with its comments and trailing commas.
type document struct {
	file  string
	mark  bool // it begins with a byte order mark
	root  hujson.Value
	style style
	tail  string // the end of a new document
}

// parseDocument parses a file. An empty file is an empty object.
func parseDocument(file string, text []byte) (*document, error) {
	d := &document{file: file, style: style{newline: "\n", unit: "  "}}
	text, d.mark = bytes.CutPrefix(text, []byte(byteOrderMark))
	if bytes.Contains(text, []byte("\r\n")) {
		d.style.newline = "\r\n"
	}
	if len(bytes.TrimSpace(text)) == 0 {
		d.root = hujson.Value{Value: &hujson.Object{}}
		d.tail = d.style.newline
		return d, nil
	}
	if tooDeep(text) {
		return nil, fault.Newf(fault.InvalidDocument, "%s is nested deeper than %d levels", file, maxNesting).WithFix("find what wrote it, and repair it")
	}
	var err error
	if d.root, err = hujson.Parse(text); err != nil {
		return nil, fault.Newf(fault.InvalidDocument, "%s is not JSON: %s", file, strings.TrimPrefix(err.Error(), "hujson: ")).WithCause(err).
			WithFix("correct the file, or move it away; it was not changed")
	}
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil, d.wrongType(nil, "an object", d.root.Value)
	}
	d.style.unit, d.style.flat = indentation(root), len(root.Members) > 0 && !bytes.ContainsRune(text, '\n')
	return d, nil
}

// tooDeep reports whether brackets are nested too deep.
func tooDeep(text []byte) bool {
	depth, quoted, escaped := 0, false, false
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{', b == '[':
			if depth++; depth > maxNesting {
				return true
			}
		case b == '}', b == ']':
			depth--
		}
	}
	return false
}

// indentation returns the indentation of the first member on a line of its own.
func indentation(root *hujson.Object) string {
	for _, m := range root.Members {
		if indent, ok := lineIndent(m.Name.BeforeExtra); ok && indent != "" {
			return indent
		}
	}
	return "  "
}

// lineIndent returns what is between the last line end and the value, if that is blank.
func lineIndent(before hujson.Extra) (indent string, ok bool) {
	text := string(before)
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return "", false
	}
	indent = text[i+1:]
	return indent, strings.Trim(indent, " \t") == ""
}

// bytes returns the current content of the file.
func (d *document) bytes() []byte {
	text := d.root.Pack()
	if d.mark {
		text = append([]byte(byteOrderMark), text...)
	}
	return append(text, d.tail...)
}

// value returns the value of the document without its formatting.
func (d *document) value() (map[string]any, error) {
	tree := d.root.Clone()
	tree.Standardize()
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(tree.Pack()))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, fault.Newf(fault.InvalidDocument, "%s cannot be read: %w", d.file, err).WithFix("correct the file; it was not changed")
	}
	return v, nil
}

func (d *document) top() node {
	return node{object: d.root.Value.(*hujson.Object)} // parseDocument ensures it
}

// node is an object of the document, and its path.
type node struct {
	object *hujson.Object
	path   []string
	indent string // of the line that it begins on
}

// find returns the index of a member. A duplicate is an error: it is unknown which one an agent
// would use.
func (d *document) find(n node, name string) (int, error) {
	at := -1
	for i, m := range n.object.Members {
		lit, ok := m.Name.Value.(hujson.Literal)
		if !ok || lit.String() != name {
			continue
		}
		if at >= 0 {
			return 0, fault.Newf(fault.InvalidDocument, "%s has %s twice", d.file, dotted(append(n.path, name))).
				WithFix("remove one of them; the file was not changed")
		}
		at = i
	}
	return at, nil
}

// child returns a member that is an object, and whether it exists.
func (d *document) child(n node, name string) (node, bool, error) {
	i, err := d.find(n, name)
	if err != nil || i < 0 {
		return node{}, false, err
	}
	m := n.object.Members[i]
	c := node{path: below(n, name), indent: d.indentOf(n, m.Name.BeforeExtra)}
	var ok bool
	if c.object, ok = m.Value.Value.(*hujson.Object); !ok {
		return node{}, false, d.wrongType(c.path, "an object", m.Value.Value)
	}
	return c, true, nil
}

// made returns a member that is an object, and creates it if it is missing.
func (d *document) made(n node, name string) (node, error) {
	c, ok, err := d.child(n, name)
	if ok || err != nil {
		return c, err
	}
	d.insert(n, name, object{})
	c, _, err = d.child(n, name)
	return c, err
}

func below(n node, name string) []string { return append(append([]string{}, n.path...), name) }

// dotted formats a path for people.
func dotted(path []string) string { return strings.Join(path, ".") }

// indentOf returns the indentation of the line that a member of n begins on.
func (d *document) indentOf(n node, before hujson.Extra) string {
	if indent, ok := lineIndent(before); ok {
		return indent
	}
	return n.indent
}

// wrongType is the error for a value that does not match the agent's documentation.
func (d *document) wrongType(path []string, want string, got hujson.ValueTrimmed) error {
	kinds := map[hujson.Kind]string{'n': "null", 'f': "false", 't': "true", '"': "a text", '0': "a number", '{': "an object", '[': "a list"}
	what := dotted(path)
	if what == "" {
		what = "the whole"
	}
	return fault.Newf(fault.InvalidDocument, "%s: %s must be %s, but is %s", d.file, what, want, kinds[got.Kind()]).
		WithFix("correct it in the file, or remove it; the file was not changed")
}

// insert adds a member at the end of an object, formatted like the others.
func (d *document) insert(n node, name string, v any) {
	o := n.object
	var befores []hujson.Extra
	for _, m := range o.Members {
		befores = append(befores, m.Name.BeforeExtra)
	}
	st, indent, lead, end := d.shape(n, befores, o.AfterExtra)
	colon := hujson.Extra(" ")
	if st.flat {
		colon = nil
	}
	o.AfterExtra = end
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: lead, Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: colon, Value: st.parsed(v, indent)},
	})
	if i := len(o.Members) - 2; i >= 0 && o.Members[i].Value.AfterExtra != nil {
		o.Members[i+1].Value.AfterExtra = []byte{} // a trailing comma stays
	}
}

// appendTo adds an element at the end of an array that is a member of n.
func (d *document) appendTo(arr *hujson.Array, n node, v any) {
	var befores []hujson.Extra
	for _, e := range arr.Elements {
		befores = append(befores, e.BeforeExtra)
	}
	st, indent, lead, end := d.shape(n, befores, arr.AfterExtra)
	arr.AfterExtra = end
	arr.Elements = append(arr.Elements, hujson.Value{BeforeExtra: lead, Value: st.parsed(v, indent)})
	if i := len(arr.Elements) - 2; i >= 0 && arr.Elements[i].AfterExtra != nil {
		arr.Elements[i+1].AfterExtra = []byte{}
	}
}

// shape determines the formatting of one more element after those that begin with befores: its
// style and indentation, what precedes it, and what remains before the closing bracket.
func (d *document) shape(n node, befores []hujson.Extra, after hujson.Extra) (st style, indent string, lead, end hujson.Extra) {
	st = d.style
	head, rest := splitExtra(after)
	lined := len(befores) == 0 && !d.style.flat
	indent = n.indent + d.style.unit
	for _, before := range befores {
		lined = lined || bytes.ContainsRune(before, '\n')
		if own, ok := lineIndent(before); ok {
			indent = own
		}
	}
	if !lined {
		st.flat = true
		gap := ""
		if last := len(befores) - 1; last >= 0 && len(befores[last]) > 0 && last > 0 {
			gap = " "
		}
		return st, indent, join(head, gap, st.newline), rest
	}
	if len(befores) == 0 || !bytes.ContainsRune(rest, '\n') {
		rest = hujson.Extra(st.newline + n.indent)
	}
	return st, indent, join(head, st.newline+indent, st.newline), rest
}

// splitExtra splits off the blanks at the end of what is between two values.
func splitExtra(e hujson.Extra) (comments, blanks hujson.Extra) {
	head := bytes.TrimRight(e, " \t\r\n")
	return head[:len(head):len(head)], e[len(head):]
}

// join puts blanks after comments. A line comment gets its line end.
func join(comments hujson.Extra, blanks, newline string) hujson.Extra {
	if endsLine(comments) && !strings.HasPrefix(strings.TrimLeft(blanks, " \t\r"), "\n") {
		blanks = newline + blanks
	}
	return append(comments[:len(comments):len(comments)], blanks...)
}

// endsLine reports whether the last comment is a line comment.
func endsLine(e hujson.Extra) bool {
	line := false
	for len(e) > 0 {
		switch {
		case bytes.HasPrefix(e, []byte("//")):
			line = true
			i := bytes.IndexByte(e, '\n')
			if i < 0 {
				return true
			}
			e = e[i:]
		case bytes.HasPrefix(e, []byte("/*")):
			line = false
			i := bytes.Index(e[2:], []byte("*/"))
			if i < 0 {
				return false
			}
			e = e[i+4:]
		default:
			e = e[1:]
		}
	}
	return line
}

// remove removes a member of an object, and keeps the comments around it.
func (d *document) remove(o *hujson.Object, i int) {
	m := o.Members[i]
	head := d.comments(m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra)
	last := i == len(o.Members)-1
	comma := m.Value.AfterExtra != nil
	o.Members = append(o.Members[:i:i], o.Members[i+1:]...)
	if !last {
		next := &o.Members[i].Name.BeforeExtra
		*next = join(head, string(*next), d.style.newline)
		return
	}
	if i == 0 {
		o.AfterExtra = d.emptied(head, o.AfterExtra)
		return
	}
	o.AfterExtra = d.shortened(&o.Members[i-1].Value, head, o.AfterExtra, comma)
}

// removeElement removes an element of an array, as remove does.
func (d *document) removeElement(arr *hujson.Array, i int) {
	e := arr.Elements[i]
	head := d.comments(e.BeforeExtra, e.AfterExtra)
	last := i == len(arr.Elements)-1
	comma := e.AfterExtra != nil
	arr.Elements = append(arr.Elements[:i:i], arr.Elements[i+1:]...)
	if !last {
		next := &arr.Elements[i].BeforeExtra
		*next = join(head, string(*next), d.style.newline)
		return
	}
	if i == 0 {
		arr.AfterExtra = d.emptied(head, arr.AfterExtra)
		return
	}
	arr.AfterExtra = d.shortened(&arr.Elements[i-1], head, arr.AfterExtra, comma)
}

// comments joins what surrounds a value, without the trailing blanks of each part.
func (d *document) comments(extras ...hujson.Extra) hujson.Extra {
	var all hujson.Extra
	for _, e := range extras {
		if head, _ := splitExtra(e); len(head) > 0 {
			all = join(all, string(head), d.style.newline)
		}
	}
	return all
}

// emptied is what remains between brackets that have become empty.
func (d *document) emptied(head, after hujson.Extra) hujson.Extra {
	if comments, _ := splitExtra(after); len(head) == 0 && len(comments) == 0 {
		return nil
	}
	return join(head, string(after), d.style.newline)
}

// shortened is what remains before a closing bracket after the last value was removed.
func (d *document) shortened(last *hujson.Value, head, after hujson.Extra, comma bool) hujson.Extra {
	after = join(head, string(after), d.style.newline)
	if comma {
		if last.AfterExtra == nil {
			last.AfterExtra = []byte{}
		}
		return after
	}
	comments, blanks := splitExtra(last.AfterExtra)
	last.AfterExtra = nil
	if len(comments) == 0 {
		return after
	}
	return join(comments, string(blanks)+string(after), d.style.newline)
}
