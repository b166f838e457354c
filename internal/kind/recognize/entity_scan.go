package recognize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
)

// What a byte is, for telling words apart without looking at them twice.
const (
	isUpper uint8 = 1 << iota
	isDigit
	isWide // not ASCII
	isMark // a quote or a backtick
	isCode // what names of files, addresses and identifiers have in them: / \ _ @ # ( .
)

var byteClasses = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= 'A' && c <= 'Z':
			table[c] = isUpper
		case c >= '0' && c <= '9':
			table[c] = isDigit
		case c >= utf8.RuneSelf:
			table[c] = isWide
		case c == '"' || c == '`':
			table[c] = isMark
		case strings.IndexByte(`/\_@#(.`, byte(c)) >= 0:
			table[c] = isCode
		}
	}
	return table
}()

// maxNameWords and maxNameBytes are how long a name in text may be.
const (
	maxNameWords = 6
	maxNameBytes = 64
)

// nameRun is words in capitals that follow each other.
type nameRun struct {
	start, end int
	words      int
	caps       int  // how many of them are all capitals
	weak       bool // the first one begins a sentence
	joined     int  // words since that may join two parts of a name
}

// Scan finds entities in text. Prose says that it is made of sentences, the first
// word of which is in capitals anyway. The time it takes is linear in the length.
func (f *Found) Scan(text string, prose bool) {
	var run nameRun
	start := prose
	for i := 0; i < len(text) && f.N < MaxEntities; {
		if c := text[i]; c <= ' ' {
			if c == '\n' {
				f.flush(text, &run)
				start = prose
			}
			i++
			continue
		}
		j, class := i, uint8(0)
		for j < len(text) && text[j] > ' ' {
			class |= byteClasses[text[j]]
			j++
		}
		last := text[j-1]
		if class&^isCode == 0 && (class == 0 || plainStop(text[i:j])) {
			// Small letters and punctuation: nearly every word.
			if run.words > 0 {
				if run.joined < 2 && joinerWords()[text[i:j]] {
					run.joined++
				} else {
					f.flush(text, &run)
				}
			}
			start = prose && (endsSentence(last) || start && !hasLetter(text[i:j]))
			i = j
			continue
		}
		i, start = f.word(text, i, j, class, start, prose, &run)
	}
	f.flush(text, &run)
}

// plainStop reports whether a word has none of the bytes of code in it but for
// stops at its end.
func plainStop(w string) bool {
	w = strings.TrimRight(w, ".!?,;:)")
	for i := range len(w) {
		if byteClasses[w[i]] != 0 {
			return false
		}
	}
	return true
}

func hasLetter(w string) bool {
	for i := range len(w) {
		if c := w[i]; c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

func endsSentence(last byte) bool {
	return last == '.' || last == '!' || last == '?' || last == ':' || last == ';'
}

// word reads the word text[i:j] that has more than small letters in it. It returns
// where to read on, and whether a sentence begins there.
func (f *Found) word(text string, i, j int, class uint8, start, prose bool, run *nameRun) (next int, begins bool) {
	chunk := text[i:j]
	from := leading(chunk)
	if class&(isMark|isWide) != 0 {
		if end := f.quoted(text, i+from, run); end > 0 {
			return end, false
		}
	}
	core := chunk[from:]
	if skip := openingMark(core); skip > 0 {
		core, from = core[skip:], from+skip
		f.flush(text, run)
		start = prose // what is quoted begins like a sentence
	}
	size := trailing(core)
	tail := core[size:]
	core = core[:size]
	ends := strings.ContainsAny(tail, ".!?:;")
	if core == "" {
		f.flush(text, run)
		return j, prose && (start || ends)
	}
	if class&(isDigit|isCode|isUpper) != 0 {
		if typ, name := f.classify(core, class); typ != "" {
			f.flush(text, run)
			if typ == EntityURL {
				f.Address(name)
			} else if typ != skipWord {
				f.Add(typ, name)
			}
			return j, prose && ends
		}
	}
	if !beginsCapital(core) {
		f.flush(text, run)
		return j, prose && ends
	}
	at := i + from
	n, rest := nameWord(core)
	w := core[:n]
	switch kindOfWord(w) {
	case sentence, calendar:
		f.flush(text, run)
		return j, prose && ends
	case honorific:
		f.flush(text, run)
		return j, false
	}
	possessive, isName := suffix(rest)
	if !isName {
		f.flush(text, run)
		return j, prose && ends
	}
	if rest != "" && camel(w) {
		f.flush(text, run)
		f.Add(EntityIdentifier, w) // TestGlass/padding
		return j, prose && ends
	}
	if run.words > 0 && (from > 0 || run.words == maxNameWords) {
		f.flush(text, run)
	}
	if run.words == 0 {
		if n < 2 {
			return j, prose && ends
		}
		*run = nameRun{start: at, weak: start && !possessive}
	}
	run.end, run.joined = at+n, 0
	run.words++
	if allCaps(w) {
		run.caps++
	}
	if rest != "" || tail != "" {
		f.flush(text, run)
	}
	if rest != "" && !possessive && len(chunk) <= maxNameBytes {
		return at + n + 1, false // Boston/Chicago
	}
	return j, prose && ends
}

// flush ends a run of words in capitals and notes it if it is a name.
func (f *Found) flush(text string, run *nameRun) {
	if run.words == 0 {
		return
	}
	name, words, weak := text[run.start:run.end], run.words, run.weak
	shouted := run.caps >= 3 && !f.Lenient
	*run = nameRun{}
	if shouted || len(name) > maxNameBytes {
		return
	}
	if words > 1 || !weak || f.Lenient {
		f.Add(EntityName, name)
		return
	}
	for _, w := range f.weak[:f.weaks] {
		if w == name {
			f.Add(EntityName, name)
			return
		}
	}
	if f.weaks < len(f.weak) {
		f.weak[f.weaks] = name
		f.weaks++
	}
}

// leading returns how many bytes of punctuation a word begins with.
func leading(w string) int {
	n := 0
	for n < len(w) && strings.IndexByte("([{<*'=|,;:+-!?>", w[n]) >= 0 {
		n++
	}
	return n
}

// openingMark returns the length of the quote that w begins with.
func openingMark(w string) int {
	n := 0
	for n < len(w) && (w[n] == '"' || w[n] == '`' || w[n] == '\'') {
		n++
	}
	for _, mark := range [...]string{"“", "‘", "«", "„"} {
		if strings.HasPrefix(w[n:], mark) {
			return n + len(mark)
		}
	}
	return n
}

// trailing returns the length of w without the punctuation at its end. A pair of
// parentheses stays.
func trailing(w string) int {
	n := len(w)
	for n > 0 {
		switch c := w[n-1]; {
		case c == ')' && n > 2 && w[n-2] == '(':
			return n
		case strings.IndexByte(".,;:!?)]}>*~'\"`|=", c) >= 0:
			n--
			continue
		case c >= utf8.RuneSelf:
			if r, size := utf8.DecodeLastRuneInString(w[:n]); !letter(r) {
				n -= size
				continue
			}
		}
		return n
	}
	return n
}

// letter reports whether c is a letter, as far as names need to know: of what is
// not ASCII, all but punctuation and pictures.
func letter(c rune) bool {
	switch {
	case c < utf8.RuneSelf:
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	case c < 0xC0:
		return c == 0xAA || c == 0xB5 || c == 0xBA
	case c == 0xD7, c == 0xF7, c >= 0x2000 && c < 0x2C00, c >= 0x2E00 && c < 0x3040, c >= 0xFE00 && c < 0xFE70,
		c >= 0xFF00 && c < 0xFF21, c == utf8.RuneError, c >= 0x1F000 && c < 0x20000:
		return false
	}
	return true
}

// beginsCapital reports whether w begins with a capital letter.
func beginsCapital(w string) bool {
	if w == "" {
		return false
	}
	if w[0] < utf8.RuneSelf {
		return w[0]-'A' < 26
	}
	c, _ := utf8.DecodeRuneInString(w)
	return cased(c) && unicode.IsUpper(c)
}

// nameWord returns the length of the name that w begins with, letters with hyphens
// and apostrophes before capitals, and what follows it.
func nameWord(w string) (n int, rest string) {
	for n < len(w) {
		c, size := rune(w[n]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(w[n:])
		}
		if !letter(c) {
			if (c != '-' && c != '\'' && c != '’') || !beginsCapital(w[n+size:]) {
				break
			}
		}
		n += size
	}
	return n, w[n:]
}

// suffix reads what follows a name within a word: whether it makes it the owner of
// something, and whether it leaves it a name at all.
func suffix(rest string) (possessive, isName bool) {
	if rest == "" {
		return false, true
	}
	if tail, ok := strings.CutPrefix(rest, "’"); ok {
		rest = "'" + tail
	}
	switch rest {
	case "'s", "'":
		return true, true
	case "'t":
		return false, false
	case "'ll", "'d", "'re", "'ve", "'m":
		return true, true
	}
	switch c := rest[0]; {
	case c == '-' && len(rest) > 1 && rest[1]|0x20 >= 'a' && rest[1]|0x20 <= 'z':
		return false, false // One-way
	case c-'0' < 10, c == '_', c == '.', c == '\'':
		return false, false
	}
	return false, true
}

func allCaps(w string) bool {
	if len(w) < 2 {
		return false
	}
	for i := range len(w) {
		if w[i]-'A' >= 26 {
			return false
		}
	}
	return true
}

// quoted notes what stands in quotes at a place of the text if it is a name, and
// returns where to read on, or 0.
func (f *Found) quoted(text string, at int, run *nameRun) int {
	if at >= len(text) {
		return 0
	}
	var closing string
	from := at + 1
	switch text[at] {
	case '"':
		closing = `"`
	case '`':
		closing = "`"
	case 0xE2:
		if !strings.HasPrefix(text[at:], "“") {
			return 0
		}
		from, closing = at+len("“"), "”"
	default:
		return 0
	}
	room := text[from:min(len(text), from+maxNameBytes+len(closing))]
	size := strings.Index(room, closing)
	if size < 2 || strings.IndexByte(room[:size], '\n') >= 0 {
		return 0
	}
	inner := room[:size]
	typ := EntityName
	switch words := 1 + strings.Count(inner, " "); {
	case closing == "`":
		if typ, inner = f.code(inner, words); typ == "" {
			return 0
		}
	case !beginsCapital(inner) || words > maxNameWords:
		return 0
	case words == 1 && kindOfWord(inner) != plainNoun:
		return 0
	case strings.ContainsAny(inner[len(inner)-1:], ".!?,;:"):
		return 0 // something that was said
	}
	f.flush(text, run)
	if typ == EntityURL {
		f.Address(inner)
	} else {
		f.Add(typ, inner)
	}
	return from + size + len(closing)
}

// code returns what stands between backticks.
func (f *Found) code(inner string, words int) (typ, name string) {
	if words == 1 {
		class := uint8(0)
		for i := range len(inner) {
			class |= byteClasses[inner[i]]
		}
		if typ, name := f.classify(inner, class); typ != "" && typ != skipWord {
			return typ, name
		}
		if strings.TrimSpace(inner) == inner && hasLetter(inner) {
			return EntityIdentifier, inner
		}
		return "", ""
	}
	if c := ReadCommand(inner); c.Program != "" && programs.Of(c.Program) != nil {
		if c.Phrase != "" {
			return EntityCommand, c.Phrase
		}
		return EntityCommand, c.Program
	}
	if beginsCapital(inner) {
		return EntityName, inner
	}
	return "", ""
}

// skipWord is the type of a word that is understood and names nothing.
const skipWord = "-"

// classify returns what a word is by its form, or "" if that says nothing.
func (f *Found) classify(w string, class uint8) (typ, name string) {
	if len(w) > maxPath {
		return skipWord, ""
	}
	if class&(isDigit|isCode) == 0 {
		if camel(w) {
			return EntityIdentifier, w
		}
		return "", ""
	}
	if class&isCode != 0 {
		if typ, name := f.punctuated(w); typ != "" {
			return typ, name
		}
	}
	if class&isDigit != 0 {
		return numbered(w)
	}
	if class&isUpper != 0 && camel(w) {
		return EntityIdentifier, w
	}
	return "", ""
}

// punctuated classifies a word with / \ _ @ # ( or . in it.
func (f *Found) punctuated(w string) (typ, name string) {
	if i := strings.Index(w, "://"); i > 0 {
		return address(w, i)
	}
	switch w[0] {
	case '#':
		switch rest := w[1:]; {
		case digits(rest) && len(rest) <= 9:
			return EntityIdentifier, w
		case f.Spoken && len(rest) > 1 && plainTag(rest):
			return EntityTag, rest
		}
		return skipWord, ""
	case '@':
		if rest := w[1:]; f.Spoken && len(rest) > 2 && plainTag(rest) {
			f.Person(rest)
		}
		return skipWord, ""
	}
	if i := strings.IndexByte(w, '@'); i > 0 && strings.IndexByte(w[i:], '.') > 1 && strings.IndexByte(w, '/') < 0 {
		return EntityIdentifier, w
	}
	if i := strings.IndexByte(w, '('); i > 0 {
		if w[i:] == "()" && identifier(w[:i]) {
			return EntityIdentifier, w[:i]
		}
		if w[i+1:] != "" && w[i+1]-'0' < 10 && sourceFile(w[:i]) && !library(w[:i]) {
			return EntityFile, cleanFile(w[:i])
		}
		return "", ""
	}
	if strings.HasPrefix(w, "www.") {
		return EntityURL, w
	}
	p := w
	if i := strings.IndexByte(p, ':'); i > 1 {
		p = p[:i] // path:12, path::test
	}
	if sourceFile(p) && likeFile(p) {
		if library(p) {
			return skipWord, ""
		}
		return EntityFile, cleanFile(p)
	}
	if directory(p) {
		return EntityFile, cleanFile(p)
	}
	if strings.IndexByte(w, '_') > 0 && identifier(w) && strings.IndexByte(w, '.') < 0 {
		return EntityIdentifier, w
	}
	if host(w) {
		return EntityURL, w
	}
	return "", ""
}

// address returns the URL in a word, of which the scheme ends at i.
func address(w string, i int) (typ, name string) {
	if !schemeLike(w[:i]) || len(w) <= i+len("://") {
		return skipWord, ""
	}
	if w[:i] == "file" {
		return EntityFile, cleanFile(w)
	}
	if end := strings.IndexAny(w, "\"'<>()[]{}|`"); end > 0 {
		w = w[:end]
	}
	ref := CleanRef(memory.ObjURL, w)
	if HostOf(ref) == "" {
		return skipWord, ""
	}
	return EntityURL, ref
}

// likeFile reports whether what ends like a file is one, and no abbreviation such
// as a.m or U.S, no member of an object and no name such as Node.js.
func likeFile(p string) bool {
	if strings.ContainsAny(p, `/\`) {
		return true
	}
	dot := strings.LastIndexByte(p, '.')
	base, extension := p[:dot], p[dot+1:]
	switch {
	case len(extension) == 1 && len(base) < 2, extension == "env":
		return false
	case extension == "js" && base[0]-'A' < 26 && strings.IndexByte(base, '_') < 0:
		return false
	}
	return true
}

// directory reports whether w is a path from the root of at least two names.
func directory(w string) bool {
	if len(w) < 4 || w[0] != '/' && !strings.HasPrefix(w, "~/") && !strings.HasPrefix(w, "./") {
		return false
	}
	for i := range len(w) {
		if !pathByte(w[i]) || w[i] == '\\' {
			return false
		}
	}
	inner := strings.Trim(w, "/.~")
	return strings.IndexByte(inner, '/') > 0 && hasLetter(inner) && !strings.Contains(w, "//") && !library(w+"/")
}

// hostEnds are the last parts of names of hosts that are looked for without a
// scheme before them.
const hostEnds = "com org net io dev gov edu ai app uk de eu"

var hostEnding = IndexWords(hostEnds)

// host reports whether w is the name of a host.
func host(w string) bool {
	dot := strings.LastIndexByte(w, '.')
	if dot < 2 || len(w)-dot > 4 || !hostEnding()[w[dot+1:]] {
		return false
	}
	for i := range len(w) {
		if c := w[i]; !(c|0x20 >= 'a' && c|0x20 <= 'z') && c-'0' >= 10 && c != '-' && c != '.' {
			return false
		}
	}
	return hasLetter(w[:dot]) && !strings.Contains(w, "..") && w[0] != '.'
}
