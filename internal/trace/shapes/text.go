package shapes

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FreeText are the names of arguments, or the last words of such names, whose values
// are free text or secrets, whatever they look like.
var FreeText = List("query q text message title name names description content summary thought prompt body subject comment note notes reason expression search keyword keywords city " +
	"address username user author label pattern string str value input output question answer details instruction instructions person assignee owner nickname surname firstname lastname " +
	"password passwd passphrase pwd secret token apikey key authorization credentials cvv pin")

// KeyName returns the name of an argument as it stands in a shape: itself, unless it
// is rather a value.
func KeyName(key []byte) []byte {
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

func BlankIn(v string) bool {
	for i := range len(v) {
		if Classes[v[i]] == ClassBlank {
			return true
		}
	}
	return v == ""
}

// NamesID reports whether a name says that its value is an id.
func NamesID(key []byte) bool {
	for _, end := range [...]string{"id", "ID", "Id", "uuid", "guid"} {
		rest, ok := bytes.CutSuffix(key, []byte(end))
		if !ok {
			continue
		}
		if len(rest) == 0 || rest[len(rest)-1] == '_' || rest[len(rest)-1] == '-' || end[0] == 'I' && Classes[rest[len(rest)-1]] == ClassLower {
			return true
		}
	}
	return false
}

// LastWord appends the last word of a name in lower case: name of first_name, of
// first-name and of firstName.
func LastWord(dst, key []byte) []byte {
	i := len(key)
	for i > 0 {
		c := key[i-1]
		if c == '_' || c == '-' || c == '.' {
			break
		}
		i--
		if Classes[c] == ClassUpper && i > 0 && Classes[key[i-1]] == ClassLower {
			break
		}
	}
	return Lower(dst, key[i:])
}

// Printable reports whether a text is plain ASCII without control characters.
func Printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// Route appends the address of a request without its values.
func Route(dst []byte, address string) []byte {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address, _, _ = strings.Cut(address, "#")
	address, query, _ := strings.Cut(address, "?")
	began := len(dst)
	for i, part := 0, ""; len(dst) < MaxShape-MaxSlotWord; i++ {
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
		if key := KeyName([]byte(name)); i < MaxArgs && len(dst)-began+len(key) < MaxShape {
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
	case host && len(part) <= 64 && t.letters()+t.digits+t.dots+t.dashes+t.colons == len(part) && t.letters() > 0 && Printable(part):
		return Lower(dst, part)
	case host:
		return append(dst, "<host>"...)
	case len(part) <= MaxSlotWord && t.lower+t.unders+t.dashes == len(part), versionLike(part):
		return append(dst, part...)
	}
	slot := SlotOf(part)
	if slot == SlotPath || slot == SlotWord {
		slot = SlotText
	}
	return append(dst, slot.String()...)
}

// versionLike reports whether a word is v1 or the like.
func versionLike(v string) bool {
	return len(v) >= 2 && len(v) <= 4 && v[0] == 'v' && digitsAt(v, 1, len(v)-1)
}

// Clip returns text in one line without control characters, cut at a word so that
// it has at most limit bytes.
func Clip(text string, limit int) string {
	out := make([]byte, 0, min(len(text), limit))
	blank := false
	cut := 0 // where the last word ended
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if c == utf8.RuneError && size == 1 || unicode.Is(unicode.Cf, c) {
			i += size
			continue
		}
		if unicode.IsSpace(c) || unicode.IsControl(c) {
			blank = len(out) > 0
			i += size
			continue
		}
		need := size
		if blank {
			need++
			cut = len(out)
		}
		if len(out)+need > limit {
			if !blank && cut > limit/4 {
				out = out[:cut]
			}
			return string(out)
		}
		if blank {
			out = append(out, ' ')
			blank = false
		}
		out = append(out, text[i:i+size]...)
		i += size
	}
	return string(out)
}

func LetterByte(c byte) bool {
	k := Classes[c]
	return k == ClassLower || k == ClassUpper || k == ClassDigit
}
