// Package provenance remembers where in a session a value was first seen: in a message, in a
// result, in an earlier call. It holds hashes and no values, and its size is bounded.
package provenance

import (
	"math/bits"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/trace/jsonpage"
	"lukasa.dev/internal/trace/shapes"
)

const (
	maxValues    = 1 << 16  // values of a session that are remembered; of more, the first are
	MaxScanned   = 32 << 10 // bytes of the texts of an event that are searched for values
	MaxValue     = 64       // bytes of a string with blanks that is one value
	maxLists     = 8        // lists that are remembered; of more, the last are
	maxListed    = 64       // values of a list that are counted
	maxProbes    = 32       // places that are tried for a value
	maxToolNames = 1 << 10  // tools that values remember
)

// value is where a value was first seen.
type value struct {
	key  uint64
	live uint32 // the session that this is of
	Step uint32 // which step of the session, if it was seen in one
	list uint32 // the list that has it and that no call took it from, or 0
	Tool uint16
	From Origin
	bit  uint8
	used bool // a call had it
}

// list is the values that a result listed and no call has used.
type list struct {
	serial uint32
	open   uint64
	n      uint8
}

// Values remembers the values of a session: where each was first seen, and which of
// those that were listed are used. It holds hashes and no values.
type Values struct {
	table []value
	live  uint32
	count int
	Tools []string
	lists [maxLists]list
	// serial is that of the last list; last is the list that the last call took from.
	serial, last uint32
	Left         int            // bytes of this event that may still be read
	Inner        *jsonpage.Page // for JSON in a string
}

// Reset forgets the session.
func (o *Values) Reset() {
	o.live++
	if o.live == 0 || len(o.table) > 1<<15 {
		o.table, o.live = nil, 1
	}
	o.count, o.serial, o.last = 0, 0, 0
	o.Tools = append(o.Tools[:0], "")
	o.lists = [maxLists]list{}
}

// find returns the place of a key, or nil if there is none and no room for it.
func (o *Values) find(key uint64) *value {
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
func (o *Values) grow() {
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
func (o *Values) note(key uint64, from Origin, step uint32, tool uint16) *value {
	v := o.find(key)
	if v == nil || v.live == o.live {
		return v
	}
	if o.count >= maxValues {
		return nil
	}
	o.count++
	*v = value{key: key, live: o.live, Step: step, Tool: tool, From: from}
	return v
}

// ToolNumber returns the number under which values remember a tool.
func (o *Values) ToolNumber(tool string) uint16 {
	for i := len(o.Tools) - 1; i > 0; i-- {
		if o.Tools[i] == tool {
			return uint16(i)
		}
	}
	if len(o.Tools) >= maxToolNames {
		return 0
	}
	o.Tools = append(o.Tools, tool)
	return uint16(len(o.Tools) - 1)
}

// KeyOf returns the hash of a value without case.
func KeyOf(v string) uint64 {
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
		switch shapes.Classes[c] {
		case shapes.ClassDigit, shapes.ClassLower, shapes.ClassUpper, shapes.ClassDot, shapes.ClassDash, shapes.ClassUnder, shapes.ClassSlash, shapes.ClassAt, shapes.ClassHash, shapes.ClassPlus, shapes.ClassWide:
			table[c] = true
		}
	}
	return table
}()

// Seen remembers the values that stand in a text. Any says that plain words are
// values too.
func (o *Values) Seen(text string, any bool, from Origin, step uint32, tool uint16) {
	if len(text) > o.Left {
		text = text[:o.Left]
	}
	o.Left -= len(text)
	for i := 0; i < len(text); {
		if !inValue[text[i]] {
			i++
			continue
		}
		start, special, upper := i, false, 0
		for i < len(text) && inValue[text[i]] {
			switch k := shapes.Classes[text[i]]; k {
			case shapes.ClassDigit, shapes.ClassUnder, shapes.ClassAt, shapes.ClassSlash:
				special = true
			case shapes.ClassUpper:
				upper++
			}
			i++
		}
		if w := TrimValue(text[start:i]); len(w) >= 2 && len(w) <= shapes.MaxSlotText && (any || special || upper == len(w)) {
			o.note(KeyOf(w), from, step, tool)
		}
	}
}

// TrimValue removes marks of the sentence around a value.
func TrimValue(w string) string {
	for w != "" && (w[len(w)-1] == '.' || w[len(w)-1] == '-') {
		w = w[:len(w)-1]
	}
	for w != "" && w[0] == '-' {
		w = w[1:]
	}
	return w
}

// Known returns the place of a value, or nil.
func (o *Values) Known(v string) *value {
	if v == "" || o.count == 0 {
		return nil
	}
	if p := o.find(KeyOf(v)); p != nil && p.live == o.live {
		return p
	}
	return nil
}

// Use notes that a call had a value.
func (o *Values) Use(v string, step uint32, tool uint16) {
	p := o.note(KeyOf(v), FromCall, step, tool)
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
func (o *Values) listOf(serial uint32) *list {
	if l := &o.lists[serial%maxLists]; serial > 0 && l.serial == serial {
		return l
	}
	return nil
}

// listed adds a value to a list. A value that a call has used already is not open, and one
// of another list is open in this one only.
func (o *Values) listed(l *list, v string, step uint32, tool uint16) {
	if l.n == maxListed {
		return
	}
	p := o.note(KeyOf(v), FromResult, step, tool)
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

// Open returns how many listed values no call has used, and how many of them stand in
// the list that the last call took from.
func (o *Values) Open() (all, left uint8) {
	n := 0
	for i := range o.lists {
		n += bits.OnesCount64(o.lists[i].open)
	}
	if l := o.listOf(o.last); l != nil {
		left = uint8(bits.OnesCount64(l.open))
	}
	return uint8(min(n, MaxOpen)), left
}

// Walk remembers the values of the JSON at n, and what it lists.
func (o *Values) Walk(p *jsonpage.Page, n canon.Node, step uint32, tool uint16) {
	switch p.Doc.Kind(n) {
	case canon.String:
		v := p.At(n)
		if p != o.Inner && o.Inner.OpenInner(v) {
			o.Walk(o.Inner, 0, step, tool)
			return
		}
		o.leaf(v, step, tool)
	case canon.Object:
		first, end := p.Doc.Children(n)
		for c := first; c < end && o.Left > 0; c = p.Doc.After(c) {
			if key := p.Doc.Key(c); len(key) <= MaxValue && hasDigit(key) {
				o.note(KeyOf(string(key)), FromResult, step, tool)
			}
			o.Walk(p, c, step, tool)
		}
	case canon.Array:
		o.list(p, n, step, tool)
		first, end := p.Doc.Children(n)
		for c := first; c < end && o.Left > 0; c = p.Doc.After(c) {
			o.Walk(p, c, step, tool)
		}
	case canon.Number:
		if raw := p.Doc.Raw(n); len(raw) >= 4 && len(raw) <= MaxValue {
			o.note(KeyOf(p.Text[spanOf(p, n):][:len(raw)]), FromResult, step, tool)
		}
	}
}

func spanOf(p *jsonpage.Page, n canon.Node) int { start, _ := p.Doc.Span(n); return start }

func hasDigit(b []byte) bool {
	for _, c := range b {
		if c-'0' <= 9 {
			return true
		}
	}
	return false
}

// leaf remembers a string of JSON: as a whole if it is short, and the values in it.
func (o *Values) leaf(v string, step uint32, tool uint16) {
	if v == "" {
		return
	}
	if len(v) <= MaxValue {
		o.Left -= len(v)
		o.note(KeyOf(v), FromResult, step, tool)
		if !shapes.BlankIn(v) && plainValue(v) {
			return
		}
	}
	o.Seen(v, false, FromResult, step, tool)
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
func (o *Values) list(p *jsonpage.Page, n canon.Node, step uint32, tool uint16) {
	first, end := p.Doc.Children(n)
	if first >= end || p.Doc.After(first) >= end {
		return
	}
	var l *list
	for c := first; c < end; c = p.Doc.After(c) {
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
func listedValue(p *jsonpage.Page, c canon.Node) string {
	switch p.Doc.Kind(c) {
	case canon.String:
		if v := p.At(c); len(v) <= shapes.MaxSlotText && shapes.SlotOf(v).IsID() {
			return v
		}
	case canon.Object:
		first, end := p.Doc.Children(c)
		tried := 0
		for m := first; m < end && tried < 4; m = p.Doc.After(m) {
			if p.Doc.Kind(m) != canon.String {
				continue
			}
			tried++
			if v := p.At(m); len(v) <= shapes.MaxSlotText {
				if s := shapes.SlotOf(v); s.IsID() && s != shapes.SlotCode {
					return v
				}
			}
		}
	}
	return ""
}

// ArgumentOf returns the string that stands for an argument: itself, or of a list or
// an object the first id-like string, else the first.
func ArgumentOf(p *jsonpage.Page, n canon.Node) string {
	switch p.Doc.Kind(n) {
	case canon.String:
		return p.At(n)
	case canon.Number:
		start, end := p.Doc.Span(n)
		return p.Text[start:end]
	case canon.Array, canon.Object:
	default:
		return ""
	}
	found := ""
	first, end := p.Doc.Children(n)
	for c, tried := first, 0; c < end && tried < 16; c, tried = c+1, tried+1 {
		if p.Doc.Kind(c) != canon.String {
			continue
		}
		v := p.At(c)
		if len(v) <= shapes.MaxSlotText && shapes.SlotOf(v).IsID() {
			return v
		}
		if found == "" {
			found = v
		}
	}
	return found
}

// Origin is where a value was first seen in the session.
type Origin uint8

// The origins of values. The numbers are in caches.
const (
	FromNowhere Origin = iota // it was not seen before
	FromGoal                  // the message that the task's goal is from
	FromUser                  // another message of the user
	FromAgent                 // a message of the agent
	FromSystem                // a message of the system, or of any other role
	FromResult                // the result of an earlier step
	FromCall                  // an argument of an earlier step
	FromWorld                 // an observation, or another event that is no act
)

const MaxOpen = 64
