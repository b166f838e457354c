package kv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// Txn is a set of writes that become visible together. Get of the same transaction
// sees what [Txn.Set] and [Txn.Delete] wrote. It is for one goroutine.
type Txn struct {
	s *Store
	b *pebble.Batch
	// indexed is whether the batch itself can be read. If not, the batch is built
	// at the end, from the held writes.
	indexed bool
	held    *heldWrites
	ranges  []span // stored keys to delete
	joiner  *joiner
	key     []byte // of a block
	// seek looks up keys that the transaction did not write. One iterator for many
	// lookups is several times cheaper than calls of Get, and unlike Get it uses
	// the filters of the lowest level too, where all missing ids would be searched
	// for.
	seek *pebble.Iterator
}

// Begin returns a transaction that can be read by key, but not iterated. It is
// cheaper than BeginIndexed.
func (s *Store) Begin() *Txn {
	h := hold(&s.rooms)
	return &Txn{s: s, held: h, joiner: &h.joiner}
}

// BeginIndexed returns a transaction whose iterators see its own writes.
func (s *Store) BeginIndexed() *Txn {
	b := s.db.NewIndexedBatch()
	return &Txn{s: s, b: b, indexed: true, joiner: &joiner{s: s, b: b}}
}

// Set writes a value that this transaction may read again.
func (t *Txn) Set(key, value []byte) error {
	if t.indexed {
		return t.SetBlind(key, value)
	}
	t.held.addOwn(key, value, false)
	return nil
}

// SetBlind writes a value that this transaction does not read again.
func (t *Txn) SetBlind(key, value []byte) error {
	if t.indexed {
		if t.s.rows.has(key) {
			return explain(t.s.dir, t.joiner.one(t.b, key, value, false))
		}
		return explain(t.s.dir, t.b.Set(key, value, nil))
	}
	t.held.add(key, value, false)
	return nil
}

// Size returns approximately how many bytes the writes of the transaction take.
func (t *Txn) Size() int {
	if t.indexed {
		return t.b.Len()
	}
	return len(t.held.bytes)
}

// Delete removes a key.
func (t *Txn) Delete(key []byte) error {
	if t.indexed {
		if t.s.rows.has(key) {
			return explain(t.s.dir, t.joiner.one(t.b, key, nil, true))
		}
		return explain(t.s.dir, t.b.Delete(key, nil))
	}
	t.held.addOwn(key, nil, true)
	return nil
}

// DeleteBlind removes a key that this transaction does not read again.
func (t *Txn) DeleteBlind(key []byte) error {
	if t.indexed {
		return t.Delete(key)
	}
	t.held.add(key, nil, true)
	return nil
}

// DeleteRange deletes the keys in [lower, upper) that existed before the
// transaction began.
func (t *Txn) DeleteRange(lower, upper []byte) error {
	s := span{bytes.Clone(lower), bytes.Clone(upper)}
	if !t.indexed {
		t.ranges = append(t.ranges, s)
		return nil
	}
	t.joiner.ranges = []span{s}
	err := t.joiner.deleteRange(t.b, s)
	t.joiner.ranges = nil
	return explain(t.s.dir, err)
}

// Get appends the value of key to dst and reports whether there is one.
func (t *Txn) Get(key, dst []byte) ([]byte, bool, error) {
	if t.indexed {
		return t.s.rows.get(t.b, t.s.dir, key, dst)
	}
	if w := t.held.find(key); w != nil {
		return append(dst, t.held.value(w)...), !w.gone, nil
	}
	if t.seek == nil {
		it, err := t.s.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
		if err != nil {
			return dst, false, explain(t.s.dir, err)
		}
		t.seek = it
	}
	at, isRow := key, t.s.rows.has(key)
	if isRow {
		t.key = blockKey(t.key[:0], key)
		at = t.key
	}
	if !t.seek.SeekPrefixGE(at) || !bytes.Equal(t.seek.Key(), at) {
		return dst, false, explain(t.s.dir, t.seek.Error())
	}
	v, err := t.seek.ValueAndErr()
	if err != nil {
		return dst, false, explain(t.s.dir, err)
	}
	if isRow {
		return appendRow(dst, t.s.dir, v, key)
	}
	return append(dst, v...), true, nil
}

// Iter returns an iterator over the keys in [lower, upper). Without an index, it
// does not see the transaction's own writes.
func (t *Txn) Iter(lower, upper []byte) (*Iter, error) {
	if t.indexed {
		return iterate(t.b, t.s, lower, upper)
	}
	return t.s.Iter(lower, upper)
}

// Commit makes the writes visible to every read that begins afterwards, and
// ends the transaction.
func (t *Txn) Commit() error {
	// A passing failure is no reason to refuse: the records are in the journal
	// already.
	if _, fatal, _ := t.s.watch.state(); fatal != nil {
		return fatal
	}
	if err := t.unseek(); err != nil {
		return err
	}
	if !t.indexed {
		t.b = t.s.db.NewBatchWithSize(t.held.size(), pebble.WithMaxRetainedSizeBytes(maxHeld))
		if err := t.handOver(); err != nil {
			return explain(t.s.dir, err)
		}
	}
	if err := t.b.Commit(pebble.NoSync); err != nil {
		return explain(t.s.dir, err)
	}
	return t.end()
}

// handOver puts the held writes into the batch, deleted ranges first.
func (t *Txn) handOver() (err error) {
	j := t.joiner
	j.s, j.b, j.ranges = t.s, t.b, t.ranges
	defer func() {
		if closed := j.close(); err == nil {
			err = closed
		}
	}()
	for _, s := range t.ranges {
		if err := j.deleteRange(t.s.db, s); err != nil {
			return err
		}
	}
	return t.held.into(j)
}

// Discard ends the transaction without effect.
func (t *Txn) Discard() error {
	if err := t.unseek(); err != nil {
		return err
	}
	return t.end()
}

// end releases the resources of the transaction.
func (t *Txn) end() error {
	if t.held != nil {
		t.held.release(&t.s.rooms)
		t.held = nil
	}
	if t.b == nil {
		return nil
	}
	b := t.b
	t.b = nil
	return explain(t.s.dir, b.Close())
}

// unseek closes the iterator for lookups.
func (t *Txn) unseek() error {
	if t.seek == nil {
		return nil
	}
	err := t.seek.Close()
	t.seek = nil
	return explain(t.s.dir, err)
}
