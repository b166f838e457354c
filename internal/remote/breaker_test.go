package remote

import (
	"testing"
	"time"
)

// Attempts that began before the breaker opened or closed are ignored afterwards.
func TestOldAttemptsHaveNoSay(t *testing.T) {
	now := time.Unix(0, 0)
	b := &breaker{limit: 2, open: time.Minute, now: func() time.Time { return now }}
	enter := func(want bool) pass {
		t.Helper()
		p, ok := b.enter()
		if ok != want {
			t.Fatalf("let through: %v", ok)
		}
		return p
	}
	first, second, slow, slower, slowest := enter(true), enter(true), enter(true), enter(true), enter(true)
	b.leave(first, ill)
	b.leave(second, ill)
	enter(false)
	b.leave(slow, well) // does not close it
	enter(false)
	now = now.Add(time.Minute)
	decides := enter(true)
	b.leave(slower, ill) // does not open it for longer
	enter(false)
	b.leave(decides, well)
	b.leave(slowest, ill) // is not the first of two
	b.leave(enter(true), ill)
	b.leave(enter(true), well)
	b.blame(2)
	enter(false)
	b.blame(2) // no effect if it is open already
	now = now.Add(time.Minute)
	b.leave(enter(true), undecided) // is not good enough
	enter(false)
}
