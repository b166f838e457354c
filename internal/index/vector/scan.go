package vector

import (
	"context"
	"encoding/binary"
	"math/bits"
	"sync"

	"lukasa.dev/internal/index"
)

// partChunks is how many chunks are worth a goroutine.
const partChunks = 16

// candidate is a row that may be near.
type candidate struct {
	ref      uint32 // of its chunk
	row      uint16 // in the chunk
	distance uint16
}

// nearest keeps the candidates with the least distances, in the order of their arrival: of
// equal ones the first.
type nearest struct {
	want   int
	limit  int     // candidates above it are no longer needed
	within int     // number of candidates within the limit
	counts []int32 // candidates by distance
	kept   []candidate
}

// newNearest returns one for distances up to a limit.
func newNearest(want, limit int) *nearest {
	return &nearest{want: want, limit: limit, counts: make([]int32, limit+1)}
}

// reach is the greatest useful distance: once there are enough candidates, a later one must
// be nearer than the farthest. It is -1 if there is none.
func (n *nearest) reach() int {
	if n.within >= n.want {
		return n.limit - 1
	}
	return n.limit
}

// add adds a candidate within reach.
func (n *nearest) add(c candidate) {
	n.kept = append(n.kept, c)
	n.counts[c.distance]++
	n.within++
	for n.limit > 0 && n.within-int(n.counts[n.limit]) >= n.want {
		n.within -= int(n.counts[n.limit])
		n.limit--
	}
	if len(n.kept) >= 2*n.want+chunkRows {
		n.tidy()
	}
}

// tidy drops the candidates above the limit.
func (n *nearest) tidy() {
	left := n.kept[:0]
	for _, c := range n.kept {
		if int(c.distance) <= n.limit {
			left = append(left, c)
		}
	}
	n.kept = left
}

// merge returns the nearest candidates of consecutive parts with the same limit.
func merge(parts []*nearest) []candidate {
	want := parts[0].want
	limit, ties := cut(parts, want)
	list := make([]candidate, 0, min(want, kept(parts)))
	for _, p := range parts {
		for _, c := range p.kept {
			switch d := int(c.distance); {
			case d > limit:
				continue
			case d == limit:
				if ties == 0 {
					continue
				}
				ties--
			}
			list = append(list, c)
		}
	}
	return list
}

// cut returns the distance up to which want candidates are needed, and how many of those at
// exactly this distance. Counts above the limit of a part are incomplete, and not needed.
func cut(parts []*nearest, want int) (limit, ties int) {
	for last := len(parts[0].counts) - 1; limit < last; limit++ {
		there := 0
		for _, p := range parts {
			there += int(p.counts[limit])
		}
		if there >= want {
			break
		}
		want -= there
	}
	return limit, want
}

// kept is the number of candidates of several parts.
func kept(parts []*nearest) int {
	n := 0
	for _, p := range parts {
		n += len(p.kept)
	}
	return n
}

// scan is a search for the codes nearest to a query.
type scan struct {
	view       *View
	space      index.Digest
	dimensions int
	table      *table // of the query
	refs       []chunkRef
	chunks     []*chunk // of the refs, once scanned; nil where there is none
	masks      []*live  // of the chunks that may be found; nil for all
	all        uint64   // vectors or, with masks, documents that may be found
}

// mask calls a filter for all chunks, and leaves out those of which nothing may be found. One
// goroutine calls it, in order, also for chunks without vectors: how many may be found must
// not depend on where others have vectors.
func (s *scan) mask(f index.Filter) error {
	if f.Mask == nil {
		return nil
	}
	refs, left := make([]chunkRef, 0, len(s.refs)), s.refs
	s.masks, s.all = make([]*live, 0, len(s.refs)), 0
	for chunk := uint64(0); chunk*chunkRows < s.view.size; chunk++ {
		m, err := f.Mask(int(chunk))
		if err != nil {
			return err
		}
		there := len(left) > 0 && left[0].number == chunk
		if m != nil {
			mine := live(*m)
			for _, w := range mine {
				s.all += uint64(bits.OnesCount64(w))
			}
			if there {
				refs, s.masks = append(refs, left[0]), append(s.masks, &mine)
			}
		}
		if there {
			left = left[1:]
		}
	}
	s.refs = refs
	return nil
}

// One in sampled chunks is scanned first, if those are enough for a sample. If there are more
// than manySampled times as many, half of those suffice.
const (
	sampled     = 16
	manySampled = 4
)

// nearest returns at most want candidates, by position.
//
// Most codes are farther than the wanted ones. A sample estimates how near those are, so that
// the others need not be kept. If the estimate was wrong, the scan is repeated without it:
// the result is the same.
func (s *scan) nearest(ctx context.Context, want int) ([]candidate, error) {
	if len(s.refs) >= sampled*partChunks {
		limit, err := s.guess(ctx, want)
		if err != nil {
			return nil, err
		}
		if limit < s.table.far {
			list, err := s.within(ctx, want, limit)
			if err != nil {
				return nil, err
			}
			if len(list) == want {
				return list, nil
			}
		}
	}
	return s.within(ctx, want, s.table.far)
}

// spared is how many times as many codes as wanted are expected within a guess: with a small
// sample, a lower factor would often be too small, and a repetition is expensive.
const spared = 3

// guess returns a distance that should include some times as many candidates as wanted, if
// all chunks are like those of the sample.
func (s *scan) guess(ctx context.Context, want int) (int, error) {
	each := sampled
	if len(s.refs) >= manySampled*sampled*partChunks {
		each *= 2
	}
	var (
		room   chunkRoom
		counts = make([]int, s.table.far+1) // by distance
	)
	for i := 0; i < len(s.refs); i += each {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c, err := s.compare(&room, i, s.table.far)
		if err != nil {
			return 0, err
		}
		if c == nil {
			continue
		}
		for row, offset := range c.offsets {
			if s.masks == nil || s.masks[i].has(int(offset)) {
				counts[room.distances[row]]++
			}
		}
	}
	left := spared*want/each + 1
	for limit, n := range counts {
		if left -= n; left <= 0 {
			return limit, nil
		}
	}
	return s.table.far, nil
}

// within returns at most want candidates within a limit.
func (s *scan) within(ctx context.Context, want, limit int) ([]candidate, error) {
	parts, done, err := s.parts(ctx, want, limit)
	defer done()
	if err != nil {
		return nil, err
	}
	return merge(parts), nil
}

// parts scans all chunks, in several consecutive parts. done releases the memory of their
// candidates.
func (s *scan) parts(ctx context.Context, want, limit int) (parts []*nearest, done func(), err error) {
	count := index.Workers(len(s.refs), partChunks)
	if limit < s.table.far { // a part keeps little more than its share of the nearest
		count = index.Parts(len(s.refs), partChunks)
	}
	if s.chunks == nil {
		s.chunks = make([]*chunk, len(s.refs))
	}
	parts = make([]*nearest, count)
	rooms := make([]*[]candidate, len(parts))
	for i := range parts {
		rooms[i] = candidateRooms.Get().(*[]candidate)
		parts[i] = newNearest(want, limit)
		parts[i].kept = (*rooms[i])[:0]
	}
	err = index.Share(len(s.refs), len(parts), func(part, from, to int) error { return s.part(ctx, parts[part], from, to) })
	return parts, func() {
		for i, room := range rooms {
			*room = parts[i].kept
			candidateRooms.Put(room)
		}
	}, err
}

// candidateRooms pools memory for candidates: there are many more during a scan than in the
// end.
var candidateRooms = sync.Pool{New: func() any { return new([]candidate) }}

// chunkRoom is the result of comparing the codes of a chunk.
type chunkRoom struct {
	distances [chunkRows]uint16
	near      [chunkRows / 8]byte // one bit for each within a limit
}

// compare computes the distances of the codes of a chunk. It returns nil if there are none.
func (s *scan) compare(room *chunkRoom, i, limit int) (*chunk, error) {
	c, err := s.view.chunk(s.space, s.dimensions, s.refs[i])
	if err != nil || c == nil {
		return nil, err
	}
	all := (len(c.offsets) + blockRows - 1) / blockRows * blockRows // with the padding of the last block
	if len(c.blocks) != all*s.table.width() {
		return nil, damaged("a chunk", errContent)
	}
	clear(room.near[all/8:])
	s.view.kernels.near(room.distances[:all], room.near[:all/8], c.blocks, s.table, limit)
	return c, nil
}

// part scans some of the chunks.
func (s *scan) part(ctx context.Context, n *nearest, from, to int) error {
	var room chunkRoom
	for i := from; i < to; i++ {
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		c, err := s.compare(&room, i, n.reach())
		if err != nil {
			return err
		}
		if s.chunks[i] = c; c == nil {
			continue
		}
		rows := len(c.offsets)
		for w := 0; w < rows; w += 64 {
			for word := binary.LittleEndian.Uint64(room.near[w/8:]); word != 0; word &= word - 1 {
				row := w + bits.TrailingZeros64(word)
				if row >= rows {
					break
				}
				d := room.distances[row]
				if s.masks != nil && !s.masks[i].has(int(c.offsets[row])) || int(d) > n.reach() {
					continue
				}
				n.add(candidate{ref: uint32(i), row: uint16(row), distance: d})
			}
		}
	}
	return nil
}

// position is the position of a candidate. Most candidates never need theirs, which is in
// other memory than their codes.
func (s *scan) position(c *candidate) uint64 {
	return s.refs[c.ref].number*chunkRows + uint64(s.chunks[c.ref].offsets[c.row])
}
