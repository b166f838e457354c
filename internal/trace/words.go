package trace

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/trace/shapes"
)

// stopWords are words that say nothing about what is wanted.
var stopWords = shapes.List("a about above after again all also am an and any anyone are as at be because been before being below between both but by can cannot could did do does doing " +
	"didnt doesnt don dont wont cant couldnt wouldnt down during each either else ever every few for from further get gets getting give go going got had has have having he hello her here hers hey hi him his how i id " +
	"if im in into is isn isnt it its itself ive just kind let like ll may maybe me might mine more most much must my no nor not now of off oh on once one only or other our ours " +
	"out over own please re really regarding same she should so some somebody someone something soon still such sure than thank thanks that thats the their them then there these they thing " +
	"things this those through to too under until up upon us use very want wanted wants was we well were what when where which while who whom why will with within would yeah you youd " +
	"youll your youre yours yourself ok okay hope could couldn wouldn didn doesn ve need needs needed able help helps assist assistance today")

const (
	minWord = 2
	maxWord = 24 // bytes of a word; a longer one is no word
)

// wordScanner gives the folded words of a text: lower case, letters only, marks
// inside a word left out. A word with a digit in it is a value and no word.
type wordScanner struct {
	text string
	at   int
	buf  [maxWord]byte
	n    int
}

// next finds the next word, stop words included, and reports whether there is one.
func (w *wordScanner) next() bool {
	for w.at < len(w.text) {
		w.n = 0
		good := true
		began := false
		for w.at < len(w.text) {
			c := w.text[w.at]
			if c < utf8.RuneSelf {
				k := shapes.Classes[c]
				switch {
				case k == shapes.ClassLower || k == shapes.ClassUpper:
					good = w.put(c|0x20) && good
				case k == shapes.ClassDigit:
					good = false
				case c == '\'' && began:
				case c == '_' || c == '@':
					good = false
				default:
					w.at++
					goto ended
				}
				began = true
				w.at++
				continue
			}
			r, size := utf8.DecodeRuneInString(w.text[w.at:])
			switch {
			case r == '’' && began:
			case unicode.IsLetter(r) || unicode.IsMark(r):
				var rb [utf8.UTFMax]byte
				for _, b := range rb[:utf8.EncodeRune(rb[:], unicode.ToLower(r))] {
					good = w.put(b) && good
				}
			default:
				w.at += size
				goto ended
			}
			began = true
			w.at += size
		}
	ended:
		if good && w.n >= minWord {
			return true
		}
	}
	return false
}

// put adds a byte to the word, and reports whether there was room.
func (w *wordScanner) put(c byte) bool {
	if w.n == maxWord {
		return false
	}
	w.buf[w.n] = c
	w.n++
	return true
}

func (w *wordScanner) word() []byte { return w.buf[:w.n] }

// spokenEnds is how much of a long message is looked at, at its beginning and at
// its end: what is asked for stands there.
const spokenEnds = 320

// lexicon numbers the words that a reader has met, so that lists of words are lists
// of numbers. Stop words have numbers and no text.
type lexicon struct {
	numbers map[string]int32
	words   []string
	listed  []uint32 // the list that a word was added to last
	list    uint32
}

// maxLexicon is how many words are numbered at once, and those of one message more.
const maxLexicon = 1 << 15

// number returns the number of a folded word.
func (r *Reader) number(b []byte) int32 {
	x := &r.lexicon
	if n, ok := x.numbers[string(b)]; ok {
		return n
	}
	word := ""
	if !stopWords()[string(b)] {
		word = r.intern(b)
	}
	n := int32(len(x.words))
	x.words, x.listed = append(x.words, word), append(x.listed, 0)
	if x.numbers == nil {
		x.numbers = map[string]int32{}
	}
	x.numbers[string(b)] = n
	return n
}

// add adds a word to the list that was begun last, unless it is there or a stop word.
func (x *lexicon) add(list []int32, n int32) []int32 {
	if x.listed[n] == x.list || x.words[n] == "" {
		return list
	}
	x.listed[n] = x.list
	return append(list, n)
}

// newList begins a list. It forgets the words that no list has if there are too many.
func (r *Reader) newList() []int32 {
	x := &r.lexicon
	if len(x.words) > maxLexicon {
		said, told := r.texts(r.said), r.texts(r.told)
		*x = lexicon{}
		r.said, r.told = r.said[:0], r.told[:0]
		for _, w := range said {
			r.said = append(r.said, r.number([]byte(w)))
		}
		for _, w := range told {
			r.told = append(r.told, r.number([]byte(w)))
		}
	}
	if x.list++; x.list == 0 {
		clear(x.listed)
		x.list = 1
	}
	return r.words[:0]
}

// texts returns the words of a list.
func (r *Reader) texts(list []int32) []string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = r.lexicon.words[n]
	}
	return words
}

// spoken adds the words of a message before those that are in list, each once, up to
// a limit, and returns the list. Half of the limit is for the end of a long message.
func (r *Reader) spoken(list *[]int32, text string, limit int) {
	fresh := r.newList()
	if len(text) <= 2*spokenEnds {
		fresh = r.fold(fresh, text, limit)
	} else {
		fresh = r.fold(fresh, text[:spokenEnds], limit/2)
		fresh = r.fold(fresh, text[len(text)-spokenEnds:], limit)
	}
	for _, w := range *list {
		if len(fresh) >= limit {
			break
		}
		fresh = r.lexicon.add(fresh, w)
	}
	*list, r.words = append((*list)[:0], fresh...), fresh
}

// fold adds the folded words of a text to list, without stop words and each once,
// until list has as many as the limit says.
func (r *Reader) fold(list []int32, text string, limit int) []int32 {
	w := wordScanner{text: text}
	for len(list) < limit && w.next() {
		list = r.lexicon.add(list, r.number(w.word()))
	}
	return list
}

// fewWords returns how many words fold would find in a text, up to a limit of one or two.
func fewWords(text string, limit int) int {
	w := wordScanner{text: text}
	var first [maxWord]byte
	n, size := 0, 0
	for n < limit && w.next() {
		b := w.word()
		if stopWords()[string(b)] || n == 1 && string(b) == string(first[:size]) {
			continue
		}
		size = copy(first[:], b)
		n++
	}
	return n
}

// closing are words of a message that ends a conversation, beside stop words; parting
// are those of which one must be there.
var (
	closing = shapes.List("thank thanks thx ty great perfect awesome excellent wonderful good nice cool bye goodbye appreciate appreciated that thats all nothing else no day have a much so " +
		"very you your for the help assistance lovely fantastic amazing brilliant cheers ok okay alright and it again care take one everything stop anyway")
	parting = shapes.List("thank thanks thx ty perfect awesome excellent bye goodbye cheers appreciate appreciated")
)

// closes reports whether a message only takes leave.
func closes(text string) bool {
	if len(text) > 200 {
		return false
	}
	w := wordScanner{text: text}
	parted := false
	for w.next() {
		switch b := w.word(); {
		case parting()[string(b)]:
			parted = true
		case !closing()[string(b)]:
			return false
		}
	}
	return parted
}

// verdict reads what the user plainly says about what was done.
func verdict(text string) Outcome {
	const most = 200 // a plain word stands at the beginning
	var buf [most]byte
	small := shapes.Lower(buf[:0], text[:min(len(text), most)])
	if !mayJudge(small) {
		return Unknown
	}
	low := string(small)
	for _, s := range complaints {
		if containsWords(low, s) {
			return Failed
		}
	}
	for _, c := range []byte(low) {
		if c == '?' {
			return Unknown
		}
	}
	for _, s := range [...]string{"not", "but", "doesn", "didn", "isn", "if", "when", "once", "until"} {
		if containsWords(low, s) {
			return Unknown
		}
	}
	for _, s := range praises {
		if containsWords(low, s) {
			return Succeeded
		}
	}
	return Unknown
}

// mayJudge reports whether a text has one of the stems that are in all that judges.
func mayJudge(low []byte) bool {
	for i, c := range low {
		for _, s := range judging[c] {
			if len(low)-i >= len(s) && string(low[i:i+len(s)]) == s {
				return true
			}
		}
	}
	return false
}

// judging are these stems by their first letters.
var judging = func() (table [256][]string) {
	for _, s := range [...]string{"work", "fix", "bro", "fail", "wrong", "solved", "asked", "wanted", "good now"} {
		table[s[0]] = append(table[s[0]], s)
	}
	return table
}()

var (
	complaints = [...]string{
		"that didn't work", "it didn't work", "doesn't work", "does not work", "did not work", "still broken", "still failing", "still fails", "it's broken", "it is broken",
		"that's wrong", "that is wrong", "not what i asked", "not what i wanted", "you broke",
	}
	praises = [...]string{
		"that worked", "it worked", "it works", "works now", "works fine", "works great", "works perfectly", "problem solved", "that fixed it", "that solved it", "solved it", "fixed it", "all good now",
	}
)

// containsWords reports whether phrase stands in text between the ends of words.
func containsWords(text, phrase string) bool {
	for from := 0; from+len(phrase) <= len(text); {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(phrase)
		if (i == 0 || !shapes.LetterByte(text[i-1])) && (end == len(text) || !shapes.LetterByte(text[end])) {
			return true
		}
		from = i + 1
	}
	return false
}
