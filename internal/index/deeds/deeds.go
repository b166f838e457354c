// Package deeds is the index of actions: for every event a glance, which is what the event
// alone shows about an action, in the order of its session; and for every action the
// places of the same and of similar ones.
//
// # Tables
//
//	s  tenant, session, sequence, timestamp, position → the glance
//	a  tenant, kin, position with all bits inverted   → session, sequence, timestamp
//
// An action is in table a twice: under the digest of the same actions, and under that of
// similar ones, see [lukasa.dev/internal/guide.Kin].
//
// # What is guaranteed
//
// Every row is a function of one event only, so that neither the order of events nor
// erasures make a difference: an erased event leaves nothing here, even if it was
// unreadable when it was erased. Actions of one kin are read newest first.
//
// # What is not
//
// The outcome of an action is not here: a reader derives it from the glances of its
// session. Names of tools, shapes and signatures of errors are in values, in keys only
// digests.
package deeds

import (
	"encoding/binary"
	"strings"

	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// Prefix is the first byte of the keys.
const Prefix = 'D'

// format is the number of the layout and of the definition of kin.
const format = 1

const (
	tableSession = 's'
	tableKin     = 'a'
)

// maxNames limits the cache of digests.
const maxNames = 4096

// Deeds is the fold.
type Deeds struct {
	sessions map[string]index.Digest
	kins     map[[2]string][2]index.Digest // by tool and shape
	key      []byte
	value    []byte
}

// New returns the fold.
func New() *Deeds {
	d := &Deeds{}
	d.Reset()
	return d
}

// Name is the fold's name.
func (d *Deeds) Name() string { return "deeds" }

// Prefix is the first byte of the fold's keys.
func (d *Deeds) Prefix() byte { return Prefix }

// Format is the number of the fold's layout, and of how events are read.
func (d *Deeds) Format() uint32 { return format<<16 | trace.Version }

// Reset empties the caches.
func (d *Deeds) Reset() {
	d.sessions, d.kins = make(map[string]index.Digest), make(map[[2]string][2]index.Digest)
}

// Finish does nothing: rows are written as they come.
func (d *Deeds) Finish(*kv.Txn) error { return nil }

// Apply adds an event, or removes erased ones.
func (d *Deeds) Apply(tx *kv.Txn, r *index.Record) error {
	if r.Event != nil {
		return d.add(tx, r)
	}
	lost := make(map[uint64]bool)
	for i := range r.Targets {
		switch target := &r.Targets[i]; {
		case target.Event != nil:
			if err := d.remove(tx, target); err != nil {
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
	return search(tx, r.Tenant, lost)
}

// place returns the place of a record's event.
func (d *Deeds) place(r *index.Record) Place {
	session, ok := d.sessions[r.Event.SessionID]
	if !ok {
		if len(d.sessions) >= maxNames {
			clear(d.sessions)
		}
		session = index.DigestOf(r.Event.SessionID)
		d.sessions[strings.Clone(r.Event.SessionID)] = session
	}
	return Place{Session: session, Sequence: r.Event.Sequence, Timestamp: index.Nanos(r.Event.Timestamp.Time()), Position: r.Header.Position}
}

// kin returns the digests of the same and of similar actions.
func (d *Deeds) kin(g *trace.Glance) [2]index.Digest {
	key := [2]string{g.Tool, g.Shape}
	both, ok := d.kins[key]
	if !ok {
		if len(d.kins) >= maxNames {
			clear(d.kins)
		}
		both = KinOf(g.Tool, g.Shape)
		d.kins[key] = both
	}
	return both
}

// KinOf returns the digests of actions that are the same as one with this tool and shape,
// and of similar ones.
func KinOf(tool, shape string) [2]index.Digest {
	same, like := guide.Kin(tool, shape)
	return [2]index.Digest{index.DigestOf(same), index.DigestOf(like)}
}

func (d *Deeds) add(tx *kv.Txn, r *index.Record) error {
	g, at := r.Glanced(), d.place(r)
	d.key = sessionKey(d.key, r.Tenant, at)
	d.value = appendGlance(d.value[:0], g)
	if err := tx.SetBlind(d.key, d.value); err != nil || !g.Act() {
		return err
	}
	d.value = append(d.value[:0], at.Session[:]...)
	d.value = binary.BigEndian.AppendUint64(d.value, uint64(at.Sequence))
	d.value = binary.BigEndian.AppendUint64(d.value, uint64(at.Timestamp))
	for _, kin := range d.kin(g) {
		d.key = kinKey(d.key, r.Tenant, kin, at.Position)
		if err := tx.SetBlind(d.key, d.value); err != nil {
			return err
		}
	}
	return nil
}

// remove removes an event.
func (d *Deeds) remove(tx *kv.Txn, r *index.Record) error {
	g := r.Glanced()
	d.key = sessionKey(d.key, r.Tenant, d.place(r))
	if err := tx.Delete(d.key); err != nil || !g.Act() {
		return err
	}
	for _, kin := range d.kin(g) {
		d.key = kinKey(d.key, r.Tenant, kin, r.Header.Position)
		if err := tx.Delete(d.key); err != nil {
			return err
		}
	}
	return nil
}

// search removes events of which only the positions are known. It reads every key of the
// tenant, which happens only for damaged events.
func search(tx *kv.Txn, tenant uint32, lost map[uint64]bool) error {
	for _, table := range [...]byte{tableSession, tableKin} {
		prefix := index.NewKey(nil, Prefix, table, tenant)
		it, err := tx.Iter(prefix, kv.PrefixEnd(prefix))
		if err != nil {
			return err
		}
		var keys [][]byte
		for ok := it.First(); ok; ok = it.Next() {
			position := last(it.Key())
			if table == tableKin {
				position = ^position
			}
			if lost[position] {
				keys = append(keys, append([]byte(nil), it.Key()...))
			}
		}
		if err := it.Close(); err != nil {
			return err
		}
		for _, key := range keys {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
	}
	return nil
}

func sessionKey(room []byte, tenant uint32, at Place) index.Key {
	return index.NewKey(room, Prefix, tableSession, tenant).Digest(at.Session).Int64(at.Sequence).Int64(at.Timestamp).Uint64(at.Position)
}

func kinKey(room []byte, tenant uint32, kin index.Digest, position uint64) index.Key {
	return index.NewKey(room, Prefix, tableKin, tenant).Digest(kin).Uint64(^position)
}

// last reads the number that ends a key.
func last(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }

var _ index.Fold = (*Deeds)(nil)
