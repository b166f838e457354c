package kv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// Iter iterates over keys in order. The caller must close it, and check its error at the
// end.
type Iter struct {
	it  *pebble.Iterator
	s   *Store
	err error // a block could not be read
	// tables may have rows between the bounds. If empty, keys are as Pebble has them.
	tables       rowTables
	lower, upper []byte // the bounds if they lie within a block, else nil
	block        block
}

// block is the block that an iterator is in.
type block struct {
	in       bool
	rows     []row
	from, to int    // which of the rows are between the bounds
	at       int    // the current one
	key      []byte // the current one
	head     []byte // the key of the block
}

func iterate(r pebble.Reader, s *Store, lower, upper []byte) (*Iter, error) {
	i := &Iter{s: s}
	var o pebble.IterOptions
	o.LowerBound, o.UpperBound = i.bound(lower, upper)
	it, err := r.NewIter(&o)
	if err != nil {
		return nil, explain(s.dir, err)
	}
	i.it = it
	return i, nil
}

// bound sets the bounds, and returns them rounded to whole blocks for Pebble.
func (i *Iter) bound(lower, upper []byte) (from, to []byte) {
	i.lower, i.upper, i.block.in = nil, nil, false
	if i.tables = nil; !i.s.rows.meet(lower, upper) {
		return lower, upper
	}
	i.tables = i.s.rows
	if i.tables.has(lower) && !atBlock(lower) {
		i.lower = bytes.Clone(lower)
		lower = blockKey(nil, lower)
	}
	if i.tables.has(upper) && !atBlock(upper) {
		i.upper = bytes.Clone(upper)
		upper = append(blockKey(nil, upper), 0)
	}
	return lower, upper
}

// Within sets new bounds [lower, upper). The iterator has no current key until it is
// moved. One iterator for several ranges is much cheaper than several iterators.
func (i *Iter) Within(lower, upper []byte) { i.it.SetBounds(i.bound(lower, upper)) }

// First goes to the first key and reports whether there is one.
func (i *Iter) First() bool { return i.forward(i.it.First()) }

// Last goes to the last key and reports whether there is one.
func (i *Iter) Last() bool { return i.backward(i.it.Last()) }

// Next goes to the next key and reports whether there is one.
func (i *Iter) Next() bool {
	if b := &i.block; b.in && b.at+1 < b.to {
		return b.stand(b.at + 1)
	}
	return i.forward(i.it.Next())
}

// Prev goes to the key before and reports whether there is one.
func (i *Iter) Prev() bool {
	if b := &i.block; b.in && b.at > b.from {
		return b.stand(b.at - 1)
	}
	return i.backward(i.it.Prev())
}

// Seek goes to the first key that is not below key.
func (i *Iter) Seek(key []byte) bool {
	if i.tables == nil || !i.tables.has(key) {
		return i.forward(i.it.SeekGE(key))
	}
	b := &i.block
	if !b.in || !inBlock(b.head, key) {
		b.head = blockKey(b.head[:0], key)
		if !i.it.SeekGE(b.head) {
			return i.forward(false)
		}
		if !bytes.Equal(i.it.Key(), b.head) {
			return i.forward(true)
		}
		if !i.load() {
			return false
		}
	}
	if at := b.find(key); at < b.to {
		return b.stand(at)
	}
	return i.forward(i.it.Next())
}

// SeekBefore goes to the last key below key.
func (i *Iter) SeekBefore(key []byte) bool {
	if i.tables == nil || !i.tables.has(key) {
		return i.backward(i.it.SeekLT(key))
	}
	b := &i.block
	if !b.in || !inBlock(b.head, key) {
		b.head = append(blockKey(b.head[:0], key), 0)
		if !i.it.SeekLT(b.head) {
			return i.backward(false)
		}
		if !bytes.Equal(i.it.Key(), b.head[:rowHead]) {
			return i.backward(true)
		}
		if !i.load() {
			return false
		}
	}
	if at := b.find(key); at > b.from {
		return b.stand(at - 1)
	}
	return i.backward(i.it.Prev())
}

// forward ends a move to a higher key, or to none: it stops at a key outside blocks, or
// at the first row of a block that has one between the bounds.
func (i *Iter) forward(ok bool) bool {
	if i.tables == nil {
		return ok
	}
	i.block.in = false
	for ; ok && i.tables.has(i.it.Key()); ok = i.it.Next() {
		if !i.load() {
			return false
		}
		if i.block.from < i.block.to {
			return i.block.stand(i.block.from)
		}
		i.block.in = false
	}
	return ok
}

// backward is forward for a move to a lower key.
func (i *Iter) backward(ok bool) bool {
	if i.tables == nil {
		return ok
	}
	i.block.in = false
	for ; ok && i.tables.has(i.it.Key()); ok = i.it.Prev() {
		if !i.load() {
			return false
		}
		if i.block.from < i.block.to {
			return i.block.stand(i.block.to - 1)
		}
		i.block.in = false
	}
	return ok
}

// load reads the block that Pebble is at. An unreadable block ends the iteration.
func (i *Iter) load() bool {
	b := &i.block
	b.in = false
	value, err := i.it.ValueAndErr()
	if err != nil {
		i.err = explain(i.s.dir, err)
		return false
	}
	b.head = append(b.head[:0], i.it.Key()...)
	if err = errBlockKey; atBlock(b.head) {
		b.rows, err = readBlock(b.rows[:0], value)
	}
	if err != nil {
		i.err = damagedBlock(i.s.dir, err)
		return false
	}
	b.in, b.from, b.to = true, 0, len(b.rows)
	if i.lower != nil && inBlock(b.head, i.lower) {
		b.from = b.find(i.lower)
	}
	if i.upper != nil && inBlock(b.head, i.upper) {
		b.to = max(b.from, b.find(i.upper))
	}
	return true
}

// find returns the first row from the bounds on that is not below a key of the block.
func (b *block) find(key []byte) int {
	low, rest := lowOf(key), restOf(key)
	at := b.from
	for at < b.to && b.rows[at].compare(low, rest) < 0 {
		at++
	}
	return at
}

// stand moves to a row.
func (b *block) stand(at int) bool {
	b.at = at
	b.key = append(append(b.key[:0], b.head...), b.rows[at].rest...)
	b.key[rowHead-1] |= b.rows[at].low
	return true
}

// Key is the current key, valid until the iterator moves.
func (i *Iter) Key() []byte {
	if i.block.in {
		return i.block.key
	}
	return i.it.Key()
}

// Value is the current value, valid until the iterator moves.
func (i *Iter) Value() ([]byte, error) {
	if b := &i.block; b.in {
		return b.rows[b.at].value, nil
	}
	v, err := i.it.ValueAndErr()
	return v, explain(i.s.dir, err)
}

// Err returns the first error so far. An iterator that ended because of it has not seen
// all keys.
func (i *Iter) Err() error {
	if i.err != nil {
		return i.err
	}
	return explain(i.s.dir, i.it.Error())
}

// Close ends the iteration and returns its first error. A second call does nothing.
func (i *Iter) Close() error {
	if i.it == nil {
		return nil
	}
	err := i.Err()
	if e := i.it.Close(); err == nil {
		err = explain(i.s.dir, e)
	}
	i.it = nil
	return err
}

// PrefixEnd returns the first key after all keys that begin with prefix, or nil if there
// is none.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte{}, prefix...)
	for n := len(end); n > 0; n-- {
		if end[n-1]++; end[n-1] != 0 {
			return end[:n]
		}
	}
	return nil
}
