package trace

import (
	"math/bits"

	"lukasa.dev/internal/canon"
)

const (
	maxValues    = 1 << 16  // values of a session that are remembered, the first of more
	maxScanned   = 32 << 10 // bytes of the texts of an event that are looked at for values
	maxValue     = 64       // bytes of a string with blanks that is one value
	maxLists     = 8        // lists that are remembered, the last of more
	maxListed    = 64       // values of a list that are counted
	maxProbes    = 32       // places that are tried for a value
	maxToolNames = 1 << 10  // tools that values remember
)

// value is where a value was first seen.
type value struct {
	key  uint64
	live uint32 // the session that this is of
	step uint32 // which step of the session, if it was seen in one
	list uint32 // the list that it stands in and was not taken from, or 0
	tool uint16
	from Origin
	bit  uint8
	used bool // a call had it
}

// list is the values that a result listed and no call has used.
type list struct {
	serial uint32
	open   uint64
	n      uint8
}

// origins remembers the values of a session: where each was first seen, and which of
// those that were listed are used. It holds hashes and no values.
type origins struct {
	table []value
	live  uint32
	count int
	tools []string
	lists [maxLists]list
	// serial is that of the last list; last is the list that the last call took from.
	serial, last uint32
	left         int   // bytes that may still be looked at in this event
	inner        *page // for JSON in a string
}

// reset forgets the session.
func (o *origins) reset() {
	o.live++
	if o.live == 0 || len(o.table) > 1<<15 {
		o.table, o.live = nil, 1
	}
	o.count, o.serial, o.last = 0, 0, 0
	o.tools = append(o.tools[:0], "")
	o.lists = [maxLists]list{}
}

// find returns the place of a key, or nil if there is none and no room for it.
func (o *origins) find(key uint64) *value {
	if o.count*2 >= len(o.table) && len(o.table) < 2*maxValues {
		o.grow()
	}
	mask := uint64(len(o.table) - 1)
	at := key ^ key>>32
	for range maxProbes {
		v := &o.table[at&mask]
		if v.live != o.live || v.key == key {
			return v
		}
		at++
	}
	return nil
}

// grow doubles the table.
func (o *origins) grow() {
	old := o.table
	o.table = make([]value, max(512, 2*len(old)))
	mask := uint64(len(o.table) - 1)
	for i := range old {
		if old[i].live != o.live {
			continue
		}
		at := old[i].key ^ old[i].key>>32
		for o.table[at&mask].live == o.live {
			at++
		}
		o.table[at&mask] = old[i]
	}
}

// note remembers where a value was seen, unless it is known. It returns its place, or
// nil if there is no room.
func (o *origins) note(key uint64, from Origin, step uint32, tool uint16) *value {
	v := o.find(key)
	if v == nil || v.live == o.live {
		return v
	}
	if o.count >= maxValues {
		return nil
	}
	o.count++
	*v = value{key: key, live: o.live, step: step, tool: tool, from: from}
	return v
}

// toolNumber returns the number under which values remember a tool.
func (o *origins) toolNumber(tool string) uint16 {
	for i := len(o.tools) - 1; i > 0; i-- {
		if o.tools[i] == tool {
			return uint16(i)
		}
	}
	if len(o.tools) >= maxToolNames {
		return 0
	}
	o.tools = append(o.tools, tool)
	return uint16(len(o.tools) - 1)
}

// keyOf returns the hash of a value without case.
func keyOf(v string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(v) {
		c := v[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h ^ h>>29
}

// inValue says which bytes are part of a value that stands among words.
var inValue = func() (table [256]bool) {
	for c := range table {
		switch classes[c] {
		case cDigit, cLower, cUpper, cDot, cDash, cUnder, cSlash, cAt, cHash, cPlus, cWide:
			table[c] = true
		}
	}
	return table
}()

// seen remembers the values that stand in a text. Any says that plain words are
// values too.
func (o *origins) seen(text string, any bool, from Origin, step uint32, tool uint16) {
	if len(text) > o.left {
		text = text[:o.left]
	}
	o.left -= len(text)
	for i := 0; i < len(text); {
		if !inValue[text[i]] {
			i++
			continue
		}
		start, special, upper := i, false, 0
		for i < len(text) && inValue[text[i]] {
			switch k := classes[text[i]]; k {
			case cDigit, cUnder, cAt, cSlash:
				special = true
			case cUpper:
				upper++
			}
			i++
		}
		if w := trimValue(text[start:i]); len(w) >= 2 && len(w) <= maxSlotText && (any || special || upper == len(w)) {
			o.note(keyOf(w), from, step, tool)
		}
	}
}

// trimValue removes marks of the sentence around a value.
func trimValue(w string) string {
	for w != "" && (w[len(w)-1] == '.' || w[len(w)-1] == '-') {
		w = w[:len(w)-1]
	}
	for w != "" && w[0] == '-' {
		w = w[1:]
	}
	return w
}

// known returns the place of a value, or nil.
func (o *origins) known(v string) *value {
	if v == "" || o.count == 0 {
		return nil
	}
	if p := o.find(keyOf(v)); p != nil && p.live == o.live {
		return p
	}
	return nil
}

// use notes that a call had a value.
func (o *origins) use(v string, step uint32, tool uint16) {
	p := o.note(keyOf(v), FromCall, step, tool)
	if p == nil {
		return
	}
	p.used = true
	if p.list == 0 {
		return
	}
	o.last = p.list
	if l := o.listOf(p.list); l != nil {
		l.open &^= 1 << p.bit
	}
	p.list = 0
}

// listOf returns the list of a serial, if it is still remembered.
func (o *origins) listOf(serial uint32) *list {
	if l := &o.lists[serial%maxLists]; serial > 0 && l.serial == serial {
		return l
	}
	return nil
}

// listed notes a value as one of a list. A value that a call had already is not open,
// and one that stands in another list is open in this one only.
func (o *origins) listed(l *list, v string, step uint32, tool uint16) {
	if l.n == maxListed {
		return
	}
	p := o.note(keyOf(v), FromResult, step, tool)
	if p == nil || p.used || p.list == l.serial {
		return
	}
	if other := o.listOf(p.list); other != nil {
		other.open &^= 1 << p.bit
	}
	p.list, p.bit = l.serial, l.n
	l.open |= 1 << l.n
	l.n++
}

// open returns how many listed values no call has used, and how many of them stand in
// the list that the last call took from.
func (o *origins) open() (all, left uint8) {
	n := 0
	for i := range o.lists {
		n += bits.OnesCount64(o.lists[i].open)
	}
	if l := o.listOf(o.last); l != nil {
		left = uint8(bits.OnesCount64(l.open))
	}
	return uint8(min(n, MaxOpen)), left
}

// walk remembers the values of the JSON at n, and what it lists.
func (o *origins) walk(p *page, n canon.Node, step uint32, tool uint16) {
	switch p.doc.Kind(n) {
	case canon.String:
		v := p.at(n)
		if p != o.inner && o.inner.openInner(v) {
			o.walk(o.inner, 0, step, tool)
			return
		}
		o.leaf(v, step, tool)
	case canon.Object:
		first, end := p.doc.Children(n)
		for c := first; c < end && o.left > 0; c = p.doc.After(c) {
			if key := p.doc.Key(c); len(key) <= maxValue && hasDigit(key) {
				o.note(keyOf(string(key)), FromResult, step, tool)
			}
			o.walk(p, c, step, tool)
		}
	case canon.Array:
		o.list(p, n, step, tool)
		first, end := p.doc.Children(n)
		for c := first; c < end && o.left > 0; c = p.doc.After(c) {
			o.walk(p, c, step, tool)
		}
	case canon.Number:
		if raw := p.doc.Raw(n); len(raw) >= 4 && len(raw) <= maxValue {
			o.note(keyOf(p.text[spanOf(p, n):][:len(raw)]), FromResult, step, tool)
		}
	}
}

func spanOf(p *page, n canon.Node) int { start, _ := p.doc.Span(n); return start }

func hasDigit(b []byte) bool {
	for _, c := range b {
		if c-'0' <= 9 {
			return true
		}
	}
	return false
}

// leaf remembers a string of JSON: as a whole if it is short, and the values in it.
func (o *origins) leaf(v string, step uint32, tool uint16) {
	if v == "" {
		return
	}
	if len(v) <= maxValue {
		o.left -= len(v)
		o.note(keyOf(v), FromResult, step, tool)
		if !blankIn(v) && plainValue(v) {
			return
		}
	}
	o.seen(v, false, FromResult, step, tool)
}

// plainValue reports whether a text is one value, with no other in it.
func plainValue(v string) bool {
	for i := range len(v) {
		if !inValue[v[i]] {
			return false
		}
	}
	return true
}

// list notes what the array n lists: the id-like strings in it, and of each object in
// it the first id-like string. One value is no list.
func (o *origins) list(p *page, n canon.Node, step uint32, tool uint16) {
	first, end := p.doc.Children(n)
	if first >= end || p.doc.After(first) >= end {
		return
	}
	var l *list
	for c := first; c < end; c = p.doc.After(c) {
		v := listedValue(p, c)
		if v == "" {
			continue
		}
		if l == nil {
			o.serial++
			l = &o.lists[o.serial%maxLists]
			*l = list{serial: o.serial}
		}
		if o.listed(l, v, step, tool); l.n == maxListed {
			return
		}
	}
}

// listedValue returns the value that an element of a list is known by.
func listedValue(p *page, c canon.Node) string {
	switch p.doc.Kind(c) {
	case canon.String:
		if v := p.at(c); len(v) <= maxSlotText && slotOf(v).idLike() {
			return v
		}
	case canon.Object:
		first, end := p.doc.Children(c)
		tried := 0
		for m := first; m < end && tried < 4; m = p.doc.After(m) {
			if p.doc.Kind(m) != canon.String {
				continue
			}
			tried++
			if v := p.at(m); len(v) <= maxSlotText {
				if s := slotOf(v); s.idLike() && s != SlotCode {
					return v
				}
			}
		}
	}
	return ""
}

// argumentOf returns the string that stands for an argument: itself, or of a list or
// an object the first id-like string, else the first.
func argumentOf(p *page, n canon.Node) string {
	switch p.doc.Kind(n) {
	case canon.String:
		return p.at(n)
	case canon.Number:
		start, end := p.doc.Span(n)
		return p.text[start:end]
	case canon.Array, canon.Object:
	default:
		return ""
	}
	found := ""
	first, end := p.doc.Children(n)
	for c, tried := first, 0; c < end && tried < 16; c, tried = c+1, tried+1 {
		if p.doc.Kind(c) != canon.String {
			continue
		}
		v := p.at(c)
		if len(v) <= maxSlotText && slotOf(v).idLike() {
			return v
		}
		if found == "" {
			found = v
		}
	}
	return found
}
