package recall

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/recall/times"
	"lukasa.dev/internal/text"
)

// Intent is the purpose of a query, in one word. HMX-C/5 names procedural and leaves the others
// open.
type Intent string

// The intents.
const (
	Procedural Intent = "procedural" // how to do something: how do I…, deploy…
	Diagnostic Intent = "diagnostic" // what is wrong: why does it fail, the text of an error
	Causal     Intent = "causal"     // why something is as it is
	Temporal   Intent = "temporal"   // when something was
	Episodic   Intent = "episodic"   // what happened, what was said or done
	Factual    Intent = "factual"    // who, what, where, how many, whether
	General    Intent = "general"    // none of those: search words
)

// MaxKeywords, MaxNames and MaxEntities limit how many of each a query may have.
const (
	MaxKeywords = 32
	MaxNames    = 8
	MaxEntities = 16
)

// maxKeyword is the length of the longest keyword in bytes.
const maxKeyword = 128

// Asks says what a question asks for. It is empty for a query that is no question.
type Asks struct {
	When    bool // when, what time, which year, how long ago
	Where   bool // where, which city
	Who     bool // who, whose, which person
	HowMany bool // how many, how much, how often, how long
	Why     bool // why, how come, what caused
	How     bool // how do I, how does it, how to
	YesNo   bool // is it, did she
}

// Class is the classification of a query.
//
// It is a function of the query, the time and the entities that the caller finds. It depends on
// English words: a query in another language has keywords and names, and the intent [General].
type Class struct {
	Intent   Intent
	Keywords []string        // words without stop words, as written
	Entities []string        // the entities it mentions, as written
	Names    []string        // words written as names: capitalised, and not only as the first word of a sentence
	Times    []times.TimeRef // every time reference, in order
	Time     *times.TimeRef  // the most specific of Times, nil if there is none
	Asks     Asks
	Newest   bool // it asks for the latest state: latest, current, now
}

// Classification returns the class in the form of a pack.
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

// Classify classifies a query. entities finds the entities in a text; it may be nil. Classify
// reads the first [text.MaxQuery] bytes.
func Classify(query string, now time.Time, entities func(text string) []string) Class {
	query = text.Head(query, text.MaxQuery)
	c := Class{Times: times.ParseTime(query, now)}
	c.Time = telling(c.Times)
	if entities != nil {
		c.Entities = appendDistinct(nil, entities(query), MaxEntities)
	}
	r := queryReader{text: query, class: &c}
	r.read()
	c.Intent = r.intent()
	return c
}

// telling returns the most specific reference: a strict one, else one with a time, else an
// event.
func telling(refs []times.TimeRef) *times.TimeRef {
	rank := func(t *times.TimeRef) int {
		switch {
		case t.Strict:
			return 3
		case t.Kind != times.TimeAnchor && !t.Soft:
			return 2
		case t.Kind != times.TimeAnchor:
			return 1
		}
		return 0
	}
	var best *times.TimeRef
	for i := range refs {
		if best == nil || rank(&refs[i]) > rank(best) {
			best = &refs[i]
		}
	}
	return best
}

// appendDistinct appends the words that are new, ignoring case.
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

// queryReader reads the words of a query in one pass.
type queryReader struct {
	text  string
	class *Class

	number   int             // words read in the sentence
	open     bool            // the sentence has only had words that lead to a question
	polite   bool            // the sentence begins like a yes-or-no question
	question queryWord       // the question word of the sentence, if it has one
	last     queryWord       // the previous word
	lastName int             // end of the last name, 0 if something else came after it
	times    []times.TimeRef // references that are still ahead
	lower    [longestQueryWord]byte

	asked    bool // a sentence is a question
	told     bool // a question is about past actions: what did, what happened
	does     bool // a sentence begins with an imperative verb
	steps    bool // steps, procedure, instructions
	repairs  bool // a sentence begins with fix, debug
	wrong    bool // error, fails, crash
	remember bool // remember, remind
}

// read reads the query.
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

// pass skips a character between words.
func (r *queryReader) pass(c rune) {
	switch c {
	case '.', '?', '!', '\n', ';', ':':
		r.number, r.open, r.polite, r.question, r.last, r.lastName = 0, true, false, queryNone, queryNone, 0
	case ' ', '\t':
	default:
		r.lastName = 0
	}
}

// queryRune reports whether a character is part of a word.
func queryRune(c rune) bool {
	if c < utf8.RuneSelf {
		return times.WordByte(byte(c))
	}
	return times.WordRune(c)
}

// wordEnd returns the end of the word that begins at a place. Signs between two letters or
// digits belong to the word: main.go, src/app, payments-v2, don't. So do those of C++ and C#.
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

// word processes one word.
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
	timed := len(r.times) > 0 && r.times[0].Kind != times.TimeAnchor && start >= r.times[0].Start
	if !common && !timed && len(w) <= maxKeyword && len(r.class.Keywords) < MaxKeywords && !contains(r.class.Keywords, w) {
		r.class.Keywords = append(r.class.Keywords, w)
	}
	r.name(start, start+len(w), common || timed || r.number == 0 && kind != queryNone, owner)
	r.number++
	r.last = kind
}

// common reports whether a word carries no meaning at its place.
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

// name processes a word that may be a name or part of one.
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
		// The first word of any sentence has a capital.
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

// inName reports whether a character after the first marks a word as a name: GitHub, HTTP,
// Web3.
func inName(c rune) bool { return unicode.IsUpper(c) || unicode.IsDigit(c) }

// capitalAt reports whether a capitalised word follows.
func (r *queryReader) capitalAt(end int) bool {
	rest, ok := strings.CutPrefix(r.text[end:], " ")
	c, _ := utf8.DecodeRuneInString(rest)
	return ok && unicode.IsUpper(c) && rest[:wordEnd(rest, 0)] != "I"
}

// ask processes what a word says about the question.
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

// begin processes a word after words that only lead to a question.
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
			// Perhaps only a polite question: can you tell me when…
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
