package text

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxQuery is how many bytes of a question are used, from its beginning.
	MaxQuery = 64 << 10
	// MaxTerms is how many different terms of a question are used, the first.
	MaxTerms = 64
	// MaxPhrases is how many different phrases of a question are used, the first.
	MaxPhrases = 8
	// MaxPhrase is how many places of a phrase are used, the first, and its maximum number of
	// tokens, parts and wholes together.
	MaxPhrase = 64
	// fullParts is how many parts of a name have the full weight of words. More parts share
	// that weight; otherwise a long path would dominate.
	fullParts = 3
)

// Query is a parsed question. Its zero value matches nothing.
type Query struct {
	// Terms are distinct, in order of first occurrence. They include stop words only if the
	// question has nothing else.
	Terms []QueryTerm
	// Phrases are the distinct texts in double quotes. Their words are among the terms as well.
	Phrases []Phrase
}

// QueryTerm is a term of a question.
type QueryTerm struct {
	Term   Term
	Text   string  // as first written
	Count  int     // how often it occurs
	Weight float64 // 1, or less for one of many parts of a name
	At     uint32  // place of the first occurrence, as in Token
	Quoted bool    // it occurs only in double quotes
}

// ParseQuery parses a question, any string, in linear time. It ignores what is beyond the first
// [MaxQuery] bytes.
func ParseQuery(s string) Query {
	s = Head(s, MaxQuery)
	var q Query
	tokens, origins := traced(s)
	parts := make(map[int32]int)
	all := len(tokens) > 0 // all are stop words
	for _, o := range origins {
		if o.role == rolePart {
			parts[o.group]++
		}
		all = all && o.role&roleStop != 0
	}
	var quotes []span
	for q := range quotations(s) {
		quotes = append(quotes, q)
	}
	seen := make(map[Term]int)
	for i, token := range tokens {
		o := origins[i]
		if o.role&roleStop != 0 && !all {
			continue
		}
		weight := 1.0
		if n := parts[o.group]; o.role&^roleStop == rolePart && n > fullParts {
			weight = fullParts / float64(n)
		}
		if k, ok := seen[token.Term]; ok {
			q.Terms[k].Count++
			q.Terms[k].Weight = max(q.Terms[k].Weight, weight)
			q.Terms[k].Quoted = q.Terms[k].Quoted && within(quotes, o.lo)
		} else if len(q.Terms) < MaxTerms {
			seen[token.Term] = len(q.Terms)
			q.Terms = append(q.Terms, QueryTerm{
				Term: token.Term, Text: strings.Clone(s[o.lo:o.hi]), Count: 1, Weight: weight, At: token.At, Quoted: within(quotes, o.lo),
			})
		}
	}
	for _, quote := range quotes {
		if len(q.Phrases) == MaxPhrases {
			break
		}
		if p := parsePhrase(s[quote.from:quote.to]); len(p.Parts) > 0 && !slices.ContainsFunc(q.Phrases, p.equal) {
			q.Phrases = append(q.Phrases, p)
		}
	}
	return q
}

// Head returns at most most bytes of a text, without splitting a character.
func Head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// span is a part of a text.
type span struct{ from, to int }

// within reports whether a position is in one of the spans, which are sorted.
func within(spans []span, at int) bool {
	i, _ := slices.BinarySearchFunc(spans, at, func(s span, at int) int { return cmp.Compare(s.to, at) })
	for ; i < len(spans) && spans[i].from <= at; i++ {
		if at < spans[i].to {
			return true
		}
	}
	return false
}

// quotations iterates over the texts in double quotes, straight or curved.
func quotations(s string) iter.Seq[span] {
	whole := len(s)
	return func(yield func(span) bool) {
		for s != "" {
			i := strings.IndexAny(s, "\"“„«")
			if i < 0 {
				return
			}
			opening, closing := s[i:i+1], "\""
			switch {
			case strings.HasPrefix(s[i:], "“"):
				opening, closing = "“", "”"
			case strings.HasPrefix(s[i:], "„"):
				opening, closing = "„", "“”"
			case strings.HasPrefix(s[i:], "«"):
				opening, closing = "«", "»"
			}
			inch := opening == "\"" && i > 0 && classes[s[i-1]]&inWord != 0
			s = s[i+len(opening):]
			if inch {
				continue
			}
			end := strings.IndexAny(s, closing)
			if end < 0 {
				if opening != "\"" { // searching for others of the kind would take too long
					return
				}
				continue
			}
			if from := whole - len(s); !yield(span{from, from + end}) {
				return
			}
			_, n := utf8.DecodeRuneInString(s[end:])
			s = s[end+n:]
		}
	}
}

// role is the role of a token of a traced text.
type role uint8

const (
	rolePlain role = iota // a word by itself
	rolePart              // a part of a name
	roleWhole             // a name of several parts
	roleStop  role = 1 << 7
)

// origin is the origin of a token of a traced text.
type origin struct {
	lo, hi int   // in the text
	group  int32 // its name or word
	role   role
}

// trace has the origin of each token of a text.
type trace struct {
	origins []origin
	group   int32
	base    int // where the folded text begins in the text
}

func (tr *trace) add(a *analyzer, lo, hi int, r role) {
	if from := a.folder.from; a.folded {
		for hi < len(from)-1 && from[hi] == from[hi-1] { // one letter became several
			hi++
		}
		lo, hi = tr.base+int(from[lo]), tr.base+int(from[hi])
	}
	tr.origins = append(tr.origins, origin{lo, hi, tr.group, r})
}

// traced returns the tokens of a text, including those of stop words, and their origins.
func traced(s string) ([]Token, []origin) {
	a := analyzers.Get().(*analyzer)
	a.stops, a.field, a.trace, a.folder.traced = true, FieldText, &trace{}, true
	a.scan(s)
	tokens, origins := a.out, a.trace.origins
	a.release()
	return tokens, origins
}
