package secret

import (
	"encoding/json"
	"strconv"
	"strings"
)

// JSON returns a JSON document without the secrets in its strings, including object keys, and
// how many there were. A string value of a key such as password counts as assigned to it.
// Members of the outermost object named by keep are not changed. Invalid JSON is returned as it
// is.
func JSON(doc string, keep ...string) (clean string, found int) {
	if !suspect(doc) {
		return doc, 0
	}
	for range most {
		w := walker{doc: doc, keep: keep}
		if !w.value("", 0) || w.found == 0 {
			break
		}
		w.out.WriteString(w.doc[w.last:])
		doc, found = w.out.String(), found+w.found
	}
	return doc, found
}

// suspect reports whether a document may have secrets in its strings. It has false positives,
// but no false negatives.
func suspect(doc string) bool {
	if strings.Contains(doc, `\u00`) || strings.Contains(doc, `\/`) {
		return true // it may be escaped differently
	}
	for at := next(doc, 0); at < len(doc); at = next(doc, at+1) {
		for _, l := range literals.at(doc, at) {
			if l.here(doc, at) && l.rule.likely(doc, at, at+len(l.text), l.rule.then) {
				return true
			}
		}
	}
	return false
}

// walker walks a document and rewrites it as far as it changes.
type walker struct {
	doc   string
	keep  []string
	at    int
	last  int // end of the part already written
	out   strings.Builder
	found int
}

// maxDepth is the maximum nesting of a document. Deeper ones are refused anyway.
const maxDepth = 1000

// value walks a value that belongs to a name, or to none. It reports whether there was one.
func (w *walker) value(name string, depth int) bool {
	w.space()
	if w.at >= len(w.doc) || depth > maxDepth {
		return false
	}
	switch w.doc[w.at] {
	case '"':
		return w.text(name)
	case '{':
		return w.object(depth)
	case '[':
		return w.array(name, depth)
	}
	for w.at < len(w.doc) && strings.IndexByte(",]} \t\r\n", w.doc[w.at]) < 0 {
		w.at++
	}
	return true
}

func (w *walker) space() { w.at = skip(w.doc, w.at, " \t\r\n") }

// array walks an array, whose items belong to the name of the array.
func (w *walker) array(name string, depth int) bool {
	w.at++
	for {
		w.space()
		if w.take(']') {
			return true
		}
		if !w.value(name, depth+1) {
			return false
		}
		w.space()
		if !w.take(',') {
			return w.take(']')
		}
	}
}

// take skips a byte if it is there.
func (w *walker) take(c byte) bool {
	if w.at < len(w.doc) && w.doc[w.at] == c {
		w.at++
		return true
	}
	return false
}

// object walks an object.
func (w *walker) object(depth int) bool {
	w.at++
	taken := make(map[string]int) // with the number last appended to them
	for {
		w.space()
		if w.take('}') {
			return true
		}
		name, ok := w.key(taken)
		if !ok {
			return false
		}
		w.space()
		if !w.take(':') {
			return false
		}
		if depth == 0 && w.kept(name) {
			ok = w.over()
		} else {
			ok = w.value(name, depth+1)
		}
		if !ok {
			return false
		}
		w.space()
		if !w.take(',') {
			return w.take('}')
		}
	}
}

func (w *walker) kept(name string) bool {
	for _, k := range w.keep {
		if k == name {
			return true
		}
	}
	return false
}

// over skips a value that is not changed.
func (w *walker) over() bool {
	apart := walker{doc: w.doc, at: w.at}
	ok := apart.value("", 1)
	w.at = apart.at
	return ok
}

// key walks the key of a member and returns the original.
func (w *walker) key(taken map[string]int) (string, bool) {
	from := w.at
	name, ok := w.read()
	if !ok {
		return "", false
	}
	clean, n := Text(name)
	if last := taken[clean]; n > 0 || last > 0 && w.found > 0 {
		unique := clean
		for i := last + 1; taken[unique] > 0; i++ {
			unique = clean + "#" + strconv.Itoa(i)
			taken[clean] = i
		}
		clean = unique
		w.replace(from, clean, n)
	}
	taken[clean] = max(taken[clean], 1)
	return name, true
}

// text walks a string that belongs to a name.
func (w *walker) text(name string) bool {
	from := w.at
	text, ok := w.read()
	if !ok {
		return false
	}
	clean, n := Text(text)
	if n == 0 {
		clean, n = member(name, text)
	}
	if n > 0 {
		w.replace(from, clean, n)
	}
	return true
}

// member returns the replacement for the value of a member if its name says that it is secret.
func member(name, text string) (string, int) {
	if text == "" || strings.ContainsAny(text, " \t\r\n") || strings.Contains(text, markBegin) {
		return text, 0
	}
	rule := ""
	switch {
	case passwordNames.match(name) && isPassword(new(look), text, 0, len(text)):
		rule = "password"
	case secretNames.match(name) && isSecret(new(look), text, 0, len(text)):
		rule = "secret"
	case header(name) && len(text) >= 16 && random(text) && !placeholder(text):
		rule = "authorization"
	default:
		return text, 0
	}
	return markBegin + rule + markEnd, 1
}

// read reads the string at the current position.
func (w *walker) read() (string, bool) {
	if !w.take('"') {
		return "", false
	}
	from, plain := w.at, true
	for w.at < len(w.doc) {
		switch w.doc[w.at] {
		case '\\':
			plain = false
			w.at++
		case '"':
			w.at++
			if plain {
				return w.doc[from : w.at-1], true
			}
			var text string
			err := json.Unmarshal([]byte(w.doc[from-1:w.at]), &text)
			return text, err == nil
		}
		w.at++
	}
	return "", false
}

// replace writes a string in place of the one that ends at the current position.
func (w *walker) replace(from int, text string, found int) {
	w.out.WriteString(w.doc[w.last:from])
	w.out.WriteString(quote(text))
	w.last = w.at
	w.found += found
}

// quote encodes a text as JSON.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte("0123456789abcdef"[r>>4])
			b.WriteByte("0123456789abcdef"[r&15])
		default:
			b.WriteRune(r) // the replacement character for invalid UTF-8
		}
	}
	b.WriteByte('"')
	return b.String()
}
