package reorder

import (
	"strconv"

	"lukasa.dev/hmx"
)

// Disposition is why and how an event was released.
type Disposition uint8

// The dispositions.
const (
	// InOrder: its sequence follows the highest one released before it.
	InOrder Disposition = iota
	// AfterGap: earlier sequences are missing, and the window expired, its own or that of a
	// later event.
	AfterGap
	// Evicted: earlier sequences are missing, and it was released before the window expired
	// because a limit was reached.
	Evicted
	// Flushed: earlier sequences are missing, and Flush released it.
	Flushed
	// Late: a higher sequence was released before it.
	Late
	// Tied: it has the sequence of the event released before it. Ties are in the order of
	// timestamp and event id if they were held together.
	Tied

	dispositions = iota
)

// CountsAsLate reports whether the event is to be reported as late: a higher or the same
// sequence was released before.
func (d Disposition) CountsAsLate() bool { return d == Late || d == Tied }

// String returns the name of the disposition, for logs and metrics.
func (d Disposition) String() string {
	if d < dispositions {
		return [dispositions]string{"in_order", "after_gap", "evicted", "flushed", "late", "tied"}[d]
	}
	return "disposition " + strconv.Itoa(int(d))
}

// Range is the sequence numbers from First up to, but not including, End.
type Range struct{ First, End int64 }

// Len returns how many sequence numbers there are.
func (r Range) Len() int64 { return r.End - r.First }

// Release is one released event.
type Release struct {
	Event       *hmx.Event
	Disposition Disposition
	// Missing is the sequences that the buffer no longer waits for. It ends at the event's own
	// sequence, and is empty except for AfterGap, Evicted and Flushed.
	Missing Range
}

// Stats is the state and the counters of a buffer.
type Stats struct {
	Events   int // held
	Bytes    int // held, by hmx.Event.Size
	Sessions int // remembered
	Names    int // bytes of the ids of those that hold nothing
	Waiting  int // sessions among them that hold events

	InOrder  uint64 // released, by disposition, since New
	AfterGap uint64
	Evicted  uint64
	Flushed  uint64
	Late     uint64
	Tied     uint64
}

// Released returns how many events have been released since New.
func (s Stats) Released() uint64 {
	return s.InOrder + s.AfterGap + s.Evicted + s.Flushed + s.Late + s.Tied
}

// Stats returns the state and the counters of the buffer.
func (b *Buffer) Stats() Stats {
	return Stats{
		Events: b.queue.len, Bytes: b.bytes, Sessions: len(b.sessions), Names: b.idle.names, Waiting: len(b.sessions) - b.idle.len,
		InOrder: b.counts[InOrder], AfterGap: b.counts[AfterGap], Evicted: b.counts[Evicted],
		Flushed: b.counts[Flushed], Late: b.counts[Late], Tied: b.counts[Tied],
	}
}
