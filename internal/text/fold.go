package text

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const joiner = '\u200D' // joins two emoji into one

// folder removes differences that do not matter to a reader, except case, which shows where
// parts of a name begin.
type folder struct {
	out []byte
	// from has, for each byte of out, its position in the text, if traced.
	from   []int32
	traced bool

	bare    bool // the last letter is of a script whose marks are removed
	picture bool // the last letter is an emoji
	last    rune // the last letter that may have marks
	apart   []byte
	kept    []byte
}

// fold makes out from s. It is idempotent.
func (f *folder) fold(s string) {
	f.out, f.from, f.bare, f.picture, f.last = f.out[:0], f.from[:0], false, false, 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch alone := begins(s[i+n:]); {
		case alone && r < utf8.RuneSelf:
			f.out = append(f.out, byte(r))
			f.bare, f.picture, f.last = true, false, 0
		case alone && 0x4E00 <= r && r < 0xA000: // as it is
			f.out = append(f.out, s[i:i+n]...)
			f.bare, f.picture, f.last = false, false, 0
		case alone && r < tabled && foldings()[r].known:
			to := &foldings()[r]
			f.out = append(f.out, to.text...)
			f.bare, f.picture, f.last = to.bare, false, 0
		default:
			n = max(1, norm.NFKC.NextBoundaryInString(s[i:], true))
			f.cluster(s[i : i+n])
		}
		if f.traced {
			for len(f.from) < len(f.out) {
				f.from = append(f.from, int32(i))
			}
		}
		i += n
	}
	if f.traced {
		f.from = append(f.from, int32(len(s)))
	}
}

// begins reports whether s is empty or begins with a character that cannot change the one
// before it.
func begins(s string) bool {
	if s == "" || s[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r < 0x300 || r < tabled && !unicode.Is(unicode.M, r) || 0x2010 <= r && r < 0x2028 || 0x3000 <= r && r < 0x3020 || 0x4E00 <= r && r < 0xA000
}

// tabled is the end of the letters whose folding is in a table: those of Europe, Hebrew and
// Arabic.
const tabled = 0x700

// folding is the folded form of a letter without marks.
type folding struct {
	text  string
	bare  bool
	known bool
}

// foldings has the folded forms of the first letters, as cluster computes them.
var foldings = sync.OnceValue(func() *[tabled]folding {
	var table [tabled]folding
	for r := rune(utf8.RuneSelf); r < tabled; r++ {
		if unicode.In(r, unicode.M, unicode.Cf) {
			continue
		}
		var f folder
		f.cluster(string(r))
		table[r] = folding{string(f.out), f.bare, true}
	}
	return &table
})

// cluster folds a letter with its marks.
func (f *folder) cluster(s string) {
	r, n := utf8.DecodeRuneInString(s)
	// Some letters stay unchanged. One of them would otherwise become a sentence.
	if n == len(s) && (0xAC00 <= r && r < 0xD7A4 || 0x3041 <= r && r < 0x3097 || r == '\uFDFA') {
		f.out = append(f.out, s...)
		f.bare, f.picture, f.last = false, false, 0
		return
	}
	if r == '™' || r == '℠' { // would become letters of the word before
		f.out = append(f.out, ' ')
		f.bare, f.picture, f.last = true, false, 0
		return
	}
	f.apart = norm.NFKD.AppendString(f.apart[:0], s)
	f.kept = f.kept[:0]
	for i := 0; i < len(f.apart); {
		r, n := utf8.DecodeRune(f.apart[i:])
		i += n
		if r == utf8.RuneError && n <= 1 {
			r = ' '
		}
		f.letter(r)
	}
	for _, c := range f.kept {
		if c >= utf8.RuneSelf {
			f.apart = norm.NFC.Append(f.apart[:0], f.kept...)
			f.out = append(f.out, f.apart...)
			return
		}
	}
	f.out = append(f.out, f.kept...)
}

// letter appends a folded letter or mark.
func (f *folder) letter(r rune) {
	switch {
	case r < utf8.RuneSelf:
		f.kept = append(f.kept, byte(r))
		f.bare, f.picture, f.last = true, false, 0
		return
	case r == joiner && f.picture:
		f.kept = utf8.AppendRune(f.kept, r)
		return
	case r == '\u200B':
		f.kept = append(f.kept, ' ')
		f.bare, f.picture, f.last = true, false, 0
		return
	case unicode.Is(unicode.Cf, r) || tone(r) && f.picture:
		return
	case unicode.Is(unicode.M, r):
		if f.bare && !unicode.Is(unicode.Mc, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Me, r) {
			return
		}
		if r == '\u0308' && (f.last == 'е' || f.last == 'Е') { // ё may be written as е in Russian
			return
		}
		f.kept = utf8.AppendRune(f.kept, r)
		return
	}
	f.bare = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Arabic, unicode.Hebrew)
	f.picture = emoji(r)
	f.last = r
	if other := alike(r); other != "" {
		f.kept = append(f.kept, other...)
		f.bare = true
	} else if d := digit(r); d >= 0 {
		f.kept = append(f.kept, byte('0'+d))
		f.bare = true
	} else if r != '\u0640' { // a stretched line in Arabic
		f.kept = utf8.AppendRune(f.kept, r)
	}
}

// alike returns the replacement of a letter that normalisation does not change and that people
// do not distinguish from others, or nothing.
func alike(r rune) string {
	switch r {
	case '‘', '’', 'ʼ', '׳':
		return "'"
	case '״':
		return `"`
	case '‐', '−', '·':
		return "-"
	case '\u2044': // between the figures of a fraction
		return "/"
	case 'ß':
		return "ss"
	case 'ẞ':
		return "Ss"
	case 'æ':
		return "ae"
	case 'Æ':
		return "Ae"
	case 'œ':
		return "oe"
	case 'Œ':
		return "Oe"
	case 'ø':
		return "o"
	case 'Ø':
		return "O"
	case 'đ', 'ð':
		return "d"
	case 'Đ', 'Ð':
		return "D"
	case 'ł':
		return "l"
	case 'Ł':
		return "L"
	case 'ħ':
		return "h"
	case 'Ħ':
		return "H"
	case 'ŧ':
		return "t"
	case 'Ŧ':
		return "T"
	case 'þ':
		return "th"
	case 'Þ':
		return "Th"
	case 'ŋ':
		return "n"
	case 'Ŋ':
		return "N"
	case 'ı':
		return "i"
	case 'ς':
		return "σ"
	}
	return ""
}

// appendLower appends s in lower case.
func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
		i += n
	}
	return dst
}
