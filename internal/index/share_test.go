package index_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"lukasa.dev/internal/index"
)

// TestShare: every item is processed once, the error of the first part is
// returned, and a panic is passed on to the caller.
func TestShare(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{0, 1, 3, 4, 1000} {
		done := make([]atomic.Int32, n)
		for times, parts := range []int{index.Workers(n, 1), index.Parts(n, 1)} {
			err := index.Share(n, parts, func(_, from, to int) error {
				for i := from; i < to; i++ {
					done[i].Add(1)
				}
				return nil
			})
			for i := range done {
				if int(done[i].Load()) != times+1 || err != nil {
					t.Fatalf("%d of %d was done %d times, %v", i, n, done[i].Load(), err)
				}
			}
		}
	}
	first := errors.New("first")
	if err := index.Share(4, 4, func(part, _, _ int) error {
		return []error{nil, first, errors.New("second"), nil}[part]
	}); err != first {
		t.Error(err)
	}
	for bad := range 4 {
		func() {
			defer func() {
				if r := recover(); r != bad {
					t.Errorf("part %d: %v", bad, r)
				}
			}()
			_ = index.Share(4, 4, func(part, _, _ int) error {
				if part == bad {
					panic(part)
				}
				return nil
			})
		}()
	}
}
