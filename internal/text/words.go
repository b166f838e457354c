package text

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Word is a word of a text as it is written.
type Word struct {
	Text  string
	Start int // in bytes
}

// Words goes through the words of s as UAX 29 has them, those without a letter, a
// digit or an emoji left out. They are neither folded nor taken apart, so they are
// for showing a text and for looking at how it is written, not for finding it.
func Words(s string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for it := words.FromString(s); it.Next(); {
			if w := it.Value(); speaks(w) && !yield(Word{w, it.Start()}) {
				return
			}
		}
	}
}

// speaks says whether something in w is no sign or space.
func speaks(w string) bool {
	for i, r := range w {
		if r < utf8.RuneSelf {
			if classes[w[i]]&(letters|figure) != 0 {
				return true
			}
		} else if unicode.IsLetter(r) || unicode.IsNumber(r) || emoji(r) {
			return true
		}
	}
	return false
}
