package statement

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// word is a word of a sentence. A contraction is two words in one place.
type word struct {
	low      string // in small letters, with straight apostrophes
	from, to int
	stop     byte // the mark behind it: a comma, a colon, a dash; else 0
	capital  bool
	quoted   bool // in quotes or between backticks
	code     bool // between backticks
}

// split returns the words of a sentence.
func split(text string, s sentence) []word {
	var words []word
	quote, single, code := s.quote, false, s.code
	for at := s.from; at < s.to; {
		r, size := utf8.DecodeRuneInString(text[at:s.to])
		if !inWord(text, at, s.to, r, size) {
			switch r {
			case '"':
				quote = !quote
			case '“':
				quote = true
			case '”':
				quote = false
			case '\'', '‘', '’':
				single = r != '’' && !single && starts(text, at, size, s)
			case '`':
				code = !code
			case ',', ':', '(':
				mark(words, byte(r))
			case '—', '–', '→':
				mark(words, '-')
			case '>':
				if at > s.from && (text[at-1] == '-' || text[at-1] == '=') {
					mark(words, '-') // an arrow
				}
			case '-':
				if at+size >= s.to || text[at+size] == ' ' {
					mark(words, '-') // not that of a flag
				}
			}
			at += size
			continue
		}
		from := at
		for at < s.to {
			r, size = utf8.DecodeRuneInString(text[at:s.to])
			if !inWord(text, at, s.to, r, size) {
				break
			}
			at += size
		}
		raw := text[from:at]
		first, _ := utf8.DecodeRuneInString(raw)
		w := word{low: fold(raw), from: from, to: at, capital: unicode.IsUpper(first), quoted: quote || single || code, code: code}
		words = expand(words, w)
	}
	return dictated(words)
}

// dictated returns words with "period" as the mark that it is in what was spoken: at the end, or
// before words that begin another sentence.
func dictated(words []word) []word {
	for i := len(words) - 1; i > 2; i-- {
		if w := words[i]; w.low != "period" || w.quoted || w.stop != 0 || determiners()[words[i-1].low] || i+1 < len(words) && !fillers()[words[i+1].low] && words[i+1].low != "never" && words[i+1].low != "do" {
			continue
		}
		mark(words[:i], ',')
		words = append(words[:i], words[i+1:]...)
	}
	return words
}

// starts reports whether a quote at a place opens: behind it is a word, and before
// it none.
func starts(text string, at, size int, s sentence) bool {
	return (at == s.from || strings.ContainsRune(" \t\n(", rune(text[at-1]))) && at+size < s.to && text[at+size] != ' '
}

// mark notes the mark behind the last word.
func mark(words []word, b byte) {
	if n := len(words); n > 0 && words[n-1].stop == 0 {
		words[n-1].stop = b
	}
}

// inWord reports whether the rune at a place belongs to a word: letters, digits
// and whatever joins two of them.
func inWord(text string, at, end int, r rune, size int) bool {
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("@_#$%+/\\~", r) {
		return true
	}
	if !strings.ContainsRune(".-'’:&=", r) || at+size >= end {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+size : end])
	if !unicode.IsLetter(next) && !unicode.IsDigit(next) {
		return false
	}
	if r == '.' {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return unicode.IsLetter(before) || unicode.IsDigit(before)
}

// fold returns a word as lists have it.
func fold(raw string) string {
	low := strings.Trim(strings.ToLower(strings.ReplaceAll(raw, "’", "'")), "_")
	if meant, ok := misspelt[low]; ok {
		return meant
	}
	return low
}

// expand appends a word, a contraction as the words that it is made of.
func expand(words []word, w word) []word {
	if w.low == "" {
		return words
	}
	first, second, ok := contraction(w.low)
	if !ok {
		return append(words, w)
	}
	left, right := w, w
	left.low, right.low, right.capital = first, second, false
	return append(words, left, right)
}

// contraction returns the two words of which a contraction is made.
func contraction(low string) (first, second string, ok bool) {
	switch low {
	case "can't", "cannot":
		return "can", "not", true
	case "won't":
		return "will", "not", true
	case "dont":
		return "do", "not", true
	case "cant":
		return "can", "not", true
	case "thats":
		return "that", "is", true
	case "lets":
		return "let", "us", true
	case "im":
		return "i", "am", true
	case "arent", "isnt", "mustnt", "shouldnt", "doesnt", "didnt":
		return strings.TrimSuffix(low, "nt"), "not", true
	case "youre":
		return "you", "are", true
	}
	at := strings.LastIndexByte(low, '\'')
	if at < 1 {
		return "", "", false
	}
	head, tail := low[:at], low[at:]
	switch {
	case tail == "'t" && strings.HasSuffix(head, "n") && len(head) > 2:
		return head[:len(head)-1], "not", true
	case tail == "'m":
		return head, "am", true
	case tail == "'re":
		return head, "are", true
	case tail == "'ve":
		return head, "have", true
	case tail == "'ll":
		return head, "will", true
	case tail == "'d":
		return head, "would", true
	case tail == "'s" && shortIs()[head]:
		return head, "is", true
	}
	return "", "", false
}

// clause is what is left to be read of a sentence.
type clause struct{ words []word }

// at returns the word of a number, or an empty one.
func (c clause) at(i int) word {
	if i < 0 || i >= len(c.words) {
		return word{}
	}
	return c.words[i]
}

// skip returns the clause without its first words.
func (c clause) skip(n int) clause {
	return clause{c.words[min(n, len(c.words)):]}
}

// cut returns what follows if the clause begins with one of the phrases, which
// are written without contractions. Adverbs that only stress are passed over, and what
// is quoted is no cue.
func (c clause) cut(phrases ...string) (clause, bool) {
	first := c.at(0).low
	stressed := stress()[first]
	for _, phrase := range phrases {
		if !stressed && !strings.HasPrefix(phrase, first) {
			continue
		}
		if n := c.prefix(phrase); n > 0 {
			return c.skip(n), true
		}
	}
	return c, false
}

// prefix returns how many words the phrase takes at the beginning, or 0.
func (c clause) prefix(phrase string) int {
	n := 0
	for want := range strings.FieldsSeq(phrase) {
		for c.at(n).low != want && stress()[c.at(n).low] {
			n++
		}
		if w := c.at(n); w.low != want || w.quoted {
			return 0
		}
		n++
	}
	for stress()[c.at(n).low] {
		n++
	}
	return n
}

// cutOne is cut for the longest phrase of a set.
func (c clause) cutOne(x phraseSet) (clause, bool) {
	for from := 0; ; from++ {
		longest := 0
		for _, rest := range x[c.at(from).low] {
			if n := c.skip(from + 1).after(rest); n >= 0 && !c.at(from).quoted {
				longest = max(longest, from+1+n)
			}
		}
		if longest > 0 {
			return c.skip(longest), true
		}
		if !stress()[c.at(from).low] {
			return c, false
		}
	}
}

// after returns how many words the rest of a phrase takes at the beginning, or -1.
func (c clause) after(rest []string) int {
	n := 0
	for _, want := range rest {
		for c.at(n).low != want && stress()[c.at(n).low] {
			n++
		}
		if w := c.at(n); w.low != want || w.quoted {
			return -1
		}
		n++
	}
	for stress()[c.at(n).low] {
		n++
	}
	return n
}

// has reports whether one of the phrases stands anywhere.
func (c clause) has(phrases phraseSet) bool {
	_, _, ok := phrases.find(c.words)
	return ok
}

// phraseSet is a list of phrases by their first word.
type phraseSet map[string][][]string

// phrases returns the set of the phrases between the bars of a list; a/b at the end of one
// are two that end so. It is made when it is first asked for: a process that reads no
// statements has no time for it.
func phrases(list string) func() phraseSet {
	return sync.OnceValue(func() phraseSet {
		x := phraseSet{}
		for phrase := range strings.SplitSeq(list, "|") {
			f := strings.Fields(phrase)
			last := len(f) - 1
			if last < 1 {
				x[f[0]] = append(x[f[0]], nil)
				continue
			}
			for end := range strings.SplitSeq(f[last], "/") {
				x[f[0]] = append(x[f[0]], append(slices.Clone(f[1:last]), end))
			}
		}
		return x
	})
}

// find returns which words are the first phrase of the set.
func (x phraseSet) find(words []word) (from, to int, ok bool) {
	for i := range words {
		for _, rest := range x[words[i].low] {
			if matches(words[i+1:], rest) {
				return i, i + 1 + len(rest), true
			}
		}
	}
	return 0, 0, false
}

// matchesOne reports whether words are one of the phrases.
func matchesOne(x phraseSet, words []word) bool {
	for _, rest := range x[words[0].low] {
		if len(rest) == len(words)-1 && matches(words[1:], rest) {
			return true
		}
	}
	return false
}

func matches(words []word, want []string) bool {
	if len(words) < len(want) {
		return false
	}
	for i, w := range want {
		if words[i].low != w {
			return false
		}
	}
	return true
}

// wordSet is a list of words.
type wordSet map[string]bool

// set returns the set of the words of lists, which is made when it is first asked for.
func set(lists ...string) func() wordSet {
	return sync.OnceValue(func() wordSet {
		x := wordSet{}
		for _, list := range lists {
			for w := range strings.FieldsSeq(list) {
				x[w] = true
			}
		}
		return x
	})
}
