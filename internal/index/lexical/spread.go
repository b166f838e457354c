package lexical

import "slices"

// The number of leading bits by which postings are bucketed, and the minimum number of
// postings for that. The leading bits of a term are those of a hash, so the buckets
// have about the same size.
const (
	spreadBits  = 11
	spreadLeast = 1 << spreadBits
)

// shortPart is the length up to which postings are sorted by insertion.
const shortPart = 16

// spread sorts the postings of slabs. Its buffers are reused.
type spread struct {
	ends [1 << spreadBits]uint32
	room []uint64
}

// sort sorts postings: it buckets them by their leading bits, and then sorts each
// bucket.
func (s *spread) sort(list []uint64) {
	if len(list) < spreadLeast {
		slices.Sort(list)
		return
	}
	const shift = 64 - spreadBits
	s.ends = [1 << spreadBits]uint32{}
	for _, p := range list {
		s.ends[p>>shift]++
	}
	at := uint32(0)
	for i, n := range s.ends {
		s.ends[i] = at
		at += n
	}
	s.room = append(s.room[:0], list...)
	for _, p := range s.room {
		end := &s.ends[p>>shift]
		list[*end] = p
		*end++
	}
	from := uint32(0)
	for _, to := range s.ends {
		sortPart(list[from:to])
		from = to
	}
}

// sortPart sorts a bucket.
func sortPart(list []uint64) {
	if len(list) > shortPart {
		slices.Sort(list)
		return
	}
	for i := 1; i < len(list); i++ {
		p, k := list[i], i
		for ; k > 0 && list[k-1] > p; k-- {
			list[k] = list[k-1]
		}
		list[k] = p
	}
}
