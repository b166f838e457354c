package kind

import (
	"strconv"
	"sync"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// page is one parsed JSON object of an event, with an index of the members that a
// table names.
type page struct {
	doc  canon.Doc
	buf  []byte // what doc was parsed from
	text string // the same as text that may be kept
	ok   bool   // it is an object
	at   slots
}

// slots holds the nodes of the members of a page; 0, which is the page itself, means
// none.
type slots [fieldCount]canon.Node

// open parses text and finds its members by the names in the table. A text that
// is not one strict JSON object leaves the page empty.
func (p *page) open(text string, names *naming) bool {
	p.text, p.at, p.ok = text, slots{}, false
	if len(text) <= len("{}") {
		return false
	}
	p.buf = append(p.buf[:0], text...)
	if p.doc.Parse(p.buf) != nil || p.doc.Kind(0) != canon.Object {
		return false
	}
	p.ok = true
	p.find(&p.at, 0, names)
	return true
}

// find fills at with the members of object n that the table names, except nulls. Of several
// with the same meaning it takes the first scalar, else the first.
func (p *page) find(at *slots, n canon.Node, names *naming) {
	first, end := p.doc.Children(n)
	for c := first; c < end; c = p.doc.After(c) {
		f := names.field(p.doc.Key(c))
		if f == fNone || p.doc.Kind(c) == canon.Null {
			continue
		}
		if at[f] == 0 || p.scalar(c) && !p.scalar(at[f]) {
			at[f] = c
		}
	}
}

func (p *page) scalar(n canon.Node) bool { return p.doc.Kind(n) < canon.Array }

// is reports whether member f is there and of kind k.
func (p *page) is(f field, k canon.Kind) bool { return p.at[f] != 0 && p.doc.Kind(p.at[f]) == k }

// str returns the text of member f if it is a string that is short enough to be
// a name, and "" otherwise. It may be a part of the event's own text.
func (p *page) str(f field) string {
	if p.at[f] == 0 {
		return ""
	}
	return p.strAt(p.at[f])
}

// maxName is the most bytes that a string read as a name may take in JSON: a
// reference with every byte escaped.
const maxName = 6*memory.MaxRef + 2

func (p *page) strAt(n canon.Node) string {
	if kind, size := p.doc.Measure(n); kind != canon.String || size > maxName {
		return ""
	}
	return p.doc.StringOf(p.text, n)
}

// integer returns member f if it is an integer.
func (p *page) integer(f field) (int64, bool) {
	if !p.is(f, canon.Number) {
		return 0, false
	}
	return p.doc.Int(p.at[f])
}

// truth returns member f if it is a boolean.
func (p *page) truth(f field) (value, known bool) {
	if p.at[f] == 0 {
		return false, false
	}
	k := p.doc.Kind(p.at[f])
	return k == canon.True, k == canon.True || k == canon.False
}

// reader is the state of reading one event. It is reused.
type reader struct {
	ev   *hmx.Event
	row  *row
	bit  eventSet
	verb memory.Verb

	content, arguments, metadata page
	// args is the object of arguments, on the page where it stands: that of the
	// content, or its own if the arguments came as text that holds JSON.
	args   *page
	argsAt slots
	argsIn canon.Node

	judged  bool // the next four fields are set
	outcome memory.Outcome
	tool    recognize.ToolFacts
	command recognize.Command // what was run, if anything was
	shell   bool              // the tool is one that ran a command

	frames frames
	line   line
	// scratch holds text without its escapes, until the next one is read.
	scratch []byte
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// keepBytes is the most memory that a reader keeps between events.
const keepBytes = 1 << 20

func borrow(ev *hmx.Event) *reader {
	r := readers.Get().(*reader)
	r.ev = ev
	var place int
	r.row, place = rowOf(ev.EventType)
	r.bit, r.verb, r.outcome = 1<<place, r.row.verb, memory.OutcomeUnknown
	r.args, r.argsAt, r.argsIn, r.judged = nil, slots{}, 0, false
	r.tool, r.command, r.shell = recognize.ToolFacts{}, recognize.Command{}, false
	r.line.buf = r.line.buf[:0]
	r.content.open(string(ev.Content), contentNames())
	r.metadata.open(string(ev.Metadata), metadataNames())
	r.openArguments()
	return r
}

func (r *reader) giveBack() {
	held := cap(r.scratch) + cap(r.line.buf)
	for _, p := range []*page{&r.content, &r.arguments, &r.metadata} {
		held += p.doc.Footprint() + cap(p.buf)
		p.doc.Reset()
		p.text = ""
	}
	r.ev, r.args, r.tool, r.command = nil, nil, recognize.ToolFacts{}, recognize.Command{}
	r.frames.forget()
	if held <= keepBytes {
		readers.Put(r)
	}
}

// openArguments finds the arguments of a tool call: an object, or a string that
// holds one as JSON, as many model interfaces write it.
func (r *reader) openArguments() {
	n := r.content.at[fArguments]
	if n == 0 || r.bit&onTools == 0 {
		return
	}
	switch r.content.doc.Kind(n) {
	case canon.Object:
		r.args, r.argsIn = &r.content, n
		r.content.find(&r.argsAt, n, argumentNames())
	case canon.String:
		r.scratch = r.content.doc.AppendString(r.scratch[:0], n)
		if r.arguments.open(string(r.scratch), argumentNames()) {
			r.args, r.argsIn, r.argsAt = &r.arguments, 0, r.arguments.at
		}
	}
}

// bytes returns up to limit bytes of the string n on p, unescaped, and whether
// there is more of it. They are valid until the next call.
func (r *reader) bytes(p *page, n canon.Node, limit int) (text []byte, more bool) {
	raw := p.doc.Raw(n)
	body := raw[1 : len(raw)-1]
	if !p.doc.Escaped(n) {
		if len(body) <= limit {
			return body, false
		}
		return wholeRunes(body[:limit]), true
	}
	var rest []byte
	r.scratch, rest = appendBody(r.scratch[:0], body, limit)
	return r.scratch, len(rest) > 0
}

// text returns up to limit bytes of the string n on p. Without escapes it is a
// part of the event's own text.
func (r *reader) text(p *page, n canon.Node, limit int) string {
	if p.doc.Escaped(n) {
		text, _ := r.bytes(p, n, limit)
		return string(text)
	}
	start, end := p.doc.Span(n)
	text := p.text[start+1 : end-1]
	if len(text) > limit {
		text = text[:limit]
	}
	return text
}

// wholeRunes cuts off an incomplete rune at the end.
func wholeRunes(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(b)); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// appendBody appends the unescaped text of the checked JSON string body, at most limit
// bytes and one rune, and returns the rest of the body.
func appendBody(dst, body []byte, limit int) (text, rest []byte) {
	end := len(dst) + limit
	for len(body) > 0 && len(dst) < end {
		n := 0
		for n < len(body) && body[n] != '\\' {
			n++
		}
		if n > end-len(dst) {
			cut := wholeRunes(body[:end-len(dst)])
			return append(dst, cut...), body[len(cut):]
		}
		dst = append(dst, body[:n]...)
		if body = body[n:]; len(body) < 2 {
			break
		}
		if body[1] != 'u' {
			dst, body = append(dst, plainEscape(body[1])), body[2:]
			continue
		}
		c := hex4(body[2:])
		body = body[6:]
		if c >= 0xD800 && c < 0xDC00 && len(body) >= 6 {
			c = 0x10000 + (c-0xD800)<<10 + (hex4(body[2:]) - 0xDC00)
			body = body[6:]
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst, body
}

func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// hex4 reads the four digits of an escape that the parser has accepted.
func hex4(b []byte) rune {
	v, _ := strconv.ParseUint(string(b[:4]), 16, 32)
	return rune(v)
}

// gather appends the text below n: names and values in order, without generic names. It
// stops after limit bytes or a few hundred values.
func (r *reader) gather(dst []byte, p *page, n canon.Node, limit int) []byte {
	g := gatherer{r: r, p: p, dst: dst, limit: len(dst) + limit, left: 400}
	g.value(n)
	return g.dst
}

type gatherer struct {
	r     *reader
	p     *page
	dst   []byte
	limit int
	left  int
}

func (g *gatherer) value(n canon.Node) {
	if g.left--; g.left < 0 || len(g.dst) >= g.limit {
		return
	}
	doc := &g.p.doc
	switch kind := doc.Kind(n); kind {
	case canon.String:
		raw := doc.Raw(n)
		if string(raw) == `"text"` {
			return // the type of a part, next to the text itself
		}
		g.dst, _ = appendBody(g.dst, raw[1:len(raw)-1], g.limit-len(g.dst))
	case canon.Number, canon.True, canon.False:
		if raw := doc.Raw(n); len(raw) <= 64 {
			g.dst = append(g.dst, raw...)
		}
	case canon.Array, canon.Object:
		g.members(n, kind)
	}
}

func (g *gatherer) members(n canon.Node, kind canon.Kind) {
	doc := &g.p.doc
	began := len(g.dst)
	first, end := doc.Children(n)
	for c := first; c < end && g.left >= 0 && len(g.dst) < g.limit; c = doc.After(c) {
		if kind == canon.Object && g.r.runFlag(g.p, c, doc.Key(c)) {
			continue
		}
		before := len(g.dst)
		if before > began {
			g.dst = append(g.dst, ", "...)
		}
		if kind == canon.Object {
			g.name(doc.Key(c))
		}
		named := len(g.dst)
		if g.value(c); len(g.dst) == named {
			g.dst = g.dst[:before] // the value is empty
		}
	}
}

// name appends the name of a member unless it only says that there is text.
func (g *gatherer) name(key []byte) {
	switch string(key) {
	case "text", "output", "content", "result", "results", "stdout", "data", "value", "message":
		return
	}
	if len(key) > 64 {
		key = wholeRunes(key[:64])
	}
	g.dst = append(append(g.dst, key...), ' ')
}
