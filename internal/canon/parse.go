package canon

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// linearNames is how many names of one object are compared with each other as they are read.
// Beyond it, names are sorted once at the end of the object, so that a hostile object costs n
// log n and not n².
const linearNames = 64

// Parse parses data as one strict JSON text and returns its flaws, nil if there are none. The
// Doc refers to data until the next Parse; data must not change meanwhile. If Complete reports
// true, the tape can be walked.
func (d *Doc) Parse(data []byte) []Flaw {
	d.data, d.tape, d.arena, d.flaws, d.name = data, d.tape[:0], d.arena[:0], nil, name{}
	if len(data) > MaxBytes {
		d.flaw(FlawSize, 0, "", strconv.Itoa(len(data))+" bytes", "at most "+strconv.Itoa(MaxBytes))
		return d.flaws
	}
	i := 0
	if bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")) {
		d.flaw(FlawBOM, 0, "", "a byte order mark (EF BB BF)", "UTF-8 without a byte order mark")
		i = 3
	}
	i = d.space(i)
	if i == len(data) {
		d.flaw(FlawEmpty, i, "", "nothing", "one JSON value")
		return d.flaws
	}
	i = d.value(i, 0)
	if i < 0 {
		return d.flaws
	}
	if i = d.space(i); i < len(data) {
		d.flaw(FlawTrailing, i, "", d.show(i), "nothing after the value")
	}
	return d.flaws
}

// Begin starts an object's text for a caller that walks its members itself and passes values
// that it does not parse to Scan. The object is the root of the tape; its own members are not
// on it.
func (d *Doc) Begin(data []byte) {
	d.Reset()
	d.data = data
	d.open[0] = 0
	root := d.push(Object, 0, 0)
	root.end, root.after = uint32(len(data)), 1
}

// Scan parses the value at position i of a text started with Begin, as a member of the root,
// and returns its node and the position after it. ok is false if the value has any flaw; the
// caller should then use Parse, which reports it.
func (d *Doc) Scan(i int) (n Node, end int, ok bool) {
	n = Node(len(d.tape))
	if end = d.value(i, 1); end < 0 || d.flaws != nil {
		return None, -1, false
	}
	d.tape[0].after = uint32(len(d.tape))
	return n, end, true
}

// space returns the first position at or after i that is not white space.
func (d *Doc) space(i int) int {
	for i < len(d.data) && d.data[i] <= ' ' { // usually false immediately
		switch d.data[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// value parses the value that starts at i (not white space) inside depth open containers and
// returns the position after it, or -1 after a fatal flaw.
func (d *Doc) value(i, depth int) int {
	if i >= len(d.data) {
		return d.fatal(i, depth, "the end of the text", "a value")
	}
	start := i
	switch c := d.data[i]; {
	case c == '"':
		end, flags := plain(d.data, i+1), uint8(0)
		if end < 0 {
			if end, flags = d.str(i+1, depth); end < 0 {
				return -1
			}
		}
		d.leaf(String, start, end, flags)
		return end
	case c == '{':
		return d.object(i, depth)
	case c == '[':
		return d.array(i, depth)
	case c-'0' < 10 || c == '-':
		return d.number(i, depth)
	case c == 't' && d.has(i, "true"):
		d.leaf(True, start, i+4, 0)
		return i + 4
	case c == 'f' && d.has(i, "false"):
		d.leaf(False, start, i+5, 0)
		return i + 5
	case c == 'n' && d.has(i, "null"):
		d.leaf(Null, start, i+4, 0)
		return i + 4
	case c == 'N' && d.has(i, "NaN"):
		return d.notFinite(i, i+3, depth)
	case c == 'I' && d.has(i, "Infinity"):
		return d.notFinite(i, i+8, depth)
	}
	return d.fatal(i, depth, d.show(i), "a value")
}

func (d *Doc) has(i int, word string) bool {
	return len(d.data)-i >= len(word) && string(d.data[i:i+len(word)]) == word
}

func (d *Doc) leaf(k Kind, start, end int, flags uint8) {
	e := d.push(k, start, flags)
	e.end, e.after = uint32(end), uint32(len(d.tape))
}

// push adds an entry for the value at start with the name that was read before. It writes the
// fields in place: an entry that is built elsewhere and copied would have to wait for its own
// writes.
func (d *Doc) push(k Kind, start int, flags uint8) *entry {
	n := len(d.tape)
	if n == cap(d.tape) {
		d.tape = slices.Grow(d.tape, n+32)
	}
	d.tape = d.tape[:n+1]
	e := &d.tape[n]
	e.start = uint32(start)
	e.keyStart, e.keyEnd, e.keyHash = d.name.start, d.name.end, d.name.hash
	e.kind, e.flags = k, flags|d.name.flags
	d.name = name{}
	return e
}

// enter opens a container whose bracket is at i.
func (d *Doc) enter(k Kind, i, depth int) bool {
	if depth >= MaxDepth {
		d.flaw(FlawDepth, i, d.here(depth), "nesting deeper than "+strconv.Itoa(MaxDepth), "at most "+strconv.Itoa(MaxDepth)+" levels of arrays and objects")
		return false
	}
	d.open[depth] = uint32(len(d.tape))
	d.push(k, i, 0)
	return true
}

func (d *Doc) leave(self uint32, end int) int {
	e := &d.tape[self]
	e.end, e.after = uint32(end), uint32(len(d.tape))
	return end
}

func (d *Doc) array(i, depth int) int {
	if !d.enter(Array, i, depth) {
		return -1
	}
	self := d.open[depth]
	i = d.space(i + 1)
	if i < len(d.data) && d.data[i] == ']' {
		return d.leave(self, i+1)
	}
	for {
		if i = d.value(i, depth+1); i < 0 {
			return -1
		}
		i = d.space(i)
		switch {
		case i >= len(d.data):
			return d.fatal(i, depth+1, "the end of the text", "',' or ']'")
		case d.data[i] == ',':
			i = d.space(i + 1)
		case d.data[i] == ']':
			return d.leave(self, i+1)
		default:
			return d.fatal(i, depth+1, d.show(i), "',' or ']'")
		}
	}
}

func (d *Doc) object(i, depth int) int {
	if !d.enter(Object, i, depth) {
		return -1
	}
	self := d.open[depth]
	i = d.space(i + 1)
	if i < len(d.data) && d.data[i] == '}' {
		return d.leave(self, i+1)
	}
	names := 0
	var seen uint64 // one bit per hash: a clear bit proves the name is new
	for {
		if i >= len(d.data) || d.data[i] != '"' {
			return d.fatal(i, depth+1, d.show(i), "a name in double quotes")
		}
		keyAt := i
		end, flags := plain(d.data, i+1), uint8(0)
		if end < 0 {
			if end, flags = d.str(i+1, depth+1); end < 0 {
				return -1
			}
		}
		keyStart, keyEnd, where := uint32(keyAt+1), uint32(end-1), flagMember
		key := d.data[keyStart:keyEnd]
		if flags&flagEscaped != 0 {
			keyStart = uint32(len(d.arena))
			d.arena = appendUnescaped(d.arena, key)
			keyEnd = uint32(len(d.arena))
			key, where = d.arena[keyStart:], flagMember|flagKeyArena
		}
		hash := HashKey(key)

		if i = d.space(end); i >= len(d.data) || d.data[i] != ':' {
			return d.fatal(i, depth+1, d.show(i), "':' after the name")
		}
		i = d.space(i + 1)
		bit := uint64(1) << (hash >> 26)
		if names++; names <= linearNames {
			if seen&bit != 0 && !d.compareNames(self, key, hash, keyAt, depth) {
				return -1
			}
			seen |= bit
		}
		d.name.start, d.name.end, d.name.hash, d.name.flags = keyStart, keyEnd, hash, where
		if i = d.value(i, depth+1); i < 0 {
			return -1
		}
		i = d.space(i)
		switch {
		case i >= len(d.data):
			return d.fatal(i, depth+1, "the end of the text", "',' or '}'")
		case d.data[i] == ',':
			i = d.space(i + 1)
		case d.data[i] == '}':
			if names > linearNames && !d.sortNames(self, depth) {
				return -1
			}
			return d.leave(self, i+1)
		default:
			return d.fatal(i, depth+1, d.show(i), "',' or '}'")
		}
	}
}

// compareNames reports key if an earlier member of the object has it. Like all functions that
// can find a flaw, it returns whether to continue.
func (d *Doc) compareNames(self uint32, key []byte, hash uint32, keyAt, depth int) bool {
	for c := self + 1; c < uint32(len(d.tape)); c = d.tape[c].after {
		if d.tape[c].keyHash == hash && bytes.Equal(d.Key(Node(c)), key) {
			return d.duplicate(key, keyAt, depth)
		}
	}
	return true
}

// sortNames finds duplicate names of a large object once all its members are read. Those among
// the first linearNames were reported as they were read.
func (d *Doc) sortNames(self uint32, depth int) bool {
	d.order = d.order[:0]
	reported := Node(0)
	for c := self + 1; c < uint32(len(d.tape)); c = d.tape[c].after {
		d.order = append(d.order, Node(c))
		if len(d.order) == linearNames {
			reported = Node(c)
		}
	}
	slices.SortFunc(d.order, func(a, b Node) int {
		// By hash first: it is on the tape, and the name is in the text.
		if c := cmp.Compare(d.KeyHash(a), d.KeyHash(b)); c != 0 {
			return c
		}
		if c := bytes.Compare(d.Key(a), d.Key(b)); c != 0 {
			return c
		}
		return int(a - b)
	})
	doubled := d.order[:0] // never overtakes the pair being compared
	for i := 1; i < len(d.order); i++ {
		a, b := d.order[i-1], d.order[i]
		if b > reported && bytes.Equal(d.Key(a), d.Key(b)) {
			doubled = append(doubled, b)
		}
	}
	slices.Sort(doubled) // back into the order of the text
	for _, n := range doubled {
		if !d.duplicate(d.Key(n), d.nameAt(n), depth) {
			return false
		}
	}
	return true
}

// nameAt returns the position of the opening quote of member n's name.
func (d *Doc) nameAt(n Node) int {
	e := &d.tape[n]
	if e.flags&flagKeyArena == 0 {
		return int(e.keyStart) - 1
	}
	i := bytes.LastIndexByte(d.data[:e.start], ':')
	i = bytes.LastIndexByte(d.data[:i], '"') // the closing quote
	for {
		i = bytes.LastIndexByte(d.data[:i], '"')
		if d.data[i-1] != '\\' { // a quote within a name has one before it
			return i
		}
	}
}

// duplicate reports that the innermost of depth+1 open containers has a duplicate key.
func (d *Doc) duplicate(key []byte, at, depth int) bool {
	p := AppendPointerToken(append([]byte(d.here(depth+1)), '/'), key)
	return d.flaw(FlawDuplicate, at, string(p), "the name "+quoted(key)+" a second time", "each name once in an object")
}

// here returns the pointer of the value about to be read inside depth open containers: the
// member whose name was just read, or the next array element.
func (d *Doc) here(depth int) string {
	var p []byte
	for k := 1; k < depth; k++ {
		p = d.appendToken(p, Node(d.open[k-1]), Node(d.open[k]), d.childrenBefore(d.open[k-1], d.open[k]))
	}
	if depth == 0 {
		return ""
	}
	inner := d.open[depth-1]
	switch {
	case d.tape[inner].kind == Array:
		p = append(p, '/')
		p = strconv.AppendInt(p, int64(d.childrenBefore(inner, uint32(len(d.tape)))), 10)
	case d.name.flags != 0:
		e := entry{keyStart: d.name.start, keyEnd: d.name.end, flags: d.name.flags}
		key := d.data
		if e.flags&flagKeyArena != 0 {
			key = d.arena
		}
		p = AppendPointerToken(append(p, '/'), key[e.keyStart:e.keyEnd])
	}
	return string(p)
}

func (d *Doc) childrenBefore(parent, child uint32) int {
	n := 0
	for c := parent + 1; c < child; c = d.tape[c].after {
		n++
	}
	return n
}

// flaw records a flaw and returns whether to continue. It must stop at MaxFlaws: each flaw's
// pointer takes time linear in what was read before it.
func (d *Doc) flaw(code FlawCode, at int, pointer, found, allowed string) bool {
	if len(d.flaws) == MaxFlaws {
		d.flaws = append(d.flaws, Flaw{FlawTooMany, at, "", "more than " + strconv.Itoa(MaxFlaws) + " flaws", "none"})
		return false
	}
	d.flaws = append(d.flaws, Flaw{code, at, pointer, found, allowed})
	return true
}

func (d *Doc) fatal(at, depth int, found, allowed string) int {
	d.flaw(FlawSyntax, at, d.here(depth), found+" at byte "+strconv.Itoa(at), allowed)
	return -1
}

func (d *Doc) notFinite(i, end, depth int) int {
	if !d.flaw(FlawNumber, i, d.here(depth), string(d.data[i:end]), "a finite number") {
		return -1
	}
	d.leaf(Broken, i, end, 0)
	return end
}

// show describes the byte or character at i for a person.
func (d *Doc) show(i int) string {
	if i >= len(d.data) {
		return "the end of the text"
	}
	if c := d.data[i]; c < 0x20 || c >= 0x7F {
		return fmt.Sprintf("byte 0x%02X", c)
	}
	return strconv.QuoteRune(rune(d.data[i]))
}

// quoted shows a short piece of untrusted text: cut, and with non-printable characters escaped.
func quoted(s []byte) string {
	if len(s) > 64 {
		return strconv.Quote(string(s[:64])) + "…"
	}
	return strconv.Quote(string(s))
}
