package secret

import "strings"

// literal is a text that indicates a secret: its prefix, or a word beside it.
type literal struct {
	text string
	fold bool // ignoring case
	rule *rule
}

// here reports whether the literal is at a position.
func (l *literal) here(s string, at int) bool {
	if len(s)-at < len(l.text) {
		return false
	}
	if !l.fold {
		return s[at:at+len(l.text)] == l.text
	}
	for i := range len(l.text) {
		if lower(s[at+i]) != l.text[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

// index is all literals, by their first bytes.
type index struct {
	// grams has a bit for the hash of every four bytes, ignoring case, that a literal may begin
	// with, and lists has those literals.
	grams [1 << (gramBits - 6)]uint64
	lists map[uint32][]*literal
}

// gramBits is the number of bits of a hash.
const gramBits = 16

// literals is the index of the rules. It is never changed.
var literals = newIndex()

func newIndex() *index {
	x := &index{lists: make(map[uint32][]*literal)}
	for _, r := range rules {
		for _, text := range r.literals {
			x.add(&literal{text: text, fold: r.fold, rule: r}, text, r.then)
		}
	}
	return x
}

// afterName is what may follow a short word in the name of an assignment, or after it.
const afterName = "=: \t\"'`\\])_-0123456789"

// add adds a literal to the index, under all grams that it may begin with. A literal shorter
// than a gram is extended by bytes of a class, by what follows names, or by any.
func (x *index) add(l *literal, text string, then class) {
	if len(text) >= gramLength {
		h := gramAt(text, 0)
		x.grams[h>>6] |= 1 << (h & 63)
		if list := x.lists[h]; len(list) == 0 || list[len(list)-1] != l {
			x.lists[h] = append(list, l)
		}
		return
	}
	for c := range 256 {
		if l.fold && strings.IndexByte(afterName, byte(c)) >= 0 || !l.fold && (then == 0 || then.has(byte(c))) {
			x.add(l, text+string([]byte{byte(c)}), then)
		}
	}
}

// gramLength is how many bytes of a literal the index uses.
const gramLength = 4

// gram is the hash of four bytes, ignoring case.
func gram(v uint32) uint32 { return (v | 0x20202020) * 0x9E3779B1 >> (32 - gramBits) }

func gramAt(s string, at int) uint32 {
	s = s[at : at+gramLength]
	return gram(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// at returns the literals that may be at a position.
func (x *index) at(s string, at int) []*literal {
	if len(s)-at < gramLength {
		return nil
	}
	return x.lists[gramAt(s, at)]
}

// next returns the first position from at where a literal may be, or the length of s.
func next(s string, at int) int {
	x := &literals.grams
	for ; len(s)-at >= 8; at += 5 { // five grams begin in eight bytes
		v := eight(s[at:]) | 0x2020202020202020
		for i := range 5 {
			h := uint32(v) * 0x9E3779B1 >> (32 - gramBits)
			if x[h>>6]&(1<<(h&63)) != 0 {
				return at + i
			}
			v >>= 8
		}
	}
	for ; len(s)-at >= gramLength; at++ {
		if h := gramAt(s, at); x[h>>6]&(1<<(h&63)) != 0 {
			return at
		}
	}
	return len(s)
}

// eight returns the first eight bytes of a text as a number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// class is a set of ASCII bytes.
type class uint8

const (
	upperLetter class = 1 << iota
	lowerHex          // a to f
	lowerRest         // g to z
	digit
	under // _
	dash  // -
	dot   // .
	slash // / + and =, as in base64
)

// Character sets of keys.
const (
	letters  = upperLetter | lowerHex | lowerRest
	alnum    = letters | digit
	wordly   = alnum | under
	urlSafe  = wordly | dash
	hexa     = lowerHex | digit
	capitals = upperLetter | digit
	base64   = urlSafe | slash
)

// classes maps each byte to its classes. It is never changed.
var classes = newClasses()

func newClasses() (t [256]class) {
	for c := range 256 {
		switch b := byte(c); {
		case b-'A' < 26:
			t[c] = upperLetter
		case b-'a' < 6:
			t[c] = lowerHex
		case b-'a' < 26:
			t[c] = lowerRest
		case b-'0' < 10:
			t[c] = digit
		case b == '_':
			t[c] = under
		case b == '-':
			t[c] = dash
		case b == '.':
			t[c] = dot
		case b == '/' || b == '+' || b == '=':
			t[c] = slash
		}
	}
	return t
}

func (k class) has(c byte) bool { return classes[c]&k != 0 }

// run returns where a run of a class ends.
func (k class) run(s string, at int) int {
	for at < len(s) && k.has(s[at]) {
		at++
	}
	return at
}

// upTo is run with at most most characters. It bounds scans of runs that are not removed, so
// that the total cost is linear.
func (k class) upTo(s string, at, most int) int { return k.run(s[:min(len(s), at+most)], at) }

// back returns where a run of a class of at most most characters begins that ends at a
// position.
func (k class) back(s string, at, most int) int {
	least := max(at-most, 0)
	for at > least && k.has(s[at-1]) {
		at--
	}
	return at
}

// longestLook is how much of a key without a maximum length is scanned. A key that is removed
// is removed whole.
const longestLook = 1024

// differs reports whether a text has at least least different bytes. It stops as soon as that
// is known.
func differs(s string, least int) bool {
	var seen [256]bool
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			if least--; least <= 0 {
				return true
			}
		}
	}
	return least <= 0
}
