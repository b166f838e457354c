package remote

import (
	"sync"
	"time"
)

// verdict is what an attempt shows about the server.
type verdict int

const (
	unknown   verdict = iota // nothing: the caller gave up
	undecided                // it answered, but badly; that may be due to the request
	well                     // it works
	ill                      // it does not
)

// breaker is a circuit breaker. It lets attempts through while the server works. After several
// consecutive failures it opens and lets none through. After a while it lets one through: on
// success it closes, and otherwise it stays open for the same time again.
type breaker struct {
	limit int
	open  time.Duration
	now   func() time.Time

	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // end of the open state; zero if it is closed
	trying   bool      // the deciding attempt is running
	round    int       // counts openings and closings, so that old attempts are ignored
}

// pass is the permission for one attempt.
type pass struct {
	round int
	only  bool // it is the deciding one
}

// enter reports whether an attempt may be made. If so, leave must follow.
func (b *breaker) enter() (pass, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return pass{round: b.round}, true
	}
	if b.trying || b.now().Before(b.until) {
		return pass{}, false
	}
	b.trying = true
	return pass{round: b.round, only: true}, true
}

// leave reports the result of an attempt.
func (b *breaker) leave(p pass, v verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.round != b.round {
		return
	}
	if p.only {
		b.trying = false
		switch v {
		case unknown: // the next one decides
		case well:
			b.close()
		default:
			b.fail()
		}
		return
	}
	switch v {
	case well:
		b.failures = 0
	case ill:
		b.count(1)
	}
}

// blame counts undecided attempts that turned out to be failures.
func (b *breaker) blame(attempts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		b.count(attempts)
	}
}

// count counts failures while it is closed.
func (b *breaker) count(n int) {
	if b.failures += n; b.failures >= b.limit {
		b.fail()
	}
}

// fail opens it, or keeps it open.
func (b *breaker) fail() {
	b.round++
	b.until = b.now().Add(b.open)
}

func (b *breaker) close() {
	b.round++
	b.until = time.Time{}
	b.failures = 0
}
