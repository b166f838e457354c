package kv

// Size returns approximately how many bytes of files the keys in [lower, upper) take.
// Unflushed keys count as zero.
func (s *Store) Size(lower, upper []byte) (uint64, error) {
	n, err := s.db.EstimateDiskUsage(lower, upper)
	return n, explain(s.dir, err)
}
