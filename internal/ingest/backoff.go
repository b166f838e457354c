package ingest

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff returns waits that double up to a limit, each randomly up to half shorter,
// so that many waiters do not return at the same moment.
type backoff struct {
	min, max time.Duration
	now      time.Duration
}

// next returns how long to wait, and makes the next wait longer.
func (b *backoff) next() time.Duration {
	b.now = min(max(2*b.now, b.min), b.max)
	half := b.now / 2
	return half + rand.N(b.now-half+1)
}

// reset makes the next wait short again.
func (b *backoff) reset() { b.now = 0 }

// sleep waits, and reports whether it completed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
