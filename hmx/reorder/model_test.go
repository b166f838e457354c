package reorder

import (
	"cmp"
	"math"
	"slices"
	"time"

	"lukasa.dev/hmx"
)

// model is a naive buffer: lists that are searched and sorted again at every step.
type model struct {
	opts     Options
	now      time.Time
	sessions []*modelSession // remembered, most recently used first
	arrivals int
	out      []Release
}

type modelSession struct {
	key  key
	high int64
	held []modelHeld
}

type modelHeld struct {
	event    *hmx.Event
	arrival  int
	deadline time.Time
}

func (m *model) push(now time.Time, events []*hmx.Event) []Release {
	m.advance(now)
	events = slices.Clone(events)
	slices.SortStableFunc(events, hmx.CompareEvents)
	for i, ev := range events {
		k := key{ev.TenantID, ev.SessionID}
		at := slices.IndexFunc(m.sessions, func(s *modelSession) bool { return s.key == k })
		if at < 0 {
			s := &modelSession{key: k, high: -1}
			if m.opts.Next != nil {
				if next, ok := m.opts.Next(k.tenant, k.session); ok && next == math.MinInt64 {
					s.high = math.MaxInt64
				} else if ok {
					s.high = max(next, 0) - 1
				}
			}
			m.sessions = append(m.sessions, s)
			at = len(m.sessions) - 1
		}
		s := m.sessions[at]
		m.sessions = slices.Insert(slices.Delete(m.sessions, at, at+1), 0, s)
		s.held = append(s.held, modelHeld{ev, m.arrivals, m.now.Add(m.opts.Window)})
		m.arrivals++
		m.flow(s)
		lastOfGroup := i == len(events)-1 || events[i+1].TenantID != ev.TenantID || events[i+1].SessionID != ev.SessionID
		for lastOfGroup && (len(s.held) > m.opts.MaxSessionEvents || s.bytes() > m.opts.MaxSessionBytes) {
			m.letOut(s, Evicted)
		}
	}
	return m.finish()
}

func (m *model) flush() []Release {
	m.out = nil
	for s := m.longest(); s != nil; s = m.longest() {
		m.letOut(s, Flushed)
	}
	return m.finish()
}

// advance sets the clock and releases what has waited for its window.
func (m *model) advance(now time.Time) {
	m.out = nil
	if now.After(m.now) {
		m.now = now
	}
	for s := m.longest(); s != nil && !s.oldest().deadline.After(m.now); s = m.longest() {
		m.letOut(s, AfterGap)
	}
}

// finish enforces the limits over all sessions.
func (m *model) finish() []Release {
	for {
		events, bytes := m.size()
		if events <= m.opts.MaxEvents && bytes <= m.opts.MaxBytes {
			break
		}
		m.letOut(m.longest(), Evicted)
	}
	for i := len(m.sessions) - 1; i >= 0 && len(m.sessions) > m.opts.MaxSessions; i-- {
		if len(m.sessions[i].held) == 0 {
			m.sessions = slices.Delete(m.sessions, i, i+1)
		}
	}
	return m.out
}

// letOut releases the lowest event of s and what follows without a gap.
func (m *model) letOut(s *modelSession, why Disposition) {
	m.release(s, why)
	m.flow(s)
	if len(s.held) == 0 { // becoming idle counts as use
		at := slices.Index(m.sessions, s)
		m.sessions = slices.Insert(slices.Delete(m.sessions, at, at+1), 0, s)
	}
}

// flow releases what is not above the next expected sequence.
func (m *model) flow(s *modelSession) {
	for len(s.held) > 0 {
		s.sort()
		if q := s.held[0].event.Sequence; q > s.high && uint64(q)-uint64(s.high) > 1 {
			return
		}
		m.release(s, InOrder)
	}
}

func (m *model) release(s *modelSession, why Disposition) {
	s.sort()
	ev := s.held[0].event
	s.held = slices.Delete(s.held, 0, 1)
	m.out = append(m.out, judge(s.high, ev, why))
	s.high = max(s.high, ev.Sequence)
}

// judge returns the expected release of ev when high is the highest sequence released before it
// and why is the reason not to wait.
func judge(high int64, ev *hmx.Event, why Disposition) Release {
	switch distance := uint64(ev.Sequence) - uint64(high); {
	case ev.Sequence < high || ev.Sequence < 0:
		return Release{Event: ev, Disposition: Late}
	case distance == 0:
		return Release{Event: ev, Disposition: Tied}
	case distance == 1:
		return Release{Event: ev, Disposition: InOrder}
	}
	return Release{Event: ev, Disposition: why, Missing: Range{high + 1, ev.Sequence}}
}

func (s *modelSession) sort() {
	slices.SortFunc(s.held, func(a, b modelHeld) int {
		return cmp.Or(hmx.CompareEvents(a.event, b.event), cmp.Compare(a.arrival, b.arrival))
	})
}

func (s *modelSession) oldest() modelHeld {
	return slices.MinFunc(s.held, func(a, b modelHeld) int { return cmp.Compare(a.arrival, b.arrival) })
}

func (s *modelSession) bytes() (n int) {
	for _, h := range s.held {
		n += h.event.Size()
	}
	return n
}

// longest returns the session whose oldest event has waited longest.
func (m *model) longest() (found *modelSession) {
	for _, s := range m.sessions {
		if len(s.held) > 0 && (found == nil || s.oldest().arrival < found.oldest().arrival) {
			found = s
		}
	}
	return found
}

func (m *model) size() (events, bytes int) {
	for _, s := range m.sessions {
		events += len(s.held)
		bytes += s.bytes()
	}
	return events, bytes
}
