package auth

import (
	"context"
	"sync"
	"time"

	"lukasa.dev"
)

// watch waits for the end of a credential.
type watch struct {
	gone chan struct{}
	once sync.Once
}

func (w *watch) end() { w.once.Do(func() { close(w.gone) }) }

// Watch returns a channel that is closed as soon as the credential of a caller is revoked, or
// it or the scope of the call expires. If that has happened already, the channel is closed. The
// caller must call stop when it is done.
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

// scopeEnds returns when the scope of a caller expires, or zero if it has none. For an invalid
// scope it is a time in the past.
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

// earlier returns the earlier of two times, where zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// longestWait is the interval at which the clock is checked again, since it may have been set.
const longestWait = time.Hour

// until ends a watch at a time, and returns the function that cancels that.
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
