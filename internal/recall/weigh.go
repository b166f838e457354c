package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/vector"
)

// The parts of a score. A share is relative to the best candidate.
const (
	PartWords    = "words"    // share: the question's words in it and in its neighbours
	PartMeaning  = "meaning"  // share: nearness of its vector to the question's
	PartContext  = "context"  // share: nearness of it and its neighbours
	PartGraph    = "graph"    // share: entities it names
	PartSpeaker  = "speaker"  // the question names its speaker
	PartQuestion = "question" // it is itself a question
	PartDate     = "date"     // fit of its time to that of the question
	PartWhen     = "when"     // the question is when, and it says when
	PartLength   = "length"   // logarithm of its length relative to a usual turn
	PartRecency  = "recency"  // how recent it is
	PartSalience = "salience" // how much it matters
	PartTrust    = "trust"    // how far it can be believed
	PartPhrase   = "phrase"   // it contains a phrase that the question quotes
)

// PartNames lists the parts in their order.
func PartNames() []string {
	return []string{
		PartWords, PartMeaning, PartContext, PartGraph, PartSpeaker, PartQuestion, PartDate, PartWhen, PartLength,
		PartRecency, PartSalience, PartTrust, PartPhrase,
	}
}

// How many parts there are, how many of the first are shares, and the index of one.
const (
	parts        = 13
	shared       = 4
	partSalience = 10
)

// weights are the weights of the parts. They were fitted, see docs/quality.md.
var weights = [parts]float64{1, 0.35, 0.5, 0.05, 0.25, -0.15, 0.9, 0.35, -0.08, 0.02, 0.1, 0.05, 0.6}

// newestRecency is added to the weight of recency if the question asks for the latest state.
const newestRecency = 0.5

// Constants of the parts.
const (
	k1, b       = 1.2, 0.85 // of BM25
	shortGate   = 10        // pieces at which a vector counts half: short texts are near to everything
	contextGate = 20        // the same within a window
	usualPieces = 25        // of a turn
	month       = 30 * 24 * time.Hour
)

// Weights of neighbours: the one before, which counts twice if it is a question, the one before
// that; the one after, and the one after that.
var (
	countBefore = [reach]float64{0.6, 0.45}
	countBehind = [reach]float64{0.45, 0.3375}
)

const countAsking = 2

// features are the values of the parts of a candidate.
type features [parts]float64

// member is a candidate within a window, with its weight there.
type member struct {
	place int
	count float64
	part  float64 // of its words that count
}

// window returns a candidate with its neighbours.
func (e *question) window(room []member, i int) []member {
	room = append(room, member{i, 1, 1})
	c := &e.list[i]
	for k, p := range c.before {
		if p < 0 {
			continue
		}
		count := countBefore[k]
		if k == 0 && e.list[p].row.Question {
			count *= countAsking
		}
		room = append(room, member{p, count, 1})
	}
	for k, p := range c.behind {
		if p >= 0 {
			room = append(room, member{p, countBehind[k], 1})
		}
	}
	return room
}

// weigh computes the features and scores of all candidates, and puts the best into the answer.
func (e *question) weigh(ctx context.Context) error {
	all := make([]features, len(e.list))
	// Each of the two writes its own parts.
	err := index.Share(2, index.Workers(2, 1), func(_, from, to int) error {
		for ; from < to; from++ {
			if from == 0 {
				if err := e.weighWords(all); err != nil {
					return err
				}
			} else if err := e.weighMeaning(ctx, all); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range all {
		all[i][3] = e.list[i].about
	}
	for part := range shared {
		most := 0.0
		if e.request.Beside != nil {
			most = e.request.Beside.most[part]
		} else {
			for i := range all {
				most = max(most, all[i][part])
			}
		}
		e.most[part] = most
		for i := range all {
			all[i][part] = min(share(all[i][part], most), 1)
		}
	}
	for i := range all {
		e.weighRest(&all[i], &e.list[i])
	}
	e.score(all)
	return e.salience()
}

// longNeighbour is the longest length of a neighbour, relative to others. Only this much of a
// longer one counts; otherwise a tool's output would outweigh the messages beside it.
const longNeighbour = 3

// weighWords computes the BM25 of windows: occurrences are those in all their documents,
// weighted, and the length is their mean. Neighbours can only add to a document's own score.
func (e *question) weighWords(all []features) error {
	if len(e.lexical.Terms) == 0 || !e.request.Sources.has(Words) {
		return nil
	}
	positions := make([]uint64, len(e.list))
	for i := range e.list {
		positions[i] = e.list[i].position
	}
	lengths := make([]uint32, len(e.list))
	for i := range e.list {
		lengths[i] = uint32(e.list[i].row.Words)
	}
	n, err := e.words.Count(e.lexical, positions, lengths)
	if err != nil {
		return err
	}
	average := e.average()
	terms := len(n.Terms)
	room := make([]member, 0, 2*reach+1)
	for i := range all {
		hood := e.window(room[:0], i)
		own := float64(n.Lengths[i])
		length, total := 0.0, 0.0
		for k := range hood {
			m := &hood[k]
			l := float64(n.Lengths[m.place])
			if most := max(own, longNeighbour*average); l > most {
				m.part = most / l
				l = most
			}
			length += float64(m.count * l)
			total += m.count
		}
		alone := float64(k1 * (1 - b + float64(b*own)/average))
		against := float64(k1 * (1 - b + float64(b*length/total)/average))
		itself, sum := 0.0, 0.0
		for t := range terms {
			tf := 0.0
			for _, m := range hood {
				tf += float64(float64(m.count*m.part) * n.TF[m.place*terms+t])
			}
			factor := float64(n.Weights[t] * n.IDF[t])
			sum += float64(factor * (tf / (tf + against)))
			tf = n.TF[i*terms+t]
			itself += float64(factor * (tf / (tf + alone)))
		}
		all[i][0] = max(sum, itself)
	}
	return nil
}

// weighMeaning computes the nearness of candidates to the question, by themselves and within
// their windows.
func (e *question) weighMeaning(ctx context.Context, all []features) error {
	if e.vector == nil || !e.request.Sources.has(Meaning) {
		return nil
	}
	positions := make([]uint64, len(e.list))
	for i := range e.list {
		positions[i] = e.list[i].position
	}
	rows, err := e.vectors.Near(ctx, vector.Query{Vector: e.vector, Own: e.request.Vector != nil, Model: e.request.Model}, positions)
	there := 0
	for i := range rows {
		if rows[i].Values != nil {
			there++
		}
	}
	if err := e.noneShown(err, there); err != nil {
		return err
	}
	if e.request.Vector == nil {
		e.near = rows
	}
	around := e.contexts(rows, len(e.vector))
	for i := range all {
		c := &e.list[i]
		if r := &rows[i]; c.near == 0 && r.Values != nil {
			c.near = float64(r.Cosine * gate(r.Pieces, shortGate))
		}
		all[i][1], all[i][2] = max(c.near, 0), around[i]
	}
	return e.weighOthers(ctx, all, rows, positions)
}

// contexts computes the nearness of windows to the question.
func (e *question) contexts(rows []vector.Near, dimensions int) []float64 {
	list := make([]float64, len(rows))
	sum := make([]float32, dimensions)
	room := make([]member, 0, 2*reach+1)
	for i := range list {
		hood := e.window(room[:0], i)
		if len(hood) == 1 {
			list[i] = max(rows[i].Cosine, 0)
			continue
		}
		clear(sum)
		near := 0.0
		for _, m := range hood {
			r := &rows[m.place]
			if r.Values == nil {
				continue
			}
			count := float64(m.count * gate(r.Pieces, contextGate))
			near += float64(count * r.Cosine)
			r.AddTo(sum, float32(count))
		}
		squares := 0.0
		for _, x := range sum {
			squares += float64(float64(x) * float64(x))
		}
		if squares > 0 {
			list[i] = max(near/math.Sqrt(squares), 0)
		}
	}
	return list
}

// gate returns the weight of the vector of a text with the given number of pieces. If that was
// not counted, the weight is 1.
func gate(pieces int, half float64) float64 {
	if pieces == 0 {
		return 1
	}
	return float64(pieces) / (float64(pieces) + half)
}

// weighRest computes the features that do not depend on other candidates.
func (e *question) weighRest(f *features, c *candidate) {
	if c.row.Speaker != 0 && e.names[c.row.Speaker] {
		f[4] = 1
	}
	if c.row.Question {
		f[5] = 1
	}
	at := time.Unix(0, c.row.Time).UTC()
	for _, t := range e.times {
		f[6] = max(f[6], told(t, at))
	}
	if e.class.Asks.When && c.row.Times {
		f[7] = 1
	}
	f[8] = index.Ln(float64(max(c.row.Pieces, 1)) / usualPieces)
	// The difference may overflow 64 bits.
	age := max(0, float64(e.request.Now)-float64(c.row.Time))
	f[9] = 1 / (1 + age/float64(month))
	f[partSalience] = c.row.Importance
	f[11] = float64(c.row.Trust) / 5
	if c.quoted {
		f[12] = 1
	}
}

// score adds up the parts and sorts the candidates.
func (e *question) score(all []features) {
	w := features(weights)
	if e.class.Newest {
		w[9] += newestRecency
	}
	whole := 0.0
	for _, x := range w {
		whole += max(x, 0)
	}
	for k := range w {
		w[k] /= whole
	}
	scored := make([]scoredPlace, len(all))
	for i := range all {
		sum := 0.0
		for k, value := range all[i] {
			sum += float64(value * w[k])
		}
		scored[i] = scoredPlace{i, sum}
	}
	// Candidates are sorted by position, so the index breaks ties.
	slices.SortFunc(scored, func(a, b scoredPlace) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.place, b.place))
	})
	e.hits = make([]Hit, min(len(scored), max(e.request.K, askedSalience)))
	for i := range e.hits {
		c := &e.list[scored[i].place]
		e.hits[i] = Hit{Position: c.position, Row: c.row, Score: scored[i].score, values: &all[scored[i].place], weights: &w}
	}
}

// Parts returns the parts of the score, in the order of [PartNames].
func (h *Hit) Parts() []Part {
	names := PartNames()
	list := make([]Part, parts)
	for k, value := range h.values {
		list[k] = Part{Name: names[k], Value: value, Weight: h.weights[k], Score: float64(value * h.weights[k])}
	}
	return list
}

// Salience returns how much the hit matters, from 0 to 1. It is part of the score.
func (h *Hit) Salience() float64 { return h.values[partSalience] }

// scoredPlace is the index of a candidate and its score.
type scoredPlace struct {
	place int
	score float64
}

// order sorts hits: the best first, and among equals the older.
func order(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Position, b.Position))
	})
}

// askedSalience is how many of the best are rated by the caller's Salience.
const askedSalience = 64

// salience replaces the importance of the best by the caller's rating, and sorts the hits
// again.
func (e *question) salience() error {
	if e.matters == nil {
		return nil
	}
	best := e.hits[:min(len(e.hits), askedSalience)]
	for i := range best {
		h := &best[i]
		value, err := e.matters(h.Position, h.Row)
		if err != nil {
			return err
		}
		h.values[partSalience] = min(max(value, 0), 1)
		// An unchanged rating gives the same bits as before.
		h.Score = 0
		for k, value := range h.values {
			h.Score += float64(value * h.weights[k])
		}
	}
	order(e.hits)
	return nil
}

// answer returns the best, and marks duplicates.
func (e *question) answer(ctx context.Context) (*Answer, bool, error) {
	hits := e.hits[:min(len(e.hits), e.request.K)]
	for i := range hits {
		hits[i].Score = min(max(hits[i].Score, 0), 1)
	}
	if err := e.alike(ctx, hits); err != nil {
		return nil, false, err
	}
	n, full := e.fill(len(hits), func(i int) int {
		if hits[i].Duplicate {
			return 0
		}
		return e.takes(hits[i].Row.Pieces)
	})
	documents, _ := e.stats()
	return &Answer{
		Class: e.class, Candidates: len(e.list), Documents: documents, Hits: hits[:n], More: e.request.Room > 0 && (e.more || n < len(e.list)), most: e.most, times: e.times, names: e.names,
	}, full, nil
}

// The most hits if few are enough: a base, and one for a number of tokens of the room. The most
// that they may exceed the room by. And the tokens of a hit besides its text.
const (
	fewHits   = 24
	roomOfHit = 28
	mostSpare = 2000
	aroundHit = 8
)

// takes returns how much of the room a hit with the given pieces takes.
func (e *question) takes(pieces int) int { return min(pieces, e.request.Most) + aroundHit }

// fill returns how many of the best n are hits, and whether they fill the room or nothing more
// could. takes returns how much of the room each takes.
func (e *question) fill(n int, takes func(i int) int) (int, bool) {
	if e.request.Room == 0 {
		return min(n, e.request.K), true
	}
	all := len(e.list) <= e.request.K && !e.more
	n = min(n, e.request.K)
	left := e.request.Room + min(e.request.Room/2, mostSpare)
	for i := range n {
		if left -= takes(i); left <= 0 && i+1 >= min(askedSalience, n) {
			return i + 1, true
		}
	}
	return n, left <= 0 || all
}

func damaged(position uint64) error {
	return fault.Newf(fault.Damaged, "the indexes disagree about position %d", position).
		WithFix("`lukasa rebuild` rebuilds them from the journal")
}
