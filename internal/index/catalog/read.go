package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// HeadOf returns the head of a record.
func HeadOf(r kv.Reader, tenant uint32, kind record.Kind, thing Thing) (*Head, bool, error) {
	v, ok, err := r.Get(headKey(tenant, kind, thing), nil)
	if err != nil || !ok {
		return nil, false, err
	}
	h := new(Head)
	if err := json.Unmarshal(v, h); err != nil {
		return nil, false, damaged("a head", err)
	}
	switch h.State {
	case Live, Forgotten, Expired, Redacted:
	default:
		return nil, false, damaged("a head", fmt.Errorf("there is no state %q", h.State))
	}
	if h.Kind != kind {
		return nil, false, damaged("a head", fmt.Errorf("it is of a %s, not of a %s", h.Kind, kind))
	}
	return h, true, nil
}

// Holder returns the live record that holds a key, or else the newest of those
// that held it when they ended.
func Holder(r kv.Reader, tenant uint32, kind record.Kind, key string) (thing Thing, ok bool, err error) {
	for _, state := range [...]State{Live, Forgotten, Expired} {
		prefix := keyPrefix(tenant, kind, key, state)
		it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
		if err != nil {
			return thing, false, err
		}
		if ok = it.Last(); ok {
			k := it.Key()
			thing = Thing(k[len(k)-16:])
		}
		if err := it.Close(); err != nil || ok {
			return thing, ok, err
		}
	}
	return thing, false, nil
}

// EntryOf returns the entry of a version.
func EntryOf(r kv.Reader, tenant uint32, kind record.Kind, thing Thing, version uint32) (*Entry, bool, error) {
	v, ok, err := r.Get(versionKey(tenant, kind, thing, version), nil)
	if err != nil || !ok {
		return nil, false, err
	}
	e := new(Entry)
	if err := json.Unmarshal(v, e); err != nil {
		return nil, false, damaged("a version", err)
	}
	return e, true, nil
}

// Entries returns the whole history of a record, oldest first.
func Entries(r kv.Reader, tenant uint32, kind record.Kind, thing Thing) ([]Entry, error) {
	lower := versionKey(tenant, kind, thing, 0)
	it, err := r.Iter(lower, versionKey(tenant, kind, thing, math.MaxUint32))
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		var e Entry
		if err == nil {
			if err = json.Unmarshal(v, &e); err != nil {
				err = damaged("a version", err)
			}
		}
		if err != nil {
			it.Close()
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, it.Close()
}

// Past returns the head of a record after the last of some entries: its history
// from the first on, without a gap. The body is that of the last put among them,
// at index content.
func Past(tenant string, kind record.Kind, entries []Entry, content int, body memory.Body) *Head {
	put := &entries[content]
	id, key := body.Identity()
	h := headOf(&index.Record{
		Header: record.Header{Kind: kind, Tenant: tenant, Position: put.Position, Time: put.Time, Actor: put.Actor, Trust: put.Trust},
		Body:   body,
	}, id, key)
	h.Content, h.Created = put.Version, entries[0].Time
	for i := content; i < len(entries); i++ {
		e := &entries[i]
		h.Version, h.Updated = e.Version, e.Time
		switch e.Op {
		case Tombstone:
			h.State, h.Note, h.Ended = Forgotten, e.Note, e.Trust
		case Expiry:
			h.State, h.Note = Expired, e.Note
		case Transition:
			h.Status, h.Ended = e.Note, e.Trust
		}
	}
	return h
}

// Way is a list of records.
type Way struct {
	table byte
	kind  record.Kind
	word  string
	state State
}

// All is every record of a kind in a state.
func All(kind record.Kind, state State) Way { return Way{table: tableAll, kind: kind, state: state} }

// OfClass is the live records of a kind and a class.
func OfClass(kind record.Kind, class string) Way {
	return Way{table: tableClass, kind: kind, word: class}
}

// Tagged is the live records of a kind with a tag.
func Tagged(kind record.Kind, tag string) Way { return Way{table: tableTag, kind: kind, word: tag} }

// UnderKey is the live records of a kind whose key equals, or begins with, the
// whole segments of a prefix. For a prefix of more than [MaxSegments] segments
// it is what the first of them cover, which the reader filters.
func UnderKey(kind record.Kind, prefix string) Way {
	n := 0
	for i := range len(prefix) {
		if prefix[i] != '/' {
			continue
		}
		if n++; n == MaxSegments {
			prefix = prefix[:i]
			break
		}
	}
	return Way{table: tablePrefix, kind: kind, word: prefix}
}

// OfAgent is the live records of a kind that an agent wrote, or that are about
// it.
func OfAgent(kind record.Kind, agent string) Way {
	return Way{table: tableAgent, kind: kind, word: agent}
}

// OfSession is the live records of a kind that belong to a session.
func OfSession(kind record.Kind, session string) Way {
	return Way{table: tableSession, kind: kind, word: session}
}

// prefix is the prefix of the list's keys.
func (w Way) prefix(tenant uint32) index.Key {
	k := index.NewKey(nil, Prefix, w.table, tenant).Byte(byte(w.kind))
	if w.table == tableAll {
		return k.Byte(w.state[0])
	}
	return k.Digest(index.DigestOf(w.word))
}

// Between calls visit with the records of a list that were created in [from,
// until), newest first.
func Between(r kv.Reader, tenant uint32, w Way, from, until int64, visit func(thing Thing) bool) error {
	if from >= until {
		return nil
	}
	upper := kv.PrefixEnd(w.prefix(tenant))
	if until != math.MaxInt64 {
		upper = w.prefix(tenant).Int64(until)
	}
	it, err := r.Iter(w.prefix(tenant).Int64(from), upper)
	if err != nil {
		return err
	}
	for ok := it.Last(); ok; ok = it.Prev() {
		k := it.Key()
		if !visit(Thing(k[len(k)-16:])) {
			break
		}
	}
	return it.Close()
}

// List calls visit with the records of a list, newest first, starting after the
// key after, which visit has received before (nil for the newest).
func List(r kv.Reader, tenant uint32, w Way, after []byte, visit func(key []byte, thing Thing) bool) error {
	prefix := w.prefix(tenant)
	if after != nil && !bytes.HasPrefix(after, prefix) {
		return fault.New(fault.InvalidArgument, "after: this is not the next of this list").
			WithFix("give what the page before had as next, with the same filters")
	}
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	ok := false
	if after == nil {
		ok = it.Last()
	} else {
		ok = it.SeekBefore(after)
	}
	for ; ok; ok = it.Prev() {
		k := it.Key()
		if !visit(k, Thing(k[len(k)-16:])) {
			break
		}
	}
	return it.Close()
}

// Named calls visit with the records of a kind that have a name, ignoring case.
func Named(r kv.Reader, tenant uint32, kind record.Kind, name string, visit func(thing Thing) bool) error {
	prefix := nameKey(tenant, kind, name, Thing{})
	prefix = prefix[:len(prefix)-16]
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		k := it.Key()
		if !visit(Thing(k[len(k)-16:])) {
			break
		}
	}
	return it.Close()
}

// linkTarget is the length of the part of a link key that names the target.
const linkTarget = 2 + 4 + 16

// Referrer is a record that refers to another.
type Referrer struct {
	Kind  record.Kind
	Thing Thing
	Rel   string
}

// Referrers calls visit with the live records that refer to a URI, which must
// have a tenant and no version.
func Referrers(r kv.Reader, tenant uint32, target string, visit func(Referrer) bool) error {
	return referrers(r, index.NewKey(nil, Prefix, tableLink, tenant).Digest(index.DigestOf(target)), visit)
}

// ReferrersOf is [Referrers] for those of one kind.
func ReferrersOf(r kv.Reader, tenant uint32, target string, kind record.Kind, visit func(Referrer) bool) error {
	return referrers(r, index.NewKey(nil, Prefix, tableLink, tenant).Digest(index.DigestOf(target)).Byte(byte(kind)), visit)
}

// referrers walks over the keys of the table of links that begin with a prefix.
func referrers(r kv.Reader, prefix index.Key, visit func(Referrer) bool) error {
	it, err := r.Iter(prefix, kv.PrefixEnd(prefix))
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		rest := it.Key()[linkTarget:]
		if !visit(Referrer{Kind: record.Kind(rest[0]), Thing: Thing(rest[1:17]), Rel: string(rest[17:])}) {
			break
		}
	}
	return it.Close()
}

// Ended calls visit with the live records whose time ended before now.
func Ended(r kv.Reader, tenant uint32, now int64, visit func(kind record.Kind, thing Thing) bool) error {
	lower := index.NewKey(nil, Prefix, tableExpiry, tenant)
	it, err := r.Iter(lower, index.NewKey(nil, Prefix, tableExpiry, tenant).Int64(now))
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		k := it.Key()
		if !visit(record.Kind(k[14]), Thing(k[15:31])) {
			break
		}
	}
	return it.Close()
}

// LastTurn returns the latest time in (after, until] at which a live record expires, or its
// validity begins or ends; ok is false if there is none.
func LastTurn(r kv.Reader, tenant uint32, after, until int64) (at int64, ok bool, err error) {
	for _, table := range [...]byte{tableExpiry, tableValid} {
		turn, there, err := index.LastTime(r, index.NewKey(nil, Prefix, table, tenant), after, until)
		if err != nil {
			return 0, false, err
		}
		if there && (!ok || turn > at) {
			at, ok = turn, true
		}
	}
	return at, ok, nil
}
