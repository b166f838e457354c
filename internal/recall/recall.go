// Package recall finds what answers a question: it reads the question, gathers
// candidates, and weighs them.
//
// # How
//
// Candidates are the documents that have the question's words, those whose vectors are
// near the question's, and those about whom and what it names. The best of them bring
// what stands beside them in their sessions: what answers is often said one turn
// after what was asked. Then each candidate is weighed together with its neighbours:
// by words, by meaning, by who speaks, by when it happened, and by how much it
// matters. What each of these adds is told with every hit.
//
// # What is guaranteed
//
// The answer is a function of the state and the request, to the last bit, whatever the
// number of processors. Filters hold for everything that is looked at: what is filtered
// out is no hit and no neighbour of one.
//
// Where the request says what is visible, the answer is a function of the visible
// documents alone, apart from their positions, of which only the order counts: which
// candidates there are, how rare words are and how long documents, who speaks, what
// stands beside what, how many vectors are compared. Then the graph, whose weights are
// those of all documents, is not asked, and neighbours are those with the next sequence
// numbers. How long an answer takes may depend on the others.
//
// Work is bounded by the number of documents: codes of vectors and, where not all
// documents are visible, postings of the question's words are gone through; all else is
// bounded whatever the size of the state.
//
// # What is not
//
// It does not read text and does not know who may see what; whoever asks does. It does
// not judge what a text says. The best candidate has a high score even if it answers
// badly: scores compare candidates of one question, not questions.
package recall

import (
	"context"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/column"
	"lukasa.dev/internal/index/lexical"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/kv"
)

// Searcher answers questions about the states of one store. It holds what is read
// often, up to a number of bytes, and is safe for concurrent use.
type Searcher struct {
	words   *lexical.Cache
	vectors *vector.Cache
	rows    *column.Cache
	model   *embed.Model
}

// DefaultCacheBytes is how much a searcher holds if nothing else is said: a million
// documents of one tenant and some more.
const DefaultCacheBytes = 400 << 20

// New returns a searcher that holds up to so many bytes; zero means
// [DefaultCacheBytes].
func New(bytes int64) *Searcher {
	if bytes <= 0 {
		bytes = DefaultCacheBytes
	}
	return &Searcher{
		words: lexical.NewCache(0), vectors: vector.NewCache(bytes * 3 / 4), rows: column.NewCache(bytes / 4), model: embed.Builtin(),
	}
}

// State is what is asked: a tenant as a reader sees it.
type State struct {
	Reader kv.Reader
	Tenant uint32
	Size   uint64 // records of the tenant
}

// Roster returns the attributes of the documents of a state.
func (s *Searcher) Roster(st State) (*roster.View, error) {
	return roster.Open(st.Reader, st.Tenant, st.Size, s.rows)
}

// Sources are what candidates come from. The zero value means all of them.
type Sources uint8

// The sources of candidates.
const (
	Words   Sources = 1 << iota // an inverted index
	Meaning                     // vectors
	Graph                       // entities
)

// allSources is all of them.
const allSources = Words | Meaning | Graph

func (s Sources) has(one Sources) bool { return s&one != 0 }

// Request is a question.
type Request struct {
	Query string
	K     int // hits at most
	// Room is how many tokens the hits are to fill, of one at most Most, if it is not zero:
	// once they do, with half of it or 2,000 tokens to spare, there are no more of them. How
	// long a hit is, is told by its word pieces; what says the same as a better one counts as
	// nothing. Fewer candidates are gathered then; if they fill less, it is searched as if
	// there were no Room.
	Room, Most int
	Now        int64 // nanoseconds; what is relative to now is relative to this
	// Where says what may be found. Accept looks closer at a document whose row says
	// that this takes a closer look, or, with Each, at every one; nil accepts all. It
	// may be called by several goroutines.
	Where  roster.Conditions
	Accept func(position uint64, row roster.Row) (bool, error)
	Each   bool
	// Visible says which documents there are for whoever asks, if those are not all.
	// What the others are has no influence on the answer.
	Visible *Visible
	// Vector is the question by the named model, to be compared with the vectors that
	// the model made; what it made none of is compared by the built-in model. Nil means
	// the built-in model alone.
	Vector []float32
	Model  string
	// Exact returns the vector of a document by the model that is used. Nil leaves it at
	// estimates.
	Exact func(position uint64) ([]float32, error)
	// Salience returns what says how much documents matter. It is called while they are
	// looked for. Nil, be it this or what it returns, means by their importance alone.
	Salience func() (Salience, error)
	// Likely is told which documents are likely to be hits, the likeliest first, while
	// they are still weighed: who is going to read them may begin. It must not take long.
	// Nil is told nothing.
	Likely  func(positions []uint64)
	Sources Sources
	// Beside is an answer to the same question, without a Vector, by whose measure the scores
	// are, so that hits of both can be compared. Nil means that the best candidates are the
	// measure.
	Beside *Answer
}

// Salience says how much a document matters, from 0 to 1. It is asked about the best only.
type Salience func(position uint64, row roster.Row) (float64, error)

// Visible is the documents that there are for whoever asks.
type Visible struct {
	Mask      roster.Mask // must leave live documents only
	Documents uint64      // how many they are
	Words     uint64      // how many tokens they have outside of their tags
}

// Hit is a document that answers.
type Hit struct {
	Position uint64
	Row      roster.Row
	Score    float64 // 0 to 1
	// Duplicate says that the hit at place Of of the answer says nearly the same.
	Duplicate bool
	Of        int

	values  *features
	weights *features // what each counts
}

// Part is one reason for a score.
type Part struct {
	Name string
	// Value is what was found, most of them from 0 to 1; Weight what that counts,
	// and Score what it adds: their product, in the measure of the whole score.
	Value, Weight, Score float64
}

// Answer is what a question found.
type Answer struct {
	Class      Class
	Hits       []Hit
	Candidates int    // that were weighed
	Documents  uint64 // that there are for whoever asks
	// More says that the hits fill the room of the request, and that there may be others
	// behind them.
	More bool

	most  [shared]float64         // of the parts that are shares
	times []TimeRef               // that are asked for
	names map[roster.Speaker]bool // of those who speak
}

// ErrNoVectors says that nothing that may be found has a vector by the model of the
// question.
var ErrNoVectors = fault.Newf(fault.InvalidArgument, "vector: nothing here has a vector of that model and of as many dimensions").
	WithFix("ask with the model that vectors were made by, or in words alone")

// Search answers a question. A question without a word and without a vector has no
// answer. Where the request says what is visible, and nothing of that has a vector by
// its model, the error is ErrNoVectors, and it is up to whoever asks to ask without.
func (s *Searcher) Search(ctx context.Context, st State, q Request) (*Answer, error) {
	if q.Sources == 0 {
		q.Sources = allSources
	}
	if q.Room > 0 {
		few := q
		few.K = min(q.K, fewHits+q.Room/roomOfHit)
		if a, full, err := s.search(ctx, st, &few); err != nil || full {
			return a, err
		}
		q.Room = 0
	}
	a, _, err := s.search(ctx, st, &q)
	return a, err
}

// search is Search at one go. It reports whether the hits fill the room.
func (s *Searcher) search(ctx context.Context, st State, q *Request) (*Answer, bool, error) {
	e, err := s.read(st, q)
	if err != nil {
		return nil, false, err
	}
	if err := e.gather(ctx); err != nil {
		return nil, false, err
	}
	if err := e.neighbours(ctx); err != nil {
		return nil, false, err
	}
	if err := e.weigh(ctx); err != nil {
		return nil, false, err
	}
	return e.answer(ctx)
}
