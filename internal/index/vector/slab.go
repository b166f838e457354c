package vector

// slab is memory that the codes or the rows of several chunks share. The system is asked to
// back it by large pages: a search reads all codes and random rows, and with small pages
// spends much of its time on address translation. The content of a slab is evicted
// together, so that the cache's count is accurate.
type slab struct {
	codes []*item  // that are in it
	rows  []*asked // likewise
}

// Slabs grow with their total, so that a small board has no large ones. Each is a small
// part of a cache's limit.
const (
	leastSlab = 256 << 10
	mostSlab  = 16 << 20
	slabPart  = 16
)

// slabs allocates memory in slabs.
type slabs struct {
	most  int // bytes of a slab
	free  []byte
	of    *slab
	total int // bytes in all slabs so far
}

// take returns empty memory for n bytes, and its slab. What does not fit well has none.
func (s *slabs) take(n int) ([]byte, *slab) {
	if n > s.most/4 {
		return make([]byte, 0, n), nil
	}
	if n > len(s.free) {
		size := min(max(s.total, leastSlab), s.most)
		s.total += size
		s.free, s.of = make([]byte, max(size, n)), new(slab)
		preferLarge(s.free)
	}
	room := s.free[:0:n]
	s.free = s.free[n:]
	return room, s.of
}
