// Package tokens counts the tokens a language model sees in a text, and cuts
// texts to a number of them.
//
// # What is guaranteed
//
//   - Counters are pure and safe for concurrent use: the same text always has the
//     same count under the same name.
//   - [Truncate] never returns a text with more tokens than the limit.
//   - Time is O(n log n) for any text, including a megabyte of spaces or one word
//     of a megabyte.
//
// # What is not
//
// A count by one vocabulary is an estimate for models with another. Special tokens and the
// framing of a chat are not counted.
package tokens

import "unicode/utf8"

// Counter counts the tokens of a text.
type Counter interface {
	// Name is the name of the counter in answers.
	Name() string
	// Count returns the number of tokens in s. Bytes that are not UTF-8 count
	// as U+FFFD.
	Count(s string) int
}

// Estimate returns the counter without a vocabulary: a quarter of the number of code points,
// rounded up.
func Estimate() Counter { return estimate{} }

// O200k returns the counter of OpenAI's o200k_base encoding, whose vocabulary is part of the
// program. It is loaded on first use, which takes a moment. Afterwards counting allocates
// nothing except for texts that are not UTF-8 and for words of kilobytes.
func O200k() Counter { return o200k{} }

// ByLines reports whether a counter counts line by line: the count of a text is the sum of the
// counts of its parts, if each part ends with a line end and the next begins with neither white
// space nor a slash.
func ByLines(c Counter) bool {
	_, ok := c.(o200k)
	return ok
}

type estimate struct{}

func (estimate) Name() string { return "estimate" }

func (estimate) Count(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }

func (estimate) prefix(s string, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	room := 4 * limit
	for i := range s {
		if room == 0 {
			return i
		}
		room--
	}
	return len(s)
}

type o200k struct{}

func (o200k) Name() string { return "o200k" }

func (o200k) Count(s string) int {
	if s == "" {
		return 0
	}
	return load().count(valid(s))
}

// prefix returns the bytes of the first tokens of s. They may count differently by themselves
// if the last word is cut, so the caller counts again.
func (o200k) prefix(s string, limit int) int {
	// Most tokens are short, so a small limit does not read all of s.
	end := len(s)
	if limit < end/8-8 {
		end = runeStart(s, 8*limit+64)
	}
	for {
		if at := load().reach(s[:end], limit); at < end {
			return runeStart(s, at)
		}
		if end == len(s) {
			return end
		}
		end = runeStart(s, 4*end)
	}
}
