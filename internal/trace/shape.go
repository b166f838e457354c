package trace

import (
	"bytes"
	"strings"

	"lukasa.dev/internal/canon"
)

// freeText are the names of arguments, or the last words of such names, whose values
// are somebody's own words or nobody's business, whatever they look like.
var freeText = indexWords("query q text message title name names description content summary thought prompt body subject comment note notes reason expression search keyword keywords city " +
	"address username user author label pattern string str value input output question answer details instruction instructions person assignee owner nickname surname firstname lastname " +
	"password passwd passphrase pwd secret token apikey key authorization credentials cvv pin")

// shapeOf writes the shape of the arguments at n into r.shape, and notes the
// arguments in r.args. Where values come from is not asked yet.
func (r *Reader) shapeOf(p *page, n canon.Node) {
	r.shape, r.args = r.shape[:0], r.args[:0]
	r.argAt = r.argAt[:0]
	if !p.ok || p.doc.Kind(n) != canon.Object {
		return
	}
	first, end := p.doc.Children(n)
	for c := first; c < end; c = p.doc.After(c) {
		r.keepSorted(p, c)
	}
	for _, c := range r.argAt {
		key := keyName(p.doc.Key(c))
		slot := r.slotAt(p, c, key)
		r.args = append(r.args, Arg{Name: r.intern(key), Slot: slot})
		if full := len(r.shape) + len(key) + maxSlotWord + 2; full > MaxShape {
			continue
		}
		if len(r.shape) > 0 {
			r.shape = append(r.shape, ' ')
		}
		r.shape = append(r.shape, key...)
		r.shape = append(r.shape, '=')
		switch {
		case slot == SlotWord:
			r.shape = append(r.shape, p.at(c)...)
		case slot == SlotBool:
			r.shape = append(r.shape, p.doc.Raw(c)...)
		default:
			r.shape = append(r.shape, slot.String()...)
		}
	}
}

// keepSorted keeps c among the first MaxArgs arguments by name.
func (r *Reader) keepSorted(p *page, c canon.Node) {
	key := p.doc.Key(c)
	i := len(r.argAt)
	for i > 0 && bytes.Compare(key, p.doc.Key(r.argAt[i-1])) < 0 {
		i--
	}
	if i == MaxArgs {
		return
	}
	if len(r.argAt) < MaxArgs {
		r.argAt = append(r.argAt, 0)
	}
	copy(r.argAt[i+1:], r.argAt[i:])
	r.argAt[i] = c
}

// keyName returns the name of an argument as it stands in a shape: itself, unless it
// is rather a value.
func keyName(key []byte) []byte {
	const most = 40
	if len(key) == 0 || len(key) > most {
		return []byte("<key>")
	}
	t := traitsOf(key)
	if t.letters()+t.digits+t.unders+t.dashes+t.dots != len(key) || t.letters() == 0 || t.digits > 3 || uuidLike(string(key)) {
		return []byte("<key>")
	}
	return key
}

// slotAt returns the kind of the value c, which stands under a name.
func (r *Reader) slotAt(p *page, c canon.Node, key []byte) Slot {
	switch p.doc.Kind(c) {
	case canon.Null:
		return SlotNull
	case canon.True, canon.False:
		return SlotBool
	case canon.Number:
		if p.doc.Integral(c) {
			return SlotInt
		}
		return SlotNumber
	case canon.Array:
		return SlotList
	case canon.Object:
		return SlotObject
	}
	if _, size := p.doc.Measure(c); size > maxSlotText {
		return SlotText
	}
	slot := slotOf(p.at(c))
	switch {
	case slot == SlotWord && freeText()[string(lastWord(r.fold8[:0], key))]:
		return SlotText
	case (slot == SlotCode || slot == SlotWord || slot == SlotText && !blankIn(p.at(c))) && namesID(key):
		return SlotID
	}
	return slot
}

func blankIn(v string) bool {
	for i := range len(v) {
		if classes[v[i]] == cBlank {
			return true
		}
	}
	return v == ""
}

// namesID reports whether a name says that its value is an id.
func namesID(key []byte) bool {
	for _, end := range [...]string{"id", "ID", "Id", "uuid", "guid"} {
		rest, ok := bytes.CutSuffix(key, []byte(end))
		if !ok {
			continue
		}
		if len(rest) == 0 || rest[len(rest)-1] == '_' || rest[len(rest)-1] == '-' || end[0] == 'I' && classes[rest[len(rest)-1]] == cLower {
			return true
		}
	}
	return false
}

// lastWord appends the last word of a name in lower case: name of first_name, of
// first-name and of firstName.
func lastWord(dst, key []byte) []byte {
	i := len(key)
	for i > 0 {
		c := key[i-1]
		if c == '_' || c == '-' || c == '.' {
			break
		}
		i--
		if classes[c] == cUpper && i > 0 && classes[key[i-1]] == cLower {
			break
		}
	}
	return lower(dst, key[i:])
}

// toolName returns the name of a tool as it is kept: one word of what names have, cut
// short.
func (r *Reader) toolName(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return ToolUnnamed
	}
	if len(name) > MaxName || strings.ContainsAny(name, " \t\r\n") || !printable(name) {
		name = strings.ReplaceAll(clip(name, MaxName), " ", "_")
	}
	if name == "" {
		return ToolUnnamed
	}
	return r.intern([]byte(name))
}

// printable reports whether a text is plain ASCII without control characters.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// route appends the address of a request without its values.
func route(dst []byte, address string) []byte {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address, _, _ = strings.Cut(address, "#")
	address, query, _ := strings.Cut(address, "?")
	began := len(dst)
	for i, part := 0, ""; len(dst) < MaxShape-maxSlotWord; i++ {
		rest := ""
		var more bool
		part, rest, more = strings.Cut(address, "/")
		if i > 0 {
			dst = append(dst, '/')
		} else if at := strings.LastIndexByte(part, '@'); at >= 0 {
			part = part[at+1:]
		}
		dst = appendSegment(dst, part, i == 0)
		if !more {
			break
		}
		address = rest
	}
	if query == "" {
		return dst
	}
	dst = append(dst, '?')
	for i, pair := range strings.SplitN(query, "&", MaxArgs+1) {
		name, _, _ := strings.Cut(pair, "=")
		if key := keyName([]byte(name)); i < MaxArgs && len(dst)-began+len(key) < MaxShape {
			if i > 0 {
				dst = append(dst, '&')
			}
			dst = append(dst, key...)
		}
	}
	return dst
}

// appendSegment appends a part of an address: a name as it is, a value as its kind.
func appendSegment(dst []byte, part string, host bool) []byte {
	t := traitsOf(part)
	switch {
	case part == "":
		return dst
	case host && len(part) <= 64 && t.letters()+t.digits+t.dots+t.dashes+t.colons == len(part) && t.letters() > 0 && printable(part):
		return lower(dst, part)
	case host:
		return append(dst, "<host>"...)
	case len(part) <= maxSlotWord && t.lower+t.unders+t.dashes == len(part), versionLike(part):
		return append(dst, part...)
	}
	slot := slotOf(part)
	if slot == SlotPath || slot == SlotWord {
		slot = SlotText
	}
	return append(dst, slot.String()...)
}

// versionLike reports whether a word is v1 or the like.
func versionLike(v string) bool {
	return len(v) >= 2 && len(v) <= 4 && v[0] == 'v' && digitsAt(v, 1, len(v)-1)
}
