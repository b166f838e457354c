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

// wordsOf returns the words of a text: letters and digits that stand together, in lower
// case. Those that every text has are among them: a "not" is a difference.
func wordsOf(s string) words {
	long := len(s) > alikeText
	list := make(words, 1, 1+min(len(s), alikeText)/5)
	const seed, prime = 14695981039346656037, 1099511628211
	whole, word := uint64(seed), uint64(0)
	gap := false
	end := func() {
		if word != 0 && !long {
			list = append(list, word^word>>29)
		}
		word = 0
	}
	add := func(r rune, in bool) {
		if gap && whole != seed {
			whole = (whole ^ ' ') * prime
		}
		gap = false
		whole = (whole ^ uint64(r)) * prime
		if !in {
			end()
			return
		}
		if word == 0 {
			word = seed
		}
		word = (word ^ uint64(r)) * prime
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			if unicode.IsSpace(r) {
				gap = true
				end()
				continue
			}
			add(unicode.ToLower(r), unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
			continue
		case c >= 'A' && c <= 'Z':
			add(rune(c)+'a'-'A', true)
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			add(rune(c), true)
		case c == ' ', c >= '\t' && c <= '\r':
			gap = true
			end()
		default:
			add(rune(c), false)
		}
		i++
	}
	end()
	list[0] = whole
	slices.Sort(list[1:])
	return append(list[:1], slices.Compact(list[1:])...)
}

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
