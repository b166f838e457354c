package lexical

import "slices"

// By how many of their first bits postings are spread, and how many of them are worth
// it. The first bits of a term are those of a hash, so that each part is about as large.
const (
	spreadBits  = 11
	spreadLeast = 1 << spreadBits
)

// shortPart is how many postings are put in order one by one.
const shortPart = 16

// spread puts the postings of slabs in order. What it has is used again and again.
type spread struct {
	ends [1 << spreadBits]uint32
	room []uint64
}

// sort puts postings in order: they are spread by their first bits, and then each part
// by itself.
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

// sortPart puts a part in order.
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
