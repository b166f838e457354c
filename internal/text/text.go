// Package text takes text apart into terms, for those who index it and those who
// ask for it.
//
// # What a text becomes
//
// Words are those of UAX 29, folded: lower case, compatibility forms (full width,
// ligatures), apostrophes and hyphens as one sign each, digits of every script as
// 0 to 9. Accents are taken off Latin and Greek letters, points off Hebrew and
// Arabic ones; other scripts keep their marks. A possessive 's and the short forms
// 'm, 're, 've, 'll, 'd are taken off. What is left is stemmed as English if it is
// nothing but the letters a to z, and is as it stands otherwise.
//
// A name is found whole and by its parts. Words joined without a space by - _ . /
// \ : @ ' = & ? # + :: -> or :// are one name, which gives
//
//   - the whole: if it has / : @ and the like, as it is written but lower case,
//     without scheme and www; if it has none, its letters and digits joined, so
//     that e-mail, eMail and email, or node.js and nodejs, are one term. A sign
//     between two digits stays: 3.14 is not 314. Commas of thousands go;
//   - the same of every stretch between slashes, and of every one between dots:
//     a path is found by its base name, with and without the ending;
//   - each part, stemmed. Parts begin at signs, at capitals (HTTPServers is http
//     and servers, but APIs is one part) and where letters meet digits;
//   - with its mark, if it stands behind # @ $ -- or a dot, or before ++ or #: #12
//     is also 12, C++ is also C.
//
// Identifiers that look random (UUIDs, hex digits, what changes its case or kind
// every other letter) are not taken apart; long hex digits are also found by their
// first 7, 8 and 12. Nor are the parts of one word beyond its 64th letter told.
//
// Han, kana, Hangul, Thai, Lao, Khmer, Myanmar and Yi are written without spaces,
// or inflected without them, and become overlapping pairs of letters with their
// marks; a letter that stands alone is a term. Emoji are terms without skin tone and
// style; one that is joined of several is found by these too.
//
// Stop words (see stop.go) take up a place but give no term in FieldText; in the
// other fields, which are short, they do. A word in capitals, such as US or IT, is
// none, nor is May.
//
// # What is guaranteed
//
//   - Same text, same tokens, on every platform and whatever was analysed before,
//     as long as Version is the same. Tables of Unicode come with the Go release
//     and with modules: a test fails when they change.
//   - No term twice at one place. Places never decrease.
//   - Any string will do: bytes that are no UTF-8 separate words. Time and memory
//     are linear in its length; there are at most two tokens a byte.
//   - A space separates: the tokens of two texts with a space between are those of
//     the first, then those of the second at later places.
//
// # What is not
//
// Two words may share a term, one pair in 2^48. Languages other than English are
// not stemmed. Escapes (%20, \u00e9, &amp;) are not resolved.
package text

import (
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Version is raised whenever the same text may give other tokens than before, as
// what was indexed must then be indexed anew.
const Version = 1

// Term stands for a normalised word: 48 bits of a hash of it. Words are never
// written down in an index, where an erased one could not be taken back.
type Term uint64

// TermBytes is how many bytes of a term count; the others are zero.
const TermBytes = 6

const termMask = 1<<(8*TermBytes) - 1

// Field says where in a document a token stands.
type Field uint8

// The fields of a document.
const (
	FieldText Field = iota
	FieldTitle
	FieldKey
	FieldTags
)

// Token is a term where it stands.
type Token struct {
	Term Term
	// At says which word of its field it is. What is joined by signs takes a place
	// for each part, and its whole has the place of the first; parts of a word
	// without signs (camelCase, 10ms) share its place.
	At    uint32
	Field Field
}

// pieceGap is what lies between two texts of one field. No phrase crosses it.
const pieceGap = 16

// Analyze appends the tokens of s, in order. If dst ends with tokens of the same
// field, the text is taken for a further piece of it and its places are counted on,
// with a gap between that no phrase crosses.
func Analyze(dst []Token, field Field, s string) []Token {
	a := analyzers.Get().(*analyzer)
	a.out, a.field, a.stops = dst, field, field != FieldText
	if n := len(dst); n > 0 && dst[n-1].Field == field {
		a.at = dst[n-1].At + pieceGap
	}
	a.scan(s)
	dst = a.out
	a.release()
	return dst
}

// TermOf returns the term of a word that is normalised and stemmed already.
func TermOf(stem string) Term { return Term(xxhash.Sum64String(stem) & termMask) }

func termOf(normal []byte) Term { return Term(xxhash.Sum64(normal) & termMask) }

// analyzers are at rest here between texts.
var analyzers = sync.Pool{New: func() any { return newAnalyzer() }}
