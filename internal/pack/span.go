package pack

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/tokens"
)

// truncated stands where a text is cut.
const truncated = "[truncated]"

// Limits of what is looked at when a text is cut.
const (
	spanBytes  = 64 << 10 // of the text
	pieceBytes = 400      // of a piece of it, at most
	pieceLeast = 32       // of which a piece is not made smaller
	tokenBytes = 128      // that a token has at most, by whatever counter
)

// span returns a text of at most so many tokens, and whether it was cut, for which blanks
// around it do not count: the part that has the words of a question, which are folded,
// with what stands beside it, and a marker where something is missing. What is left is a
// part of the text to the letter; it is nothing if there is no room for more than a
// marker. A text in which something is hidden has no more tokens when it is shown, either.
func span(c tokens.Counter, text string, most int, words []string) (string, bool) {
	// What cannot fit for its length alone is not looked at as a whole.
	fits := tokenBytes * (max(most, 0) + 1)
	more := false
	if limit := max(spanBytes, fits); len(text) > limit {
		limit = runeStart(text, limit)
		text, more = text[:limit], strings.TrimSpace(text[limit:]) != ""
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	if firstHidden(text) < len(text) || strings.ContainsFunc(text, depends) {
		c = seen{c, most}
	}
	if !more && len(text) <= fits && c.Count(text) <= most {
		return text, false
	}
	if c.Count(" "+truncated) >= most {
		return "", true
	}
	looked := text[:runeStart(text, spanBytes)]
	for size := pieceBytes; size >= pieceLeast; size /= 2 {
		pieces := pieces(looked, size)
		best := rate(pieces, looked, words)
		if best < 0 {
			break
		}
		if out := around(c, text, more, pieces, best, most); out != "" {
			return out, more || len(out) != len(strings.TrimSpace(text))
		}
	}
	head := tokens.Truncate(c, text[:runeStart(text, fits)], most, " "+truncated)
	if strings.TrimSpace(strings.TrimSuffix(head, truncated)) == "" {
		return "", true
	}
	return head, true
}

// seen counts a text as it is and as it is shown, and the larger counts. What has more
// than most tokens by its length alone is not looked at.
type seen struct {
	tokens.Counter
	most int
}

func (s seen) Count(text string) int {
	if len(text)/tokenBytes > s.most {
		return s.most + 1
	}
	return max(s.Counter.Count(text), s.Counter.Count(Visible(text)))
}

// piece is a stretch of a text: a sentence, a line, or a part of one.
type piece struct {
	from, to int
	words    int     // of the question that are in it
	rare     float64 // how rare these are in the text
}

// count returns how many tokens the piece has among others, about: a blank behind it
// belongs to the next word.
func (p *piece) count(c tokens.Counter, text string) int {
	return c.Count(strings.TrimSuffix(text[p.from:p.to], " "))
}

// around returns a piece with as many of its neighbours as fit, behind and before it
// by turns, or nothing if not even the piece does.
func around(c tokens.Counter, text string, more bool, pieces []piece, best, most int) string {
	from, to := best, best+1
	if c.Count(marked(text, more, pieces[best].from, pieces[best].to)) > most {
		return ""
	}
	// Sums of pieces are near enough to the count to grow by; the whole is counted again.
	room := most - c.Count(truncated+" ") - c.Count(" "+truncated) - pieces[best].count(c, text)
	var added []bool // whether it was behind
	for behind, before := true, true; behind || before; {
		if behind = behind && to < len(pieces); behind {
			n := pieces[to].count(c, text)
			if behind = n <= room; behind {
				room -= n
				to++
				added = append(added, true)
			}
		}
		if before = before && from > 0; before {
			n := pieces[from-1].count(c, text)
			if before = n <= room; before {
				room -= n
				from--
				added = append(added, false)
			}
		}
	}
	for {
		out := marked(text, more, pieces[from].from, pieces[to-1].to)
		if c.Count(out) <= most {
			return out
		}
		last := len(added) - 1
		if added[last] {
			to--
		} else {
			from++
		}
		added = added[:last]
	}
}

// marked returns a part of a text without white space around it, with a marker where
// something is missing. More says that the text goes on.
func marked(text string, more bool, from, to int) string {
	part := strings.TrimSpace(text[from:to])
	if strings.TrimSpace(text[:from]) != "" {
		part = truncated + " " + part
	}
	if more || strings.TrimSpace(text[to:]) != "" {
		part += " " + truncated
	}
	return part
}

// pieces cuts a text into lines and sentences of so many bytes at most. Together they
// are the text.
func pieces(text string, most int) []piece {
	list := make([]piece, 0, 8+len(text)/64)
	for from := 0; from < len(text); {
		to := from + sentence(text[from:], most)
		list = append(list, piece{from: from, to: to})
		from = to
	}
	return list
}

// sentence returns how many of the first bytes of text are a sentence or a line with
// the white space behind it, or the words that fit into most bytes.
func sentence(text string, most int) int {
	word := 0     // where the last word that fits ends, with what stands behind it
	stop := false // a sign that ends a sentence came last
	for i, r := range text {
		if r|0x20 >= 'a' && r|0x20 <= 'z' && i > 0 && i < most && text[i-1] != '\n' { // most are
			stop = false
			continue
		}
		if i > 0 && (i >= most || r != '\n' && text[i-1] == '\n') {
			if i >= most && word > 0 && !unicode.IsSpace(r) && text[i-1] != '\n' {
				return word
			}
			return i
		}
		switch r {
		case '.', '!', '?', '…':
			stop = true
		case '"', '\'', ')', ']', '}', '”', '’', '»': // may stand between that and the blank
		case '。', '！', '？':
			return i + utf8.RuneLen(r)
		default:
			if !unicode.IsSpace(r) {
				stop = false
			} else if word = i + utf8.RuneLen(r); stop {
				return word
			}
		}
	}
	return len(text)
}

// rate says of each piece how many words it has, and returns which has most, of equals
// the one whose words are rarer in the text, then the first; -1 if none has any.
func rate(pieces []piece, text string, words []string) int {
	folded := lowered(text)
	var in []int // the pieces that have a word
	for _, word := range words {
		if word = lowered(strings.TrimSpace(word)); word == "" {
			continue
		}
		in = in[:0]
		count, at := 0, 0
		for from := 0; ; {
			i := strings.Index(folded[from:], word)
			if i < 0 {
				break
			}
			i += from
			from = i + len(word)
			if !beginsWord(folded, i) {
				continue
			}
			count++
			for pieces[at].to <= i {
				at++
			}
			if len(in) == 0 || in[len(in)-1] != at {
				in = append(in, at)
			}
		}
		for _, p := range in {
			pieces[p].words++
			pieces[p].rare += 1 / float64(count)
		}
	}
	best := -1
	for i, p := range pieces {
		if p.words > 0 && (best < 0 || p.words > pieces[best].words || p.words == pieces[best].words && p.rare > pieces[best].rare) {
			best = i
		}
	}
	return best
}

// beginsWord reports whether a word of text may begin at i: no letter of the same kind
// stands before it, or letters stand without spaces between words.
func beginsWord(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	switch {
	case unicode.IsDigit(r):
		return !unicode.IsDigit(before)
	case unicode.IsLower(r):
		return !unicode.IsLetter(before)
	}
	return true
}

// lowered returns a text in lower case, with every character where it was.
func lowered(text string) string {
	var b []byte // once something changes
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && (c < 'A' || c > 'Z') {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == n {
			if b == nil {
				b = []byte(text)
			}
			utf8.EncodeRune(b[i:], l)
		}
		i += n
	}
	if b == nil {
		return text
	}
	return string(b)
}

// runeStart returns the largest start of a character in s that is at most n, and n where
// there are none.
func runeStart(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for back := 0; back < utf8.UTFMax && n > back; back++ {
		if utf8.RuneStart(s[n-back]) {
			return n - back
		}
	}
	return n
}
