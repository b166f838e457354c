package text

import (
	"unicode"
	"unicode/utf8"
)

const (
	// longestWord is how many letters of a word are searched for parts.
	longestWord = 64
	// maxParts is the maximum number of parts of a word of longestWord letters: more than
	// shatteredAbove parts must have an average length of at least shatteredBelow.
	maxParts       = longestWord/shatteredBelow + 1
	shatteredAbove = 4
	shatteredBelow = 3
	// maxSwitches is how often letters and digits may alternate in a word that is split.
	maxSwitches = 2
	// longHex is the length from which people write only the first hex digits.
	longHex = 16
)

// begin begins a name: following tokens are compared with its own.
func (a *analyzer) begin() {
	a.first = len(a.out)
	if a.trace != nil {
		a.trace.group++
	}
}

// emit appends a token at the current place, unless the current name has it there.
func (a *analyzer) emit(term Term, lo, hi int, r role) {
	for k := len(a.out) - 1; k >= a.first && a.out[k].At == a.at; k-- {
		if a.out[k].Term == term {
			return
		}
	}
	a.out = append(a.out, Token{Term: term, At: a.at, Field: a.field})
	if a.trace != nil {
		a.trace.add(a, lo, hi, r)
	}
}

// plain appends a token with a place of its own.
func (a *analyzer) plain(term Term, lo, hi int) {
	a.begin()
	a.emit(term, lo, hi, rolePlain)
	a.at++
}

// word appends the token of a word of ASCII letters, unless it is a stop word.
func (a *analyzer) word(t string, lo, hi int, r role) {
	m, ok := meaning(0), false
	if hi-lo <= longestSpelt {
		m, ok = spellAt(t, lo, hi).find()
	}
	if !ok {
		m = a.learn(t, lo, hi)
	}
	a.meant(m, t, lo, hi, r)
}

// learn computes the meaning of a word of ASCII letters.
func (a *analyzer) learn(t string, lo, hi int) meaning {
	low := a.low[:0]
	for i := lo; i < hi; i++ {
		low = append(low, t[i]|('a'-'A'))
	}
	a.low = low
	return lookup(low)
}

// meant appends the token of a word whose meaning is known.
func (a *analyzer) meant(m meaning, t string, lo, hi int, r role) {
	if m.stop() && !loud(t[lo:hi]) {
		if !a.stops {
			return
		}
		r |= roleStop
	}
	if r&^roleStop == rolePlain {
		a.begin()
	}
	a.emit(m.term(), lo, hi, r)
}

// loud reports whether a stop word counts as a word because of its spelling.
func loud(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'a' {
			return s == "May"
		}
	}
	return len(s) > 1
}

// atom appends the token of a part.
func (a *analyzer) atom(t string, lo, hi int) {
	for i := lo; i < hi; i++ {
		if classes[t[i]]&letters == 0 {
			a.low = appendJoined(a.low[:0], t[lo:hi])
			a.emit(termOf(a.low), lo, hi, rolePart)
			return
		}
	}
	a.word(t, lo, hi, rolePart)
}

// whole appends the token of a joined name, stemmed like a word if it is one.
func (a *analyzer) whole(t string, lo, hi int) {
	a.low = appendJoined(a.low[:0], t[lo:hi])
	switch {
	case len(a.low) == 0: // underlines
	case isWord(a.low):
		a.emit(lookup(a.low).term(), lo, hi, roleWhole)
	default:
		a.emit(termOf(a.low), lo, hi, roleWhole)
	}
}

// isWord reports whether a normal form has only the letters a to z.
func isWord(low []byte) bool {
	for _, c := range low {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// parts makes tokens of the name from word to i, with a mark from start and an ending up to
// end, and of its parts.
func (a *analyzer) parts(t string, start, word, i, end int, seen class) {
	a.begin()
	path := seen&slash != 0
	if start < word {
		a.low = append(a.low[:0], t[start:word]...)
		if path {
			a.low = appendPath(a.low, t[word:i])
		} else {
			a.low = appendJoined(a.low, t[word:i])
		}
		a.emit(termOf(a.low), start, i, roleWhole)
	}
	if !path {
		a.dotted(t, word, i, end)
		return
	}
	a.low = appendPath(a.low[:0], t[word:i])
	a.emit(termOf(a.low), word, i, roleWhole)
	for lo := word; lo < i; {
		hi := lo
		for hi < i && classes[t[hi]]&slash == 0 && !arrow(t, hi) {
			hi++
		}
		ends := hi
		if hi == i {
			ends = end
		}
		a.dotted(t, lo, hi, ends)
		for lo = hi; lo < i && t[lo] < utf8.RuneSelf && classes[t[lo]]&inWord == 0; lo++ {
		}
	}
}

// arrow reports whether -> is at i.
func arrow(t string, i int) bool { return t[i] == '-' && i+1 < len(t) && t[i+1] == '>' }

// dotted makes tokens of a name without slashes from lo to hi, with an ending up to
// end, and of its parts.
func (a *analyzer) dotted(t string, lo, hi, end int) {
	n := lo
	for n < hi && t[n] != '.' {
		n++
	}
	if n < hi {
		from := lo
		if n > lo+1 && t[lo]|('a'-'A') == 'v' && classes[t[lo+1]] == figure { // of a version
			from++
		} else if hi > lo+4 && (t[lo:lo+4] == "www." || t[lo:lo+4] == "WWW.") {
			from += 4
		}
		a.whole(t, from, hi)
	}
	for {
		ends := n
		if n == hi {
			ends = end
		}
		a.identifier(t, lo, n, ends)
		if n == hi {
			return
		}
		lo = n + 1
		for n = lo; n < hi && t[n] != '.'; n++ {
		}
	}
}

// identifier makes tokens of a name without slashes and dots from lo to hi, with an
// ending up to end, and of its parts.
func (a *analyzer) identifier(t string, lo, hi, end int) {
	if end > hi {
		a.low = appendJoined(a.low[:0], t[lo:hi])
		a.low = append(a.low, t[hi:end]...)
		a.emit(termOf(a.low), lo, end, roleWhole)
	}
	if uuid(t[lo:hi]) {
		a.low = a.low[:0]
		for i := lo; i < hi; i++ {
			if t[i] != '-' {
				a.low = append(a.low, t[i]|('a'-'A')) // no effect on digits
			}
		}
		a.emit(termOf(a.low), lo, hi, roleWhole)
		a.emit(termOf(a.low[:8]), lo, lo+8, rolePart)
		a.at++
		return
	}
	if dated(t[lo:hi]) {
		a.identifier(t, lo, lo+len(date), lo+len(date))
		a.identifier(t, lo+len(date)+1, hi, hi)
		return
	}
	cut, negated := shortForm(t[lo:hi])
	if negated {
		a.low = appendJoined(a.low[:0], t[lo:hi])
		if m := lookup(a.low); !m.stop() {
			a.emit(m.term(), lo, hi, rolePart)
		} else if a.stops {
			a.emit(m.term(), lo, hi, rolePart|roleStop)
		}
		a.at++
		return
	}
	hi = lo + cut
	first, firstEnd := piece(t, lo, hi)
	if first == firstEnd {
		return
	}
	if next, nextEnd := piece(t, firstEnd, hi); next < nextEnd {
		a.whole(t, lo, hi)
	}
	for first < firstEnd {
		a.camel(t, first, firstEnd)
		a.at++
		first, firstEnd = piece(t, firstEnd, hi)
	}
}

// piece returns the first letters or digits without a sign between them, from lo to hi.
func piece(t string, lo, hi int) (from, to int) {
	for lo < hi && !inPiece(t, lo) {
		_, n := utf8.DecodeRuneInString(t[lo:hi])
		lo += n
	}
	from = lo
	for lo < hi && inPiece(t, lo) {
		_, n := utf8.DecodeRuneInString(t[lo:hi])
		lo += n
	}
	return from, lo
}

func inPiece(t string, i int) bool {
	c := t[i]
	if c < utf8.RuneSelf {
		return classes[c]&(letters|figure) != 0 || c == ',' && thousands(t, i)
	}
	r, _ := utf8.DecodeRuneInString(t[i:])
	return written(r)
}

// camel makes tokens of letters and digits from lo to hi, whole and by the parts that capitals
// and digits separate.
func (a *analyzer) camel(t string, lo, hi int) {
	if hexDigits(t[lo:hi]) {
		if hi-lo < longHex {
			a.atom(t, lo, hi)
		} else {
			a.whole(t, lo, hi)
			for _, n := range [...]int{7, 8, 12} {
				a.atom(t, lo, lo+n)
			}
		}
		return
	}
	var space [maxParts]int
	ends := cuts(space[:0], t[lo:hi])
	if len(ends) == 0 {
		a.atom(t, lo, hi)
		return
	}
	a.whole(t, lo, hi)
	from := lo
	for _, to := range ends {
		a.atom(t, from, lo+to)
		from = lo + to
	}
}

// cuts appends the ends of the parts of letters and digits, or nothing if they are one part or
// look random.
func cuts(dst []int, s string) []int {
	if plainWord(s) {
		return dst
	}
	const (
		small = iota
		capital
		number
	)
	kind := func(r rune) uint8 {
		switch {
		case 'a' <= r && r <= 'z':
			return small
		case '0' <= r && r <= '9' || r == ',':
			return number
		case unicode.IsUpper(r):
			return capital
		case unicode.IsNumber(r):
			return number
		}
		return small
	}
	var at [longestWord + 1]int16
	var kinds [longestWord]uint8
	n, switches := 0, 0
	for i, r := range s {
		if n == longestWord {
			break
		}
		k := kind(r)
		if r >= tabled && n > 0 && unicode.Is(unicode.M, r) {
			k = kinds[n-1]
		}
		if n > 0 && (k == number) != (kinds[n-1] == number) {
			switches++
		}
		at[n], kinds[n] = int16(i), k
		n++
	}
	_, last := utf8.DecodeRuneInString(s[at[n-1]:])
	at[n] = at[n-1] + int16(last)
	length := 0 // of all parts
	for i := 1; i <= n; i++ {
		ends := int(at[i]) == len(s) // the last part of a longer word is unknown
		if i < n {
			switch before, k := kinds[i-1], kinds[i]; {
			case (before == number) != (k == number):
				ends = switches <= maxSwitches
			case before == small && k == capital:
				ends = true
			case before == capital && k == capital && i+1 < n && kinds[i+1] == small:
				// The last of several capitals begins a word, except for the s of a plural.
				ends = s[at[i+1]] != 's' || i+2 < n && kinds[i+2] == small
			}
		}
		if !ends {
			continue
		}
		if len(dst) == maxParts {
			return dst[:0]
		}
		dst = append(dst, int(at[i]))
		length = i
	}
	if count := len(dst); count == 1 && int(at[n]) == len(s) || count > shatteredAbove && length < count*shatteredBelow {
		return dst[:0]
	}
	return dst
}

// plainWord reports whether a word has only ASCII letters, in lower case after the first.
func plainWord(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i]-'a' >= 26 {
			return false
		}
	}
	return s[0]|('a'-'A')-'a' < 26
}

// appendJoined appends the normal form of a name without slashes: its letters and digits, and
// signs between two digits, except commas of thousands.
func appendJoined(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch k := classes[c]; {
			case k&upper != 0:
				dst = append(dst, c+('a'-'A'))
			case k&(lower|figure) != 0, k&(dot|dash|under) != 0 && i > 0 && i+1 < len(s) && classes[s[i-1]] == figure && classes[s[i+1]] == figure:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if written(r) {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += n
	}
	return dst
}

// appendPath appends the normal form of a name with slashes: in lower case, without scheme,
// www, backslashes and double slashes.
func appendPath(dst []byte, s string) []byte {
	for i := 0; i < len(s) && classes[s[i]]&(letters|figure) != 0 || i > 0 && i < len(s) && s[i] == ':'; i++ {
		if s[i] == ':' {
			if i+2 < len(s) && s[i+1] == '/' && s[i+2] == '/' {
				s = s[i+3:]
			}
			break
		}
	}
	if len(s) > 4 && (s[:4] == "www." || s[:4] == "WWW.") {
		s = s[4:]
	}
	from := len(dst)
	dst = appendLower(dst, s)
	w := from
	for i := from; i < len(dst); i++ {
		c := dst[i]
		if c == '\\' {
			c = '/'
		}
		if c == '/' && w > from && dst[w-1] == '/' {
			continue
		}
		dst[w] = c
		w++
	}
	return dst[:w]
}

// shortForm returns the length of a word without a possessive or a contracted verb at its end,
// and whether it ends in n't.
func shortForm(s string) (n int, negated bool) {
	k := len(s)
	for i := len(s) - 1; i > 0 && i >= len(s)-3; i-- {
		if s[i] == '\'' {
			k = i
			break
		}
	}
	if k == len(s) {
		return k, false
	}
	var space [2]byte
	switch tail := appendLower(space[:0], s[k+1:]); string(tail) {
	case "s", "m", "d", "re", "ve", "ll":
		return k, false
	case "t":
		if s[k-1]|('a'-'A') == 'n' {
			for i := 0; i < k; i++ {
				if classes[s[i]]&letters == 0 {
					return len(s), false
				}
			}
			return len(s), true
		}
	}
	return len(s), false
}

// hexDigits reports whether a word looks like the digits of a hash or an id.
func hexDigits(s string) bool {
	if len(s) < 6 {
		return false
	}
	figures := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			figures++
		case c|('a'-'A') < 'a' || c|('a'-'A') > 'f':
			return false
		}
	}
	return figures >= 2 && figures < len(s)
}

// date is the form of a date before a time.
const date = "0000-00-00"

// dated reports whether a name begins with a date, a T and digits.
func dated(s string) bool {
	if len(s) < len(date)+2 || s[len(date)]|('a'-'A') != 't' || classes[s[len(date)+1]] != figure {
		return false
	}
	for i := range len(date) {
		if (date[i] == '-') != (s[i] == '-') || s[i] != '-' && classes[s[i]] != figure {
			return false
		}
	}
	return true
}

// uuid reports whether a name has the form of a UUID.
func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case '0' <= c && c <= '9':
		case c|('a'-'A') < 'a' || c|('a'-'A') > 'f':
			return false
		}
	}
	return true
}
