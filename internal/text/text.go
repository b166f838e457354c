// Package text splits text into terms, for indexing and for queries.
//
// # What a text becomes
//
// Words are those of UAX 29, folded: lower case, compatibility forms (full width, ligatures),
// apostrophes and hyphens as one sign each, digits of every script as 0 to 9. Latin and Greek
// letters lose their accents, Hebrew and Arabic ones their points; other scripts keep their
// marks. A possessive 's and the contractions 'm, 're, 've, 'll, 'd are removed. The rest is
// stemmed as English if it has only the letters a to z, and is unchanged otherwise.
//
// A name is found whole and by its parts. Words joined without a space by - _ . /
// \ : @ ' = & ? # + :: -> or :// are one name, which gives
//
//   - the whole: if it has / : @ and the like, as it is written but lower case,
//     without scheme and www; if it has none, its letters and digits joined, so
//     that e-mail, eMail and email, or node.js and nodejs, are one term. A sign
//     between two digits stays: 3.14 is not 314. Commas of thousands go;
//   - the same for every part between slashes, and for every one between dots: a
//     path is found by its base name, with and without the ending;
//   - each part, stemmed. Parts begin at signs, at capitals (HTTPServers is http
//     and servers, but APIs is one part) and where letters meet digits;
//   - with its mark, if it follows # @ $ -- or a dot, or precedes ++ or #: #12 is
//     also 12, C++ is also C.
//
// Identifiers that look random (UUIDs, hex digits, text that changes its case or kind every
// other letter) are not split; long hex digits are also found by their first 7, 8 and 12. A
// word is not split beyond its 64th letter.
//
// Han, kana, Hangul, Thai, Lao, Khmer, Myanmar and Yi are written without spaces, or inflected
// without them, and become overlapping pairs of letters with their marks; a single letter is a
// term. Emoji are terms without skin tone and style; a joined emoji is found by its parts as
// well.
//
// Stop words (see stop.go) have a place but give no term in FieldText; in the other fields,
// which are short, they do. A word in capitals, such as US or IT, is not a stop word, nor is
// May.
//
// # What is guaranteed
//
//   - The same text gives the same tokens, on every platform and regardless of
//     earlier texts, as long as Version is the same. Tables of Unicode come with
//     the Go release and with modules: a test fails when they change.
//   - A term occurs once at a place. Places never decrease.
//   - Any string is valid: bytes that are not UTF-8 separate words. Time and memory
//     are linear in its length; there are at most two tokens a byte.
//   - A space separates: the tokens of two texts with a space between them are
//     those of the first, then those of the second at later places.
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

// Version is raised whenever the same text may give other tokens than before, since the indexes
// must then be rebuilt.
const Version = 1

// Term is a normalised word: 48 bits of its hash. Indexes never contain the words themselves,
// since an erased one could not be removed.
type Term uint64

// TermBytes is the number of significant bytes of a term; the others are zero.
const TermBytes = 6

const termMask = 1<<(8*TermBytes) - 1

// Field is the part of a document that a token is in.
type Field uint8

// The fields of a document.
const (
	FieldText Field = iota
	FieldTitle
	FieldKey
	FieldTags
)

// Token is a term with its place.
type Token struct {
	Term Term
	// At is the index of the word in its field. A joined name has a place for each part, and
	// its whole has the place of the first; parts of a word without signs (camelCase, 10ms)
	// share its place.
	At    uint32
	Field Field
}

// pieceGap is the gap between two texts of one field. No phrase crosses it.
const pieceGap = 16

// Analyze appends the tokens of s, in order. If dst ends with tokens of the same field, s is a
// further piece of that field and its places continue, with a gap between that no phrase
// crosses.
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

// TermOf returns the term of a word that is already normalised and stemmed.
func TermOf(stem string) Term { return Term(xxhash.Sum64String(stem) & termMask) }

func termOf(normal []byte) Term { return Term(xxhash.Sum64(normal) & termMask) }

// analyzers is the pool of analyzers.
var analyzers = sync.Pool{New: func() any { return newAnalyzer() }}
