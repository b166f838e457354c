// Package reorder restores the order of each session's events in a stream, as HMX-E section 7
// requires of consumers.
//
// A [Buffer] is a pure state machine: it has no goroutine, no timer and no clock. Its owner
// supplies the time, pushes events, and receives the releases.
//
//	push 0  →  0 in order
//	push 2  →  nothing: 1 is missing, so 2 waits
//	push 1  →  1 in order, 2 in order
//	push 5  →  nothing: 3 and 4 are missing
//	  … the window of 5 runs out …
//	advance →  5 after a gap, missing 3 to 4
//	push 4  →  4 late
//
// # What is guaranteed
//
// Sessions are identified by tenant and session id, and never affect each other's order. For
// each session, as long as it is remembered:
//
//   - Every event pushed is released exactly once, at the latest by [Buffer.Flush].
//     Nothing is dropped, whatever limit is reached.
//   - The releases that are neither Late nor Tied have strictly growing sequence
//     numbers, even after a gap, an eviction or a flush.
//   - Let high be the highest sequence released so far, or one below the first
//     expected. A release is InOrder if and only if its sequence is high+1, Tied if
//     it is high, Late if it is below, and otherwise states why it did not wait for
//     the sequences in Missing, which are exactly those between high and it.
//   - A gap-free run is released immediately. An event that waits for others waits no
//     longer than the window, counted from its own arrival; when the window expires,
//     everything of its session up to and including it is released in the order of
//     [hmx.CompareEvents], and then the gap-free run that follows.
//   - Of two events that are held at the same time, or in one batch, the lower by
//     hmx.CompareEvents is released first; equal ones keep their order of arrival.
//
// After every call the limits of [Options] hold. What exceeds a limit is released early and
// reported as Evicted: for a session over its own limits, the lowest sequences first; if all
// sessions together exceed theirs, from the session whose oldest event has waited longest.
//
// Time never runs backwards: a time before the latest one counts as the latest one. An
// operation costs O(log n) per event held or released, where n is the number of events its
// session holds; memory depends on the held events and the remembered sessions, never on the
// size of sequence numbers or gaps.
//
// # What is not
//
// The buffer does not know which sequences below the highest one were released: a repeated one
// below it is Late, not Tied. It does not recognise duplicates: an event pushed twice is
// released twice, the second time as Tied or Late. It does not order events across sessions. A
// forgotten session (see Options.MaxSessions) starts again where Options.Next says. A Buffer is
// not safe for concurrent use.
package reorder

import (
	"math"
	"slices"
	"time"

	"lukasa.dev/hmx"
)

// Buffer holds events that wait for others of their session. Make one with New.
type Buffer struct {
	opts     Options // with defaults filled in
	now      time.Time
	sessions map[key]*session
	queue    queue   // all held events in order of arrival, which is that of deadlines
	idle     recency // sessions that hold nothing, most recently used first
	bytes    int     // of all held events
	arrivals uint64
	counts   [dispositions]uint64
	out      []Release    // what the current call releases
	batch    []*hmx.Event // working memory of PushBatch
}

// New returns an empty buffer, or every problem of the options.
func New(o Options) (*Buffer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Buffer{opts: o.withDefaults(), sessions: map[key]*session{}}, nil
}

// Push adds one event that arrived at now and returns what is released because of it and of the
// time. Events must not be changed while they are held. The slice belongs to the buffer and is
// valid until the next call of any method that returns one. Pushing an event in order to a
// remembered session allocates nothing.
func (b *Buffer) Push(now time.Time, ev *hmx.Event) []Release {
	b.begin(now)
	s := b.session(ev)
	b.place(s, ev)
	b.settle(s)
	return b.end()
}

// PushBatch adds events that arrived together at now, of any sessions and in any order. It
// sorts them before it processes the first, and enforces limits only after the last, so that no
// gap is given up that the batch itself fills. It does not modify its argument; the returned
// slice is as for Push.
func (b *Buffer) PushBatch(now time.Time, events []*hmx.Event) []Release {
	b.begin(now)
	b.batch = append(b.batch[:0], events...)
	slices.SortStableFunc(b.batch, hmx.CompareEvents)
	var s *session
	for _, ev := range b.batch {
		if s == nil || !s.key.of(ev) {
			if s != nil {
				b.settle(s)
			}
			s = b.session(ev)
		}
		b.place(s, ev)
	}
	if s != nil {
		b.settle(s)
	}
	b.batch = shrink(b.batch)
	return b.end()
}

// Advance returns what has waited for its window at now.
func (b *Buffer) Advance(now time.Time) []Release {
	b.begin(now)
	return b.end()
}

// Deadline returns when Advance will next release something. ok is false if nothing waits. An
// owner sets one timer to it after every call.
func (b *Buffer) Deadline() (at time.Time, ok bool) {
	if b.queue.first == nil {
		return time.Time{}, false
	}
	return b.queue.first.deadline, true
}

// Flush returns everything that is held: each session in order, the one that has waited longest
// first. The buffer can still be used; it remembers what it has released.
func (b *Buffer) Flush() []Release {
	b.begin(b.now)
	for b.queue.first != nil {
		b.skip(b.queue.first.session, Flushed)
	}
	return b.end()
}

// begin starts a call: it clears the last releases, sets the clock and releases what has waited
// for its window.
func (b *Buffer) begin(now time.Time) {
	b.out = shrink(b.out)
	if now.After(b.now) {
		b.now = now
	}
	for b.queue.first != nil && !b.queue.first.deadline.After(b.now) {
		b.skip(b.queue.first.session, AfterGap)
	}
}

// place releases ev if its sequence is due or past, and holds it otherwise.
func (b *Buffer) place(s *session, ev *hmx.Event) {
	if ev.Sequence > s.high && ev.Sequence-1 != s.high {
		h := &held{event: ev, session: s, deadline: b.now.Add(b.opts.Window), size: ev.Size(), arrival: b.arrivals}
		b.arrivals++
		s.push(h)
		b.queue.append(h)
		b.bytes += h.size
		return
	}
	b.release(s, ev, InOrder)
	b.run(s)
}

// skip releases the lowest held event of s, for the given reason, and the gap-free run that
// follows.
func (b *Buffer) skip(s *session, why Disposition) {
	b.release(s, b.take(s), why)
	b.run(s)
	if len(s.heap) == 0 {
		b.idle.touch(s)
	}
}

// run releases held events of s as long as nothing is missing in between.
func (b *Buffer) run(s *session) {
	for len(s.heap) > 0 {
		if q := s.heap[0].event.Sequence; q > s.high && q-1 != s.high {
			return
		}
		b.release(s, b.take(s), InOrder)
	}
}

// take removes the lowest held event of s.
func (b *Buffer) take(s *session) *hmx.Event {
	h := s.pop()
	b.queue.remove(h)
	b.bytes -= h.size
	return h.event
}

// release releases ev. why is what to report if earlier sequences are missing.
func (b *Buffer) release(s *session, ev *hmx.Event, why Disposition) {
	r := Release{Event: ev}
	switch q := ev.Sequence; {
	case q < s.high || q < 0:
		r.Disposition = Late
	case q == s.high:
		r.Disposition = Tied
	case q-1 == s.high:
		s.high = q
	default:
		r.Disposition, r.Missing = why, Range{s.high + 1, q}
		s.high = q
	}
	b.counts[r.Disposition]++
	b.out = append(b.out, r)
}

// settle enforces the limits of s and updates its place in the lists.
func (b *Buffer) settle(s *session) {
	for len(s.heap) > b.opts.MaxSessionEvents || s.bytes > b.opts.MaxSessionBytes {
		b.skip(s, Evicted)
	}
	if len(s.heap) == 0 {
		b.idle.touch(s)
	} else {
		b.idle.remove(s)
	}
}

// end enforces the overall limits and returns what was released. Sessions are forgotten only
// here, so that Options.Next is never called for a session whose latest releases its owner has
// not seen.
func (b *Buffer) end() []Release {
	for b.queue.len > b.opts.MaxEvents || b.bytes > b.opts.MaxBytes {
		b.skip(b.queue.first.session, Evicted)
	}
	b.forget()
	return b.out
}

// forget drops the sessions that have been idle longest until at most MaxSessions are left, or
// all that are left hold events, and the ids of the idle ones have at most MaxNameBytes.
func (b *Buffer) forget() {
	for (len(b.sessions) > b.opts.MaxSessions || b.idle.names > b.opts.MaxNameBytes) && b.idle.last != nil {
		s := b.idle.last
		b.idle.remove(s)
		delete(b.sessions, s.key)
	}
}

// session returns the session of ev, and creates it if it is not remembered.
func (b *Buffer) session(ev *hmx.Event) *session {
	if s := b.sessions[key{ev.TenantID, ev.SessionID}]; s != nil {
		return s
	}
	s := &session{key: newKey(ev), high: -1}
	if b.opts.Next != nil {
		if next, ok := b.opts.Next(s.key.tenant, s.key.session); ok && (next > 0 || next == math.MinInt64) {
			s.high = next - 1 // the smallest number wraps around to the largest
		}
	}
	b.sessions[s.key] = s
	return s
}

// keep is how many elements of working memory stay allocated between calls.
const keep = 16384

// shrink empties list, clears its references, and frees its memory if there is much of it.
func shrink[T any](list []T) []T {
	if cap(list) > keep {
		return nil
	}
	clear(list)
	return list[:0]
}
