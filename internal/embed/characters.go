package embed

import (
	"sync"
	"unicode"
)

// class is the role of a character in a text.
type class uint8

const (
	letter  class = iota // part of a word; the default
	capital              // a letter with a lower-case form
	alone                // a word by itself: punctuation and CJK ideographs
	space                // between words
	dropped              // ignored
)

// characters has the class of each character of the first plane.
type characters struct {
	classes [1 << 16]class
	lower   [256]byte // of ASCII letters and digits; 0 for the rest
	ends    [256]bool // ASCII characters that end a word
}

// unicodeCharacters returns the table. It is built once from the ranges of the unicode package,
// which is faster than testing each character.
var unicodeCharacters = sync.OnceValue(func() *characters {
	t := new(characters)
	for _, r := range unicode.CaseRanges {
		if r.Delta[unicode.LowerCase] != 0 {
			for c := r.Lo; c <= r.Hi && c < uint32(len(t.classes)); c++ {
				t.classes[c] = capital
			}
		}
	}
	t.set(alone, unicode.P, ideographs)
	t.set(space, unicode.White_Space)
	t.set(dropped, unicode.Mn, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
	for _, c := range "\t\n\r" {
		t.classes[c] = space
	}
	for c := '!'; c <= '~'; c++ {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			t.lower[c] = byte(unicode.ToLower(c))
		} else {
			t.classes[c] = alone // also the symbols, such as $ and +
		}
	}
	for c := range 128 {
		t.ends[c] = t.classes[c] == space || t.classes[c] == alone
	}
	return t
})

// set sets the class of the characters of tables in the first plane.
func (t *characters) set(c class, tables ...*unicode.RangeTable) {
	for _, table := range tables {
		for _, r := range table.R16 {
			for i := uint32(r.Lo); i <= uint32(r.Hi); i += uint32(r.Stride) {
				t.classes[i] = c
			}
		}
	}
}

// of returns the class of a character.
func (t *characters) of(r rune) class {
	if uint32(r) < uint32(len(t.classes)) {
		return t.classes[r]
	}
	switch {
	case unicode.In(r, unicode.Mn, unicode.Cc, unicode.Cf, unicode.Co):
		return dropped
	case unicode.In(r, unicode.P, ideographs):
		return alone
	case unicode.ToLower(r) != r:
		return capital
	}
	return letter
}

// ideographs are the characters that the vocabulary has as separate words. They are not all
// ideographs of Unicode: those added later are letters here.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2a6df, Stride: 1}, {Lo: 0x2a700, Hi: 0x2ceaf, Stride: 1}, {Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1}},
}

// Hangul syllables are decomposed by arithmetic.
const (
	hangulFirst = 0xac00
	hangulLast  = 0xd7a3
	leadFirst   = 0x1100
	vowelFirst  = 0x1161
	trailFirst  = 0x11a7 // minus one: a syllable may have none
	vowels      = 21
	trails      = 28
)

// hangul returns the letters of a syllable, the last 0 if there are only two, or ok
// false if r is no syllable.
func hangul(r rune) (letters [3]rune, ok bool) {
	if r < hangulFirst || r > hangulLast {
		return letters, false
	}
	n := r - hangulFirst
	letters[0] = leadFirst + n/(vowels*trails)
	letters[1] = vowelFirst + n/trails%vowels
	if t := n % trails; t > 0 {
		letters[2] = trailFirst + t
	}
	return letters, true
}
