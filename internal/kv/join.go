package kv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// joiner merges rows into their blocks, with those that are already stored.
type joiner struct {
	s      *Store
	b      *pebble.Batch
	ranges []span // stored rows in these ranges are deleted

	it   *pebble.Iterator // over stored blocks; nil until it is needed
	seen bool             // it was moved, to a key that is not above those that follow

	// The current block: its key, its stored rows, its new rows, and a buffer for its
	// bytes.
	key       []byte
	old, rows []row
	room      []byte
}

// span is the keys in [lower, upper).
type span struct {
	lower, upper []byte
}

// has reports whether a row of a block is in the span.
func (s span) has(block []byte, r *row) bool {
	return aboveRow(block, r, s.lower) <= 0 && aboveRow(block, r, s.upper) > 0
}

// aboveRow compares a key with that of a row of a block.
func aboveRow(block []byte, r *row, key []byte) int {
	if inBlock(block, key) {
		return -r.compare(lowOf(key), restOf(key))
	}
	return bytes.Compare(key, block)
}

// table switches to another table, given by the prefix of its keys.
func (j *joiner) table(t *rowTable) {
	j.seen = false
	if j.it != nil {
		j.it.SetBounds(t.begin, t.end)
	}
}

// before returns the stored block under a key, in the memory of the iterator, and false
// if there is none. Keys of a table arrive in order, so one seek mostly shows for many
// keys that there is none.
func (j *joiner) before(t *rowTable, key []byte) (block []byte, there bool, err error) {
	if j.it == nil {
		if j.it, err = j.s.db.NewIter(&pebble.IterOptions{LowerBound: t.begin, UpperBound: t.end}); err != nil {
			return nil, false, err
		}
	}
	if !j.seen || j.it.Valid() && bytes.Compare(j.it.Key(), key) < 0 {
		j.it.SeekGE(key)
		j.seen = true
	}
	if !j.it.Valid() {
		return nil, false, j.it.Error()
	}
	if !bytes.Equal(j.it.Key(), key) {
		return nil, false, nil
	}
	block, err = j.it.ValueAndErr()
	return block, true, err
}

// gather reads the rows of a block into j.old, without deleted ones; none if there is no
// block.
func (j *joiner) gather(block []byte, there bool) (err error) {
	if j.old = j.old[:0]; !there {
		return nil
	}
	if j.old, err = readBlock(j.old, block); err != nil {
		return damagedBlock(j.s.dir, err)
	}
	if len(j.ranges) == 0 {
		return nil
	}
	left := j.old[:0]
	for i := range j.old {
		if !j.gone(&j.old[i]) {
			left = append(left, j.old[i])
		}
	}
	j.old = left
	return nil
}

// gone reports whether a row of the current block is in one of the deleted ranges.
func (j *joiner) gone(r *row) bool {
	for _, s := range j.ranges {
		if s.has(j.key, r) {
			return true
		}
	}
	return false
}

// put writes the current block, or deletes a stored block that has no row left.
func (j *joiner) put(there bool, rows []row) error {
	switch {
	case len(rows) > 0:
		j.room = appendBlock(j.room[:0], rows)
		return j.b.Set(j.key, j.room, nil)
	case there:
		return j.b.Delete(j.key, nil)
	}
	return nil
}

// join writes the rows of one table, which are in order.
func (j *joiner) join(t *rowTable, h *heldWrites, places []heldPlace) error {
	j.table(t)
	for len(places) > 0 {
		key := h.keyOf(&h.list[places[0].write])
		if len(key) < rowHead {
			if err := h.write(j.b, places[0].write); err != nil {
				return err
			}
			places = places[1:]
			continue
		}
		j.key = blockKey(j.key[:0], key)
		n := 1
		for n < len(places) && inBlock(j.key, h.keyOf(&h.list[places[n].write])) {
			n++
		}
		block, there, err := j.before(t, j.key)
		if err != nil {
			return err
		}
		if err := j.gather(block, there); err != nil {
			return err
		}
		j.merge(h, places[:n])
		if err := j.put(there, j.rows); err != nil {
			return err
		}
		places = places[n:]
	}
	return nil
}

// merge combines the stored rows of a block with the new writes to it, which are in
// order. Of several writes to one key, the last one counts.
func (j *joiner) merge(h *heldWrites, places []heldPlace) {
	rows, old := j.rows[:0], j.old
	for i := range places {
		w := &h.list[places[i].write]
		key := h.keyOf(w)
		if i+1 < len(places) && bytes.Equal(key, h.keyOf(&h.list[places[i+1].write])) {
			continue
		}
		low, rest := lowOf(key), restOf(key)
		for len(old) > 0 {
			c := old[0].compare(low, rest)
			if c < 0 {
				rows = append(rows, old[0])
			}
			if c > 0 {
				break
			}
			old = old[1:]
		}
		if !w.gone {
			rows = append(rows, row{low, rest, h.value(w)})
		}
	}
	j.rows = append(rows, old...)
}

// one writes one row into the block that r has.
func (j *joiner) one(r pebble.Reader, key, value []byte, gone bool) error {
	there, err := j.read(r, key)
	if err != nil {
		return err
	}
	low, rest, n := lowOf(key), restOf(key), 0
	for n < len(j.old) && j.old[n].compare(low, rest) < 0 {
		n++
	}
	j.rows = append(j.rows[:0], j.old[:n]...)
	if !gone {
		j.rows = append(j.rows, row{low, rest, value})
	}
	if n < len(j.old) && j.old[n].compare(low, rest) == 0 {
		n++
	}
	j.rows = append(j.rows, j.old[n:]...)
	return j.put(there, j.rows)
}

// read reads the block that a key is in from r, and reports whether there is one.
func (j *joiner) read(r pebble.Reader, key []byte) (there bool, err error) {
	j.key = blockKey(j.key[:0], key)
	block, there, err := get(r, j.s.dir, j.key, nil)
	if err != nil {
		return false, err
	}
	return there, j.gather(block, there)
}

// deleteRange deletes the keys of a range: whole blocks directly, and at its ends the
// rows of the blocks that it cuts, which r has.
func (j *joiner) deleteRange(r pebble.Reader, s span) error {
	lower, upper := s.lower, s.upper
	var cuts [][]byte
	if t := j.s.rows; t.has(lower) && !atBlock(lower) {
		cuts = append(cuts, lower)
		lower = append(blockKey(nil, lower), 0)
	}
	if t := j.s.rows; t.has(upper) && !atBlock(upper) {
		cuts = append(cuts, upper)
		upper = blockKey(nil, upper)
	}
	if bytes.Compare(lower, upper) < 0 {
		if err := j.b.DeleteRange(lower, upper, nil); err != nil {
			return err
		}
	}
	for _, key := range cuts {
		there, err := j.read(r, key)
		if err != nil {
			return err
		}
		if err := j.put(there, j.old); err != nil {
			return err
		}
	}
	return nil
}

// maxBlockRoom is how many bytes of a block's buffer are kept for the next transaction.
const maxBlockRoom = 1 << 20

// close closes the iterator, and drops buffers that are rarely needed.
func (j *joiner) close() error {
	if j.it == nil {
		return nil
	}
	clear(j.old[:cap(j.old)])
	clear(j.rows[:cap(j.rows)])
	if cap(j.room) > maxBlockRoom {
		j.room = nil
	}
	err := j.it.Close()
	j.it = nil
	return err
}
