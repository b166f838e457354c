package secret

import "strings"

// look caches results while a text is scanned. Many positions of a text may ask about the same
// bytes after them; with the cache these are read a few times, and not once for each position.
type look struct {
	ends   [sorts]pair[stretch]
	counts pair[counted]
	words  stretch // where placeholders were searched
	last   int     // after the first byte of the last of them, or 0
	ended  stretch // a run of a credential
	trim   int     // its end without the punctuation of a sentence
}

// sort is a kind of run whose end is cached.
type sort uint8

const (
	keyRun    sort = iota // of characters of keys and names
	azureRun              // of characters of Azure keys
	bearerRun             // of characters of credentials
	bareRun               // of an unquoted value
	quotedRun             // of a quoted value
	sorts
)

// stretch is a part of a text.
type stretch struct{ from, to int }

// pair holds the last two results of a kind. A value is read at two positions if a type
// precedes it.
type pair[T any] struct {
	kept [2]T
	old  int
}

// add stores a result in place of the older one.
func (p *pair[T]) add(made T) *T {
	at := &p.kept[p.old]
	*at = made
	p.old ^= 1
	return at
}

// end returns where a run ends that continues at a position.
func (l *look) end(of sort, s string, at int) int {
	p := &l.ends[of]
	for i := range p.kept {
		if k := p.kept[i]; k.from <= at && at < k.to {
			return k.to
		}
	}
	to := at
	for to < len(s) && of.has(s, to) {
		to++
	}
	if to > at {
		p.add(stretch{at, to})
	}
	return to
}

// upTo is end with at most most bytes.
func (l *look) upTo(of sort, s string, at, most int) int { return min(l.end(of, s, at), at+most) }

// has reports whether the byte at a position belongs to a run.
func (of sort) has(s string, at int) bool {
	c := s[at]
	switch of {
	case keyRun:
		return urlSafe.has(c)
	case azureRun:
		return base64.has(c) || c == '%'
	case bearerRun:
		return (base64 | dot).has(c) || c == '~' || c == ':'
	}
	switch c {
	case '"', '\'', '`', '\\', '[':
		return false
	case ',', ';', '<', '>', '(', ')', '{', '}', '|':
		return of == quotedRun
	case '&':
		return of == quotedRun || !parameter(s, at+1)
	}
	return c > ' '
}

// count is the number of bytes of each kind up to a position.
type count struct{ digits, uppers, changes, notHex uint16 }

// counted has a count for each position of a part of a text, and one for its end.
type counted struct {
	from int
	upTo []count
}

// countedLength is how many bytes are counted at once. It is more than the length of a value.
const countedLength = 4096

// random is the function random for a part of a text.
func (l *look) random(s string, from, to int) bool {
	if to-from <= 64 || to-from > countedLength {
		return random(s[from:to])
	}
	for i := range l.counts.kept {
		if k := &l.counts.kept[i]; k.from <= from && to-k.from < len(k.upTo) {
			return k.random(from-k.from, to-k.from)
		}
	}
	made := l.counts.add(newCounted(s, from, min(len(s), from+countedLength)))
	return made.random(0, to-from)
}

func newCounted(s string, from, to int) counted {
	c := counted{from, make([]count, 1, to-from+1)}
	var sum count
	last := class(0)
	for i := from; i < to; i++ {
		now := kinds[s[i]]
		switch now {
		case upperLetter:
			sum.uppers++
		case digit:
			sum.digits++
		}
		if now != 0 && last != 0 && now != last {
			sum.changes++
		}
		if !hexa.has(s[i]) {
			sum.notHex++
		}
		last = now
		c.upTo = append(c.upTo, sum)
	}
	return c
}

// random is the function random for the bytes between two positions.
func (c *counted) random(from, to int) bool {
	a, b := c.upTo[from], c.upTo[to]
	changes := int(b.changes - c.upTo[from+1].changes) // the first byte has no predecessor
	return randomCounts(to-from, int(b.digits-a.digits), int(b.uppers-a.uppers), changes, b.notHex == a.notHex)
}

// placeholder is the function placeholder for a part of a text.
func (l *look) placeholder(s string, from, to int) bool {
	if v := s[from:to]; !ascii(v) {
		return placeholder(v) // its lower case may have another length
	} else if standsFor(v) {
		return true
	}
	return l.standIn(s, from, to)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// sentence returns where a credential ends without the full stops and colons after it.
func (l *look) sentence(s string, from, to int) int {
	if l.ended.to != to || l.ended.from > from {
		l.ended, l.trim = stretch{from, to}, to
		for l.trim > from && (s[l.trim-1] == '.' || s[l.trim-1] == ':') {
			l.trim--
		}
	}
	return max(from, l.trim)
}

// standIn reports whether a placeholder word is in an ASCII part of a text. It is fast for
// parts with the same end, from left to right.
func (l *look) standIn(s string, from, to int) bool {
	if l.words.to != to || l.words.from > from {
		l.words, l.last = stretch{from, to}, 0
		plain := strings.ToLower(s[from:to])
		for _, word := range standIns {
			if at := strings.LastIndex(plain, word); at >= 0 {
				l.last = max(l.last, from+at+1)
			}
		}
	}
	return from < l.last
}
