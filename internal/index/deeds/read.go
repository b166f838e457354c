package deeds

import (
	"bytes"
	"encoding/binary"

	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/trace"
)

// Place is the place of an event: its session, its order in it, and its position.
type Place struct {
	Session             index.Digest
	Sequence, Timestamp int64
	Position            uint64
}

// before reports whether a place comes before another one of the same session.
func (p *Place) before(q *Place) bool {
	switch {
	case p.Sequence != q.Sequence:
		return p.Sequence < q.Sequence
	case p.Timestamp != q.Timestamp:
		return p.Timestamp < q.Timestamp
	}
	return p.Position < q.Position
}

// Compare orders places by session, and within one by the order of the session.
func (p *Place) Compare(q *Place) int {
	switch n := bytes.Compare(p.Session[:], q.Session[:]); {
	case n != 0:
		return n
	case p.before(q):
		return -1
	case q.before(p):
		return 1
	}
	return 0
}

// Newest calls visit with the actions of a kin, newest record first, until it returns
// false.
func Newest(r kv.Reader, tenant uint32, kin index.Digest, visit func(Place) bool) error {
	prefix := index.NewKey(nil, Prefix, tableKin, tenant).Digest(kin)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err == nil && len(v) != 32 {
			err = errGlance()
		}
		if err != nil {
			it.Close()
			return err
		}
		at := Place{
			Session: index.Digest(v[:16]), Sequence: int64(binary.BigEndian.Uint64(v[16:])), Timestamp: int64(binary.BigEndian.Uint64(v[24:])),
			Position: ^last(it.Key()),
		}
		if !visit(at) {
			break
		}
	}
	return it.Close()
}

// maxPassed is how many hidden events a walker skips in total. What is behind more of them
// is not found.
const maxPassed = 1 << 17

// Walker walks through sessions. It is for many queries in a row and for one goroutine,
// and must be closed.
type Walker struct {
	it     *kv.Iter
	tenant uint32
	shown  func(position uint64) bool
	passed int // events that are not shown
	key    []byte
	glance trace.Glance
}

// NewWalker returns a walker over the sessions of a tenant that sees the events at the
// positions that are shown; nil shows all.
func NewWalker(r kv.Reader, tenant uint32, shown func(position uint64) bool) (*Walker, error) {
	prefix := index.NewKey(nil, Prefix, tableSession, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	return &Walker{it: it, tenant: tenant, shown: shown}, nil
}

// Back returns the place that many events before one, or the first if there are fewer.
func (w *Walker) Back(at Place, events int) Place {
	w.key = sessionKey(w.key, w.tenant, at)
	for ok := w.it.SeekBefore(w.key); ok && events > 0 && w.passed < maxPassed && w.of(at.Session); ok = w.it.Prev() {
		if p := w.at(at.Session); w.shows(p.Position) {
			at = p
			events--
		}
	}
	return at
}

// shows reports whether a position is shown, and counts hidden ones.
func (w *Walker) shows(position uint64) bool {
	if w.shown == nil || w.shown(position) {
		return true
	}
	w.passed++
	return false
}

// On calls visit with the events of a session from a place on, until it returns false. The
// glance is valid during the call.
func (w *Walker) On(from Place, visit func(Place, *trace.Glance) bool) error {
	w.key = sessionKey(w.key, w.tenant, from)
	for ok := w.it.Seek(w.key); ok && w.passed < maxPassed && w.of(from.Session); ok = w.it.Next() {
		at := w.at(from.Session)
		if !w.shows(at.Position) {
			continue
		}
		v, err := w.it.Value()
		if err != nil {
			return err
		}
		if err := readGlance(v, &w.glance); err != nil {
			return err
		}
		if !visit(at, &w.glance) {
			break
		}
	}
	return w.it.Err()
}

// of reports whether the walker is within a session.
func (w *Walker) of(session index.Digest) bool {
	return bytes.Equal(w.it.Key()[6:22], session[:])
}

// at returns the place that the walker is at.
func (w *Walker) at(session index.Digest) Place {
	rest := w.it.Key()[22:]
	return Place{Session: session, Sequence: index.Int64At(rest), Timestamp: index.Int64At(rest[8:]), Position: last(rest)}
}

// Close ends the walk and returns its first error.
func (w *Walker) Close() error { return w.it.Close() }
