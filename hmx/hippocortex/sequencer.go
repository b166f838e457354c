package hippocortex

import "math"

// Sequencer counts the events of every session, so that older traces, which have
// no sequence number, get one in the order they are read: 0 first, and always
// one more than the highest number seen in the session. A trace that is refused
// takes no number. The zero value is ready. It is not safe for concurrent use.
type Sequencer struct {
	last map[sessionKey]int64
}

// sessionKey names a session: ids of sessions are unique within a tenant only.
type sessionKey struct{ tenant, session string }

// Observe takes note that a session has an event with this sequence number, as
// when numbering goes on after events that are stored already.
func (s *Sequencer) Observe(tenant, session string, sequence int64) {
	k := sessionKey{tenant, session}
	if last, seen := s.last[k]; seen && last >= sequence {
		return
	}
	if s.last == nil {
		s.last = map[sessionKey]int64{}
	}
	s.last[k] = sequence
}

// Next returns the number that the next event of a session gets. Asking does not
// use it up. ok is false if the session has no number left.
func (s *Sequencer) Next(tenant, session string) (sequence int64, ok bool) {
	last, seen := s.last[sessionKey{tenant, session}]
	switch {
	case !seen:
		return 0, true
	case last == math.MaxInt64:
		return 0, false
	}
	return last + 1, true
}
