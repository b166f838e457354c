package intake

import (
	"container/list"
	"context"
	"sync"
)

// room is a FIFO semaphore that limits the number of events inside, and their bytes.
// Because it is FIFO, small events do not overtake a large one forever.
type room struct {
	maxEvents, maxBytes int

	mu            sync.Mutex
	events, bytes int
	closed        bool
	waiters       list.List // of *waiter
}

// waiter is a caller that waits for room.
type waiter struct {
	bytes int
	in    chan error // closed, or sent an error, when the wait ends
}

func newRoom(maxEvents, maxBytes int) *room {
	return &room{maxEvents: maxEvents, maxBytes: maxBytes}
}

// enter takes room for an event, or returns why there is none.
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
	case err := <-w.in: // it was admitted meanwhile
		return err
	default:
	}
	r.waiters.Remove(at)
	r.admit() // waiters behind it may fit
	return ctx.Err()
}

// leave releases room.
func (r *room) leave(events, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events -= events
	r.bytes -= bytes
	r.admit()
}

// close refuses all waiters, and all later callers.
func (r *room) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for at := r.waiters.Front(); at != nil; at = r.waiters.Front() {
		r.waiters.Remove(at).(*waiter).in <- errClosed()
	}
}

// taken returns how much is inside.
func (r *room) taken() (events, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events, r.bytes
}

// admit admits waiters that fit, in order.
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

// fits reports whether there is room. A single event always fits.
func (r *room) fits(bytes int) bool {
	return r.events == 0 || r.events < r.maxEvents && r.bytes+bytes <= r.maxBytes
}
