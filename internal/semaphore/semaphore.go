// Package semaphore limits how many calls run at the same time. A semaphore is fair: waiting
// calls are served in the order of their arrival. A call whose context ends leaves the queue
// without affecting the others.
package semaphore

import (
	"context"
	"runtime"
)

// FIFO is a fair semaphore. Its capacity is how many calls run at the same time.
type FIFO chan struct{}

// New returns a semaphore for n calls at the same time.
func New(n int) FIFO { return make(FIFO, n) }

// PerProcessor returns a semaphore for calls that mostly compute and sometimes wait for the
// disk. Many more of them at the same time would wait for each other within the store, which is
// not fair and in which a cancelled call keeps waiting.
func PerProcessor() FIFO { return New(4 * runtime.GOMAXPROCS(0)) }

// Acquire waits for a slot, which [FIFO.Release] returns. It returns the context's error if the
// context ends first.
func (s FIFO) Acquire(ctx context.Context) error {
	// Waiting callers are in the channel's queue, which is served in order: there is never a
	// free slot while a caller waits.
	select {
	case s <- struct{}{}:
		return nil
	default:
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release returns a slot.
func (s FIFO) Release() { <-s }
