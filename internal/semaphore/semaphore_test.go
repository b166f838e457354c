package semaphore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// TestWaitersAreServedInOrder: waiting calls get a slot in the order of their arrival, and no
// later call overtakes them. A cancelled one does not affect the others.
func TestWaitersAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const room, waiters = 3, 50
		turn := New(room)
		for range room {
			if err := turn.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		cancelled, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex // many leave at the same time
		var had, left []int
		for i := range waiters {
			ctx := t.Context()
			if i%5 == 0 {
				ctx = cancelled
			}
			go func() {
				err := turn.Acquire(ctx)
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
			turn.Release()
			// The slot belongs to the waiter, although it has not received it yet.
			if err := turn.Acquire(cancelled); !errors.Is(err, context.Canceled) {
				t.Fatal("one who came later was let in: ", err)
			}
			synctest.Wait()
			if n++; len(had) != n || had[n-1] != i {
				t.Fatalf("%v were let in, want %d next", had, i)
			}
		}
		for range room {
			turn.Release()
		}
		if len(turn) != 0 {
			t.Error("places were lost: ", len(turn))
		}
	})
}
