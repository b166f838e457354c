package kv

// Size returns about how many bytes of files the keys from lower to upper take. What is
// not written out yet takes none.
func (s *Store) Size(lower, upper []byte) (uint64, error) {
	n, err := s.db.EstimateDiskUsage(lower, upper)
	return n, explain(s.dir, err)
}
