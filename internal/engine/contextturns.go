package engine

import (
	"context"
	"runtime"
)

// turns lets so many calls at a time go on as it has room for, and the others in
// the order in which they came.
type turns chan struct{}

// newTurns returns turns for calls that mostly compute and at times wait for the
// disk. With many more of them at once, they would wait for each other within the
// store, where nobody keeps an order and a call that is given up waits on.
func newTurns() turns { return make(turns, 4*runtime.GOMAXPROCS(0)) }

// take waits for a turn, which must be given back. It returns the context's error
// if that ends before.
func (t turns) take(ctx context.Context) error {
	// Whoever waits is in the channel's queue, which is served in its order: there
	// is never room while somebody waits.
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// giveBack ends a turn.
func (t turns) giveBack() { <-t }
