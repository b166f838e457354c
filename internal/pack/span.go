package pack

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
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
	longWord   = 1024     // of one kind of characters; what is longer is no word, nor a gap
)

// Bytes of JSON that a text has at most: so many for each of its tokens, of which plain
// words have five, and a sixteenth of a pack. Else a text of blanks, of which a token
// holds a hundred, would push others out that have few bytes and many tokens.
const (
	bytesPerToken = 16
	mostTextBytes = hmx.MaxPackBytes / 16
)

// textRoom returns how many bytes of JSON a text of so many tokens has at most.
func textRoom(most int) int { return min(bytesPerToken*max(most, 0), mostTextBytes) }

// fitsRoom reports whether a text has no more bytes as JSON than there is room.
func fitsRoom(text string, room int) bool { return len(text) <= room && textBytes(text) <= room+2 }

// span returns a text of at most so many tokens and of no more bytes than these may have,
// and whether it was cut, for which blanks around it do not count: the part that has the
// words of a question, which are folded, with what stands beside it, and a marker where
// something is missing. What is left is a part of the text to the letter; it is nothing if
// there is no room for more than a marker. A text in which something is hidden has no more
// tokens when it is shown, either.
func span(c tokens.Counter, text string, most int, words []string) (string, bool) {
	more := false
	if len(text) > spanBytes {
		limit := wordEnd(text, spanBytes)
		text, more = text[:limit], strings.TrimSpace(text[limit:]) != ""
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	if firstHidden(text) < len(text) || strings.ContainsFunc(text, depends) {
		c = seen{c}
	}
	n := narrow{c, most, textRoom(most)}
	if !more {
		if n.Count(text) <= most {
			return text, false
		}
		if whole := strings.TrimSpace(text); len(whole) < len(text) && n.Count(whole) <= most {
			return whole, false
		}
	}
	if n.Count(" "+truncated) >= most {
		return "", true
	}
	for size := pieceBytes; size >= pieceLeast; size /= 2 {
		pieces := pieces(text, size)
		best := rate(pieces, text, words)
		if best < 0 {
			break
		}
		for best+1 < len(pieces) && pieces[best].ends > pieces[best].to { // in the middle of a word
			pieces[best].to = pieces[best+1].to
			pieces = slices.Delete(pieces, best+1, best+2)
		}
		if out := around(n, text, more, pieces, best, most); out != "" {
			return out, more || out != strings.TrimSpace(text)
		}
	}
	return head(n, text), true
}

// narrow counts no text that has too many bytes: it has too many tokens, too.
type narrow struct {
	tokens.Counter
	most int
	room int // in bytes of JSON
}

func (n narrow) Count(text string) int {
	if len(text)/tokenBytes > n.most || !fitsRoom(text, n.room) {
		return n.most + 1
	}
	return n.Counter.Count(text)
}

// seen counts a text as it is and as it is shown, and the larger counts.
type seen struct{ tokens.Counter }

func (s seen) Count(text string) int {
	return max(s.Counter.Count(text), s.Counter.Count(Visible(text)))
}

// head returns the beginning of a text that is too long, with a marker behind it, or
// nothing if there is no room for more than that. A word without end is cut in any case.
func head(c narrow, text string) string {
	const mark = " " + truncated
	text = text[:wordEnd(text, min(unbroken(text), c.room-len(mark)))]
	out := tokens.Truncate(c.Counter, text, c.most, mark)
	if !strings.HasSuffix(out, mark) || !fitsRoom(out, c.room) {
		// It is short enough but for the marker, or has too many bytes as JSON.
		out = strings.TrimSpace(tokens.Truncate(c, text, c.most-c.Count(mark), "")) + mark
	}
	if strings.TrimSpace(strings.TrimSuffix(out, truncated)) == "" || c.Count(out) > c.most {
		return ""
	}
	return out
}

// unbroken returns how long a text is up to where longWord bytes of one kind of characters
// stand together, its length if nowhere.
func unbroken(text string) int {
	from, last := 0, -1
	for i, r := range text {
		kind := kindOf(r)
		if kind != last {
			from, last = i, kind
		}
		if i-from >= longWord {
			return i
		}
	}
	return len(text)
}

// kindOf returns which characters r stands together with in a word or between words.
func kindOf(r rune) int {
	switch {
	case r|0x20 >= 'a' && r|0x20 <= 'z':
		return 0
	case r == ' ', r >= '\t' && r <= '\r':
		return 1
	case r < utf8.RuneSelf:
		return 2
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 0
	case unicode.IsSpace(r):
		return 1
	}
	return 2
}

// piece is a stretch of a text: a sentence, a line, or a part of one.
type piece struct {
	from, to int
	words    int     // of the question that are in it
	ends     int     // where the last of these does, which may be behind the piece
	rare     float64 // how rare these are in the text
}

// count returns how many tokens the piece has among others, about: a blank behind it
// belongs to the next word.
func (p *piece) count(c tokens.Counter, text string) int {
	return c.Count(strings.TrimSuffix(text[p.from:p.to], " "))
}

// solid reports whether the piece is a part of a long word, or of a long gap.
func (p *piece) solid(text string) bool {
	part := text[p.from:p.to]
	if len(part) < pieceBytes/2 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(part)
	kind := kindOf(first)
	return !strings.ContainsFunc(part, func(r rune) bool { return kindOf(r) != kind })
}

// around returns a piece with as many of its neighbours as fit, behind and before it
// by turns and up to where a word does not end, or nothing if not even the piece does.
func around(c tokens.Counter, text string, more bool, pieces []piece, best, most int) string {
	from, to := best, best+1
	if c.Count(marked(text, more, pieces[best].from, pieces[best].to)) > most {
		return ""
	}
	// Sums of pieces are near enough to the count to grow by; the whole is counted again.
	room := most - c.Count(truncated+" ") - c.Count(" "+truncated) - pieces[best].count(c, text)
	var added []bool // whether it was behind
	for behind, before := true, true; behind || before; {
		if behind = behind && to < len(pieces) && !pieces[to].solid(text); behind {
			n := pieces[to].count(c, text)
			if behind = n <= room; behind {
				room -= n
				to++
				added = append(added, true)
			}
		}
		if before = before && from > 0 && !pieces[from-1].solid(text); before {
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
// the white space behind it, or the words that fit into most bytes. Where there is no white
// space among these, it ends where another word does.
func sentence(text string, most int) int {
	word := 0     // where the last word that fits ends, with what stands behind it
	stop := false // a sign that ends a sentence came last
	for i, r := range text {
		if r|0x20 >= 'a' && r|0x20 <= 'z' && i > 0 && i < most && text[i-1] != '\n' { // most are
			stop = false
			continue
		}
		if i > 0 && (i >= most || r != '\n' && text[i-1] == '\n') {
			if i < most || unicode.IsSpace(r) || text[i-1] == '\n' {
				return i
			}
			if word > 0 {
				return word
			}
			return tokens.Between(text, i/2, i)
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
			pieces[at].ends = max(pieces[at].ends, from)
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

// wordEnd returns a place up to n at which text can be cut, see [tokens.Between].
func wordEnd(text string, n int) int {
	n = runeStart(text, n)
	return tokens.Between(text, max(n-pieceBytes, 0), n)
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
