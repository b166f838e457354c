package kv

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// heldWrites are writes that wait for the end of their transaction, so that
// they can be handed over in the order of their keys. Pebble's memory table
// finds the place of a key from the place of the one before: keys that come as
// the folds write them, table after table for each record, make it search from
// the top each time.
type heldWrites struct {
	bytes []byte
	list  []heldWrite
	order []heldPlace
}

// heldWrite is one of them. Its key is at the given place, its value behind.
type heldWrite struct {
	at    int
	key   int
	value int
	gone  bool // a deletion
}

// heldPlace is the place of a write in the order of the keys: the first 16 bytes
// of its key as two numbers, which mostly decide, and its number.
type heldPlace struct {
	head, neck uint64
	write      int
}

// maxHeld is how many bytes of room are kept for the next transaction. What is
// larger is rare.
const maxHeld = 16 << 20

// hold returns room for the writes of a transaction: that of one which has ended,
// if there is any. Growing it anew each time would be most of what transactions
// allocate.
func hold(rooms *sync.Pool) *heldWrites {
	if h, ok := rooms.Get().(*heldWrites); ok {
		return h
	}
	return new(heldWrites)
}

// release gives the room back.
func (h *heldWrites) release(rooms *sync.Pool) {
	if cap(h.bytes) <= maxHeld {
		h.bytes, h.list = h.bytes[:0], h.list[:0]
		rooms.Put(h)
	}
}

// add holds a write back, and returns its number.
func (h *heldWrites) add(key, value []byte, gone bool) int {
	h.list = append(h.list, heldWrite{at: len(h.bytes), key: len(key), value: len(value), gone: gone})
	h.bytes = append(append(h.bytes, key...), value...)
	return len(h.list) - 1
}

func (h *heldWrites) keyOf(w *heldWrite) []byte { return h.bytes[w.at : w.at+w.key] }
func (h *heldWrites) value(w *heldWrite) []byte {
	return h.bytes[w.at+w.key : w.at+w.key+w.value]
}

// sort returns the writes in the order of their keys, those to one key as they
// came.
func (h *heldWrites) sort() []heldPlace {
	h.order = slices.Grow(h.order[:0], len(h.list))
	for i := range h.list {
		var begin [16]byte
		copy(begin[:], h.keyOf(&h.list[i]))
		h.order = append(h.order, heldPlace{binary.BigEndian.Uint64(begin[:8]), binary.BigEndian.Uint64(begin[8:]), i})
	}
	slices.SortFunc(h.order, func(x, y heldPlace) int {
		switch {
		case x.head != y.head:
			return cmp.Compare(x.head, y.head)
		case x.neck != y.neck:
			return cmp.Compare(x.neck, y.neck)
		}
		if c := bytes.Compare(h.keyOf(&h.list[x.write]), h.keyOf(&h.list[y.write])); c != 0 {
			return c
		}
		return cmp.Compare(x.write, y.write)
	})
	return h.order
}

// size is at most what the writes take in a batch: a byte, and a length of up to
// five bytes before each key and each value.
func (h *heldWrites) size() int { return 16 + len(h.bytes) + 11*len(h.list) }

// into hands the writes over. Of several to one key the last one counts, as it
// was written last.
func (h *heldWrites) into(b *pebble.Batch) error {
	for _, p := range h.sort() {
		w := &h.list[p.write]
		var err error
		if w.gone {
			err = b.Delete(h.keyOf(w), nil)
		} else {
			err = b.Set(h.keyOf(w), h.value(w), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
