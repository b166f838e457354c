package auth

import (
	"context"
	"sync"
	"time"

	"lukasa.dev"
)

// watch is somebody who wants to know when a credential ends.
type watch struct {
	gone chan struct{}
	once sync.Once
}

func (w *watch) end() { w.once.Do(func() { close(w.gone) }) }

// Watch returns a channel that is closed as soon as the credential of a caller is revoked,
// or it or the scope that the call is held to is over. What is over already is closed. The
// caller must call stop when it is through.
func (s *Store) Watch(p *Principal) (gone <-chan struct{}, stop func()) {
	w := &watch{gone: make(chan struct{})}
	over := s.scopeEnds(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.keys[p.Key]
	if e == nil && len(p.Key) == idLength || e != nil && e.key.State(s.clock()) != Active {
		w.end()
		return w.gone, func() {}
	}
	if e != nil {
		over = earlier(over, e.key.Expires)
		e.watches[w] = true
	}
	halt := s.until(w, over)
	return w.gone, sync.OnceFunc(func() {
		halt()
		s.mu.Lock()
		defer s.mu.Unlock()
		if e != nil {
			delete(e.watches, w)
		}
	})
}

// scopeEnds returns when the scope of a caller is over, or zero if it has none. One that
// is not good any more was over long ago.
func (s *Store) scopeEnds(p *Principal) time.Time {
	if p.Scope == "" {
		return time.Time{}
	}
	granted, err := s.board.Tenant(p.Tenant, lukasa.Writer{}).CheckScope(context.Background(), p.Scope)
	if err != nil {
		return time.Unix(0, 0)
	}
	return granted.Expires
}

// earlier returns the earlier of two times, where zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// longestWait is after how long the clock is looked at again, since it may have been set.
const longestWait = time.Hour

// until ends a watch when a time has come, and returns what stops that.
func (s *Store) until(w *watch, over time.Time) (halt func()) {
	if over.IsZero() {
		return func() {}
	}
	var mu sync.Mutex
	var halted bool
	var stop func() bool
	var look func()
	look = func() {
		left := over.Sub(s.clock())
		if left <= 0 {
			w.end()
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !halted {
			stop = s.after(min(left, longestWait), look)
		}
	}
	look()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if halted = true; stop != nil {
			stop()
		}
	}
}
