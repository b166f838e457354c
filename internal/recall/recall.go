// Package recall is the ranked search: it parses a question, gathers candidates, and scores
// them.
//
// # How
//
// Candidates are the documents with the question's words, those whose vectors are near the
// question's, and those about the entities it names. The best of them add their neighbours in
// their sessions, since the answer often comes one turn after the question. Then each candidate
// is scored together with its neighbours: by words, meaning, speaker, time and salience. Every
// hit lists what each of these adds.
//
// # What is guaranteed
//
// The answer is a function of the state and the request, to the last bit, for any number of
// processors. Filters apply to hits and to their neighbours.
//
// If the request limits visibility, the answer is a function of the visible documents alone,
// apart from the order of their positions. That includes the candidates, the rarity of words,
// the length of documents, the speakers, the neighbours and the number of vectors compared. The
// graph, whose weights come from all documents, is not used then, and neighbours are those with
// the next sequence numbers. The time to answer may depend on hidden documents.
//
// Work is linear in the number of documents: a search scans the vector codes and, if not all
// documents are visible, the postings of the question's words. Everything else is bounded
// independently of the size of the state.
//
// # What is not
//
// It does not read texts and does not authorize; the caller does. It does not judge the content
// of a text. The best candidate has a high score even if it is a bad answer: scores compare
// candidates of one question, not questions.
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
	"lukasa.dev/internal/recall/times"
)

// Searcher searches the states of one store. It caches what is read often, up to a number of
// bytes, and is safe for concurrent use.
type Searcher struct {
	words   *lexical.Cache
	vectors *vector.Cache
	rows    *column.Cache
	model   *embed.Model
}

// DefaultCacheBytes is the default size of a searcher's cache: enough for a million documents
// of one tenant and more.
const DefaultCacheBytes = 400 << 20

// New returns a searcher with a cache of the given bytes; zero means [DefaultCacheBytes].
func New(bytes int64) *Searcher {
	if bytes <= 0 {
		bytes = DefaultCacheBytes
	}
	return &Searcher{
		words: lexical.NewCache(0), vectors: vector.NewCache(bytes * 3 / 4), rows: column.NewCache(bytes / 4), model: embed.Builtin(),
	}
}

// State is what is searched: a tenant in a snapshot.
type State struct {
	Reader kv.Reader
	Tenant uint32
	Size   uint64 // records of the tenant
}

// Roster returns the attributes of the documents of a state.
func (s *Searcher) Roster(st State) (*roster.View, error) {
	return roster.Open(st.Reader, st.Tenant, st.Size, s.rows)
}

// Sources are the sources of candidates. The zero value means all of them.
type Sources uint8

// The sources of candidates.
const (
	Words   Sources = 1 << iota // inverted index
	Meaning                     // vectors
	Graph                       // entities
)

// allSources is all of them.
const allSources = Words | Meaning | Graph

func (s Sources) has(one Sources) bool { return s&one != 0 }

// Request is a search request.
type Request struct {
	Query string
	K     int // maximum of hits
	// Room, if not zero, is how many tokens the hits have to fill, where one hit counts at most
	// Most. The search returns no more hits once they fill it, with half of it or 2,000 tokens
	// to spare. The length of a hit is the number of its word pieces; duplicates of a better
	// hit count nothing. The search gathers fewer candidates; if these do not fill the room, it
	// runs again without Room.
	Room, Most int
	Now        int64 // nanoseconds; the reference of relative times
	// Where filters documents. Accept checks a document whose row says that it needs a closer
	// look, or, with Each, every document; nil accepts all. It may be called concurrently.
	Where  roster.Conditions
	Accept func(position uint64, row roster.Row) (bool, error)
	Each   bool
	// Visible is the documents that the caller may see, nil for all. Other documents do not
	// influence the answer.
	Visible *Visible
	// Vector is the embedding of the question by the named model. It is compared with the
	// vectors of that model; documents without one are compared by the built-in model. Nil
	// means the built-in model alone.
	Vector []float32
	Model  string
	// Exact returns the vector of a document by the model in use. Nil means that estimates
	// suffice.
	Exact func(position uint64) ([]float32, error)
	// Salience returns the function that rates how much documents matter. It is called while
	// the search runs. If it is nil, or returns nil, importance alone counts.
	Salience func() (Salience, error)
	// Likely, if not nil, receives the likely hits, the likeliest first, while they are still
	// being scored, so that the caller can start to read them. It must return quickly.
	Likely  func(positions []uint64)
	Sources Sources
	// Beside is an answer to the same question without a Vector. It sets the scale of the
	// scores, so that hits of both can be compared. If it is nil, the best candidates set the
	// scale.
	Beside *Answer
}

// Salience rates how much a document matters, from 0 to 1. It is called for the best candidates
// only.
type Salience func(position uint64, row roster.Row) (float64, error)

// Visible is the documents that the caller may see.
type Visible struct {
	Mask      roster.Mask // live documents only
	Documents uint64      // their number
	Words     uint64      // their tokens outside of tags
}

// Hit is a document that answers.
type Hit struct {
	Position uint64
	Row      roster.Row
	Score    float64 // 0 to 1
	// Duplicate says that hit number Of of the answer says nearly the same.
	Duplicate bool
	Of        int

	values  *features
	weights *features // the weight of each part
}

// Part is one component of a score.
type Part struct {
	Name string
	// Value is the feature, mostly from 0 to 1, Weight its weight, and Score their product, on
	// the scale of the whole score.
	Value, Weight, Score float64
}

// Answer is the result of a search.
type Answer struct {
	Class      Class
	Hits       []Hit
	Candidates int    // the number that was scored
	Documents  uint64 // that the caller may see
	// More says that the hits fill the room of the request, and that there may be others after
	// them.
	More bool

	most  [shared]float64         // the maximum of the parts that are shares
	times []times.TimeRef         // in the question
	names map[roster.Speaker]bool // of the speakers
}

// ErrNoVectors says that no document that the search may find has a vector by the model of the
// question.
var ErrNoVectors = fault.Newf(fault.InvalidArgument, "vector: nothing here has a vector of that model and of as many dimensions").
	WithFix("ask with the model that vectors were made by, or in words alone")

// Search runs a search. A question without a word and without a vector has no hits. If the
// request limits visibility and no visible document has a vector by its model, the error is
// ErrNoVectors, and the caller may search again without the vector.
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

// search is one pass of Search. It reports whether the hits fill the room.
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
