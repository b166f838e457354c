// Package ledger is the index of the journal itself: the tenants, the address
// of each position, the nodes of each tenant's tree, the used ids, and what
// was erased.
//
// # Tables
//
//	n  digest of tenant (32)        → number (4)
//	t  tenant                       → state: name, size, time, erasure key, compact range
//	p  tenant, position (8)         → LSN (8), leaf hash (32)
//	i  tenant, record id (16)       → position (8)
//	h  tenant, level (1), index (8) → node hash (32), for levels 8, 16, 24 …
//	e  tenant, position (8)         → position of the redaction or expiry (8)
//	x  tenant, content MAC (16)     → position of the redaction (8)
//	d  tenant, position (8)         → nothing: erased in the index, perhaps not yet on the disk
//
// # What is guaranteed
//
// Positions of a tenant are accepted in order without gaps, or not at all. The
// state's compact range gives the tenant's root without reading history; a
// node of the tree is computed from at most 256 stored hashes.
//
// # What is not
//
// The ledger does not check payloads. It trusts the given header, which the
// journal's checksums cover.
package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// Prefix is the first byte of the ledger's keys.
const Prefix = 'L'

// format is the number of the layout above.
const format = 2

const (
	tableNumber    = 'n'
	tableTenant    = 't'
	tablePosition  = 'p'
	tableID        = 'i'
	tableNode      = 'h'
	tableErased    = 'e'
	tableContent   = 'x'
	tableUndone    = 'd'
	tileLevels     = 8 // nodes are stored at every eighth level
	maxKeptTenants = 4096
)

// Tenant is the state of a tenant at one moment.
type Tenant struct {
	Number uint32
	Name   string
	Size   uint64
	Time   int64  // of the newest record
	Key    []byte // of the MACs of erased content; nil before the first redaction
	Tree   merkle.Range
}

// Ledger is the fold. It caches the states of recently written tenants, and
// filters of their ids. It is for one goroutine; the functions that take a
// [kv.Reader] are safe for concurrent use.
type Ledger struct {
	recent    map[string]*Tenant
	dirty     map[string]*Tenant
	seen      map[uint32]*filter // by the numbers of tenants
	seenBytes int
	count     int64 // of tenants; -1 if unknown
	room      []byte
}

// New returns a ledger with empty caches.
func New() *Ledger {
	l := &Ledger{}
	l.Reset()
	return l
}

// Name is the fold's name.
func (l *Ledger) Name() string { return "ledger" }

// Prefix is the first byte of the fold's keys.
func (l *Ledger) Prefix() byte { return Prefix }

// Format is the number of the fold's layout.
func (l *Ledger) Format() uint32 { return format }

// Reset empties the caches.
func (l *Ledger) Reset() {
	l.recent, l.dirty, l.count = make(map[string]*Tenant), make(map[string]*Tenant), -1
	l.seen, l.seenBytes = make(map[uint32]*filter), 0
}

// For returns the state of a tenant as of the transaction, of size zero for a
// new tenant. The caller must not change it.
func (l *Ledger) For(tx *kv.Txn, name string) (*Tenant, error) {
	if t := l.recent[name]; t != nil {
		return t, nil
	}
	t, ok, err := Lookup(tx, name)
	if err != nil {
		return nil, err
	}
	if !ok {
		if l.count < 0 {
			if l.count, err = countTenants(tx); err != nil {
				return nil, err
			}
		}
		t = &Tenant{Number: uint32(l.count), Name: name}
	}
	return t, nil
}

// Apply adds a record to the tree of its tenant.
func (l *Ledger) Apply(tx *kv.Txn, r *index.Record) error {
	t, err := l.For(tx, r.Header.Tenant)
	if err != nil {
		return err
	}
	if r.Header.Position != t.Size {
		return fault.Newf(fault.Damaged, "tenant %q: the record at LSN %d has position %d, but %d comes next", t.Name, r.LSN, r.Header.Position, t.Size)
	}
	l.recent[t.Name] = t
	if t.Size == 0 {
		if err := l.name(tx, t); err != nil {
			return err
		}
		l.seen[t.Number] = &filter{seen: new(seen)}
	}
	if f := l.seen[t.Number]; f != nil && f.seen != nil {
		l.note(f, &r.Header.ID)
	}
	l.dirty[t.Name] = t
	t.Size++
	t.Time = max(t.Time, r.Header.Time)

	var value [8 + merkle.HashSize]byte
	binary.BigEndian.PutUint64(value[:], uint64(r.LSN))
	copy(value[8:], r.Leaf[:])
	key := index.NewKey(l.room, Prefix, tablePosition, t.Number).Uint64(r.Header.Position)
	if err := tx.SetBlind(key, value[:]); err != nil {
		return err
	}
	binary.BigEndian.PutUint64(value[:], r.Header.Position)
	key = idKey(key, t.Number, &r.Header.ID)
	if err := tx.Set(key, value[:8]); err != nil {
		return err
	}
	l.room = key
	var failed error
	t.Tree.AppendVisit(r.Leaf, func(level uint, i uint64, h merkle.Hash) {
		if level == 0 || level%tileLevels != 0 || failed != nil {
			return
		}
		failed = tx.SetBlind(nodeKey(nil, t.Number, level, i), h[:])
	})
	if failed != nil {
		return failed
	}
	switch c := r.Control.(type) {
	case *memory.Redaction:
		return l.redact(tx, t, r, c)
	case *memory.Expiry:
		for _, target := range c.Targets {
			if target.Kind != record.Event {
				continue // a versioned record keeps its history
			}
			if err := l.erase(tx, t, r, target.Position); err != nil {
				return err
			}
		}
	}
	return nil
}

// name gives a new tenant its number.
func (l *Ledger) name(tx *kv.Txn, t *Tenant) error {
	if l.count < 0 {
		n, err := countTenants(tx)
		if err != nil {
			return err
		}
		l.count = n
	}
	t.Number = uint32(l.count)
	l.count++
	var value [4]byte
	binary.BigEndian.PutUint32(value[:], t.Number)
	if err := tx.Set(numberKey(t.Name), value[:]); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(value[:], uint32(l.count))
	return tx.Set(countKey(), value[:])
}

// redact records the targets of a redaction.
func (l *Ledger) redact(tx *kv.Txn, t *Tenant, r *index.Record, red *memory.Redaction) error {
	if t.Key == nil && len(red.Key) > 0 {
		t.Key = append([]byte{}, red.Key...)
	}
	for _, target := range red.Targets {
		if err := l.erase(tx, t, r, target.Position); err != nil {
			return err
		}
		if target.Content != (record.Hash{}) {
			at := binary.BigEndian.AppendUint64(nil, r.Header.Position)
			if err := tx.Set(contentKey(t.Number, target.Content[:]), at); err != nil {
				return err
			}
		}
	}
	return nil
}

// erase records that r erased the payload of a position.
func (l *Ledger) erase(tx *kv.Txn, t *Tenant, r *index.Record, position uint64) error {
	at := binary.BigEndian.AppendUint64(nil, r.Header.Position)
	if err := tx.Set(index.NewKey(nil, Prefix, tableErased, t.Number).Uint64(position), at); err != nil {
		return err
	}
	return tx.Set(index.NewKey(nil, Prefix, tableUndone, t.Number).Uint64(position), nil)
}

// Finish writes the states of the tenants in the group.
func (l *Ledger) Finish(tx *kv.Txn) error {
	for name, t := range l.dirty {
		if err := tx.SetBlind(index.NewKey(nil, Prefix, tableTenant, t.Number), t.encode(nil)); err != nil {
			return err
		}
		delete(l.dirty, name)
	}
	if len(l.recent) > maxKeptTenants {
		clear(l.recent)
		l.forgetSeen()
	}
	return nil
}

// encode appends the tenant's state to dst.
func (t *Tenant) encode(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(t.Name)))
	dst = append(dst, t.Name...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(t.Time))
	dst = append(dst, byte(len(t.Key)))
	dst = append(dst, t.Key...)
	return t.Tree.AppendBinary(dst)
}

// decodeTenant reads the output of encode.
func decodeTenant(number uint32, b []byte) (*Tenant, error) {
	t := &Tenant{Number: number}
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, errState(number)
	}
	t.Name, b = string(b[used:used+int(n)]), b[used+int(n):]
	if len(b) < 9 || len(b) < 9+int(b[8]) {
		return nil, errState(number)
	}
	t.Time = int64(binary.BigEndian.Uint64(b))
	if k := int(b[8]); k > 0 {
		t.Key = append([]byte{}, b[9:9+k]...)
	}
	tree, err := merkle.ParseRange(b[9+int(b[8]):])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errState(number), err)
	}
	t.Tree, t.Size = tree, tree.Size()
	return t, nil
}

func errState(number uint32) error {
	return fault.Newf(fault.Damaged, "the state of tenant number %d in the index cannot be read", number).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}

// The keys that index.NewKey alone does not make.

func numberKey(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return append([]byte{Prefix, tableNumber}, sum[:]...)
}

// countKey holds the number of tenants. It is shorter than any digest.
func countKey() []byte { return []byte{Prefix, tableNumber} }

func countTenants(r kv.Reader) (int64, error) {
	v, ok, err := r.Get(countKey(), nil)
	if err != nil || !ok {
		return 0, err
	}
	if len(v) != 4 {
		return 0, errTable("tenant numbers")
	}
	return int64(binary.BigEndian.Uint32(v)), nil
}

func idKey(room []byte, tenant uint32, id *record.Hash) index.Key {
	return append(index.NewKey(room, Prefix, tableID, tenant), id[:16]...)
}

func nodeKey(room []byte, tenant uint32, level uint, i uint64) index.Key {
	return index.NewKey(room, Prefix, tableNode, tenant).Byte(byte(level)).Uint64(i)
}

func contentKey(tenant uint32, mac []byte) index.Key {
	return append(index.NewKey(nil, Prefix, tableContent, tenant), mac[:16]...)
}

// Place is the address of a position.
type Place struct {
	LSN  journal.LSN
	Leaf merkle.Hash
}
