package intake

import (
	"container/list"
	"context"
	"sync"
)

// room bounds how many events, and how many bytes of them, are inside. Who finds no
// room waits, the first who came first, so that a large event is not passed by small
// ones for ever.
type room struct {
	maxEvents, maxBytes int

	mu            sync.Mutex
	events, bytes int
	closed        bool
	waiters       list.List // of *waiter
}

// waiter is one who waits for room.
type waiter struct {
	bytes int
	in    chan error // closed, or given an error, when the wait is over
}

func newRoom(maxEvents, maxBytes int) *room {
	return &room{maxEvents: maxEvents, maxBytes: maxBytes}
}

// enter takes room for an event, or says why there is none.
func (r *room) enter(ctx context.Context, bytes int) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return errClosed()
	}
	if r.waiters.Len() == 0 && r.fits(bytes) {
		r.events++
		r.bytes += bytes
		r.mu.Unlock()
		return nil
	}
	w := &waiter{bytes: bytes, in: make(chan error, 1)}
	at := r.waiters.PushBack(w)
	r.mu.Unlock()
	select {
	case err := <-w.in:
		return err
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case err := <-w.in: // it came in between
		return err
	default:
	}
	r.waiters.Remove(at)
	r.admit() // who stood behind may fit where this one did not
	return ctx.Err()
}

// leave gives room back.
func (r *room) leave(events, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events -= events
	r.bytes -= bytes
	r.admit()
}

// close turns everybody away who waits, and who comes later.
func (r *room) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for at := r.waiters.Front(); at != nil; at = r.waiters.Front() {
		r.waiters.Remove(at).(*waiter).in <- errClosed()
	}
}

// taken returns what is inside.
func (r *room) taken() (events, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events, r.bytes
}

// admit lets in who fits, in their order.
func (r *room) admit() {
	for at := r.waiters.Front(); at != nil; at = r.waiters.Front() {
		w := at.Value.(*waiter)
		if !r.fits(w.bytes) {
			return
		}
		r.waiters.Remove(at)
		r.events++
		r.bytes += w.bytes
		w.in <- nil
	}
}

// fits reports whether there is room. One alone always has it.
func (r *room) fits(bytes int) bool {
	return r.events == 0 || r.events < r.maxEvents && r.bytes+bytes <= r.maxBytes
}
