package hippocortex

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Sequencer counts the events of every session, so that older traces, which have no sequence
// number, get one in the order they are read: 0 first, and then one more than the highest
// number seen in the session. A refused trace gets no number. The zero value is ready. It is
// not safe for concurrent use.
//
// It remembers every session, at some 50 bytes each, whatever the length of their ids.
type Sequencer struct {
	last map[digest]int64
}

// sessionKey names a session: session ids are unique only within a tenant.
type sessionKey struct{ tenant, session string }

// digest identifies a session in a fixed number of bytes.
type digest [sha256.Size]byte

func (k sessionKey) digest() digest {
	h := sha256.New()
	// The length distinguishes pairs of ids with the same concatenation.
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(k.tenant))))
	h.Write([]byte(k.tenant))
	h.Write([]byte(k.session))
	return digest(h.Sum(nil))
}

// Observe records that a session has an event with this sequence number, for example when
// numbering continues after stored events.
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

// Next returns the number of the next event of a session, without consuming it. ok is false if
// the session has no number left.
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
