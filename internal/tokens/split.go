package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is the class of a character for the splitter. A mark is upper, lower and other at once,
// a letter without case upper and lower.
type class uint8

const (
	upper  class = 1 << iota // \p{Lu} \p{Lt} \p{Lm} \p{Lo} \p{M}: may begin a word
	lower                    // \p{Ll} \p{Lm} \p{Lo} \p{M}: may continue one
	number                   // \p{N}
	space                    // \s
	line                     // \r and \n, which are also space
	other                    // everything that is neither space nor letter nor number, and marks
)

// classes has the class of every character, with the bit of other inverted: a character in no
// Unicode table is 0, and most of the array is never touched.
type classes [unicode.MaxRune + 1]class

func (t *classes) fill() {
	for _, c := range []struct {
		table *unicode.RangeTable
		class class
	}{
		{unicode.Lu, upper | other},
		{unicode.Lt, upper | other},
		{unicode.Ll, lower | other},
		{unicode.Lm, upper | lower | other},
		{unicode.Lo, upper | lower | other},
		{unicode.M, upper | lower},
		{unicode.N, number | other},
		{unicode.White_Space, space | other},
	} {
		for _, r := range c.table.R16 {
			for at := int(r.Lo); at <= int(r.Hi); at += int(r.Stride) {
				t[at] = c.class
			}
		}
		for _, r := range c.table.R32 {
			for at := int(r.Lo); at <= int(r.Hi); at += int(r.Stride) {
				t[at] = c.class
			}
		}
	}
	t['\r'] |= line
	t['\n'] |= line
}

// at returns the class and the size of the character at s[i].
func (t *classes) at(s string, i int) (class, int) {
	if b := s[i]; b < utf8.RuneSelf {
		return t[b] ^ other, 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return t[r] ^ other, n
}

// run returns where the run of characters of the classes at s[i] ends.
func (t *classes) run(s string, i int, of class) int {
	for i < len(s) {
		if b := s[i]; b < utf8.RuneSelf {
			if (t[b]^other)&of == 0 {
				break
			}
			i++
			continue
		}
		c, n := t.at(s, i)
		if c&of == 0 {
			break
		}
		i += n
	}
	return i
}

// split returns the end of the piece of s that begins at i, which is less than
// the length of s. Pieces are those of the regular expression of o200k_base,
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// where the first alternative that matches wins.
func (t *classes) split(s string, i int) int {
	c, n := t.at(s, i)
	after := i + n
	switch {
	case c&(upper|lower) != 0 && c&other == 0:
		end, _ := t.word(s, i)
		return contraction(s, end)
	case c&number != 0:
		for range 2 {
			if after == len(s) {
				break
			}
			if c, n = t.at(s, after); c&number == 0 {
				break
			}
			after += n
		}
		return after
	case c&line == 0 && after < len(s):
		// One character may precede a word.
		end, first := t.word(s, after)
		if c&upper != 0 && !first {
			// A mark is a word by itself, rather than one followed by capitals.
			end, _ = t.word(s, i)
			return contraction(s, end)
		}
		if end > after {
			return contraction(s, end)
		}
	}
	from := i
	if s[i] == ' ' {
		from = after
	}
	if end := t.run(s, from, other); end > from {
		for end < len(s) && (s[end] == '\r' || s[end] == '\n' || s[end] == '/') {
			end++
		}
		return end
	}
	return t.blank(s, i)
}

// word returns where the word at s[i] ends by the first two expressions, up to the contraction,
// and whether it is by the first. The end is i if there is no word.
func (t *classes) word(s string, i int) (end int, first bool) {
	for i < len(s) {
		c, n := t.at(s, i)
		if c&upper == 0 {
			if c&lower != 0 {
				return t.run(s, i+n, lower), true
			}
			break
		}
		i += n
		if c&lower != 0 {
			end, first = i, true
		}
	}
	// No small letter follows. The first expression gives capitals back until it ends with a
	// character of its last class.
	if first {
		return end, true
	}
	return i, false
}

// contraction returns the end of the contraction at s[i], or i.
func contraction(s string, i int) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	switch s[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if i+2 < len(s) && s[i+2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if i+2 < len(s) && s[i+2]|0x20 == 'l' {
			return i + 3
		}
	}
	if len(s) >= i+1+len("ſ") && s[i+1:i+1+len("ſ")] == "ſ" { // an s in either case
		return i + 1 + len("ſ")
	}
	return i
}

// blank matches the last three expressions: white space up to its last line end if it has one,
// and otherwise without its last character, which is left to what follows, unless that is all
// or nothing follows.
func (t *classes) blank(s string, i int) int {
	start, last, ended := i, i, 0
	for i < len(s) {
		c, n := t.at(s, i)
		if c&space == 0 {
			break
		}
		last = i
		i += n
		if c&line != 0 {
			ended = i
		}
	}
	switch {
	case ended > 0:
		return ended
	case i == len(s) || last == start:
		return i
	}
	return last
}
