package auth

import "time"

// After replaces the timer of a store.
func (s *Store) After(after func(time.Duration, func()) func() bool) { s.after = after }
