package recall

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/text"
)

// Intent is what a query wants, in one word. HMX-C/5 names procedural and leaves
// the others open.
type Intent string

// The intents.
const (
	Procedural Intent = "procedural" // how something is done: how do I…, deploy…
	Diagnostic Intent = "diagnostic" // what is wrong: why does it fail, an error's text
	Causal     Intent = "causal"     // why something is as it is
	Temporal   Intent = "temporal"   // when something was
	Episodic   Intent = "episodic"   // what happened, what was said or done
	Factual    Intent = "factual"    // who, what, where, how many, whether
	General    Intent = "general"    // none of those: words to look for
)

// MaxKeywords, MaxNames and MaxEntities are how many of each a query may have.
const (
	MaxKeywords = 32
	MaxNames    = 8
	MaxEntities = 16
)

// maxKeyword is the longest keyword in bytes. What is longer is no word.
const maxKeyword = 128

// Asks says what a question asks for. A query that is no question asks nothing.
type Asks struct {
	When    bool // when, what time, which year, how long ago
	Where   bool // where, which city
	Who     bool // who, whose, which person
	HowMany bool // how many, how much, how often, how long
	Why     bool // why, how come, what caused
	How     bool // how do I, how does it, how to
	YesNo   bool // is it, did she
}

// Class is what was made of a query.
//
// It is a function of the query, of the time and of what the finder of entities
// returns. It is made from words alone: a query in another language than English
// has keywords and names, and the intent [General].
type Class struct {
	Intent   Intent
	Keywords []string  // words without those that every text has, as written
	Entities []string  // who and what it speaks of, as written
	Names    []string  // what is written as a name: capitalised, not as every sentence begins
	Times    []TimeRef // every time it speaks of, in order
	Time     *TimeRef  // the one of Times that says most, nil if there is none
	Asks     Asks
	Newest   bool // it wants the last word on something: latest, current, now
}

// Classification returns the class in the words of a pack.
func (c Class) Classification() hmx.QueryClassification {
	q := hmx.QueryClassification{Intent: string(c.Intent), Keywords: c.Keywords, Entities: c.Entities}
	if q.Keywords == nil {
		q.Keywords = []string{}
	}
	if q.Entities == nil {
		q.Entities = []string{}
	}
	if c.Time != nil {
		s := c.Time.String()
		q.TimeRef = &s
	}
	return q
}

// Classify says what a query wants and what it speaks of. entities finds who and
// what a text speaks of; it may be nil. What is beyond the first [text.MaxQuery]
// bytes is not looked at.
func Classify(query string, now time.Time, entities func(text string) []string) Class {
	query = text.Head(query, text.MaxQuery)
	c := Class{Times: ParseTime(query, now)}
	c.Time = telling(c.Times)
	if entities != nil {
		c.Entities = appendDistinct(nil, entities(query), MaxEntities)
	}
	r := queryReader{text: query, class: &c}
	r.read()
	c.Intent = r.intent()
	return c
}

// telling returns the reference that says most: one that draws a line, else one
// that has a time, else an event.
func telling(refs []TimeRef) *TimeRef {
	rank := func(t *TimeRef) int {
		switch {
		case t.Strict:
			return 3
		case t.Kind != TimeAnchor && !t.Soft:
			return 2
		case t.Kind != TimeAnchor:
			return 1
		}
		return 0
	}
	var best *TimeRef
	for i := range refs {
		if best == nil || rank(&refs[i]) > rank(best) {
			best = &refs[i]
		}
	}
	return best
}

// appendDistinct appends the words that are not there yet, whatever their case.
func appendDistinct(dst, words []string, most int) []string {
	for _, w := range words {
		if len(dst) == most {
			break
		}
		if w != "" && !contains(dst, w) {
			dst = append(dst, w)
		}
	}
	return dst
}

func contains(words []string, w string) bool {
	for _, have := range words {
		if len(have) == len(w) && strings.EqualFold(have, w) {
			return true
		}
	}
	return false
}

// queryReader goes through the words of a query once.
type queryReader struct {
	text  string
	class *Class

	number   int       // how many words of the sentence were read
	open     bool      // only words that lead to a question were read in the sentence
	polite   bool      // the sentence begins like one that asks for yes or no
	question queryWord // the question word of the sentence, if it has one
	last     queryWord // the word before
	lastName int       // where the last name ends, 0 if something else came behind it
	times    []TimeRef // those that are not passed yet
	lower    [longestQueryWord]byte

	asked    bool // some sentence asks
	told     bool // a question is about what was done: what did, what happened
	does     bool // a sentence begins with a verb that tells to do something
	steps    bool // steps, procedure, instructions
	repairs  bool // a sentence begins with fix, debug
	wrong    bool // error, fails, crash
	remember bool // remember, remind
}

// read goes through the query.
func (r *queryReader) read() {
	r.times = r.class.Times
	r.open = true
	at := 0
	for at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[at:])
		if !queryRune(c) {
			r.pass(c)
			at += size
			continue
		}
		end := wordEnd(r.text, at)
		r.word(at, end)
		at = end
	}
}

// pass goes over a character between words.
func (r *queryReader) pass(c rune) {
	switch c {
	case '.', '?', '!', '\n', ';', ':':
		r.number, r.open, r.polite, r.question, r.last, r.lastName = 0, true, false, queryNone, queryNone, 0
	case ' ', '\t':
	default:
		r.lastName = 0
	}
}

// queryRune reports whether a character is of a word.
func queryRune(c rune) bool {
	if c < utf8.RuneSelf {
		return wordByte(byte(c))
	}
	return wordRune(c)
}

// wordEnd returns where the word ends that begins at a place. Signs between two
// letters or digits are of the word: main.go, src/app, payments-v2, don't. So are
// those of C++ and C#.
func wordEnd(text string, at int) int {
	from := at
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !queryRune(c) {
			switch c {
			case '.', '-', '/', '\'', '’', '@', '+', '#':
			default:
				return at
			}
			next, _ := utf8.DecodeRuneInString(text[at+size:])
			if at+size == len(text) || !queryRune(next) {
				if at == from+1 && strings.HasPrefix(text[at:], "++") {
					return at + 2
				}
				if at == from+1 && c == '#' {
					return at + 1
				}
				return at
			}
		}
		at += size
	}
	return at
}

// word takes in one word.
func (r *queryReader) word(start, end int) {
	w := r.text[start:end]
	owner := false
	for _, s := range []string{"'s", "’s", "'S"} {
		if cut, ok := strings.CutSuffix(w, s); ok && cut != "" {
			w, owner = cut, true
			break
		}
	}
	kind := queryNone
	if len(w) <= longestQueryWord {
		kind = queryMeaning(lowerInto(&r.lower, w))
	}
	common := r.common(kind)
	r.ask(kind, w)
	for len(r.times) > 0 && start >= r.times[0].End {
		r.times = r.times[1:]
	}
	timed := len(r.times) > 0 && r.times[0].Kind != TimeAnchor && start >= r.times[0].Start
	if !common && !timed && len(w) <= maxKeyword && len(r.class.Keywords) < MaxKeywords && !contains(r.class.Keywords, w) {
		r.class.Keywords = append(r.class.Keywords, w)
	}
	r.name(start, start+len(w), common || timed || r.number == 0 && kind != queryNone, owner)
	r.number++
	r.last = kind
}

// common reports whether a word says nothing where it stands.
func (r *queryReader) common(kind queryWord) bool {
	switch kind {
	case querySeek, queryRemember:
		return r.open
	case queryMany, queryCome:
		return r.last == queryHow
	case queryAgo:
		return r.last == queryMany
	case queryTimeNoun:
		return r.last == queryWhat
	}
	return kind > queryNone && kind <= queryHappened
}

// name takes in a word that may be a name or a part of one.
func (r *queryReader) name(start, end int, common, owner bool) {
	w := r.text[start:end]
	first, size := utf8.DecodeRuneInString(w)
	if common || !unicode.IsUpper(first) || len(w) > maxKeyword {
		r.lastName = 0
		return
	}
	names := r.class.Names
	joined := r.lastName > 0 && len(names) > 0 && start-r.lastName <= 2
	switch {
	case joined:
		whole := r.text[r.lastName-len(names[len(names)-1]) : end]
		if len(whole) <= maxKeyword {
			names[len(names)-1] = whole
		}
	case r.number == 0 && !owner && strings.IndexFunc(w[size:], inName) < 0 && !r.capitalAt(end):
		// As every sentence begins.
		r.lastName = 0
		return
	case len(names) == MaxNames:
		return
	case contains(names, w):
		r.lastName = 0
		return
	default:
		r.class.Names = append(names, w)
	}
	r.lastName = end
	if owner {
		r.lastName = 0
	}
}

// inName reports whether a character behind the first shows that a word is no
// ordinary one: GitHub, HTTP, Web3.
func inName(c rune) bool { return unicode.IsUpper(c) || unicode.IsDigit(c) }

// capitalAt reports whether a word with a capital letter follows.
func (r *queryReader) capitalAt(end int) bool {
	rest, ok := strings.CutPrefix(r.text[end:], " ")
	c, _ := utf8.DecodeRuneInString(rest)
	return ok && unicode.IsUpper(c) && rest[:wordEnd(rest, 0)] != "I"
}

// ask takes in what a word says about the question.
func (r *queryReader) ask(kind queryWord, w string) {
	a := &r.class.Asks
	switch r.last {
	case queryHow:
		switch kind {
		case queryMany:
			a.How, a.HowMany = false, true
		case queryCome:
			a.How, a.Why = false, true
		case queryWas:
			a.How, r.told = false, true
		}
	case queryMany:
		if kind == queryAgo && a.HowMany {
			a.HowMany, a.When = false, true
		}
	case queryWhat:
		switch kind {
		case queryTimeNoun:
			a.When = true
		case queryPlaceNoun:
			a.Where = true
		case queryPersonNoun:
			a.Who = true
		case queryCaused:
			a.Why = true
		}
	}
	switch kind {
	case queryDid, queryHappened:
		r.told = r.told || r.question == queryWhat
	case queryWrong:
		r.wrong = true
	case querySteps:
		r.steps = true
	case queryNewest:
		r.class.Newest = true
	case queryRemember:
		r.remember = r.remember || r.open
	}
	if r.open {
		r.begin(kind, w)
	}
}

// begin takes in a word before which only such were read as lead to a question.
func (r *queryReader) begin(kind queryWord, w string) {
	a := &r.class.Asks
	if r.polite && r.last.asksYesNo() && !strings.EqualFold(w, "you") {
		r.open, r.polite = false, false
		return
	}
	switch kind {
	case queryLead, querySeek, queryRemember:
		return
	case queryBe, queryWas, queryDid:
		if r.question == queryNone && !r.polite {
			// Perhaps just a polite way to ask: can you tell me when…
			a.YesNo, r.asked, r.polite = true, true, true
			r.told = r.told || kind == queryDid
			return
		}
	case queryWhen, queryWhere, queryWho, queryWhy, queryHow, queryWhat:
		r.question, r.asked = kind, true
		a.YesNo = a.YesNo && !r.polite
		switch kind {
		case queryWhen:
			a.When = true
		case queryWhere:
			a.Where = true
		case queryWho:
			a.Who = true
		case queryWhy:
			a.Why = true
		case queryHow:
			a.How = true
		}
	case queryDo, queryRepair:
		if r.polite {
			a.YesNo, r.asked = false, false
		}
		r.does = r.does || kind == queryDo
		r.repairs = r.repairs || kind == queryRepair
	}
	r.open = false
}

// intent decides after the whole query was read.
func (r *queryReader) intent() Intent {
	a := r.class.Asks
	switch {
	case a.When:
		return Temporal
	case a.Why && r.wrong, r.repairs:
		return Diagnostic
	case a.Why:
		return Causal
	case a.How:
		return Procedural
	case a.Who, a.Where, a.HowMany:
		return Factual
	case r.told, r.remember:
		return Episodic
	case r.steps, r.does && !r.asked:
		return Procedural
	case r.wrong && !a.YesNo:
		return Diagnostic
	case r.asked:
		return Factual
	case r.class.Time != nil:
		return Episodic
	}
	return General
}
