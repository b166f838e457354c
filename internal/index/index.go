// Package index is what the folds of the journal have in common: the record as a fold
// sees it, the interface of a fold, and the construction of keys.
//
// # Keys
//
// A key begins with one byte for its fold, then one for the table within it, then four
// bytes for the tenant, then the order of the table. Names that people choose
// (sessions, agents, keys, tags) are in keys only as digests of 16 bytes: a key ends
// up in file bounds and manifests, from where an erased name could not be removed.
// Numbers are big-endian; signed ones have their sign bit flipped, so that bytes sort
// as numbers do.
//
// # What is guaranteed
//
// A tenant's keys have the tenant's number right behind the table, so two tenants
// never share a range. Digests are SHA-256 cut to 128 bits; finding a collision is
// infeasible.
//
// This package reads and writes nothing; the packages below do, one fold each,
// independent of each other.
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

// Record is one record of the journal that is passed to the folds.
type Record struct {
	LSN    journal.LSN
	Header record.Header
	Leaf   merkle.Hash
	Tenant uint32 // the tenant's number in this store

	// Payload is nil if it was erased or is unreadable. The following fields are
	// decoded from it, by kind.
	Payload []byte
	Event   *hmx.Event // of an event
	// Reading is what package kind reads from the event, if it was computed ahead;
	// otherwise a fold that needs it computes it.
	Reading *kind.Reading
	// Document is the record's document in the content indexes, if it was computed
	// ahead. [Record.Doc] computes it if needed.
	Document *Document
	// Glance is what an event alone shows about an action, if it was computed ahead.
	// [Record.Glanced] computes it if needed.
	Glance  *trace.Glance
	Body    memory.Body // of a versioned record, and of feedback
	Control any         // *memory.Tombstone, *memory.Redaction, *memory.Expiry, *memory.Transition
	// Damaged says that a payload exists and is unreadable, so that a fold may have
	// seen it when it was readable. It is set for targets.
	Damaged bool

	// Targets are the targets of a redaction or an expiry of events, decoded as far as
	// they are readable.
	Targets []Record
}

// Glanced returns the glance of the record's event, or nil if it is not an event.
func (r *Record) Glanced() *trace.Glance {
	if r.Glance == nil && r.Event != nil {
		r.Glance = trace.GlanceAt(r.Event)
	}
	return r.Glance
}

// Fold turns records into keys and values. Apply is called for every record of the
// journal, in order; Finish at the end of each group, before it is committed; Reset
// when a group was discarded, or the fold starts over, so that nothing of it stays in
// memory.
//
// A fold is a function of the records alone: it uses neither a clock nor randomness,
// and reads only its own keys.
type Fold interface {
	Name() string
	// Prefix is the first byte of every key of the fold.
	Prefix() byte
	// Format is the number of its layout. If a store has another one, the fold's keys
	// are deleted and folded again.
	Format() uint32
	Apply(tx *kv.Txn, r *Record) error
	Finish(tx *kv.Txn) error
	Reset()
}

// Nanos returns t in nanoseconds since 1970, clamped to 64 bits: the years 1678 to
// 2262. Times beyond are equal here.
func Nanos(t time.Time) int64 {
	switch s := t.Unix(); {
	case s <= math.MinInt64/1_000_000_000:
		return math.MinInt64
	case s >= math.MaxInt64/1_000_000_000:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// Digest represents a name within a key.
type Digest [16]byte

// DigestOf returns the digest of a name.
func DigestOf(name string) Digest {
	var room [256]byte
	sum := sha256.Sum256(append(room[:0], name...))
	return Digest(sum[:16])
}

// Key is a key under construction. Its methods append and return the longer key, so
// that calls chain without allocating.
type Key []byte

// NewKey begins a key of a tenant in the buffer room, which may be nil.
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

// Describe names the table and the tenant of a key, for messages.
func Describe(key []byte) string {
	if len(key) < 6 {
		return fmt.Sprintf("%x", key)
	}
	return fmt.Sprintf("table %c%c, tenant number %d, %x", key[0], key[1], binary.BigEndian.Uint32(key[2:]), key[6:])
}
