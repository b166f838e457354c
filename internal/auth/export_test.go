package auth

import "time"

// After replaces what a store waits with.
func (s *Store) After(after func(time.Duration, func()) func() bool) { s.after = after }
