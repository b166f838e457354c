// Package semaphore limits how many calls run at the same time. A semaphore is fair: calls
// that wait are served in the order in which they came. A call that gives up its context
// leaves the queue and costs the others nothing.
package semaphore

import (
	"context"
	"runtime"
)

// FIFO is a fair semaphore. Its capacity is how many calls run at the same time.
type FIFO chan struct{}

// New returns a semaphore for n calls at the same time.
func New(n int) FIFO { return make(FIFO, n) }

// PerProcessor returns a semaphore for calls that mostly compute and at times wait for the
// disk. With many more of them at the same time, they would wait for each other within the
// store, which keeps no order and in which a call that is given up waits on.
func PerProcessor() FIFO { return New(4 * runtime.GOMAXPROCS(0)) }

// Acquire waits for a place, which [FIFO.Release] gives back. It returns the context's error
// if the context ends before.
func (s FIFO) Acquire(ctx context.Context) error {
	// Callers that wait are in the channel's queue, which is served in its order: there is
	// never a free place while a caller waits.
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

// Release gives a place back.
func (s FIFO) Release() { <-s }
