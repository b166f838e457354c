package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// TestTurnsInOrder: whoever waits for a turn gets it in the order of coming, and
// nobody who comes later is let in before. One that is given up costs nobody his
// turn.
func TestTurnsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const room, waiters = 3, 50
		turn := make(turns, room)
		for range room {
			if err := turn.take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		cancelled, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex // many leave at once
		var had, left []int
		for i := range waiters {
			ctx := t.Context()
			if i%5 == 0 {
				ctx = cancelled
			}
			go func() {
				err := turn.take(ctx)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					had = append(had, i)
				case errors.Is(err, context.Canceled):
					left = append(left, i)
				default:
					t.Error(err)
				}
			}()
			synctest.Wait() // it waits
		}
		cancel()
		synctest.Wait()
		if len(left) != waiters/5 || len(had) != 0 {
			t.Fatalf("%v left and %v were let in", left, had)
		}
		for i, n := 0, 0; i < waiters; i++ {
			if i%5 == 0 {
				continue
			}
			turn.giveBack()
			// The turn is the waiter's, although he has not seen it yet.
			if err := turn.take(cancelled); !errors.Is(err, context.Canceled) {
				t.Fatal("one who came later was let in: ", err)
			}
			synctest.Wait()
			if n++; len(had) != n || had[n-1] != i {
				t.Fatalf("%v were let in, want %d next", had, i)
			}
		}
		for range room {
			turn.giveBack()
		}
		if len(turn) != 0 {
			t.Error("turns were lost: ", len(turn))
		}
	})
}
