// Package index is what the folds of the journal have in common: the record as
// a fold sees it, the contract of a fold, and how keys are made.
//
// # Keys
//
// A key begins with one byte for its fold, then one for the table within it,
// then four bytes for the tenant, then what the table is ordered by. Names
// that people choose (sessions, agents, keys, tags) are in keys only as
// digests of 16 bytes: a key ends up in file bounds and manifests, from where
// an erased name could not be taken back. Numbers are big-endian; signed ones
// have their sign bit flipped, so that bytes sort as numbers do.
//
// # What is guaranteed
//
// A tenant's keys have the tenant's number right behind the table, so two
// tenants never share a range. Digests are of SHA-256, cut to 128 bits: who
// could make two names meet could also break far more than an index.
//
// Nothing here reads or writes; the packages below do, one fold each, and none
// knows another.
package index

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// Record is one record of the journal on its way into the folds.
type Record struct {
	LSN    journal.LSN
	Header record.Header
	Leaf   merkle.Hash
	Tenant uint32 // the tenant's number in this store

	// Payload is nil when it was erased or cannot be read. What follows is
	// decoded from it, by kind.
	Payload []byte
	Event   *hmx.Event // of an event
	// Reading is what package kind makes of the event, where somebody had the
	// time to find out before; a fold that needs it and has none reads for itself.
	Reading *kind.Reading
	// Document is what the record brings to the indexes of content, where somebody
	// had the time to find out before. [Record.Doc] finds out if need be.
	Document *Document
	// Glance is what an event by itself tells of what was done, where somebody had the
	// time to find out before. [Record.Glanced] finds out if need be.
	Glance  *trace.Glance
	Body    memory.Body // of a versioned thing, and of feedback
	Control any         // *memory.Tombstone, *memory.Redaction, *memory.Expiry, *memory.Transition
	// Damaged says that a payload is there and cannot be read, so that a fold may
	// have seen it when it still could. It is told of targets.
	Damaged bool

	// Targets are the records that a redaction or an expiry of events is
	// about, decoded as far as they can still be read.
	Targets []Record
}

// Glanced returns what the event of the record tells of what was done, nil if it is no
// event.
func (r *Record) Glanced() *trace.Glance {
	if r.Glance == nil && r.Event != nil {
		r.Glance = trace.GlanceAt(r.Event)
	}
	return r.Glance
}

// Fold turns records into keys and values. Apply is called for every record of
// the journal, in its order; Finish at the end of each group, before it is
// committed; Reset when a group was given up, or the fold is to start anew, so
// that nothing of it stays in memory.
//
// A fold is a function of the records alone: it asks neither a clock nor
// chance, and reads nothing but its own keys.
type Fold interface {
	Name() string
	// Prefix is the first byte of every key of the fold.
	Prefix() byte
	// Format is the number of its layout. A store with another one is emptied
	// of the fold's keys and folded anew.
	Format() uint32
	Apply(tx *kv.Txn, r *Record) error
	Finish(tx *kv.Txn) error
	Reset()
}

// Nanos returns t in nanoseconds since 1970, held within what 64 bits can say:
// the years 1678 to 2262. Further away, times are equal here.
func Nanos(t time.Time) int64 {
	switch s := t.Unix(); {
	case s <= math.MinInt64/1_000_000_000:
		return math.MinInt64
	case s >= math.MaxInt64/1_000_000_000:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// Digest is the stand-in of a name within a key.
type Digest [16]byte

// DigestOf returns the stand-in of a name.
func DigestOf(name string) Digest {
	var room [256]byte
	sum := sha256.Sum256(append(room[:0], name...))
	return Digest(sum[:16])
}

// Key is a key under construction. Its methods append and return the longer
// key, so that calls chain without allocating.
type Key []byte

// NewKey begins a key of a tenant in room, which may be nil.
func NewKey(room []byte, prefix, table byte, tenant uint32) Key {
	k := append(room[:0], prefix, table)
	return binary.BigEndian.AppendUint32(k, tenant)
}

// Digest appends a digest.
func (k Key) Digest(d Digest) Key { return append(k, d[:]...) }

// Byte appends one byte.
func (k Key) Byte(b byte) Key { return append(k, b) }

// Uint64 appends a number.
func (k Key) Uint64(v uint64) Key { return binary.BigEndian.AppendUint64(k, v) }

// Uint32 appends a number.
func (k Key) Uint32(v uint32) Key { return binary.BigEndian.AppendUint32(k, v) }

// Int64 appends a signed number so that keys sort as numbers do.
func (k Key) Int64(v int64) Key { return binary.BigEndian.AppendUint64(k, uint64(v)^1<<63) }

// Int64At reads what Int64 wrote.
func Int64At(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

// Uint64At reads what Uint64 wrote.
func Uint64At(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// Describe says which table and tenant a key belongs to, for messages.
func Describe(key []byte) string {
	if len(key) < 6 {
		return fmt.Sprintf("%x", key)
	}
	return fmt.Sprintf("table %c%c, tenant number %d, %x", key[0], key[1], binary.BigEndian.Uint32(key[2:]), key[6:])
}
