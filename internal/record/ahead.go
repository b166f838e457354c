package record

import "sync/atomic"

// aheadChunk is how many items are processed between two signals.
const aheadChunk = 64

// Ahead processes a list ahead of the goroutine that consumes it: it hashes
// payloads while they are written.
type Ahead struct {
	done  atomic.Int64
	ready chan struct{} // one per chunk; nil when all is done
}

// RunAhead calls work for consecutive parts of a list of n items, on a
// goroutine of its own. A short list is processed before it returns.
func RunAhead(n int, work func(from, to int)) *Ahead {
	a := &Ahead{}
	if n <= 2*aheadChunk {
		work(0, n)
		a.done.Store(int64(n))
		return a
	}
	a.ready = make(chan struct{}, n/aheadChunk+1)
	go func() {
		for from := 0; from < n; from += aheadChunk {
			to := min(from+aheadChunk, n)
			work(from, to)
			a.done.Store(int64(to))
			a.ready <- struct{}{}
		}
	}()
	return a
}

// Wait returns once the work on item i is done. It is for one goroutine.
func (a *Ahead) Wait(i int) {
	for a.done.Load() <= int64(i) {
		<-a.ready
	}
}
