package text

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxQuery is how many bytes of a question are looked at, the first ones.
	MaxQuery = 64 << 10
	// MaxTerms is how many different terms of a question count, the first ones.
	MaxTerms = 64
	// MaxPhrases is how many different phrases of a question count, the first ones.
	MaxPhrases = 8
	// MaxPhrase is how many places of a phrase count, the first ones, and how many
	// tokens it has at most, parts and wholes together.
	MaxPhrase = 64
	// fullParts is how many parts of a name count as much as words do. Those of
	// names with more share what so many count, or a long path would drown the rest.
	fullParts = 3
)

// Query is a question, taken apart. Its zero value asks for nothing.
type Query struct {
	// Terms are different from each other, in the order in which they first occur.
	// Stop words are among them only if the question has nothing else.
	Terms []QueryTerm
	// Phrases are what stands in double quotes, different from each other. Their words
	// are among the terms too.
	Phrases []Phrase
}

// QueryTerm is a term of a question.
type QueryTerm struct {
	Term   Term
	Text   string  // as it is written where it first occurs
	Count  int     // how often it occurs
	Weight float64 // 1, or less for one of many parts of a name
	At     uint32  // where it first occurs, as in Token
	Quoted bool    // it occurs in double quotes only
}

// ParseQuery takes a question apart. Any string will do, in linear time; what is
// beyond its first [MaxQuery] bytes is not looked at.
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

// Head returns at most so many bytes of a text, whole characters only.
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

// within says whether a place is in one of the spans, which are in order.
func within(spans []span, at int) bool {
	i, _ := slices.BinarySearchFunc(spans, at, func(s span, at int) int { return cmp.Compare(s.to, at) })
	for ; i < len(spans) && spans[i].from <= at; i++ {
		if at < spans[i].to {
			return true
		}
	}
	return false
}

// quotations goes through what stands in double quotes, straight or curved.
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
				if opening != "\"" { // looking for others of the kind would take too long
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

// role is what a token of a traced text is.
type role uint8

const (
	rolePlain role = iota // a word by itself
	rolePart              // a part of a name
	roleWhole             // a name of several parts
	roleStop  role = 1 << 7
)

// origin is where a token of a traced text comes from.
type origin struct {
	lo, hi int   // in the text
	group  int32 // the name or word that it belongs to
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

// traced returns the tokens of a text, those of stop words too, and their origins.
func traced(s string) ([]Token, []origin) {
	a := analyzers.Get().(*analyzer)
	a.stops, a.field, a.trace, a.folder.traced = true, FieldText, &trace{}, true
	a.scan(s)
	tokens, origins := a.out, a.trace.origins
	a.release()
	return tokens, origins
}
