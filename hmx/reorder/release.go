package reorder

import (
	"strconv"

	"lukasa.dev/hmx"
)

// Disposition says how an event came to be released.
type Disposition uint8

// The dispositions.
const (
	// InOrder: its sequence follows the highest one released before it.
	InOrder Disposition = iota
	// AfterGap: sequences before it are missing, and the window ran out, its own
	// or that of an event which comes after it.
	AfterGap
	// Evicted: sequences before it are missing, and it was let out before the
	// window ran out because a limit was hit.
	Evicted
	// Flushed: sequences before it are missing, and Flush let it out.
	Flushed
	// Late: its place has passed, a higher sequence was released before it.
	Late
	// Tied: its sequence is that of the event released before it. Ties come in the
	// order of timestamp and event id if they were held together.
	Tied

	dispositions = iota
)

// CountsAsLate reports whether the event is to be reported as late: its place has
// passed, or another has its sequence.
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

// Release is one event that may go on.
type Release struct {
	Event       *hmx.Event
	Disposition Disposition
	// Missing is the sequences that were not waited for any longer. It ends at the
	// event's own sequence, and is empty but for AfterGap, Evicted and Flushed.
	Missing Range
}

// Stats is what a buffer holds and has done.
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

// Stats returns what the buffer holds and has done.
func (b *Buffer) Stats() Stats {
	return Stats{
		Events: b.queue.len, Bytes: b.bytes, Sessions: len(b.sessions), Names: b.idle.names, Waiting: len(b.sessions) - b.idle.len,
		InOrder: b.counts[InOrder], AfterGap: b.counts[AfterGap], Evicted: b.counts[Evicted],
		Flushed: b.counts[Flushed], Late: b.counts[Late], Tied: b.counts[Tied],
	}
}
