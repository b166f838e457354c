package english

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Word is a word of a sentence. A contraction is two words in one place.
type Word struct {
	Low      string // in lower case, with straight apostrophes
	From, To int
	Stop     byte // the mark behind it: a comma, a colon, a dash; else 0
	Capital  bool
	Quoted   bool // in quotes or between backticks
	Code     bool // between backticks
}

// Split returns the words of a sentence.
func Split(text string, s Sentence) []Word {
	var words []Word
	quote, single, code := s.quote, false, s.code
	for at := s.From; at < s.To; {
		r, size := utf8.DecodeRuneInString(text[at:s.To])
		if !inWord(text, at, s.To, r, size) {
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
				Mark(words, byte(r))
			case '—', '–', '→':
				Mark(words, '-')
			case '>':
				if at > s.From && (text[at-1] == '-' || text[at-1] == '=') {
					Mark(words, '-') // an arrow
				}
			case '-':
				if at+size >= s.To || text[at+size] == ' ' {
					Mark(words, '-') // not that of a flag
				}
			}
			at += size
			continue
		}
		from := at
		for at < s.To {
			r, size = utf8.DecodeRuneInString(text[at:s.To])
			if !inWord(text, at, s.To, r, size) {
				break
			}
			at += size
		}
		raw := text[from:at]
		first, _ := utf8.DecodeRuneInString(raw)
		w := Word{Low: fold(raw), From: from, To: at, Capital: unicode.IsUpper(first), Quoted: quote || single || code, Code: code}
		words = expand(words, w)
	}
	return dictated(words)
}

// dictated returns words with a spoken "period" as the mark: at the end, or before words that
// begin another sentence.
func dictated(words []Word) []Word {
	for i := len(words) - 1; i > 2; i-- {
		if w := words[i]; w.Low != "period" || w.Quoted || w.Stop != 0 || Determiners()[words[i-1].Low] || i+1 < len(words) && !Fillers()[words[i+1].Low] && words[i+1].Low != "never" && words[i+1].Low != "do" {
			continue
		}
		Mark(words[:i], ',')
		words = append(words[:i], words[i+1:]...)
	}
	return words
}

// starts reports whether a quote at a place opens: behind it is a word, and before
// it none.
func starts(text string, at, size int, s Sentence) bool {
	return (at == s.From || strings.ContainsRune(" \t\n(", rune(text[at-1]))) && at+size < s.To && text[at+size] != ' '
}

// Mark sets the mark behind the last word.
func Mark(words []Word, b byte) {
	if n := len(words); n > 0 && words[n-1].Stop == 0 {
		words[n-1].Stop = b
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
	if meant, ok := Misspelt[low]; ok {
		return meant
	}
	return low
}

// expand appends a word, a contraction as the words that it is made of.
func expand(words []Word, w Word) []Word {
	if w.Low == "" {
		return words
	}
	first, second, ok := contraction(w.Low)
	if !ok {
		return append(words, w)
	}
	left, right := w, w
	left.Low, right.Low, right.Capital = first, second, false
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

// Clause is the rest of a sentence that is not read yet.
type Clause []Word

// At returns the word at an index, or an empty one.
func (c Clause) At(i int) Word {
	if i < 0 || i >= len(c) {
		return Word{}
	}
	return c[i]
}

// Skip returns the clause without its first words.
func (c Clause) Skip(n int) Clause {
	return c[min(n, len(c)):]
}

// Cut returns what follows if the clause begins with one of the phrases, which
// are written without contractions. It skips adverbs that only stress, and ignores quoted
// words.
func (c Clause) Cut(phrases ...string) (Clause, bool) {
	first := c.At(0).Low
	stressed := Stress()[first]
	for _, phrase := range phrases {
		if !stressed && !strings.HasPrefix(phrase, first) {
			continue
		}
		if n := c.prefix(phrase); n > 0 {
			return c.Skip(n), true
		}
	}
	return c, false
}

// prefix returns how many words the phrase takes at the beginning, or 0.
func (c Clause) prefix(phrase string) int {
	n := 0
	for want := range strings.FieldsSeq(phrase) {
		for c.At(n).Low != want && Stress()[c.At(n).Low] {
			n++
		}
		if w := c.At(n); w.Low != want || w.Quoted {
			return 0
		}
		n++
	}
	for Stress()[c.At(n).Low] {
		n++
	}
	return n
}

// CutOne is Cut for the longest phrase of a set.
func (c Clause) CutOne(x PhraseSet) (Clause, bool) {
	for from := 0; ; from++ {
		longest := 0
		for _, rest := range x[c.At(from).Low] {
			if n := c.Skip(from + 1).after(rest); n >= 0 && !c.At(from).Quoted {
				longest = max(longest, from+1+n)
			}
		}
		if longest > 0 {
			return c.Skip(longest), true
		}
		if !Stress()[c.At(from).Low] {
			return c, false
		}
	}
}

// after returns how many words the rest of a phrase takes at the beginning, or -1.
func (c Clause) after(rest []string) int {
	n := 0
	for _, want := range rest {
		for c.At(n).Low != want && Stress()[c.At(n).Low] {
			n++
		}
		if w := c.At(n); w.Low != want || w.Quoted {
			return -1
		}
		n++
	}
	for Stress()[c.At(n).Low] {
		n++
	}
	return n
}

// Has reports whether the clause contains one of the phrases.
func (c Clause) Has(phrases PhraseSet) bool {
	_, _, ok := phrases.Find(c)
	return ok
}

// PhraseSet is a list of phrases by their first word.
type PhraseSet map[string][][]string

// Phrases returns the set of the phrases between the bars of a list; a/b at the end of one
// stands for two phrases. It is built at its first use: most processes read no statements.
func Phrases(list string) func() PhraseSet {
	return sync.OnceValue(func() PhraseSet {
		x := PhraseSet{}
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

// Find returns which words are the first phrase of the set.
func (x PhraseSet) Find(words []Word) (from, to int, ok bool) {
	for i := range words {
		for _, rest := range x[words[i].Low] {
			if matches(words[i+1:], rest) {
				return i, i + 1 + len(rest), true
			}
		}
	}
	return 0, 0, false
}

// MatchesOne reports whether words are one of the phrases.
func MatchesOne(x PhraseSet, words []Word) bool {
	for _, rest := range x[words[0].Low] {
		if len(rest) == len(words)-1 && matches(words[1:], rest) {
			return true
		}
	}
	return false
}

func matches(words []Word, want []string) bool {
	if len(words) < len(want) {
		return false
	}
	for i, w := range want {
		if words[i].Low != w {
			return false
		}
	}
	return true
}

// WordSet is a list of words.
type WordSet map[string]bool

// List returns the set of the words of lists, which is built at its first use.
func List(lists ...string) func() WordSet {
	return sync.OnceValue(func() WordSet {
		x := WordSet{}
		for _, list := range lists {
			for w := range strings.FieldsSeq(list) {
				x[w] = true
			}
		}
		return x
	})
}

// In reports whether a text contains one of the phrases.
func (x PhraseSet) In(text string) bool {
	_, _, ok := x.Find(Split(text, Sentence{To: len(text)}))
	return ok
}

// Has reports whether words contain one of the phrases.
func (x PhraseSet) Has(words []Word) bool {
	_, _, ok := x.Find(words)
	return ok
}
