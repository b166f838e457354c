package ingest

import (
	"sync"
	"sync/atomic"
)

// Stats is the state of a consumer, and its counters since it was made.
type Stats struct {
	Connected bool
	Connects  uint64 // how often it has connected
	Failures  uint64 // calls of the broker that failed
	LastError string // of the newest of them

	Consumed    uint64 // messages fetched
	Received    uint64 // bytes of these
	Redelivered uint64 // of these, delivered before
	Recorded    uint64 // events recorded, late ones included
	Late        uint64
	Duplicates  uint64 // on record before
	Dead        uint64 // dead letters
	Retried     uint64 // retries after temporary errors
	Acked       uint64 // messages acknowledged, dead letters not included

	InFlight int   // fetched and not acknowledged
	Bytes    int64 // of these
	Lag      int64 // unacknowledged, as last measured; -1 if never
}

// counts are the numbers behind Stats.
type counts struct {
	connects, failures, consumed, received, redelivered, recorded, late, duplicates, dead, retried, acked atomic.Uint64
	inFlight, bytes, lag                                                                                  atomic.Int64

	mu        sync.Mutex
	isUp      bool
	lastError string
}

func (n *counts) connected(up bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.isUp = up
	if up {
		n.connects.Add(1)
	}
}

func (n *counts) trouble(err error) {
	n.failures.Add(1)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.lastError = err.Error()
	}
}

// Stats returns the counters of the consumer.
func (c *Consumer) Stats() Stats {
	n := &c.counts
	n.mu.Lock()
	defer n.mu.Unlock()
	return Stats{
		Connected: n.isUp, LastError: n.lastError,
		Connects: n.connects.Load(), Failures: n.failures.Load(), Consumed: n.consumed.Load(), Received: n.received.Load(), Redelivered: n.redelivered.Load(),
		Recorded: n.recorded.Load(), Late: n.late.Load(), Duplicates: n.duplicates.Load(), Dead: n.dead.Load(),
		Retried: n.retried.Load(), Acked: n.acked.Load(),
		InFlight: int(n.inFlight.Load()), Bytes: n.bytes.Load(), Lag: n.lag.Load(),
	}
}
