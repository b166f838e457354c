package hippocortex

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Sequencer counts the events of every session, so that older traces, which have
// no sequence number, get one in the order they are read: 0 first, and always
// one more than the highest number seen in the session. A trace that is refused
// takes no number. The zero value is ready. It is not safe for concurrent use.
//
// It remembers every session it has met, at some 50 bytes each however long their
// ids are.
type Sequencer struct {
	last map[digest]int64
}

// sessionKey names a session: ids of sessions are unique within a tenant only.
type sessionKey struct{ tenant, session string }

// digest names a session in as many bytes as any other.
type digest [sha256.Size]byte

func (k sessionKey) digest() digest {
	h := sha256.New()
	// The length keeps two ids from being taken for two others joined elsewhere.
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(k.tenant))))
	h.Write([]byte(k.tenant))
	h.Write([]byte(k.session))
	return digest(h.Sum(nil))
}

// Observe takes note that a session has an event with this sequence number, as
// when numbering goes on after events that are stored already.
func (s *Sequencer) Observe(tenant, session string, sequence int64) {
	k := sessionKey{tenant, session}.digest()
	if last, seen := s.last[k]; seen && last >= sequence {
		return
	}
	if s.last == nil {
		s.last = map[digest]int64{}
	}
	s.last[k] = sequence
}

// Next returns the number that the next event of a session gets. Asking does not
// use it up. ok is false if the session has no number left.
func (s *Sequencer) Next(tenant, session string) (sequence int64, ok bool) {
	last, seen := s.last[sessionKey{tenant, session}.digest()]
	switch {
	case !seen:
		return 0, true
	case last == math.MaxInt64:
		return 0, false
	}
	return last + 1, true
}
