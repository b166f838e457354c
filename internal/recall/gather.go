package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/graph"
	"lukasa.dev/internal/index/lexical"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/recall/times"
	"lukasa.dev/internal/text"
)

// The minimum of candidates, and which of them add their neighbours.
const (
	byWords   = 120
	byMeaning = 120
	byGraph   = 50
	hoods     = 40
	reach     = 2  // neighbours on each side
	farReach  = 16 // neighbours searched on each side if some may be filtered out
)

// candidate is a document that may answer the question.
type candidate struct {
	position uint64
	row      roster.Row
	words    float64 // score of its own words
	near     float64 // nearness of its own vector
	other    float64 // nearness by the built-in model if the question uses another; see second.go
	about    float64 // score of the entities it names
	quoted   bool    // it contains a phrase that the question quotes
	core     bool    // found by itself, not as a neighbour
	// Indexes of its neighbours among the candidates, the nearest first; -1 if unknown.
	before, behind [reach]int
}

// question is the state of one search.
type question struct {
	*Searcher
	state   State
	request *Request
	class   Class
	query   text.Query
	lexical lexical.Query
	quoted  []text.Phrase // if the question has other words as well
	vector  []float32     // nil if there is none
	second  []float32     // by the built-in model, if vector is by another; nil if there is none
	times   []times.TimeRef
	names   map[roster.Speaker]bool // the speakers it names

	words    *lexical.View
	matters  Salience // nil for importance alone
	vectors  *vector.View
	roster   *roster.View
	graph    *graph.View
	filter   index.Filter
	mu       sync.Mutex // guards accepted
	accepted map[uint64]bool

	more  bool          // a source may have more candidates than it returned
	list  []candidate   // sorted by position, once complete
	near  []vector.Near // of the candidates, by the built-in model; nil if that is not used
	place map[uint64]int
	hoods []hood
	hits  []Hit
	most  [shared]float64 // the maximum of each part that is a share
}

// read parses a question and opens what the search by meaning needs.
func (s *Searcher) read(st State, q *Request) (*question, error) {
	now := time.Unix(0, q.Now).UTC()
	var entities []kind.Entity
	e := &question{
		Searcher: s, state: st, request: q, query: text.ParseQuery(q.Query),
		accepted: make(map[uint64]bool), names: make(map[roster.Speaker]bool),
	}
	usual := int(min(uint64(e.depth(byWords)+e.depth(byMeaning)+hoods*reach*2), st.Size))
	e.list, e.place = make([]candidate, 0, usual), make(map[uint64]int, usual)
	e.class = Classify(q.Query, now, func(t string) (names []string) {
		entities = kind.TextEntities(t)
		for _, x := range entities {
			names = append(names, x.Name)
		}
		return names
	})
	e.quote()
	var err error
	if e.roster, err = s.Roster(st); err != nil {
		return nil, err
	}
	e.vectors = vector.Open(st.Reader, st.Tenant, st.Size, s.vectors)
	e.graph = graph.Open(st.Reader, st.Tenant)
	if e.filter.Mask = e.roster.Filter(q.Where); e.narrowed() {
		e.filter.Mask = e.roster.Both(e.filter.Mask, q.Visible.Mask)
	}
	if q.Accept != nil {
		e.filter.Accept = e.accept
	}
	return e, e.direct(entities)
}

// prepare opens what else the search needs.
func (e *question) prepare(ctx context.Context) (err error) {
	if e.words, err = lexical.Open(e.state.Reader, e.state.Tenant, e.state.Size, e.Searcher.words); err != nil {
		return err
	}
	if e.lexical.Terms, err = e.weighted(ctx, e.query.Terms); err != nil {
		return err
	}
	e.lexical.Flat, e.lexical.Params = e.narrowed(), e.params()
	if e.request.Salience != nil {
		e.matters, err = e.request.Salience()
	}
	return err
}

// accept calls the request's Accept for a document that needs it, at most once.
func (e *question) accept(position uint64) (bool, error) {
	if !e.request.Each {
		closer, ok, err := e.roster.Closer(position)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, damaged(position)
		}
		if !closer {
			return true, nil
		}
	}
	row, ok, err := e.roster.Row(position)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, damaged(position)
	}
	e.mu.Lock()
	ok, known := e.accepted[position]
	e.mu.Unlock()
	if !known {
		if ok, err = e.request.Accept(position, row); err != nil {
			return false, err
		}
		e.mu.Lock()
		e.accepted[position] = ok
		e.mu.Unlock()
	}
	return ok, nil
}

// finds reports whether a document passes the filters.
func (e *question) finds(position uint64) (bool, error) {
	if e.filter.Mask != nil {
		mask, err := e.filter.Mask(int(position / 1024))
		if err != nil || mask == nil || mask[position%1024/64]>>(position%64)&1 == 0 {
			return false, err
		}
	}
	if e.filter.Accept == nil {
		return true, nil
	}
	return e.filter.Accept(position)
}

// direct embeds the question without the names of speakers: a name says who speaks and not
// what about. An external vector in the request takes precedence.
func (e *question) direct(entities []kind.Entity) error {
	left := text.Head(e.request.Query, text.MaxQuery)
	names := append(slices.Clone(e.class.Names), namesOf(entities)...)
	speaks := e.mentioned
	if beside := e.request.Beside; beside != nil {
		speaks = func(name string) (bool, error) { return beside.names[roster.SpeakerOf(name)], nil }
	} else if e.narrowed() && len(names) > 0 {
		asked := make(map[roster.Speaker]bool)
		for _, x := range names {
			asked[roster.SpeakerOf(x)] = true
		}
		speak, err := e.roster.Speak(e.request.Visible.Mask, asked)
		if err != nil {
			return err
		}
		speaks = func(name string) (bool, error) { return speak[roster.SpeakerOf(name)], nil }
	}
	for _, x := range names {
		ok, err := speaks(x)
		if err != nil {
			return err
		}
		if ok {
			e.names[roster.SpeakerOf(x)] = true
			left = without(left, x)
		}
	}
	v := e.model.Embed(nil, left)
	if v.Norm == 0 && len(e.names) > 0 {
		v = e.model.Embed(nil, text.Head(e.request.Query, text.MaxQuery))
	}
	if v.Norm > 0 {
		e.second = v.Vector
	}
	if e.vector = e.request.Vector; e.vector == nil {
		e.vector, e.second = e.second, nil
	}
	return nil
}

// mentioned reports whether a speaker has a name, according to the graph.
func (e *question) mentioned(name string) (bool, error) {
	node, ok, err := e.graph.Node(kind.EntityPerson, name)
	if err != nil || !ok || e.filter.Mask == nil && e.filter.Accept == nil {
		return ok, err
	}
	seen, err := e.graph.Mentions(node.ID, 1, e.filter)
	return len(seen) > 0, err
}

// without returns a text without the occurrences of a name as whole words.
func without(text, name string) string {
	for at := 0; ; {
		i := indexFold(text[at:], name)
		if i < 0 {
			return text
		}
		i += at
		end := i + len(name)
		if inWord(text[:i], utf8.DecodeLastRuneInString) || inWord(text[end:], utf8.DecodeRuneInString) {
			_, size := utf8.DecodeRuneInString(text[i:])
			at = i + size
			continue
		}
		text = text[:i] + " " + text[end:]
		at = i + 1
	}
}

// indexFold is strings.Index that ignores the case of ASCII letters.
func indexFold(text, name string) int {
	if name == "" {
		return -1
	}
	for i := 0; i+len(name) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(name)], name) {
			return i
		}
	}
	return -1
}

// inWord reports whether a text has a letter or a digit at the given end.
func inWord(text string, end func(string) (rune, int)) bool {
	r, size := end(text)
	return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func namesOf(entities []kind.Entity) (names []string) {
	for _, x := range entities {
		if x.Type == kind.EntityName || x.Type == kind.EntityPerson {
			names = append(names, x.Name)
		}
	}
	return names
}

// gather finds candidates by words, by meaning and by name. The search by meaning takes
// longest, so the others run concurrently with it.
func (e *question) gather(ctx context.Context) error {
	named := beside(func() error {
		if err := e.prepare(ctx); err != nil {
			return err
		}
		return e.named(ctx)
	})
	defer named() // wait, even if this panics
	var nearest, others []vector.Match
	var err error
	if e.request.Sources.has(Meaning) && e.vector != nil && !e.strict() {
		if nearest, err = e.nearest(ctx); err == nil {
			others, err = e.nearestOthers(ctx)
		}
	}
	if other := named(); other != nil || err != nil {
		return cmp.Or(other, err)
	}
	e.more = e.more || max(len(nearest), len(others)) == e.depth(byMeaning)
	for _, m := range nearest {
		e.at(m.Position).near = m.Score
	}
	e.addOthers(nearest, others)
	for i := range e.list {
		e.list[i].core = true
	}
	return e.rows()
}

// named finds candidates by words and by name.
func (e *question) named(ctx context.Context) error {
	if e.request.Sources.has(Words) && len(e.lexical.Terms) > 0 {
		depth := e.depth(byWords)
		matched, err := e.words.Search(ctx, e.lexical, depth, e.filter)
		if err != nil {
			return err
		}
		e.more = e.more || len(matched) == depth
		for _, m := range matched {
			e.at(m.Position).words = m.Score
		}
	}
	if err := e.quotations(ctx); err != nil {
		return err
	}
	if e.request.Sources.has(Graph) && !e.strict() && !e.narrowed() {
		if err := e.connected(); err != nil {
			return err
		}
	}
	if err := e.anchor(ctx); err != nil {
		return err
	}
	return e.rows()
}

// depth returns how many candidates a source is asked for. If few are enough, the sources
// complement each other.
func (e *question) depth(least int) int {
	if e.request.Room > 0 {
		return max(least, e.request.K*3/5)
	}
	return max(least, e.request.K)
}

// nearest finds candidates by meaning.
func (e *question) nearest(ctx context.Context) ([]vector.Match, error) {
	found, err := e.vectors.Search(ctx, vector.Query{
		Vector: e.vector, Own: e.request.Vector != nil, Model: e.request.Model, K: e.depth(byMeaning),
		Gate: shortGate, Filter: e.filter, Exact: e.request.Exact,
	})
	return found, e.noneShown(err, len(found))
}

// noneShown returns ErrNoVectors in place of an error that reveals which vectors exist, or if
// none were found, when some documents are hidden.
func (e *question) noneShown(err error, found int) error {
	if e.narrowed() && e.request.Vector != nil && (err == nil && found == 0 || fault.CodeOf(err) == fault.InvalidArgument) {
		return ErrNoVectors
	}
	return err
}

// connected finds candidates by the entities that the question names, except speakers, who are
// named everywhere.
func (e *question) connected() error {
	var seeds []graph.NodeID
	for _, x := range e.class.Entities {
		if e.names[roster.SpeakerOf(x)] {
			continue
		}
		nodes, err := e.graph.Lookup(x)
		if err != nil {
			return err
		}
		for _, n := range nodes {
			seeds = append(seeds, n.ID)
		}
	}
	if len(seeds) == 0 {
		return nil
	}
	found, err := e.graph.Walk(seeds, 1, graph.Limits{Walked: byGraph, Now: e.request.Now}, e.filter)
	if err != nil {
		return err
	}
	for _, m := range found {
		e.at(m.Position).about = m.Score
	}
	return nil
}

// anchor dates the events that the question uses as times: an event has the time of the
// document that has most of its words.
func (e *question) anchor(ctx context.Context) error {
	if e.request.Beside != nil {
		e.times = e.request.Beside.times
		return nil
	}
	for _, t := range e.class.Times {
		if t.Kind != times.TimeAnchor {
			e.times = append(e.times, t)
			continue
		}
		q := lexical.Query{Flat: e.lexical.Flat, Params: e.lexical.Params}
		var err error
		if q.Terms, err = e.weighted(ctx, text.ParseQuery(t.Anchor).Terms); err != nil {
			return err
		}
		found, err := e.words.Search(ctx, q, 1, e.filter)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		row, ok, err := e.roster.Row(found[0].Position)
		if err != nil {
			return err
		}
		if ok {
			e.times = append(e.times, anchored(t, time.Unix(0, row.Time).UTC()))
		}
	}
	return nil
}

// at returns the candidate at a position, and adds it if it is new. The pointer is valid until
// the next call.
func (e *question) at(position uint64) *candidate {
	i, ok := e.place[position]
	if !ok {
		i = len(e.list)
		e.place[position] = i
		c := candidate{position: position}
		for k := range reach {
			c.before[k], c.behind[k] = -1, -1
		}
		e.list = append(e.list, c)
	}
	return &e.list[i]
}

// partRows is how many rows are worth a goroutine.
const partRows = 128

// rows reads the roster rows of candidates that have none yet.
func (e *question) rows() error {
	unknown := slices.IndexFunc(e.list, func(c candidate) bool { return c.row.Kind == 0 })
	if unknown < 0 {
		return nil
	}
	list := e.list[unknown:] // mostly those added later
	return index.Share(len(list), index.Parts(len(list), partRows), func(_, from, to int) error {
		for i := from; i < to; i++ {
			c := &list[i]
			if c.row.Kind != 0 {
				continue
			}
			row, ok, err := e.roster.Row(c.position)
			if err != nil {
				return err
			}
			if !ok {
				return damaged(c.position)
			}
			c.row = row
		}
		return nil
	})
}

// share returns value relative to most.
func share(value, most float64) float64 {
	if most <= 0 {
		return 0
	}
	return value / most
}
