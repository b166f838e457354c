package reorder

import (
	"cmp"
	"time"

	"lukasa.dev/hmx"
)

// key names a session. It is a struct and not a joined string, so that no choice of ids makes
// two sessions equal.
type key struct{ tenant, session string }

// newKey copies the ids: those of a decoded event are parts of its whole text, which a
// remembered session must not keep alive.
func newKey(ev *hmx.Event) key {
	both := string(append([]byte(ev.TenantID), ev.SessionID...))
	return key{both[:len(ev.TenantID)], both[len(ev.TenantID):]}
}

// of reports whether ev belongs to the session.
func (k key) of(ev *hmx.Event) bool { return k.session == ev.SessionID && k.tenant == ev.TenantID }

// len returns the length of the ids.
func (k key) len() int { return len(k.tenant) + len(k.session) }

// held is one event that waits.
type held struct {
	event      *hmx.Event
	session    *session
	deadline   time.Time
	size       int
	arrival    uint64
	prev, next *held // in the queue
}

// before orders the events of one session.
func (h *held) before(other *held) bool {
	if c := cmp.Compare(h.event.Sequence, other.event.Sequence); c != 0 {
		return c < 0
	}
	if c := hmx.CompareEvents(h.event, other.event); c != 0 {
		return c < 0
	}
	return h.arrival < other.arrival
}

// session is the state of one session.
type session struct {
	key   key
	high  int64   // highest sequence released; -1 before 0
	heap  []*held // held events, the lowest first
	bytes int     // of held events

	newer, older *session // in the list of idle sessions
	idle         bool     // whether it is in that list
}

func (s *session) push(h *held) {
	s.bytes += h.size
	s.heap = append(s.heap, h)
	i := len(s.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(s.heap[parent]) {
			break
		}
		s.heap[i] = s.heap[parent]
		i = parent
	}
	s.heap[i] = h
}

func (s *session) pop() *held {
	top, n := s.heap[0], len(s.heap)-1
	h := s.heap[n]
	s.heap[n] = nil
	s.heap = s.heap[:n]
	s.bytes -= top.size
	if n == 0 {
		s.heap = nil // an idle session keeps no memory for earlier events
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && s.heap[child+1].before(s.heap[child]) {
			child++
		}
		if !s.heap[child].before(h) {
			break
		}
		s.heap[i] = s.heap[child]
		i = child
	}
	s.heap[i] = h
	return top
}

// queue lists held events in order of arrival. As the clock never runs backwards and all wait
// equally long, that is also the order of their deadlines.
type queue struct {
	first, last *held
	len         int
}

func (q *queue) append(h *held) {
	if h.prev = q.last; h.prev == nil {
		q.first = h
	} else {
		h.prev.next = h
	}
	q.last = h
	q.len++
}

func (q *queue) remove(h *held) {
	if h.prev == nil {
		q.first = h.next
	} else {
		h.prev.next = h.next
	}
	if h.next == nil {
		q.last = h.prev
	} else {
		h.next.prev = h.prev
	}
	h.prev, h.next = nil, nil
	q.len--
}

// recency lists idle sessions, the most recently used first.
type recency struct {
	first, last *session
	len         int
	names       int // bytes of their ids
}

// touch moves s to the front, whether it is in the list or not.
func (l *recency) touch(s *session) {
	if l.first == s {
		return
	}
	l.remove(s)
	if s.older = l.first; s.older == nil {
		l.last = s
	} else {
		s.older.newer = s
	}
	l.first, s.idle = s, true
	l.len++
	l.names += s.key.len()
}

// remove removes s if it is in the list.
func (l *recency) remove(s *session) {
	if !s.idle {
		return
	}
	if s.newer == nil {
		l.first = s.older
	} else {
		s.newer.older = s.older
	}
	if s.older == nil {
		l.last = s.newer
	} else {
		s.older.newer = s.newer
	}
	s.newer, s.older, s.idle = nil, nil, false
	l.len--
	l.names -= s.key.len()
}
