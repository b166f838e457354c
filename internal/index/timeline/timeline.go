// Package timeline is the index of events: by session, agent, trace,
// correlation, parent, and end of life.
//
// # Tables
//
//	s  tenant, session, sequence, timestamp, position → event type
//	S  tenant, session                                → summary of the session
//	a  tenant, agent, timestamp, position             → event type
//	A  tenant, agent                                  → summary of the agent
//	r  tenant, trace, timestamp, position             → event type
//	c  tenant, correlation, timestamp, position       → event type
//	k  tenant, parent's record id, position           → event type, the children of an event
//	x  tenant, end of life, position                  → nothing
//
// # What is guaranteed
//
// A session is read in the order (sequence, timestamp, event id). The id is
// not in the key: if sequence and timestamp are equal, the reader compares the
// ids of the events themselves. An erased event leaves nothing here, even if
// it was unreadable when it was erased.
//
// # What is not
//
// The index holds positions, not events. A parent need not exist.
package timeline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
)

// Prefix is the first byte of the timeline's keys.
const Prefix = 'T'

const format = 1

const (
	tableSession     = 's'
	tableSessions    = 'S'
	tableAgent       = 'a'
	tableAgents      = 'A'
	tableTrace       = 'r'
	tableCorrelation = 'c'
	tableChildren    = 'k'
	tableExpiry      = 'x'
)

// Summary summarizes a session or an agent. First and last are by the order of
// the session, or by timestamp for an agent.
type Summary struct {
	ID     string `json:"id"`
	Events uint64 `json:"events"`
	First  Moment `json:"first"`
	Last   Moment `json:"last"`

	// stale is set when an event was removed, so that first and last must be
	// looked up again.
	stale bool
}

// Moment is a place in the order of a session, or of an agent's events, where
// the sequence is zero.
type Moment struct {
	Sequence  int64 `json:"sequence,omitempty"`
	Timestamp int64 `json:"timestamp"` // nanoseconds
}

// before reports whether m comes before n.
func (m Moment) before(n Moment) bool {
	return m.Sequence < n.Sequence || m.Sequence == n.Sequence && m.Timestamp < n.Timestamp
}

// Timeline is the fold. It keeps the summaries of the current group in memory.
type Timeline struct {
	touched map[summaryKey]*Summary
	names   map[string]index.Digest // digests of sessions and agents seen lately
	room    []byte
}

// summaryKey identifies a summary.
type summaryKey struct {
	table  byte
	tenant uint32
	name   index.Digest
}

// maxNames limits the cache of digests.
const maxNames = 4096

// New returns a timeline with empty caches.
func New() *Timeline {
	t := &Timeline{}
	t.Reset()
	return t
}

// Name is the fold's name.
func (t *Timeline) Name() string { return "timeline" }

// Prefix is the first byte of the fold's keys.
func (t *Timeline) Prefix() byte { return Prefix }

// Format is the number of the fold's layout.
func (t *Timeline) Format() uint32 { return format }

// Reset empties the caches.
func (t *Timeline) Reset() {
	t.touched, t.names = make(map[summaryKey]*Summary), make(map[string]index.Digest)
}

// digest is index.DigestOf with a cache.
func (t *Timeline) digest(name string) index.Digest {
	if d, ok := t.names[name]; ok {
		return d
	}
	if len(t.names) >= maxNames {
		clear(t.names)
	}
	d := index.DigestOf(name)
	t.names[strings.Clone(name)] = d
	return d
}

// summary returns the summary of a session or an agent within the group, or an
// empty one.
func (t *Timeline) summary(tx *kv.Txn, table byte, tenant uint32, name index.Digest) (*Summary, error) {
	key := summaryKey{table, tenant, name}
	if s := t.touched[key]; s != nil {
		return s, nil
	}
	s, _, err := summaryAt(tx, table, tenant, name)
	if err != nil {
		return nil, err
	}
	t.touched[key] = s
	return s, nil
}

func summaryAt(r kv.Reader, table byte, tenant uint32, name index.Digest) (*Summary, bool, error) {
	v, ok, err := r.Get(index.NewKey(nil, Prefix, table, tenant).Digest(name), nil)
	if err != nil || !ok {
		return &Summary{}, false, err
	}
	s, err := decodeSummary(v)
	return s, err == nil, err
}

func decodeSummary(v []byte) (*Summary, error) {
	s := new(Summary)
	if err := json.Unmarshal(v, s); err != nil {
		return nil, fault.Newf(fault.Damaged, "a summary in the timeline cannot be read: %w", err)
	}
	return s, nil
}

// Late reports whether an event of its session with a higher or equal sequence
// was recorded before it.
func (t *Timeline) Late(tx *kv.Txn, tenant uint32, ev *hmx.Event) (bool, error) {
	s, err := t.summary(tx, tableSessions, tenant, t.digest(ev.SessionID))
	if err != nil {
		return false, err
	}
	return s.Events > 0 && ev.Sequence <= s.Last.Sequence, nil
}

// Apply adds an event, or removes erased ones.
func (t *Timeline) Apply(tx *kv.Txn, r *index.Record) error {
	switch {
	case r.Event != nil:
		return t.add(tx, r)
	case len(r.Targets) > 0:
		return t.takeOut(tx, r)
	}
	return nil
}

// takeOut removes the targets of a record.
func (t *Timeline) takeOut(tx *kv.Txn, r *index.Record) error {
	lost := make(map[uint64]bool)
	for i := range r.Targets {
		switch target := &r.Targets[i]; {
		case target.Event != nil:
			if err := t.remove(tx, target); err != nil {
				return err
			}
		case target.Damaged && target.Header.Kind == record.Event:
			lost[target.Header.Position] = true
		}
		// A blank one was blank when it was folded, or was removed before.
	}
	if len(lost) == 0 {
		return nil
	}
	return t.search(tx, r.Tenant, lost)
}

// sessionKey is the key that every event has.
func (t *Timeline) sessionKey(r *index.Record) index.Key {
	ev := r.Event
	return index.NewKey(t.room, Prefix, tableSession, r.Tenant).Digest(t.digest(ev.SessionID)).
		Int64(ev.Sequence).Int64(index.Nanos(ev.Timestamp.Time())).Uint64(r.Header.Position)
}

// keys calls visit with every key of an event, valid during the call.
func (t *Timeline) keys(r *index.Record, visit func(key []byte) error) error {
	ev, n, pos := r.Event, r.Tenant, r.Header.Position
	at := index.Nanos(ev.Timestamp.Time())
	k := t.sessionKey(r)
	if err := visit(k); err != nil {
		return err
	}
	k = index.NewKey(k, Prefix, tableAgent, n).Digest(t.digest(ev.AgentID)).Int64(at).Uint64(pos)
	if err := visit(k); err != nil {
		return err
	}
	if ev.TraceID.Value != "" {
		k = index.NewKey(k, Prefix, tableTrace, n).Digest(t.digest(ev.TraceID.Value)).Int64(at).Uint64(pos)
		if err := visit(k); err != nil {
			return err
		}
	}
	if ev.CorrelationID.Value != "" {
		k = index.NewKey(k, Prefix, tableCorrelation, n).Digest(t.digest(ev.CorrelationID.Value)).Int64(at).Uint64(pos)
		if err := visit(k); err != nil {
			return err
		}
	}
	if ev.ParentEventID.Value != "" {
		parent := record.ID(r.Header.Tenant, record.Event, ev.ParentEventID.Value)
		k = index.NewKey(k, Prefix, tableChildren, n).Digest(index.Digest(parent[:16])).Uint64(pos)
		if err := visit(k); err != nil {
			return err
		}
	}
	if end, ok := index.EndOfLife(r.Header.Time, ev); ok {
		k = index.NewKey(k, Prefix, tableExpiry, n).Int64(end).Uint64(pos)
		if err := visit(k); err != nil {
			return err
		}
	}
	t.room = k
	return nil
}

func (t *Timeline) add(tx *kv.Txn, r *index.Record) error {
	value := []byte(r.Event.EventType)
	if err := t.keys(r, func(key []byte) error { return tx.SetBlind(key, value) }); err != nil {
		return err
	}
	return t.count(tx, r, func(s *Summary, id string, m Moment) {
		if s.Events == 0 {
			s.ID, s.First, s.Last = strings.Clone(id), m, m
		}
		s.Events++
		if m.before(s.First) {
			s.First = m
		}
		if s.Last.before(m) {
			s.Last = m
		}
	})
}

// remove removes an event, if it exists. The transaction must be indexed.
func (t *Timeline) remove(tx *kv.Txn, r *index.Record) error {
	if _, ok, err := tx.Get(t.sessionKey(r), nil); err != nil || !ok {
		return err
	}
	if err := t.keys(r, tx.Delete); err != nil {
		return err
	}
	return t.count(tx, r, func(s *Summary, _ string, _ Moment) { s.drop() })
}

// drop removes one event from a summary.
func (s *Summary) drop() {
	if s.Events > 0 {
		s.Events--
		s.stale = true
	}
}

// search removes events of which only the positions are known. It reads every
// key of the tenant, which happens only for damaged events.
func (t *Timeline) search(tx *kv.Txn, tenant uint32, lost map[uint64]bool) error {
	for _, table := range [...]byte{tableSession, tableAgent, tableTrace, tableCorrelation, tableChildren, tableExpiry} {
		keys, err := keysOf(tx, table, tenant, lost)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := tx.Delete(key); err != nil {
				return err
			}
			var whole byte
			switch table {
			case tableSession:
				whole = tableSessions
			case tableAgent:
				whole = tableAgents
			default:
				continue
			}
			s, err := t.summary(tx, whole, tenant, index.Digest(key[6:22]))
			if err != nil {
				return err
			}
			s.drop()
		}
	}
	return nil
}

// keysOf returns the keys of a table that end in one of the positions.
func keysOf(r kv.Reader, table byte, tenant uint32, positions map[uint64]bool) (keys [][]byte, err error) {
	prefix := index.NewKey(nil, Prefix, table, tenant)
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return nil, err
	}
	for ok := it.First(); ok; ok = it.Next() {
		if positions[number(it.Key())] {
			keys = append(keys, bytes.Clone(it.Key()))
		}
	}
	return keys, it.Close()
}

// count changes the summaries that count an event.
func (t *Timeline) count(tx *kv.Txn, r *index.Record, change func(s *Summary, id string, m Moment)) error {
	m := Moment{Sequence: r.Event.Sequence, Timestamp: index.Nanos(r.Event.Timestamp.Time())}
	s, err := t.summary(tx, tableSessions, r.Tenant, t.digest(r.Event.SessionID))
	if err != nil {
		return err
	}
	change(s, r.Event.SessionID, m)
	if s, err = t.summary(tx, tableAgents, r.Tenant, t.digest(r.Event.AgentID)); err != nil {
		return err
	}
	m.Sequence = 0
	change(s, r.Event.AgentID, m)
	return nil
}

// Finish writes the changed summaries of the group. One without events is
// deleted, so that an erased session leaves no name behind.
func (t *Timeline) Finish(tx *kv.Txn) error {
	for key, s := range t.touched {
		if err := t.write(tx, key, s); err != nil {
			return err
		}
	}
	clear(t.touched)
	return nil
}

func (t *Timeline) write(tx *kv.Txn, key summaryKey, s *Summary) error {
	k := index.NewKey(t.room, Prefix, key.table, key.tenant).Digest(key.name)
	t.room = k
	if s.Events == 0 {
		return tx.Delete(k)
	}
	if s.stale {
		if err := s.renew(tx, key); err != nil {
			return err
		}
	}
	v, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	return tx.SetBlind(k, v)
}

// renew looks up first and last again.
func (s *Summary) renew(tx *kv.Txn, key summaryKey) error {
	table := byte(tableSession)
	if key.table == tableAgents {
		table = tableAgent
	}
	prefix := index.NewKey(nil, Prefix, table, key.tenant).Digest(key.name)
	it, err := tx.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	at := func() (m Moment) {
		rest := it.Key()[len(prefix):]
		if table == tableSession {
			m.Sequence, rest = index.Int64At(rest), rest[8:]
		}
		m.Timestamp = index.Int64At(rest)
		return m
	}
	if it.First() {
		s.First = at()
	}
	if it.Last() {
		s.Last = at()
	}
	s.stale = false
	return it.Close()
}

// Place is one event of a timeline: its position, and its time.
type Place struct {
	Position  uint64
	Sequence  int64 // within a session only
	Timestamp int64
	Type      hmx.EventType
}

// number reads the position that ends a key.
func number(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }

var _ index.Fold = (*Timeline)(nil)
