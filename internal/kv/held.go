package kv

import (
	"bytes"
	"slices"

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
}

// heldWrite is one of them. Its key is at the given place, its value behind.
type heldWrite struct {
	at    int
	key   int
	value int
	gone  bool // a deletion
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

// into hands the writes over. Of several to one key the last one counts, as it
// was written last.
func (h *heldWrites) into(b *pebble.Batch) error {
	slices.SortStableFunc(h.list, func(x, y heldWrite) int { return bytes.Compare(h.keyOf(&x), h.keyOf(&y)) })
	for i := range h.list {
		w := &h.list[i]
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
