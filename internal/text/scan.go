package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// class is the role of a byte in a name. The classes of a name's bytes are or-ed.
type class uint16

const (
	lower  class = 1 << iota
	upper        // capital
	figure       // digit
	under        // _
	dot
	dash
	quote // '
	slash // and all others that join separate names
	comma // of thousands
	foreign

	letters = lower | upper
	inWord  = lower | upper | figure | under
	joins   = dot | dash | quote | slash | comma
)

// classes has the class of every ASCII byte.
var classes = func() (c [256]class) {
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = lower, upper
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = figure
	}
	for _, b := range `/\:@=&?#+` {
		c[b] = slash
	}
	c['_'], c['.'], c['-'], c['\''], c[','] = under, dot, dash, quote, comma
	return c
}()

// maxKeptBuffer is the largest buffer that is kept for the next text.
const maxKeptBuffer = 1 << 16

// analyzer makes tokens of one text at a time.
type analyzer struct {
	out   []Token
	field Field
	at    uint32 // the place of the next word
	stops bool   // stop words give terms

	folder folder
	folded bool // the current text is folded
	uax    *words.Iterator[string]
	before byte   // the byte before the current text
	limit  int    // the end of the folded text for which uax is known
	low    []byte // the normal form of the current word
	first  int    // the first token of the current name
	words  [runWords]runWord

	trace *trace // nil for none
}

func newAnalyzer() *analyzer {
	makeKnown()
	return &analyzer{uax: words.FromString(""), low: make([]byte, 0, 256), before: ' '}
}

// release prepares an analyzer for the next text.
func (a *analyzer) release() {
	a.out, a.at, a.stops, a.folded, a.trace, a.folder.traced = nil, 0, false, false, nil, false
	a.uax.SetText("")
	if cap(a.low) <= maxKeptBuffer && cap(a.folder.out) <= maxKeptBuffer {
		analyzers.Put(a)
	}
}

// scan makes tokens of a text. It first folds everything that is not ASCII, up to the next
// space.
func (a *analyzer) scan(t string) {
	for i := 0; i < len(t); {
		c := t[i]
		switch k := classes[c]; {
		case c >= utf8.RuneSelf && !a.folded:
			i = a.lump(t, i)
		case c >= utf8.RuneSelf:
			i = a.beyond(t, i)
		case k&letters != 0 && !a.folded:
			if end := a.run(t, i); end > i {
				i = end
			} else {
				i = a.name(t, i, i)
			}
		case k&inWord != 0:
			i = a.name(t, i, i)
		default:
			before := a.before
			if i > 0 {
				before = t[i-1]
			}
			if n := mark(t, i, before); n > 0 {
				i = a.name(t, i, i+n)
			} else {
				i++
			}
		}
	}
}

// lump folds the text from start to the next space, makes tokens of it, and returns where it
// ends.
func (a *analyzer) lump(t string, start int) int {
	end := start
	for end < len(t) && t[end] > ' ' {
		end++
	}
	a.folder.fold(t[start:end])
	a.folded, a.limit = true, 0
	if start > 0 {
		a.before = t[start-1]
	}
	if a.trace != nil {
		a.trace.base = start
	}
	a.scan(string(a.folder.out))
	a.folded, a.before = false, ' '
	return end
}

// beyond makes tokens of the non-ASCII text at i of a folded text. It returns where that ends.
func (a *analyzer) beyond(t string, i int) int {
	r, n := utf8.DecodeRuneInString(t[i:])
	switch {
	case unspaced(r):
		return a.pairs(t, i)
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return a.name(t, i, i)
	case emoji(r):
		end := i + a.segment(t, i)
		a.picture(t, i, end)
		return end
	}
	return i + n
}

// segment returns the length of the UAX 29 word that begins at i.
func (a *analyzer) segment(t string, i int) int {
	if i >= a.limit { // each part is scanned once, so that time is linear
		a.limit = i
		for a.limit < len(t) {
			r, n := utf8.DecodeRuneInString(t[a.limit:])
			if unspaced(r) {
				break
			}
			a.limit += n
		}
	}
	a.uax.SetText(t[i:a.limit])
	a.uax.Next()
	return len(a.uax.Value())
}

// pairs makes tokens of letters that are written without spaces: each with the next one, or
// alone if it is single.
func (a *analyzer) pairs(t string, i int) int {
	begin := i
	i = unit(t, i)
	alone := true
	for i < len(t) {
		r, _ := utf8.DecodeRuneInString(t[i:])
		if !unspaced(r) {
			break
		}
		end := unit(t, i)
		a.plain(TermOf(t[begin:end]), begin, end)
		begin, i, alone = i, end, false
	}
	if alone {
		a.plain(TermOf(t[begin:i]), begin, i)
	}
	return i
}

// unit returns where the letter at i ends, with its marks.
func unit(t string, i int) int {
	_, n := utf8.DecodeRuneInString(t[i:])
	for i += n; i < len(t); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(t[i:]); !unicode.Is(unicode.M, r) {
			break
		}
	}
	return i
}

// maxPictures is how many parts of a joined emoji are terms.
const maxPictures = 8

// picture makes tokens of an emoji, and of its parts.
func (a *analyzer) picture(t string, i, end int) {
	a.begin()
	for end > i && t[end-1] == joined[2] && t[end-2] == joined[1] && t[end-3] == joined[0] {
		end -= len(joined)
	}
	a.emit(TermOf(t[i:end]), i, end, roleWhole)
	for n, j := 0, i; j < end && n < maxPictures; n++ {
		k := j
		for k < end && !(t[k] == joined[0] && k+2 < end && t[k+1] == joined[1] && t[k+2] == joined[2]) {
			k++
		}
		if k > j {
			a.emit(TermOf(t[j:k]), j, k, rolePart)
		}
		j = k + len(joined)
	}
	a.at++
}

// joined is the joiner of emoji as it is written.
const joined = string(joiner)

// mark returns the length of the mark that begins at i after another byte, or 0 if there is
// none before a name.
func mark(t string, i int, before byte) int {
	n := 1
	switch t[i] {
	case '#', '@', '$':
		if classes[before]&inWord != 0 || before >= utf8.RuneSelf {
			return 0
		}
	case '-':
		n = 2
		if i+1 >= len(t) || t[i+1] != '-' || before == '-' || classes[before]&inWord != 0 || before >= utf8.RuneSelf {
			return 0
		}
	case '.':
		if !opens(before) {
			return 0
		}
	default:
		return 0
	}
	if i+n >= len(t) {
		return 0
	}
	next := t[i+n]
	if next >= utf8.RuneSelf || classes[next]&(letters|under) != 0 || classes[next]&figure != 0 && n == 1 && t[i] != '.' {
		return n
	}
	return 0
}

// opens reports whether a dot after it begins a name, as in .env.
func opens(c byte) bool {
	switch c {
	case '"', '\'', '`', '(', '[', '/', '\\', '=', ':', ',':
		return true
	}
	return c <= ' '
}

// name makes tokens of the name at i, with the mark before it at start. It returns where the
// name ends.
func (a *analyzer) name(t string, start, i int) int {
	word := i
	var seen class
	for {
		for i < len(t) {
			c := t[i]
			if c >= utf8.RuneSelf {
				if !a.folded {
					return a.lump(t, start)
				}
				r, _ := utf8.DecodeRuneInString(t[i:])
				if unspaced(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r) {
					break
				}
				for end := i + a.segment(t, i); i < end; i++ {
					seen |= classes[t[i]]
				}
				seen |= foreign
				continue
			}
			k := classes[c]
			if k&inWord == 0 {
				break
			}
			seen |= k
			i++
		}
		n, k := joint(t, i)
		if n == 0 {
			break
		}
		if t[i+n] >= utf8.RuneSelf {
			if !a.folded {
				return a.lump(t, start)
			}
			r, _ := utf8.DecodeRuneInString(t[i+n:])
			if unspaced(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				break
			}
		}
		seen |= k
		i += n
	}
	end := i + ending(t, i)
	if end > i && end < len(t) && t[end] >= utf8.RuneSelf && !a.folded {
		return a.lump(t, start)
	}
	switch {
	case start < word || end > i || seen&^letters != 0 && seen != figure || seen == letters && !capitalised(t[word:i]):
		if seen&(letters|figure|foreign) != 0 { // underscores alone are no name
			a.parts(t, start, word, i, end, seen)
		}
	case seen == figure:
		a.plain(TermOf(t[word:i]), word, i)
	default:
		a.word(t, word, i, rolePlain)
		a.at++
	}
	return end
}

// capitalised reports whether all but the first of some ASCII letters are lower case.
func capitalised(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] < 'a' {
			return false
		}
	}
	return true
}

// joint returns the length of the sign at i that joins the words around it, and its class, or 0
// if there is none.
func joint(t string, i int) (int, class) {
	if i+1 >= len(t) {
		return 0, 0
	}
	c := t[i]
	k := classes[c]
	if k&joins == 0 {
		return 0, 0
	}
	next := t[i+1]
	if next >= utf8.RuneSelf || classes[next]&inWord != 0 {
		if k == quote && (i == 0 || classes[t[i-1]]&letters == 0 && t[i-1] < utf8.RuneSelf || next < utf8.RuneSelf && classes[next]&letters == 0) {
			return 0, 0
		}
		if k == comma && !thousands(t, i) {
			return 0, 0
		}
		return 1, k
	}
	n := 0
	switch {
	case c == '-' && next == '>':
		n = 2
	case c == '/' || c == '\\' || c == ':':
		for n = 1; n < 4 && i+n < len(t) && runsOn(t[i+n]); n++ {
		}
	}
	if n > 0 && i+n < len(t) && (t[i+n] >= utf8.RuneSelf || classes[t[i+n]]&inWord != 0) {
		return n, slash
	}
	return 0, 0
}

// runsOn reports whether a sign may follow a slash or a colon inside a name, as in https://,
// foo::bar, C:\x, a/../b and node_modules/@types.
func runsOn(c byte) bool {
	switch c {
	case '/', '\\', ':', '.', '@', '#', '?', '~', '-':
		return true
	}
	return false
}

// thousands reports whether the comma at i groups the digits of a number.
func thousands(t string, i int) bool {
	before := 0
	for before < 4 && before < i && classes[t[i-before-1]] == figure {
		before++
	}
	if before == 0 || before == 4 || i-before > 0 && classes[t[i-before-1]]&inWord != 0 {
		return false
	}
	behind := 0
	for behind < 4 && i+behind+1 < len(t) && classes[t[i+behind+1]] == figure {
		behind++
	}
	return behind == 3
}

// ending returns the length of the sign at i that belongs to the letters before it, as in C++
// and C#, or 0 if there is none.
func ending(t string, i int) int {
	if i >= len(t) || i == 0 || classes[t[i-1]]&letters == 0 {
		return 0
	}
	n := 0
	switch {
	case t[i] == '#':
		n = 1
	case t[i] == '+' && i+1 < len(t) && t[i+1] == '+':
		n = 2
	default:
		return 0
	}
	if i+n < len(t) && (t[i+n] == t[i] || n == 1 && classes[t[i+n]]&inWord != 0) {
		return 0
	}
	return n
}
