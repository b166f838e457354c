package vector

// slab is a stretch of memory that the codes or the rows of several chunks share. The
// system is asked to back it by large pages: a search walks through all codes and
// jumps about in rows, and with small ones spends a good part of its time on looking
// up where they are. What is in a slab is let go together, so that what the cache counts is
// what there is.
type slab struct {
	codes []*item  // that are in it
	rows  []*asked // likewise
}

// Slabs are made larger as there are more, so that a small board has no large ones. Of
// what a cache may hold each is a small part.
const (
	leastSlab = 256 << 10
	mostSlab  = 16 << 20
	slabPart  = 16
)

// slabs makes room for bytes.
type slabs struct {
	most  int // bytes of a slab
	free  []byte
	of    *slab
	total int // bytes in all slabs so far
}

// take returns room for n bytes, without any in it, and the slab that it is in. What does
// not fit well has none.
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
