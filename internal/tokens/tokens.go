// Package tokens counts the tokens a language model sees in a text, and cuts
// texts to a number of them.
//
// # What is guaranteed
//
//   - Counters are pure and safe for concurrent use: the same text has the same
//     count for ever, under the same name.
//   - [Truncate] never returns a text that counts more than was asked for.
//   - Time is within a logarithm of linear, whatever the text is: a megabyte of
//     spaces or one word of a megabyte too.
//
// # What is not
//
// A count by one vocabulary is an estimate for models that have another. The
// special tokens and the framing that a chat adds around a text are not counted.
package tokens

import "unicode/utf8"

// Counter counts the tokens of a text.
type Counter interface {
	// Name is what answers call the counter.
	Name() string
	// Count returns the number of tokens in s. Bytes that are not UTF-8 count
	// as U+FFFD.
	Count(s string) int
}

// Estimate returns the counter that needs no vocabulary: a quarter of the
// number of code points, rounded up.
func Estimate() Counter { return estimate{} }

// O200k returns the counter of OpenAI's o200k_base encoding, whose vocabulary
// is part of the program. It is loaded when something is first counted, once,
// which takes a moment. From then on counting allocates nothing but for texts
// that are not UTF-8 and for words of kilobytes.
func O200k() Counter { return o200k{} }

// ByLines reports whether a counter counts line by line: a text has as many tokens as its
// parts have together, wherever a part ends with a line end and the next begins with neither
// white space nor a slash.
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

// prefix takes tokens off the front of s. What they cover may count otherwise
// by itself where the last word is cut, so the caller counts again.
func (o200k) prefix(s string, limit int) int {
	// Most tokens are short, so a small limit need not look at all of s.
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
