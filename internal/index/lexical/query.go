package lexical

import (
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/text"
)

// Params are the parameters of BM25.
type Params struct {
	// K1 is how much repeated occurrences count: from 0, not at all, to 10.
	K1 float64
	// B is how much long documents are penalised: from 0, not at all, to 1.
	B float64
}

// DefaultParams are used if none are given.
func DefaultParams() Params { return Params{K1: 1.2, B: 0.75} }

// WeightedTerm is a term of a question, and its weight.
type WeightedTerm struct {
	Term text.Term
	// Weight is above 0 and at most MaxWeight.
	Weight float64
}

// Query is a question. A document matches if it has every phrase, and one of the terms
// if there is no phrase.
type Query struct {
	Terms []WeightedTerm
	// Phrases are scored by their terms, each with weight 1 unless Terms has it. A
	// phrase without parts is ignored.
	Phrases []text.Phrase
	// Params are the default ones if nil.
	Params *Params
	// Flat ignores the statistics of documents: every term counts the same, and
	// documents are compared with a fixed length. It is for callers that must not learn
	// from scores about what they cannot see.
	Flat bool
}

const (
	// MaxWeight is the maximum weight of a term.
	MaxWeight = 100
	// MaxTerms is how many different terms of a question are used; later ones are left
	// out, but phrases must not have more. With it and MaxWeight, a score stays so
	// small that sums are exact.
	MaxTerms = 512
)

// queryTerm is a term that is scored.
type queryTerm struct {
	term     text.Term
	weight   float64
	required bool // by the current search, see ways
	lists    *termLists
	idf      float64
	factor   float64 // weight and idf
	number   int     // among the terms of the query
}

// terms returns the different terms of a query, in the order of their first occurrence,
// phrases last. Weights of one term are added up.
func (q *Query) terms() ([]queryTerm, error) {
	quoted := make(termSet)
	for _, p := range q.Phrases {
		quoted.add(p.Parts)
		quoted.add(p.Wholes)
	}
	if len(quoted) > MaxTerms {
		return nil, fault.Newf(fault.InvalidArgument, "phrases: they have more than %d different terms", MaxTerms).
			WithFix("put fewer words into quotes")
	}
	list := make([]queryTerm, 0, min(len(q.Terms), MaxTerms))
	others := MaxTerms - len(quoted) // room for others
	at := func(t text.Term) *queryTerm {
		for i := range list {
			if list[i].term == t {
				return &list[i]
			}
		}
		if !quoted[t] {
			if others == 0 {
				return nil
			}
			others--
		}
		list = append(list, queryTerm{term: t, number: len(list)})
		return &list[len(list)-1]
	}
	for _, w := range q.Terms {
		t := at(w.Term)
		if t == nil {
			continue
		}
		if t.weight += w.Weight; !(w.Weight > 0 && t.weight <= MaxWeight) {
			return nil, fault.Newf(fault.InvalidArgument, "terms: the weight of a term must be above 0 and at most %d", MaxWeight).
				WithFix("give each term the weight that text.ParseQuery gives it")
		}
	}
	for _, p := range q.Phrases {
		for _, tokens := range [][]text.Token{p.Parts, p.Wholes} {
			for _, token := range tokens {
				if t := at(token.Term); t.weight == 0 {
					t.weight = 1
				}
			}
		}
	}
	for i := range list {
		if list[i].term >= noTerm {
			return nil, fault.New(fault.InvalidArgument, "terms: a term has 48 bits").WithFix("take terms from text.Analyze")
		}
	}
	return list, nil
}

// termSet is a set of terms.
type termSet map[text.Term]bool

func (s termSet) add(tokens []text.Token) {
	for _, t := range tokens {
		s[t.Term] = true
	}
}

// ways returns sets of terms, such that a document with every phrase has all terms of
// one of them. A phrase with names may match by their parts or by their wholes, and it
// requires what both need. If that leaves nothing, there are two ways to match the
// first phrase.
func (q *Query) ways() []termSet {
	must := make(termSet)
	var first *text.Phrase
	for i := range q.Phrases {
		p := &q.Phrases[i]
		if len(p.Parts) == 0 {
			continue
		}
		if first == nil {
			first = p
		}
		if len(p.Wholes) == 0 {
			must.add(p.Parts)
			continue
		}
		parts := make(termSet)
		parts.add(p.Parts)
		for _, t := range p.Wholes {
			if parts[t.Term] {
				must[t.Term] = true
			}
		}
	}
	if len(must) > 0 || first == nil {
		return []termSet{must}
	}
	parts, wholes := make(termSet), make(termSet)
	parts.add(first.Parts)
	wholes.add(first.Wholes)
	return []termSet{parts, wholes}
}

// params returns the parameters of a query.
func (q *Query) params() (Params, error) {
	if q.Params == nil {
		return DefaultParams(), nil
	}
	p := *q.Params
	if !(p.K1 >= 0 && p.K1 <= 10 && p.B >= 0 && p.B <= 1) {
		return p, fault.Newf(fault.InvalidArgument, "params: k1 %v and b %v must be from 0 to 10 and from 0 to 1", p.K1, p.B).
			WithFix("leave them out for the default ones")
	}
	return p, nil
}

// scorer computes what a term adds to a score.
type scorer struct {
	fixed, perToken float64
}

// newScorer returns the scorer for documents with these statistics. Weights of postings
// are in halves of an occurrence, so that the constants are doubled.
func newScorer(p Params, s statistics) scorer {
	c := scorer{fixed: float64(2 * float64(p.K1*(1-p.B)))}
	if s.length > 0 {
		average := float64(s.length) / float64(s.documents)
		c.perToken = float64(2*float64(p.K1*p.B)) / average
	}
	return c
}

// Scores are multiples of unit: a number below round/3 becomes one when round is added
// and subtracted. Sums below 2^22 are then exact in any order.
const (
	unit  = 1.0 / (1 << 30)
	round = 3 << 21
)

// part returns what a term adds to the score of a document.
func (c *scorer) part(factor float64, weight uint8, length uint32) float64 {
	w := float64(weight)
	against := c.fixed + float64(c.perToken*float64(length))
	return float64(float64(factor*(w/(w+against)))+round) - round
}

// bound returns the maximum of part for postings of at most this weight and documents
// of at least this length.
func (c *scorer) bound(factor float64, weight uint8, length uint32) float64 {
	return c.part(factor, weight, length) + unit
}

// flatLength is the length that documents are compared with without statistics.
const flatLength = 20

// IDF returns the weight of a term that having of all documents have.
func IDF(documents, having uint64) float64 {
	n, df := float64(documents), float64(having)
	return index.Ln(1 + (n-df+0.5)/(df+0.5))
}
