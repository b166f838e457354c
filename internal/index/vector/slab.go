package vector

import "unsafe"

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

// slabs makes room for numbers.
type slabs[T byte | uint64] struct {
	most  int // bytes of a slab
	free  []T
	of    *slab
	total int // bytes in all slabs so far
}

// take returns room for n numbers, without any in it, and the slab that it is in. What does not
// fit well has none.
func (s *slabs[T]) take(n int) ([]T, *slab) {
	var zero T
	each := int(unsafe.Sizeof(zero))
	if n*each > s.most/4 {
		return make([]T, 0, n), nil
	}
	if n > len(s.free) {
		size := min(max(s.total, leastSlab), s.most)
		s.total += size
		s.free, s.of = make([]T, max(size/each, n)), new(slab)
		preferLarge(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s.free))), len(s.free)*each))
	}
	room := s.free[:0:n]
	s.free = s.free[n:]
	return room, s.of
}
