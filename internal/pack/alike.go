package pack

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// words is what a text is compared by: a hash of all of it in lower case, and behind
// it its words, each once and in order.
type words []uint64

// Texts that are compared by their words have so many of them at least, and so many
// bytes at most: of very short ones there are too many that share all, and what is very
// long is seldom said twice.
const (
	fewWords  = 4
	alikeText = 16 << 10
)

// byteWide is what stands for a part of a character that is not ASCII.
const byteWide = 1

// bytesOf says of each byte which letter or digit it is, in lower case; of others 0 or
// byteWide.
var bytesOf = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = byteWide
		case c >= 'A' && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			table[c] = byte(c)
		}
	}
	return table
}()

// Seed and factor of the hashes of words (FNV-1a, of characters).
const (
	wordSeed   = 14695981039346656037
	wordFactor = 1099511628211
)

// wordsOf returns the words of a text: letters and digits that stand together, in lower
// case. Those that every text has are among them: a "not" is a difference.
func wordsOf(s string) words {
	long := len(s) > alikeText
	list := make(words, 1, 1+min(len(s), alikeText)/5)
	whole, gap := uint64(wordSeed), false
	for i := 0; i < len(s); {
		word, began := uint64(wordSeed), i
		for i < len(s) { // as far as the word goes
			r, size := rune(bytesOf[s[i]]), 1
			if r == byteWide {
				if r, size = utf8.DecodeRuneInString(s[i:]); !inWord(r) {
					break
				}
				r = unicode.ToLower(r)
			} else if r == 0 {
				break
			}
			if gap && whole != wordSeed {
				whole = (whole ^ ' ') * wordFactor
			}
			gap = false
			whole, word = (whole^uint64(r))*wordFactor, (word^uint64(r))*wordFactor
			i += size
		}
		if i > began && !long {
			list = append(list, word^word>>29)
		}
		if i == len(s) {
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if i += size; unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap && whole != wordSeed {
			whole = (whole ^ ' ') * wordFactor
		}
		gap = false
		whole = (whole ^ uint64(unicode.ToLower(r))) * wordFactor
	}
	list[0] = whole
	slices.Sort(list[1:])
	return append(list[:1], slices.Compact(list[1:])...)
}

// inWord reports whether a character that is not ASCII is part of a word.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// same reports whether two texts say nearly the same: they are equal but for case and
// white space, or nine of ten of their words are.
func (w words) same(b words) bool {
	if len(w) == 0 || len(b) == 0 {
		return false
	}
	if w[0] == b[0] {
		return true
	}
	w, b = w[1:], b[1:]
	least, most := min(len(w), len(b)), max(len(w), len(b))
	if least < fewWords || 10*least < 9*most {
		return false
	}
	// What is in one alone may be a tenth of what is in either.
	apart, i, j := 0, 0, 0
	for i < len(w) && j < len(b) {
		switch {
		case w[i] == b[j]:
			i++
			j++
			continue
		case w[i] < b[j]:
			i++
		default:
			j++
		}
		if apart++; 10*apart > len(w)+len(b) {
			return false
		}
	}
	apart += len(w) - i + len(b) - j
	// Of len(w)+len(b) words, those in common are counted twice and the others once.
	common := (len(w) + len(b) - apart) / 2
	return 10*common >= 9*(common+apart)
}
