package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/tokens"
)

// Truncated marks where a text is cut.
const Truncated = "[truncated]"

// Limits in bytes on what is read when a text is cut.
const (
	spanBytes  = 64 << 10 // the text
	pieceBytes = 400      // a piece of it, at most
	pieceLeast = 32       // pieces are not made smaller
	tokenBytes = 128      // a token has at most, by any counter
	longWord   = 1024     // a run of one kind of characters; longer runs are no word or gap
)

// Limits on the JSON bytes of a text: per token, of which plain words have five, and a
// sixteenth of a pack. Otherwise a text of blanks, with a hundred to a token, would displace
// texts with few bytes and many tokens.
const (
	bytesPerToken = 16
	mostTextBytes = hmx.MaxPackBytes / 16
)

// textRoom returns the most JSON bytes of a text of most tokens.
func textRoom(most int) int { return min(bytesPerToken*max(most, 0), mostTextBytes) }

// fitsRoom reports whether a text fits into room bytes of JSON.
func fitsRoom(text string, room int) bool { return len(text) <= room && JSONBytes(text) <= room+2 }

// Fits reports whether a text has no more bytes than a quote of most tokens may have.
func Fits(text string, most int) bool { return fitsRoom(text, textRoom(most)) }

// escapes is, for each byte, the most bytes that JSON adds to it.
var escapes = func() (table [256]uint8) {
	for c := range ' ' {
		table[c] = 5
	}
	for _, c := range "\n\t\"\\" {
		table[c] = 1
	}
	return table
}()

// JSONBytes returns an upper bound of the bytes of a text as JSON.
func JSONBytes(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		n += int(escapes[s[i]])
	}
	return n
}

// Span returns at most most tokens of a text, and no more bytes than these may have, and
// reports whether it was cut; blanks around the text do not count as cut. It selects the part
// with the words of a question, which are folded, and its surroundings, with a marker for each
// omission. The result is a verbatim part of the text; it is empty if there is only room for a
// marker. If the text has hidden characters, the limit also holds for its visible form.
func Span(c tokens.Counter, text string, most int, words []string) (string, bool) {
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
	if n.Count(" "+Truncated) >= most {
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

// narrow does not count a text with too many bytes: it has too many tokens as well.
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

// seen counts a text as it is and in its visible form, and returns the larger count.
type seen struct{ tokens.Counter }

func (s seen) Count(text string) int {
	return max(s.Counter.Count(text), s.Counter.Count(Visible(text)))
}

// head returns the beginning of a text that is too long, with a marker after it, or nothing if
// there is only room for the marker. An endless word is cut anywhere.
func head(c narrow, text string) string {
	const mark = " " + Truncated
	text = text[:wordEnd(text, min(unbroken(text), c.room-len(mark)))]
	out := tokens.Truncate(c.Counter, text, c.most, mark)
	if !strings.HasSuffix(out, mark) || !fitsRoom(out, c.room) {
		// It fits except for the marker, or has too many bytes as JSON.
		out = strings.TrimSpace(tokens.Truncate(c, text, c.most-c.Count(mark), "")) + mark
	}
	if strings.TrimSpace(strings.TrimSuffix(out, Truncated)) == "" || c.Count(out) > c.most {
		return ""
	}
	return out
}

// unbroken returns the length of a text up to the first run of longWord bytes of one kind of
// characters, or its whole length if there is none.
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

// kindOf returns the kind of r: characters of one kind form words or gaps.
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
	words    int     // words of the question in it
	ends     int     // end of the last of these, which may be after the piece
	rare     float64 // how rare these are in the text
}

// count returns about how many tokens the piece has among others: a blank after it belongs to
// the next word.
func (p *piece) count(c tokens.Counter, text string) int {
	return c.Count(strings.TrimSuffix(text[p.from:p.to], " "))
}

// solid reports whether the piece is part of a long word or a long gap.
func (p *piece) solid(text string) bool {
	part := text[p.from:p.to]
	if len(part) < pieceBytes/2 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(part)
	kind := kindOf(first)
	return !strings.ContainsFunc(part, func(r rune) bool { return kindOf(r) != kind })
}

// around returns a piece with as many of its neighbours as fit, alternately after and before
// it, up to a word end. It returns nothing if the piece itself does not fit.
func around(c tokens.Counter, text string, more bool, pieces []piece, best, most int) string {
	from, to := best, best+1
	if c.Count(marked(text, more, pieces[best].from, pieces[best].to)) > most {
		return ""
	}
	// The sum of the pieces is near enough to the count to grow by; the result is counted
	// again.
	room := most - c.Count(Truncated+" ") - c.Count(" "+Truncated) - pieces[best].count(c, text)
	var added []bool // whether it was after the piece
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

// marked returns a trimmed part of a text, with a marker for each omission. more says that the
// text continues.
func marked(text string, more bool, from, to int) string {
	part := strings.TrimSpace(text[from:to])
	if strings.TrimSpace(text[:from]) != "" {
		part = Truncated + " " + part
	}
	if more || strings.TrimSpace(text[to:]) != "" {
		part += " " + Truncated
	}
	return part
}

// pieces splits a text into lines and sentences of at most most bytes.
func pieces(text string, most int) []piece {
	list := make([]piece, 0, 8+len(text)/64)
	for from := 0; from < len(text); {
		to := from + sentence(text[from:], most)
		list = append(list, piece{from: from, to: to})
		from = to
	}
	return list
}

// sentence returns the length of the first sentence or line of text including the white space
// after it, or of the words that fit into most bytes. If these contain no white space, it ends
// at another word boundary.
func sentence(text string, most int) int {
	word := 0     // end of the last word that fits, with what follows it
	stop := false // the last character ends a sentence
	for i, r := range text {
		if r|0x20 >= 'a' && r|0x20 <= 'z' && i > 0 && i < most && text[i-1] != '\n' { // the usual case
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

// rate counts the question's words in each piece and returns the piece with the most; ties go
// to the piece with words that are rarer in the text, then to the first. It returns -1 if no
// piece has any.
func rate(pieces []piece, text string, words []string) int {
	folded := lowered(text)
	var in []int // the pieces with a word
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

// beginsWord reports whether a word of text may begin at i: no letter of the same kind precedes
// it, or the script has no spaces between words.
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

// lowered returns a text in lower case, with every character at its place.
func lowered(text string) string {
	var b []byte // set once something changes
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

// wordEnd returns a place up to n where text can be cut, see [tokens.Between].
func wordEnd(text string, n int) int {
	n = len(Head(text, n))
	return tokens.Between(text, max(n-pieceBytes, 0), n)
}

// Head returns the beginning of a text, at most n bytes, without a part of a character at its end.
func Head(text string, n int) string {
	if n >= len(text) {
		return text
	}
	for back := 0; back < utf8.UTFMax && n > back; back++ {
		if utf8.RuneStart(text[n-back]) {
			return text[:n-back]
		}
	}
	return text[:n]
}
