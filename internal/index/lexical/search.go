package lexical

import (
	"context"
	"math/bits"
	"slices"

	"lukasa.dev/internal/index"
)

// windowSize is how many positions are scored together: the sums of their scores stay
// in the processor's L1 cache. It is a multiple of 64.
const windowSize = 2048

// room is the buffers of a search.
type room struct {
	cursors []*cursor
	open    []*cursor // those of the current segment
	bounds  []float64 // the maximum that each of them can add in the window
	order   []int     // of open, by ascending bound
	sums    [windowSize]float64
	seen    [windowSize / 64]uint64
	also    [windowSize / 64]uint64
	mask    [windowSize / 64]uint64
}

// cursor returns a further cursor for the current segment.
func (r *room) cursor() *cursor {
	if len(r.open) == len(r.cursors) {
		r.cursors = append(r.cursors, new(cursor))
	}
	r.open = r.cursors[:len(r.open)+1]
	return r.open[len(r.open)-1]
}

// search is one search.
type search struct {
	*room
	view   *View
	query  *Query
	scorer scorer
	terms  []queryTerm
	filter index.Filter
	strict bool // there are required terms
	best   best
}

// Search returns the k documents that match a query best, best first; equally good
// ones by position.
func (v *View) Search(ctx context.Context, q Query, k int, f index.Filter) ([]index.Match, error) {
	if k <= 0 || v.stats.documents == 0 {
		return nil, ctx.Err()
	}
	terms, scorer, err := v.prepare(&q)
	if err != nil {
		return nil, err
	}
	s := &search{room: v.cache.room(), view: v, query: &q, scorer: scorer, filter: f}
	defer v.cache.rooms.Put(s.room)
	var found []index.Match
	ways := q.ways()
	for _, must := range ways {
		s.best = best{limit: k}
		if err := s.run(ctx, terms, must); err != nil {
			return nil, err
		}
		found = append(found, s.best.list...)
	}
	slices.SortFunc(found, better)
	if len(ways) > 1 {
		found = slices.Compact(found)
	}
	return found[:min(k, len(found))], nil
}

// run looks for the best documents that have all terms of a set.
func (s *search) run(ctx context.Context, terms []queryTerm, must termSet) error {
	s.terms, s.strict = s.terms[:0], len(must) > 0
	for _, t := range terms {
		t.required = must[t.term]
		if t.lists.documents > 0 {
			s.terms = append(s.terms, t)
		} else if t.required {
			return ctx.Err()
		}
	}
	v := s.view
	for i, seg := range v.segments {
		ok, err := s.openSegment(i)
		if err == nil && ok {
			err = s.segment(ctx, v.shape.begin(seg), uint32(v.shape.spans[seg.level]))
		}
		if err != nil {
			return err
		}
	}
	if s.openTail() {
		return s.segment(ctx, v.from, uint32(v.size-v.from))
	}
	return nil
}

// openSegment opens the cursors of a segment. It is false if nothing can be found
// there.
func (s *search) openSegment(i int) (bool, error) {
	s.open = s.open[:0]
	for k := range s.terms {
		t := &s.terms[k]
		if body := t.lists.bodies[i]; body != nil {
			if err := s.cursor().open(s.view, &s.scorer, t, s.view.segments[i], body); err != nil {
				return false, err
			}
		} else if t.required {
			return false, nil
		}
	}
	return len(s.open) > 0, nil
}

// openTail is openSegment for the tail.
func (s *search) openTail() bool {
	s.open = s.open[:0]
	for k := range s.terms {
		t := &s.terms[k]
		if len(t.lists.tail.offsets) > 0 {
			s.cursor().openTail(s.view, &s.scorer, t)
		} else if t.required {
			return false
		}
	}
	return len(s.open) > 0
}

// segment looks for documents in a segment, one window after the other.
func (s *search) segment(ctx context.Context, begin uint64, width uint32) error {
	s.bounds = slices.Grow(s.bounds[:0], len(s.open))[:len(s.open)]
	s.order = s.order[:0]
	for i := range s.open {
		s.order = append(s.order, i)
	}
	for at := uint32(0); at < width; {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := uint32(noOffset)
		for _, c := range s.open {
			next := c.next(at)
			if c.term.required {
				// Nothing before it can be found.
				at = max(at, next)
			}
			first = min(first, next)
		}
		if at = max(at, first); at >= width {
			return nil
		}
		at &^= 63
		end := min(at+windowSize, width)
		if err := s.window(begin, at, end); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// window searches the offsets in [from, to).
func (s *search) window(begin uint64, from, to uint32) error {
	allowed, err := s.allowed(begin+uint64(from), to-from)
	if err != nil || !allowed {
		return err
	}
	total := float64(0)
	for i, c := range s.open {
		s.bounds[i] = c.bound(from, to)
		if s.bounds[i] == 0 && c.term.required {
			return nil
		}
		total += s.bounds[i]
	}
	if total < s.best.least() {
		return nil
	}
	later, sum := s.split(from, to)
	scan := s.order[later:]
	if len(scan) == 1 {
		return s.scanAlone(s.open[scan[0]], begin, from, to, s.order[:later], sum)
	}
	if s.strict {
		err = s.scanStrict(scan, from, to)
	} else {
		for _, i := range scan {
			if err = s.scan(s.open[i], from, to); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = s.collect(begin, from, s.order[:later], sum)
	}
	if err != nil {
		clear(s.sums[:])
		clear(s.seen[:])
	}
	return err
}

// allowed reads the filter for the documents from a position on, and reports whether
// any of them may be found.
func (s *search) allowed(position uint64, n uint32) (bool, error) {
	if s.filter.Mask == nil {
		return true, nil
	}
	const chunk = 1024
	var mask *[chunk / 64]uint64
	some := uint64(0)
	for w := range (n + 63) / 64 {
		p := position + uint64(w)*64
		if w == 0 || p%chunk == 0 {
			m, err := s.filter.Mask(int(p / chunk))
			if err != nil {
				return false, err
			}
			mask = m
		}
		if s.mask[w] = 0; mask != nil {
			s.mask[w] = mask[p%chunk/64]
		}
		some |= s.mask[w]
	}
	return some != 0, nil
}

// split orders the cursors such that those up to the returned index cannot by
// themselves make a document one of the best; sum is the maximum they can add. In a
// search with phrases these are the optional ones. There are none if seeking documents
// in them would take longer than scanning them.
func (s *search) split(from, to uint32) (later int, sum float64) {
	for i := 1; i < len(s.order); i++ {
		for k := i; k > 0 && s.before(s.order[k], s.order[k-1]); k-- {
			s.order[k], s.order[k-1] = s.order[k-1], s.order[k]
		}
	}
	least := s.best.least()
	waiting, scanned := 0, 0 // postings, approximately
	for _, i := range s.order {
		n := s.open[i].density(to - from)
		if scanned > 0 || s.strict && s.open[i].term.required || !s.strict && sum+s.bounds[i] >= least {
			scanned += n
			continue
		}
		sum += s.bounds[i]
		waiting += n
		later++
	}
	if !s.strict && waiting < seekCost*scanned*min(later, 2) {
		return 0, 0
	}
	return later, sum
}

// seekCost is approximately how many postings can be scanned in the time of one seek.
const seekCost = 4

// before orders cursors by their bounds, with required ones last.
func (s *search) before(x, y int) bool {
	if s.strict && s.open[x].term.required != s.open[y].term.required {
		return s.open[y].term.required
	}
	return s.bounds[x] < s.bounds[y]
}

// scan adds the parts of a term to the sums of the window.
func (s *search) scan(c *cursor, from, to uint32) error {
	sums, seen := &s.room.sums, &s.room.seen
	factor, fixed, perToken := c.term.factor, s.scorer.fixed, s.scorer.perToken
	ok, err := c.seek(from, to)
	for ok && err == nil {
		b := &c.block
		end := b.n
		if b.offsets[b.n-1] >= to {
			end = c.at
			for b.offsets[end] < to {
				end++
			}
		}
		offsets := b.offsets[c.at:end]
		weights, lengths := b.weights[c.at:end][:len(offsets)], b.lengths[c.at:end][:len(offsets)]
		for i, offset := range offsets {
			d := (offset - from) & (windowSize - 1)
			w := float64(weights[i]) // what follows is scorer.part
			against := fixed + float64(perToken*float64(lengths[i]))
			sums[d] += float64(float64(factor*(w/(w+against)))+round) - round
			seen[d/64] |= 1 << (d % 64)
		}
		if end < b.n {
			c.at = end
			return nil
		}
		ok, err = c.seek(b.offsets[b.n-1]+1, to)
	}
	return err
}

// scanAlone is scan and collect for the only scanned cursor, which needs no sums.
func (s *search) scanAlone(c *cursor, begin uint64, from, to uint32, later []int, sum float64) error {
	least := s.best.least()
	ok, err := c.seek(from, to)
	for ok && err == nil {
		b := &c.block
		at := c.at
		for ; at < b.n && b.offsets[at] < to; at++ {
			score := s.scorer.part(c.term.factor, b.weights[at], b.lengths[at])
			if score+sum < least {
				continue
			}
			d := b.offsets[at] - from
			if s.filter.Mask != nil && s.mask[d/64]>>(d%64)&1 == 0 {
				continue
			}
			if err := s.consider(begin, b.offsets[at], score, later, sum); err != nil {
				return err
			}
			least = s.best.least()
		}
		if at < b.n {
			c.at = at
			return nil
		}
		ok, err = c.seek(b.offsets[b.n-1]+1, to)
	}
	return err
}

// scanStrict is scan for required terms. Sums are left only for documents that have
// them all.
func (s *search) scanStrict(order []int, from, to uint32) error {
	for n, i := range order {
		if n > 0 {
			s.also, s.seen = s.seen, [windowSize / 64]uint64{}
		}
		if err := s.scan(s.open[i], from, to); err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		for w := range s.seen {
			for lost := s.seen[w] ^ s.also[w]; lost != 0; lost &= lost - 1 {
				s.sums[w*64+bits.TrailingZeros64(lost)] = 0
			}
			s.seen[w] &= s.also[w]
		}
	}
	return nil
}

// collect takes the documents of the window that are among the best so far, and clears
// the sums. Later are the cursors that have not been scanned.
func (s *search) collect(begin uint64, from uint32, later []int, sum float64) error {
	least := s.best.least()
	sums, seen := &s.room.sums, &s.room.seen
	for w := range seen {
		word := seen[w]
		seen[w] = 0
		for ; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			d := (w*64 + bit) & (windowSize - 1)
			score := sums[d]
			sums[d] = 0
			if score+sum < least || s.filter.Mask != nil && s.mask[w]>>bit&1 == 0 {
				continue
			}
			if err := s.consider(begin, from+uint32(d), score, later, sum); err != nil {
				return err
			}
			least = s.best.least()
		}
	}
	return nil
}

// consider completes the score of a document and takes it if it is among the best.
func (s *search) consider(begin uint64, offset uint32, score float64, later []int, sum float64) error {
	for k := len(later) - 1; k >= 0; k-- {
		c := s.open[later[k]]
		sum -= s.bounds[later[k]]
		ok, err := c.seek(offset, offset+1)
		if err != nil {
			return err
		}
		if ok {
			score += c.part()
		}
		if score+sum < s.best.least() {
			return nil
		}
	}
	m := index.Match{Position: begin + uint64(offset), Score: score}
	if !s.best.wants(m) {
		return nil
	}
	if s.strict {
		if ok, err := s.phrases(m.Position); err != nil || !ok {
			return err
		}
	}
	if s.filter.Accept != nil {
		if ok, err := s.filter.Accept(m.Position); err != nil || !ok {
			return err
		}
	}
	s.best.take(m)
	return nil
}

// phrases reports whether a document has every phrase.
func (s *search) phrases(position uint64) (bool, error) {
	var doc *Doc
	for _, p := range s.query.Phrases {
		if len(p.Parts) == 0 || len(p.Parts) == 1 && len(p.Wholes) == 0 {
			continue // its term is there
		}
		if doc == nil {
			var err error
			if doc, err = s.view.Forward(position); err != nil {
				return false, err
			}
			if doc == nil {
				return false, damaged("a document")
			}
		}
		if !p.In(doc.Tokens) {
			return false, nil
		}
	}
	return true, nil
}

// best is a heap of the best matches so far, the worst of them first.
type best struct {
	limit int
	list  []index.Match
}

// least is the minimum score that is still of use.
func (b *best) least() float64 {
	if len(b.list) < b.limit {
		return -1
	}
	return b.list[0].Score
}

// wants reports whether a match is among the best.
func (b *best) wants(m index.Match) bool {
	return len(b.list) < b.limit || better(m, b.list[0]) < 0
}

// take takes a match that wants accepts.
func (b *best) take(m index.Match) {
	if len(b.list) < b.limit {
		b.list = append(b.list, m)
		for i := len(b.list) - 1; i > 0; {
			up := (i - 1) / 2
			if better(b.list[i], b.list[up]) <= 0 {
				break
			}
			b.list[i], b.list[up] = b.list[up], b.list[i]
			i = up
		}
		return
	}
	b.list[0] = m
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(b.list) {
			break
		}
		if down+1 < len(b.list) && better(b.list[down+1], b.list[down]) > 0 {
			down++
		}
		if better(b.list[down], b.list[i]) <= 0 {
			break
		}
		b.list[i], b.list[down] = b.list[down], b.list[i]
		i = down
	}
}
